"""A position and an opinion of it, made into cells that a template only has to write down."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS, MARKS, parse_record, replay
from app.web.lens import Opinion


class Cell(NamedTuple):
    """One square of the board."""

    id: str
    row: int
    column: int
    mark: str  # "X", "O" or "." for nobody's
    href: str = ""  # the game after a move here, if one is possible
    last: bool = False  # the last move was here
    chosen: bool = False  # the page is about this square
    winning: bool = False
    heat: int | None = None  # None where there is no value to show
    text: str = ""  # the value
    note: str = ""  # what is true of the move, where it is asked for or the value errs
    best: bool = False
    wrong: bool = False
    unknown: str = ""  # why there is no value

    @property
    def label(self) -> str:
        """All of it in words."""
        words = [
            f"Row {self.row}, column {self.column}",
            self.mark if self.mark != "." else "empty",
        ]
        words += [f"value {self.text}"] * bool(self.text) + [self.unknown] * bool(self.unknown)
        words += ["best"] * self.best
        words += [f"wrong, truly a {self.note}" if self.wrong else self.note] * bool(self.note)
        words += ["last move"] * self.last + ["wins"] * self.winning
        return ", ".join(words)


class Strike(NamedTuple):
    """A line through stones that won; a cell is 1 wide, the origin the top left corner."""

    x1: float
    y1: float
    x2: float
    y2: float


class Board(NamedTuple):
    """A board as a page shows it, its cells in reading order."""

    id: str
    label: str
    cells: list[Cell]
    strikes: list[Strike]


def board(
    game: Game,
    record: str,
    seen: Opinion | None,
    link: Callable[[int], str] | None,
    id: str = "board",
    label: str = "Board",
    chosen: int | None = None,
) -> Board:
    """Lay out the position after a record.

    `seen` is None where no values are to be shown.  `link` makes of an empty cell the address that
    it leads to; None for a board on which nobody moves now.
    `chosen` is the cell that the page is about, if it is about one.
    """
    position = replay(game, record)[-1]
    last = parse_record(game, record)[-1:]
    lines = winning_lines(game, position)
    winning = {cell for line in lines for cell in line}
    laid_out = []
    for cell, stone in enumerate(game.board[position].tolist()):
        row, column = game.row_column(cell)
        free = stone == 0 and not game.is_over(position)
        square = Cell(
            id=f"{id}-{DIGITS[cell]}",
            row=row + 1,
            column=column + 1,
            mark=MARKS[stone],
            href=link(cell) if free and link else "",
            last=cell in last,
            chosen=cell == chosen,
            winning=cell in winning,
        )
        laid_out.append(_coloured(square, seen, cell) if free and seen else square)
    return Board(id, label, laid_out, strikes(game, lines))


def winning_lines(game: Game, position: int) -> list[list[int]]:
    """List the lines that ended the game, in the order of `game.lines`."""
    stones = game.board[position][game.lines]
    complete = np.abs(stones.sum(axis=1)) == game.in_a_row
    lines: list[list[int]] = game.lines[complete].tolist()
    return lines


def strikes(game: Game, lines: list[list[int]]) -> list[Strike]:
    """Draw each winning line from a little before its first stone to a little after its last."""
    drawn = []
    for line in lines:
        (row1, column1), (row2, column2) = (game.row_column(line[end]) for end in (0, -1))
        down, right = np.sign(row2 - row1) * 0.3, np.sign(column2 - column1) * 0.3
        ends = (column1 - right, row1 - down, column2 + right, row2 + down)
        drawn.append(Strike(*(round(float(end) + 0.5, 2) for end in ends)))
    return drawn


def _coloured(square: Cell, seen: Opinion, cell: int) -> Cell:
    """Add to an empty square what an opinion says of a move there."""
    square = square._replace(best=seen.best[cell])
    if not seen.texts[cell]:
        return square._replace(unknown=seen.blank)
    return square._replace(
        heat=seen.heat[cell],
        text=seen.texts[cell],
        note=seen.truths[cell] if seen.exact or seen.wrong[cell] else "",
        wrong=seen.wrong[cell],
    )
