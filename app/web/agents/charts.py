"""Charts as the table of their numbers: the script that draws them reads what people can read."""

from collections.abc import Sequence
from typing import NamedTuple

from app.web.numbers import count, percent

PERCENT = "%"
PLAIN = ("first", "second")  # kinds of lines that stand for no outcome


class Number(NamedTuple):
    """A number for a script, and the same for people."""

    value: float
    text: str


class Line(NamedTuple):
    """One column of the table and one line of a chart."""

    name: str
    kind: str  # what it is coloured by: "win", "draw", "loss", or one of PLAIN
    numbers: list[Number]


class Chart(NamedTuple):
    """Lines that share an axis, from 0 to `top`."""

    title: str
    unit: str
    top: float
    lines: list[Line]

    @property
    def label(self) -> str:
        """Its ends in words, for whoever cannot see it."""
        ends = (
            f"{line.name} from {line.numbers[0].text} to {line.numbers[-1].text}{self.unit}"
            for line in self.lines
        )
        return f"{self.title}: {', '.join(ends)}. The table below has all numbers."


class Row(NamedTuple):
    """What the charts show at one place on their common axis."""

    at: Number
    href: str  # a view of the agent at that time, if there is one
    numbers: list[Number]


class Charts(NamedTuple):
    """Charts over one axis."""

    id: str
    axis: str  # what is on it
    logarithmic: bool
    charts: list[Chart]
    rows: list[Row]


def lay_out(
    id: str,
    axis: str,
    places: Sequence[int],
    charts: list[Chart],
    views: Sequence[str],
    logarithmic: bool,
) -> Charts:
    """Put charts over one axis; their lines and `views` have one entry for each of its places."""
    columns = [line.numbers for chart in charts for line in chart.lines]
    rows = [
        Row(Number(place, count(place)), view, list(numbers))
        for place, view, *numbers in zip(places, views, *columns, strict=True)
    ]
    return Charts(id, axis, logarithmic, charts, rows)


def percentage(share: float) -> Number:
    """Write a share in percent."""
    return Number(round(100 * share, 7), percent(share))
