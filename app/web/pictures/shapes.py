"""What a picture is made of.

A shape has a kind: classes that `shapes.css` colours, in a page and in a file alike.  In a plot a
place across is a share of its width, from 0 to 1, and one down is in pixels.  So the same plot is
as wide as a phone or a screen, and its words stay as large as they are.  Elsewhere both are in
pixels, or in units of the group around the shape.
"""

from collections.abc import Sequence
from typing import NamedTuple

Value = tuple[str, int]  # "heat" from -HEAT_STEPS to HEAT_STEPS, or "level" from 0 to LEVELS


class Link(NamedTuple):
    """What a shape tells, and what it opens."""

    title: str
    href: str  # "" where nothing can be opened


class Rect(NamedTuple):
    """A bar, or a cell."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    link: Link | None = None
    value: Value | None = None
    round: float = 0.0  # pixels, of its corners


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
    points: Sequence[tuple[float, float]]
    closed: bool = False
    link: Link | None = None
    dots: Sequence[tuple[float, float]] = ()  # of its points that are drawn as dots


class Segment(NamedTuple):
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
    value: Value | None = None  # what they stand on


class Sign(NamedTuple):
    """An outline as SVG writes it: a mark, or all tiles of a colour."""

    kind: str
    outline: str
    value: Value | None = None
    fill: str = ""  # of what no style fills, such as "url(#hatch)"


class Hatch(NamedTuple):
    """Slanting lines, to fill what has no colour; a page shows it where `url(#id)` is."""

    id: str


class Inset(NamedTuple):
    """Shapes with units of their own."""

    kind: str
    shapes: "Sequence[Shape]"
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: float = 1.0  # of a plot, in pixels
    link: Link | None = None


Shape = Rect | Dot | Path | Segment | Text | Sign | Hatch | Inset


class Drawing(NamedTuple):
    """A picture that stands alone, in pixels from its top left corner."""

    width: float
    height: float
    label: str  # all of it in words
    shapes: Sequence[Shape]


class Key(NamedTuple):
    """What one line of a plot is, and the run that it opens, if it does."""

    kind: str
    name: str
    link: Link = Link("", "")


class Plot(NamedTuple):
    """Shapes over two axes: as wide as there is room for, so high, and what its lines are."""

    height: float  # pixels
    margin: int  # at the left, for the numbers of the axis there, in steps of 8 pixels
    shapes: Sequence[Shape]
    keys: Sequence[Key] = ()
