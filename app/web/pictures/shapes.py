"""What a laid out figure is made of.

Across, a place is a share of the width of the plot, from 0 to 1; down, it is in pixels.  So the
same layout is as wide as a phone or a screen, and its words stay as large as they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.web.pictures.board import SmallBoard


class Link(NamedTuple):
    """What a mark tells, and what it opens."""

    title: str
    href: str  # "" where nothing can be opened


class Rect(NamedTuple):
    """A bar, or a cell of a grid."""

    kind: str  # a class of static/parts/figures.css, as everywhere here
    x: float
    y: float
    width: float
    height: float
    link: Link | None = None


class Dot(NamedTuple):
    """A run, or some."""

    kind: str
    x: float
    y: float
    link: Link | None = None
    size: float = 1.0  # of its radius, as a share of the largest


class Path(NamedTuple):
    """Lines through points one after the other, and a way to press them."""

    kind: str
    points: list[tuple[float, float]]
    closed: bool = False
    link: Link | None = None
    dots: Sequence[tuple[float, float]] = ()  # of its points that are drawn as dots


class Rule(NamedTuple):
    """A straight line."""

    kind: str
    x1: float
    y1: float
    x2: float
    y2: float


class Text(NamedTuple):
    """Some words; `anchor` is which part of them stands at the place."""

    kind: str
    x: float
    y: float  # of the line on which they stand
    text: str
    anchor: str = "start"  # or "middle", "end"
    left: float = 0.0  # pixels further to the left


Shape = Rect | Dot | Path | Rule | Text


class Key(NamedTuple):
    """What one line of a plot is, and the run that it opens."""

    kind: str
    name: str
    link: Link


class Picture(NamedTuple):
    """A position as a picture, with what is to be seen there."""

    board: SmallBoard
    text: str
    link: Link


class Layout(NamedTuple):
    """A figure, laid out."""

    title: str
    unit: str
    caption: str  # how to read it: what a mark is, of how many runs, whether it is exact
    height: float  # pixels
    margin: int  # at the left, in steps of 8 pixels
    shapes: list[Shape]
    keys: list[Key]
    pictures: list[Picture]  # of a figure that consists of boards
    unopened: bool  # whether some run of it takes longer than the lab trains
