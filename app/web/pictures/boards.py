"""Boards: to play on in a template, as small pictures, and as files."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS, MARKS
from app.web.match import MatchState
from app.web.move_values import NOTHING, MoveValues, Note, build_notes
from app.web.pictures import svg
from app.web.site_data import MANY
from app.web.translation import gettext, gettext_noop

# Outline of each sign in a cell with the top left corner (0, 0) and the side 1.
SHAPES = {
    "last": "m.06.06h.88v.88h-.88z",
    "x": "m.24.24.52.52m0-.52-.52.52",
    "o": "m.22.5a.28.28 0 1 0 .56 0a.28.28 0 1 0-.56 0",
    "right": "m.5.16.1.24.26.02-.2.17.06.25-.22-.13-.22.13.06-.25-.2-.17.26-.02z",
    "blunder": "m.5.16a.34.34 0 1 0 0 .68a.34.34 0 1 0 0-.68"
    "m0 .26.13-.13.08.08-.13.13.13.13-.08.08-.13-.13-.13.13-.08-.08.13-.13-.13-.13.08-.08z",
    "plays": "m.34.5a.16.16 0 1 0 .32 0a.16.16 0 1 0-.32 0",
}
SIDE, GAP, EDGE = 112, 6, 16  # pixels: of a square, between two, around all of them
HEAD = 58  # above the board
COLUMNS = ("row", "column", "mark", "value", "heat", "best", "true_outcome", "note")
WORDS = {
    "right": gettext_noop("right"),
    "blunder": gettext_noop("blunder"),
    "plays": gettext_noop("its move"),
    "last": gettext_noop("just played"),
}


CellUrl = Callable[[int], str]  # a URL for each cell


class BoardSquare(NamedTuple):
    """A square of a board."""

    id: str
    key: str  # the digit that plays it, in reading order from 1
    row: int
    column: int
    mark: str  # "X", "O" or "." for empty
    href: str = ""  # URL of the game after a move here, "" if no move is possible
    reply: str = ""  # URL of an agent's answer to that move, "" without one
    last: bool = False  # the last move was here
    chosen: bool = False  # the page is about this square
    winning: bool = False
    heat: int | None = None  # None where no value is known
    text: str = ""  # the value, if it is known or acted on
    spoken: str = ""  # the value in words
    # the true result of the move, if the value errs or the page shows all results
    note: Note = NOTHING
    best: bool = False
    unknown: str = ""  # why no value is known
    hinted: bool = False  # the hint recommends it
    more: str = ""  # another sentence on the value

    @property
    def kinds(self) -> str:
        """The CSS classes of the square besides `cell`, each after a space."""
        return (
            " taken" * (self.mark != ".")
            + " last" * self.last
            + " best" * self.best
            + " unknown" * bool(self.unknown)
            + " chosen" * self.chosen
            + " hinted" * self.hinted
        )

    @property
    def label(self) -> str:
        """The square in words: its place, its stone, its value and its marks."""
        words = [
            gettext("Row %(row)s, column %(column)s", row=self.row, column=self.column),
            self.mark if self.mark != "." else gettext("empty"),
        ]
        words += [gettext("value %(value)s", value=self.spoken)] * bool(self.text)
        words += [self.unknown] * bool(self.unknown) + [self.note.label] * bool(
            self.note.label
        )
        words += [gettext("best")] * self.best + [gettext("hint")] * self.hinted
        words += [gettext("last move")] * self.last + [gettext("wins")] * self.winning
        return ", ".join(words)


class Board(NamedTuple):
    """A board as a page shows it."""

    id: str
    label: str
    ranks: list[list[BoardSquare]]  # row by row
    box: str  # view box of a picture with squares of side 1
    strikes: list[svg.Segment]  # lines through the stones that won
    held: bool  # whether the values are those of an earlier decision, while a move is awaited
    moves: str  # player to move, "X" or "O"; "" after the end

    @property
    def squares(self) -> list[BoardSquare]:
        """All squares in reading order."""
        return [square for rank in self.ranks for square in rank]


class SmallBoard(NamedTuple):
    """A picture of a board; a cell is 1 wide, and the origin is the top left corner."""

    label: str  # all of it in words
    columns: int
    rows: int
    signs: list[svg.Sign]  # one for all of a kind, which keeps it light

    @property
    def svg(self) -> Markup:
        """Write the picture for a page."""
        box = f'viewBox="0 0 {self.columns} {self.rows}" role="img" aria-label="{self.label}"'
        return svg.write_inline(
            [svg.Inset("position", self.signs)], "drawing mini", box
        )


class PlayOptions(NamedTuple):
    """Options for a board on which a game is played."""

    more: Sequence[str] | None = None  # another sentence on the value of each cell
    hinted: Collection[int] = ()  # cells
    # the URL of an agent's answer to a move; None if no agent answers
    reply: CellUrl | None = None
    # whether the values are of an earlier decision, while a move is awaited
    held: bool = False


NO_PLAY = PlayOptions()


def lay_out_board(
    state: MatchState,
    opinion: MoveValues | None,
    link: CellUrl | None,
    id: str = "board",
    label: str = "",
    chosen: int | None = None,
    notes: Sequence[Note] | None = None,
    play: PlayOptions = NO_PLAY,
) -> Board:
    """Return the board for the position of a match.

    `opinion` has the values to show, None for no values; they may belong to an earlier
    decision. `link` returns the URL of an empty cell; None if no move is possible.
    `chosen` is the cell that the page is about. `notes` are those of `build_notes`; by
    default they mark all values that optimal play refutes.
    """
    game = state.site.game
    position = state.position
    lines = _find_winning_lines(game, position) if state.over else []
    winning = set(chain.from_iterable(lines))
    squares = [
        _lay_out_square(state, cell, id)._replace(
            chosen=cell == chosen, winning=cell in winning, hinted=cell in play.hinted
        )
        for cell in range(game.cells)
    ]
    empty = np.flatnonzero(game.board[position] == 0).tolist()
    if not state.over:
        for cell in empty:
            squares[cell] = _link_square(squares[cell], state, cell, link, play.reply)
    if opinion:
        notes = notes or build_notes(state.site, opinion, None, "truth")
        _add_values(squares, empty, opinion, notes, play.more)
    return Board(
        id,
        label or gettext("Board"),
        ranks=[
            squares[start : start + game.columns]
            for start in range(0, game.cells, game.columns)
        ],
        box=f"0 0 {game.columns} {game.rows}",
        strikes=_draw_strikes(game, lines),
        held=play.held,
        moves="" if state.over else MARKS[state.match.to_move],
    )


def _lay_out_square(state: MatchState, cell: int, board_id: str) -> BoardSquare:
    """Return a square with its stone."""
    game = state.site.game
    ply = len(state.match.shown)
    row, column = game.row_column(cell)
    return BoardSquare(
        id=f"{board_id}-{DIGITS[cell]}",
        key=str(cell + 1),
        row=row + 1,
        column=column + 1,
        mark=MARKS[int(game.board[state.position, cell])],
        last=ply > 0 and cell == state.cells[ply - 1],
    )


def _link_square(
    square: BoardSquare,
    state: MatchState,
    cell: int,
    link: CellUrl | None,
    reply: CellUrl | None,
) -> BoardSquare:
    """Add the URLs of a move to an empty square and, if the game goes on, of the reply."""
    game = state.site.game
    goes_on = not game.is_over(int(game.successor[state.position, cell]))
    return square._replace(
        href=link(cell) if link else "",
        reply=reply(cell) if reply and goes_on else "",
    )


def _add_values(
    squares: list[BoardSquare],
    empty: list[int],
    opinion: MoveValues,
    notes: Sequence[Note],
    more: Sequence[str] | None,
) -> None:
    """Add the values of the moves to the empty squares; `more` has a sentence for each cell."""
    for cell in empty:
        known = opinion.known[cell]
        squares[cell] = squares[cell]._replace(
            heat=opinion.heat[cell] if known else None,
            text=opinion.texts[cell],
            spoken=opinion.spoken[cell],
            note=notes[cell],
            best=opinion.best[cell],
            unknown="" if known else opinion.blank,
            more=more[cell] if more else "",
        )


def draw_small_board(
    game: Game, position: int, signs: Mapping[int, str], last: int | None = None
) -> SmallBoard:
    """Return a picture of a position with a sign on some empty cells.

    `signs` maps a cell to "right", "blunder" or "plays". `last` is the cell of the last
    move, None to mark no move.
    """
    kinds = {
        cell: MARKS[stone].lower()
        for cell, stone in enumerate(game.board[position].tolist())
    }
    kinds |= signs
    cells: dict[str, list[int]] = {kind: [] for kind in SHAPES}
    for cell, kind in kinds.items():
        cells.get(kind, []).append(cell)
    cells["last"] = [] if last is None else [last]
    drawn = [svg.Sign("grid", _draw_grid_lines(game))]
    drawn += [
        svg.Sign(kind, "".join(_draw_mark_path(game, kind, cell) for cell in there))
        for kind, there in cells.items()
        if there
    ]
    lines = _find_winning_lines(game, position) if game.is_over(position) else []
    for line in _draw_strikes(game, lines):
        drawn.append(svg.Sign("won", f"M{line.x1} {line.y1} {line.x2} {line.y2}"))
    return SmallBoard(
        _describe_cells(game, kinds, last), game.columns, game.rows, drawn
    )


def draw_changed_board(
    game: Game, position: int, cell: int, old: int, new: int
) -> SmallBoard:
    """Return a picture of a move whose square shows the colours of its old and its new value."""
    drawn = draw_small_board(
        game, position, {cell: MARKS[int(game.to_move[position])].lower()}
    )
    row, column = game.row_column(cell)
    square = f"M{column} {row}h1v1h-1z"
    heats = [
        svg.Sign("was", square, ("heat", old)),
        svg.Sign("became", square, ("heat", new)),
    ]
    return drawn._replace(signs=[*heats, *drawn.signs])


def draw_squares(board: Board) -> list[svg.Shape]:
    """Return the shapes of a board's squares and their content; the origin is the top left corner."""
    shapes: list[svg.Shape] = []
    for square in board.squares:
        x, y = ((n - 1) * (SIDE + GAP) for n in (square.column, square.row))
        shapes += _draw_square(square, x, y)
    for kind, *ends in board.strikes:
        shapes.append(
            svg.Segment(kind, *(round(end * (SIDE + GAP) - GAP / 2, 1) for end in ends))
        )
    return shapes


