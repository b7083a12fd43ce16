"""Axes, learning curves, the value of a game over its moves, and bars of outcomes.

Curves are the table of their numbers: a script with a cursor reads what people can read.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from app.tictactoe.report import Chances
from app.web.formatting import format_count, format_percent, format_short
from app.web.game_review import LEVELS, ReviewedMove, describe_moves
from app.web.match import MatchState
from app.web.pictures import svg
from app.web.translation import gettext

PERCENT = "%"
# kind of an outcome -> its word
OUTCOMES = {"win": "won", "draw": "drawn", "loss": "lost"}
PLAIN = ("accent", "ink", "win", "loss")  # inks of lines without an outcome
# lines differ by more than their colour
DASHES = ("", "dashed ", "dotted ", "mixed ")
STEPS = (1, 2, 2.5, 5, 10)  # distances of ticks, times a power of ten
MOST_TICKS = 6
CLOSE = 0.08  # share of an axis that its first number needs
DIGIT = 7.0  # largest width of a digit at an axis, in pixels
AXIS = 34.0  # pixels below a plot, for its numbers and their name

# A page.
TALL = 170.0  # pixels of a plot
LOW = 80.0  # the same of the value of a game
ABOVE = 8.0

# A file.
WIDTH, WIDTHS = 640, (280, 1600)  # pixels that a picture can be wide
ONE = 300  # pixels: how narrow a chart may be
ALONE, AMONG = 224, 144  # pixels: the height of a plot, alone or among others
# heights: of all, of a chart, of its key's rows, below
TITLE, NAME, ENTRY, BELOW = (30, 26, 17, 44)
LEFT, RIGHT, EDGE = 50, 14, 12  # left and right of a plot, and of what is written
SAMPLE = 24  # pixels of a line in a key
VALUE_COLUMNS = (
    "move",
    "mark",
    "row",
    "column",
    "true_value_for_x",
    "expected_for_x",
    "blunder",
)


class Axis(NamedTuple):
    """An axis: its range and its ticks; `at` maps a number to a place."""

    low: float
    high: float
    logarithmic: bool
    ticks: Sequence[float]
    more: float = 0.0  # than a value, is what a logarithmic axis takes the logarithm of

    def at(self, value: float) -> float:
        """Return the place of a value, from 0 to 1; what lies outside is at the nearer end."""
        low, high, value = (
            self._scaled(number) for number in (self.low, self.high, value)
        )
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def places(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the places of many values on a straight axis."""
        shares = (np.asarray(values) - self.low) / (self.high - self.low)
        return np.clip(shares, 0.0, 1.0)

    def _scaled(self, value: float) -> float:
        if not self.logarithmic:
            return value
        return log10(max(value, self.low, 1e-300) + self.more)


def scale(values: Iterable[float], zero: bool = False, whole: bool = False) -> Axis:
    """Return a straight axis for values; with `zero` it includes 0.

    With `whole` it ends at ticks, otherwise slightly outside the range of the values.
    """
    known = [*values, *([0.0] if zero else [])] or [0.0]
    low, high = min(known), max(known)
    if low == high:
        room = abs(low) * 0.1 or 1.0
        low, high = (
            (low, high + room) if zero and low == 0 else (low - room, high + room)
        )
    size = _choose_step(high - low)
    if whole:
        low, high = floor(low / size + 1e-9) * size, ceil(high / size - 1e-9) * size
    else:
        room = 0.02 * (high - low)
        low, high = low - room, high + room
    first, last = ceil(low / size - 1e-9), floor(high / size + 1e-9)
    return Axis(
        low, high, False, [number * size + 0.0 for number in range(first, last + 1)]
    )


def logarithmic(values: Iterable[float]) -> Axis:
    """Make a logarithmic axis for values above 0 with a tick at powers of ten."""
    known = [value for value in values if value > 0] or [1.0]
    low, high = min(known), max(known)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    ticks = [10.0**power for power in range(first, last + 1)]
    if len(ticks) > MOST_TICKS:
        ticks = ticks[:: ceil(len(ticks) / MOST_TICKS)]
    low, high = (low, high) if log10(low) < log10(high) else (low / 2, high * 2)
    return Axis(low, high, True, [tick for tick in ticks if low <= tick <= high])


def from_zero(highest: float) -> Axis:
    """Return an axis of log(1 + value), which begins with 0."""
    highest = max(highest, 1.0)  # an agent that was never updated has only its start
    axis = Axis(0.0, highest, True, [], 1.0)
    powers = (10.0**power for power in range(floor(log10(highest)) + 1))
    return axis._replace(
        ticks=[0.0, *(tick for tick in powers if axis.at(tick) > CLOSE)]
    )


