"""A position as a small picture to look at; one outline for all signs of a kind keeps it light."""

from collections.abc import Mapping
from typing import NamedTuple

from app.tictactoe.game import Game
from app.tictactoe.notation import MARKS
from app.web.board_view import strikes, winning_lines

# What a sign looks like in a cell whose top left corner is (0, 0) and whose side is 1.
SHAPES = {
    "last": "m.06.06h.88v.88h-.88z",
    "x": "m.24.24.52.52m0-.52-.52.52",
    "o": "m.22.5a.28.28 0 1 0 .56 0a.28.28 0 1 0-.56 0",
    "right": "m.5.16.1.24.26.02-.2.17.06.25-.22-.13-.22.13.06-.25-.2-.17.26-.02z",
    "blunder": "m.5.16a.34.34 0 1 0 0 .68a.34.34 0 1 0 0-.68"
    "m0 .26.13-.13.08.08-.13.13.13.13-.08.08-.13-.13-.13.13-.08-.08.13-.13-.13-.13.08-.08z",
    "plays": "m.34.5a.16.16 0 1 0 .32 0a.16.16 0 1 0-.32 0",
}
WORDS = {"right": "right", "blunder": "blunder", "plays": "its move", "last": "just played"}


class SmallBoard(NamedTuple):
    """A picture of a board; a cell is 1 wide, the origin the top left corner."""

    label: str  # all of it in words
    box: str
    paths: list[tuple[str, str]]  # a kind, and the outline of all its signs


def small_board(
    game: Game, position: int, signs: Mapping[int, str], last: int | None = None
) -> SmallBoard:
    """Draw a position with signs on empty cells: "right", "blunder" or "plays" by cell.

    `last` is the cell of the last move, if it is to be marked.
    """
    kinds = {cell: MARKS[stone].lower() for cell, stone in enumerate(game.board[position].tolist())}
    kinds |= signs
    places: dict[str, list[int]] = {kind: [] for kind in SHAPES}
    for cell, kind in kinds.items():
        places.get(kind, []).append(cell)
    places["last"] = [] if last is None else [last]
    paths = [("grid", _grid(game))]
    paths += [(kind, _outline(game, kind, cells)) for kind, cells in places.items() if cells]
    for line in strikes(game, winning_lines(game, position)):
        paths.append(("won", f"M{line.x1} {line.y1} {line.x2} {line.y2}"))
    return SmallBoard(_label(game, kinds, last), f"0 0 {game.columns} {game.rows}", paths)


def _grid(game: Game) -> str:
    down = [f"M{column} 0v{game.rows}" for column in range(1, game.columns)]
    return "".join(down + [f"M0 {row}h{game.columns}" for row in range(1, game.rows)])


def _outline(game: Game, kind: str, cells: list[int]) -> str:
    corners = (game.row_column(cell) for cell in cells)
    return "".join(f"M{column} {row}{SHAPES[kind]}" for row, column in corners)


def _label(game: Game, kinds: Mapping[int, str], last: int | None) -> str:
    """Name the cells row by row."""
    words = [WORDS.get(kind, kind.upper() if kind != "." else "empty") for kind in kinds.values()]
    if last is not None:
        words[last] += f" {WORDS['last']}"
    rows = [words[i : i + game.columns] for i in range(0, game.cells, game.columns)]
    return "; ".join(f"row {number} {', '.join(row)}" for number, row in enumerate(rows, 1))