def draw_board_file(board: Board, headline: str, caption: str) -> svg.Drawing:
    """Return a file with a board and its values, below a headline and a caption."""
    rows = len(board.ranks)
    columns = len(board.ranks[0])
    width, height = (n * (SIDE + GAP) - GAP + 2 * EDGE for n in (columns, rows))
    squares = "; ".join(square.label for square in board.squares)
    shapes: list[svg.Shape] = [
        svg.Text("heading", EDGE, 26, headline),
        svg.Text("told", EDGE, 46, svg.cut_text(caption, width - 2 * EDGE)),
        svg.Inset("", draw_squares(board), EDGE, HEAD),
    ]
    label = f"{headline}. {caption} {squares}."
    return svg.Drawing(width, height + HEAD - EDGE, label, shapes)


def draw_board_preview(board: Board, line: str) -> svg.Drawing:
    """Return the picture of a board for link previews, above a line of text."""
    height, width = (
        n * (SIDE + GAP) - GAP for n in (len(board.ranks), len(board.ranks[0]))
    )
    return svg.draw_preview(line, draw_squares(board), width, height)


def list_board_rows(
    board: Board, opinion: MoveValues | None
) -> Iterator[tuple[object, ...]]:
    """Yield a row of the CSV file for each square, in the order of COLUMNS; None for a missing value."""
    for cell, square in enumerate(board.squares):
        free = opinion is not None and square.mark == "."
        known = free and opinion is not None and opinion.known[cell]
        yield (
            square.row,
            square.column,
            square.mark,
            float(opinion.values[cell]) if opinion and known else None,
            square.heat,
            int(square.best) if free else None,
            (opinion.truths[cell] or None) if opinion and free else None,
            square.note.label or None,
        )