def _choose_step(size: float) -> float:
    rough = size / (MOST_TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


class Share(NamedTuple):
    """One of the three parts of a bar that is 100 wide."""

    kind: str  # key of OUTCOMES
    text: str
    start: float
    width: float


class Number(NamedTuple):
    """A number, and the same for people."""

    value: float
    text: str


class Curve(NamedTuple):
    """One column of the table and one line of a chart."""

    name: str
    ink: str
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
    lines: list[Curve]

    @property
    def told(self) -> str:
        """Its ends in words, for a screen reader."""
        ends = ((line.name, *line.ends) for line in self.lines)
        told = (
            f"{name} from {first.text} to {last.text}{self.unit}"
            for name, first, last in ends
        )
        return f"{self.title}: {', '.join(told)}."

    @property
    def label(self) -> str:
        """The same, where its table is below."""
        return f"{self.told} The table below has all numbers."


class Moment(NamedTuple):
    """The numbers of all charts at one place of their common axis."""

    at: Number
    href: str  # URL of the agent at that time, "" without one
    numbers: list[Number | None]
    share: float  # place of the cursor, in percent of the axis

    @property
    def texts(self) -> list[str]:
        """The numbers for people, "" for none."""
        return [number.text if number else "" for number in self.numbers]


class Drawn(NamedTuple):
    """A chart on a page."""

    chart: Chart
    keys: Sequence[svg.Key]
    svg: Markup


class Charts(NamedTuple):
    """Charts over one axis."""

    id: str
    axis: str  # name of its quantity
    across: Axis
    charts: list[Chart]
    moments: list[Moment]

    @property
    def drawn(self) -> list[Drawn]:
        """All of them for a page."""
        plots = [plot_of(self, chart, TALL) for chart in self.charts]
        each = zip(self.charts, plots, strict=True)
        return [Drawn(chart, plot.keys, svg.inline_plot(plot)) for chart, plot in each]


def laid_out(
    id: str,
    axis: str,
    places: Sequence[int],
    charts: list[Chart],
    views: Sequence[str] = (),
    logarithmic: bool = True,
) -> Charts:
    """Return charts laid out over one x axis.

    Each line, and `views` if given, has an entry for each x value in `places`.
    """
    across = from_zero(places[-1]) if logarithmic else scale(places)
    columns = [line.numbers for chart in charts for line in chart.lines]
    moments = [
        Moment(
            Number(place, format_count(place)),
            view,
            list(numbers),
            round(100 * across.at(place), 2),
        )
        for place, view, *numbers in zip(
            places, views or [""] * len(places), *columns, strict=True
        )
    ]
    return Charts(id, axis, across, charts, moments)


def percentage(share: float) -> Number:
    """Write a share from 0 to 1 in percent."""
    return Number(round(100 * share, 7), format_percent(share))


def shares(chances: Chances, decimals: int = 2) -> list[Share]:
    """Divide a bar among win, draw and loss."""
    starts = (0.0, chances[0], chances[0] + chances[1])
    return [
        Share(
            kind,
            format_percent(chance, decimals),
            round(100 * start, 2),
            round(100 * chance, 2),
        )
        for kind, chance, start in zip(OUTCOMES, chances, starts, strict=True)
    ]


def plot_of(charts: Charts, chart: Chart, height: float) -> svg.Plot:
    """Lay out the lines of a chart over its two axes; `height` is that of the plot, in pixels."""
    up = scale([chart.top], zero=True)
    bottom = ABOVE + height
    shapes: list[svg.Shape] = []
    margin = levels(shapes, up, ABOVE, height, chart.unit)
    ticks(shapes, charts.across, bottom, charts.axis)
    places = [moment.share / 100 for moment in charts.moments]
    keys = []
    for line, dash in zip(chart.lines, DASHES, strict=False):
        kind = f"{line.ink} {dash}curve"
        points = [
            (x, down(up, number.value, ABOVE, height))
            for x, number in zip(places, line.numbers, strict=True)
            if number
        ]
        shapes.append(svg.Path(kind, points))
        keys.append(svg.Key(kind, line.name))
    return svg.Plot(bottom + AXIS, margin, shapes, keys)


def levels(
    shapes: list[svg.Shape], up: Axis, top: float, height: float, unit: str = ""
) -> int:
    """Draw a line at each tick of an axis upwards, its number left of it; return the margin."""
    labels = [format_short(tick) + "%" * unit.startswith("%") for tick in up.ticks]
    for tick, label in zip(up.ticks, labels, strict=True):
        y = down(up, tick, top, height)
        shapes.append(
            svg.Segment("base" if tick == max(up.low, 0.0) else "rule", 0, y, 1, y)
        )
        shapes.append(svg.Text("tick", 0, y + 4, label, "end", 8))
    return margin_of(labels)


def ticks(shapes: list[svg.Shape], across: Axis, y: float, words: str) -> None:
    """Write the numbers of an axis across below `y`, and what they are."""
    percent = "%" * words.startswith("%")
    for tick in across.ticks:
        at = across.at(tick)
        anchor = "start" if at < 0.04 else "end" if at > 0.96 else "middle"
        shapes.append(
            svg.Text("tick", at, y + 14, format_short(tick) + percent, anchor)
        )
    if words != percent:
        shapes.append(svg.Text("axis", 1, y + 30, words, "end"))


def margin_of(labels: Sequence[str]) -> int:
    """Return the width that labels at the left need, in steps of 8 pixels."""
    return -(-int(max(map(len, labels)) * DIGIT + 8) // 8)


def down(y_axis: Axis, value: float, top: float, height: float) -> float:
    """Return the distance of a value from the top of a plot, in pixels."""
    return round(top + (1 - y_axis.at(value)) * height, 1)


def curve_picture(charts: Charts, title: str, width: int) -> svg.Drawing:
    """Draw charts side by side as far as there is room, and below each other."""
    across = max(1, min(len(charts.charts), width // ONE))
    each = width // across
    high = ALONE if len(charts.charts) == 1 else AMONG
    plots = [plot_of(charts, chart, high) for chart in charts.charts]
    keys = [_list_keys(plot.keys, each - 2 * EDGE) for plot in plots]
    above = NAME + max(rows for _, rows in keys) * ENTRY
    height = above + high + BELOW
    told = " ".join(chart.told for chart in charts.charts)
    heading = svg.cut_text(title, width - 2 * EDGE, 17)
    shapes: list[svg.Shape] = [svg.Text("heading", EDGE, 21, heading)]
    for number, (chart, plot, (samples, _)) in enumerate(
        zip(charts.charts, plots, keys, strict=True)
    ):
        x, y = number % across * each, TITLE + number // across * height
        unit = f", {chart.unit}" if chart.unit else ""
        name = svg.cut_text(chart.title + unit, each - 2 * EDGE, 13)
        shapes.append(svg.Text("label", x + EDGE, y + 14, name))
        shapes.append(svg.Inset("", samples, x + EDGE, y + NAME))
        left, room = x + LEFT, each - LEFT - RIGHT
        shapes.append(svg.Inset("", plot.shapes, left, y + above - ABOVE, width=room))
    rows = ceil(len(charts.charts) / across)
    return svg.Drawing(width, TITLE + rows * height, f"{title}. {told}", shapes)


def numbers(charts: Charts) -> tuple[list[str], Iterator[list[float | None]]]:
    """Return the same as the columns of a table, and its rows."""
    several = len(charts.charts) > 1
    columns = [
        (f"{chart.title}: " if several and len(chart.lines) > 1 else "")
        + line.name
        + (f", {chart.unit}" if chart.unit else "")
        for chart in charts.charts
        for line in chart.lines
    ]
    rows = (
        [moment.at.value, *(entry and entry.value for entry in moment.numbers)]
        for moment in charts.moments
    )
    return [charts.axis, *columns], rows


def seeds_plot(
    rows: Sequence[Sequence[float]],
    names: Sequence[str],
    kinds: Sequence[str],
    links: Sequence[svg.Link],
    height: float,
    unit: str = "",
) -> svg.Plot:
    """Lay out one number of each seed of one recipe, or of two with a line between them: [R, C].

    `names` are those of the recipes; each seed has a kind of line and what it opens.
    """
    up = scale([value for row in rows for value in row])
    bottom = ABOVE + height
    shapes: list[svg.Shape] = []
    margin = levels(shapes, up, ABOVE, height, unit)
    across = [(2 * number + 1) / (2 * len(names)) for number in range(len(names))]
    for row, kind, link in zip(rows, kinds, links, strict=True):
        points = [
            (x, down(up, y, ABOVE, height)) for x, y in zip(across, row, strict=True)
        ]
        shapes.append(svg.Path(f"{kind} curve", points, False, link, points))
    for x, name in zip(across, names, strict=True):
        shapes.append(svg.Text("tick", x, bottom + 16, name, "middle"))
    return svg.Plot(bottom + AXIS - 10, margin, shapes)


def taught_chart(
    judged: Sequence[tuple[Sequence[float], int]], decisions: int
) -> Markup:
    """Draw the share of games that a learner loses in each seat, and its share of blunders.

    There is a value after each lesson; the games are those against its best responder.
    """
    up, across = scale([100.0], zero=True), scale([0, max(2, len(judged))])
    shapes: list[svg.Shape] = []
    margin = levels(shapes, up, ABOVE, LOW, PERCENT)
    seats = zip(*(beaten for beaten, _ in judged), strict=True)
    lines = [
        *zip(("accent ", "ink dashed "), seats, strict=False),
        ("soft dotted ", [blunders / decisions for _, blunders in judged]),
    ]
    for kind, values in lines:
        points = [
            (round(across.at(number), 4), down(up, 100 * value, ABOVE, LOW))
            for number, value in enumerate(values, 1)
        ]
        shapes.append(
            svg.Path(f"{kind}curve", points, dots=points if len(points) == 1 else ())
        )
    return svg.inline_plot(svg.Plot(LOW + 2 * ABOVE, margin, shapes))


def value_plot(
    state: MatchState, moves: Sequence[ReviewedMove], height: float
) -> svg.Plot:
    """Lay out what a game of these moves was worth after each, as a line, and expected, as dots."""
    plies, shown = state.site.game.cells, len(state.match.shown)
    start = int(state.site.solution.value[0])
    up = Axis(-1.0, 1.0, False, sorted(LEVELS))
    shapes: list[svg.Shape] = []
    names = {value: gettext(name) for value, name in LEVELS.items()}
    for value, name in names.items():
        y = down(up, value, ABOVE, height)
        shapes += [
            svg.Segment("rule", 0, y, 1, y),
            svg.Text("tick", 0, y + 4, name, "end", 8),
        ]
    shapes.append(
        svg.Segment("now", shown / plies, ABOVE - 6, shown / plies, ABOVE + height + 6)
    )
    corners = [(0, start)]
    for ply, values in enumerate(pairwise([start, *(move.truth for move in moves)]), 1):
        corners += [(ply, value) for value in values]
    points = [(ply / plies, down(up, value, ABOVE, height)) for ply, value in corners]
    shapes.append(svg.Path("ink curve", points))
    shapes += [
        svg.Dot("dot", move.ply / plies, down(up, move.expected, ABOVE, height))
        for move in moves
        if move.expected is not None
    ]
    return svg.Plot(height + 2 * ABOVE, margin_of([*names.values()]), shapes)


def value_chart(state: MatchState, moves: Sequence[ReviewedMove]) -> Markup:
    """Draw the value of a game over its moves for a page."""
    return svg.inline_plot(value_plot(state, moves, LOW), describe_moves(moves))


def value_picture(
    state: MatchState, moves: Sequence[ReviewedMove], title: str
) -> svg.Drawing:
    """Draw the value of a game over its moves alone."""
    plot = value_plot(state, moves, AMONG)
    note = "Line: the exact value after each move, for X. Dots: what was expected."
    margin = 12 + 8 * plot.margin
    shapes: list[svg.Shape] = [
        svg.Text("heading", 12, 22, svg.cut_text(title, 616, 17)),
        svg.Text("told", 12, 236, note),
        svg.Inset("", plot.shapes, margin, 46, width=628 - margin),
    ]
    return svg.Drawing(WIDTH, 250, f"{title}. {describe_moves(moves)}", shapes)


def value_numbers(
    state: MatchState, moves: Sequence[ReviewedMove]
) -> Iterator[tuple[object, ...]]:
    """Yield a row for each move of a match, as VALUE_COLUMNS name them."""
    for move, cell in zip(moves, state.cells, strict=True):
        row, column = state.site.game.row_column(cell)
        # never -0.0
        expected = None if move.expected is None else round(move.expected, 6) + 0.0
        yield (
            move.ply,
            move.mark,
            row + 1,
            column + 1,
            move.truth,
            expected,
            int(move.blunder),
        )


def _list_keys(keys: Sequence[svg.Key], width: float) -> tuple[list[svg.Shape], int]:
    """Name the lines of a chart, as many in a row as there is room for; return how many rows."""
    shapes: list[svg.Shape] = []
    x, row = 0.0, 0
    for key in keys:
        name = svg.cut_text(key.name, width - SAMPLE - 6)
        needed = SAMPLE + 6 + 12 * svg.LETTER * len(name) + 14
        if x and x + needed > width:
            x, row = 0.0, row + 1
        y = ENTRY * row + 2
        shapes.append(svg.Path(key.kind, [(x, y), (x + SAMPLE, y)]))
        shapes.append(svg.Text("told", x + SAMPLE + 6, y + 4, name))
        x += needed
    return shapes, row + 1
