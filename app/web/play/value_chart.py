"""The value of a game over its moves, as a picture in X's view."""

from itertools import pairwise
from typing import NamedTuple

from app.web.moves import Move
from app.web.numbers import signed

LEFT, RIGHT, TOP, BOTTOM = 52.0, 312.0, 12.0, 84.0  # the corners of the plot in its picture
OUTCOMES = {1: "X wins", 0: "draw", -1: "O wins"}


class Line(NamedTuple):
    """A level of the picture, with what it stands for."""

    y: float
    name: str


class Dot(NamedTuple):
    """What the lens expected of one move."""

    x: float
    y: float


class ValueChart(NamedTuple):
    """Lines and dots in a picture of 320 by 96."""

    levels: list[Line]
    truth: str  # the points of a line that goes in steps
    expected: list[Dot]
    shown: float  # where the position on the board is
    label: str  # all of it in words


def value_chart(moves: list[Move], start: int, shown: int, plies: int) -> ValueChart:
    """Draw a game of at most so many plies, shown at one of them.

    `start` is the value of the first position, in X's view.
    """
    values = [start, *(move.truth for move in moves)]
    corners = [(_x(0, plies), _y(start))]
    for ply, (before, after) in enumerate(pairwise(values), 1):
        corners += [(_x(ply, plies), _y(before)), (_x(ply, plies), _y(after))]
    return ValueChart(
        levels=[Line(_y(value), name) for value, name in OUTCOMES.items()],
        truth=" ".join(f"{x:g},{y:g}" for x, y in corners),
        expected=[
            Dot(_x(move.ply, plies), _y(move.expected))
            for move in moves
            if move.expected is not None
        ],
        shown=_x(shown, plies),
        label=_label(moves),
    )


def _label(moves: list[Move]) -> str:
    said = [
        f"{move.ply}. {OUTCOMES[move.truth]}, expected "
        + ("unknown" if move.expected is None else signed(move.expected))
        for move in moves
    ]
    return f"Value after each move, +1 if X wins, −1 if O wins. {'; '.join(said)}."


def _x(ply: int, plies: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * ply / plies, 1)


def _y(value: float) -> float:
    return round(TOP + (BOTTOM - TOP) * (1 - value) / 2, 1)