def _draw_square(square: BoardSquare, x: float, y: float) -> Iterator[svg.Shape]:
    """Return the shapes of a square and its content."""
    taken = square.mark != "."
    value = None if taken or square.heat is None else ("heat", square.heat)
    kind = (
        "square" + " taken" * taken + " last" * square.last + " hinted" * square.hinted
    )
    kind += " chosen" * square.chosen
    yield svg.Rect(kind, x, y, SIDE, SIDE, value=value, round=8)
    if taken:
        stone = [svg.Sign("stone", "M0 0" + SHAPES[square.mark.lower()])]
        yield svg.Inset("", stone, x, y, SIDE)
        return
    on = " on" * (value is not None)
    middle = x + SIDE / 2
    if square.text:
        yield svg.Text(
            f"value{on}", middle, y + SIDE / 2 + 8, square.text, "middle", value=value
        )
    elif square.unknown:
        yield svg.Text("value unknown", middle, y + SIDE / 2 + 8, "–", "middle")
    if square.best:
        star = [svg.Sign(f"best{on}", "M0 0" + SHAPES["right"], value)]
        yield svg.Inset("", star, x + SIDE - 32, y + 4, 28)
    if square.note.text:
        note = square.note.short or square.note.text
        yield svg.Text(f"note{on}", middle, y + SIDE - 12, note, "middle", value=value)


