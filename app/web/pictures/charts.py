"""Bars and curves as what a template only has to write down.

A chart of curves is the table of its numbers: the script that draws it reads what people can read.
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.tictactoe.report import Chances
from app.web.numbers import count, percent

PERCENT = "%"
OUTCOMES = {"win": "won", "draw": "drawn", "loss": "lost"}  # lines and bars that stand for one
PLAIN = ("first", "second", "third", "fourth")  # lines that stand for no outcome


class Share(NamedTuple):
    """One of the three parts of a bar that is 100 wide."""

    kind: str  # of OUTCOMES
    text: str
    start: float
    width: float


class Number(NamedTuple):
    """A number for a script, and the same for people."""

    value: float
    text: str


class Line(NamedTuple):
    """One column of the table and one line of a chart."""

    name: str
    kind: str  # what it is coloured by: of OUTCOMES or PLAIN
    numbers: list[Number | None]  # None where this line has none

    @property
    def ends(self) -> tuple[Number, Number]:
        """Its first number and its last."""
        known = [number for number in self.numbers if number]
        return known[0], known[-1]


class Chart(NamedTuple):
    """Lines that share an axis, from 0 to `top`."""

    title: str
    unit: str
    top: float
    lines: list[Line]

    @property
    def told(self) -> str:
        """Its ends in words, for whoever cannot see it."""
        ends = ((line.name, *line.ends) for line in self.lines)
        told = (f"{name} from {first.text} to {last.text}{self.unit}" for name, first, last in ends)
        return f"{self.title}: {', '.join(told)}."

    @property
    def label(self) -> str:
        """The same, where its table is below."""
        return f"{self.told} The table below has all numbers."


class Moment(NamedTuple):
    """What the charts show at one place on their common axis."""

    at: Number
    href: str  # a view of the agent at that time, if there is one
    numbers: list[Number | None]

    @property
    def texts(self) -> list[str]:
        """The numbers for people, "" for none."""
        return [number.text if number else "" for number in self.numbers]


class Charts(NamedTuple):
    """Charts over one axis."""

    id: str
    axis: str  # what is on it
    logarithmic: bool
    charts: list[Chart]
    moments: list[Moment]


def laid_out(
    id: str,
    axis: str,
    places: Sequence[int],
    charts: list[Chart],
    views: Sequence[str] = (),
    logarithmic: bool = True,
) -> Charts:
    """Put charts over one axis; their lines, and `views` if given, have an entry for each place."""
    columns = [line.numbers for chart in charts for line in chart.lines]
    moments = [
        Moment(Number(place, count(place)), view, list(numbers))
        for place, view, *numbers in zip(places, views or [""] * len(places), *columns, strict=True)
    ]
    return Charts(id, axis, logarithmic, charts, moments)


def percentage(share: float) -> Number:
    """Write a share from 0 to 1 in percent."""
    return Number(round(100 * share, 7), percent(share))


def shares(chances: Chances, decimals: int = 2) -> list[Share]:
    """Divide a bar among win, draw and loss."""
    starts = (0.0, chances[0], chances[0] + chances[1])
    return [
        Share(kind, percent(chance, decimals), round(100 * start, 2), round(100 * chance, 2))
        for kind, chance, start in zip(OUTCOMES, chances, starts, strict=True)
    ]