def _find_winning_lines(game: Game, position: int) -> list[list[int]]:
    """Return the lines that won the game, in the order of `game.lines`."""
    stones = game.board[position][game.lines]
    complete = np.abs(stones.sum(axis=1)) == game.in_a_row
    lines: list[list[int]] = game.lines[complete].tolist()
    return lines


def _draw_strikes(game: Game, lines: list[list[int]]) -> list[svg.Segment]:
    """Return a stroke through each winning line, slightly longer than the line."""
    drawn = []
    for line in lines:
        (row1, column1), (row2, column2) = (
            game.row_column(line[end]) for end in (0, -1)
        )
        down = np.sign(row2 - row1) * 0.3
        right = np.sign(column2 - column1) * 0.3
        ends = (column1 - right, row1 - down, column2 + right, row2 + down)
        drawn.append(
            svg.Segment("strike", *(round(float(end) + 0.5, 2) for end in ends))
        )
    return drawn


@lru_cache(maxsize=2)
def _draw_grid_lines(game: Game) -> str:
    down = [f"M{column} 0v{game.rows}" for column in range(1, game.columns)]
    return "".join(down + [f"M0 {row}h{game.columns}" for row in range(1, game.rows)])


@lru_cache(maxsize=MANY)
def _draw_mark_path(game: Game, kind: str, cell: int) -> str:
    row, column = game.row_column(cell)
    return f"M{column} {row}{SHAPES[kind]}"


def _describe_cells(game: Game, kinds: Mapping[int, str], last: int | None) -> str:
    """Return the content of the cells in words, row by row."""
    words = [
        gettext(WORDS[kind])
        if kind in WORDS
        else kind.upper()
        if kind != "."
        else gettext("empty")
        for kind in kinds.values()
    ]
    if last is not None:
        words[last] += f" {gettext(WORDS['last'])}"
    rows = [words[i : i + game.columns] for i in range(0, game.cells, game.columns)]
    return "; ".join(
        gettext("row %(row)s %(squares)s", row=number, squares=", ".join(row))
        for number, row in enumerate(rows, 1)
    )
