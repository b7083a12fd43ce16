"""Charts with axes: learning curves, the value of a game over its moves, and bars of results.

Each chart has a table of its numbers on the page. A script reads the number at the cursor from it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from app.tictactoe.game import GAME, FloatArray
from app.tictactoe.report import Chances
from app.web.formatting import format_count, format_percent, format_short_number
from app.web.game_review import RESULT_LABELS, ReviewedMove, describe_moves
from app.web.match import MatchState
from app.web.pictures import svg
from app.web.routes import Destination
from app.web.translation import gettext

PERCENT_UNIT = "%"
OUTCOME_PARTICIPLES = {"win": "won", "draw": "drawn", "loss": "lost"}
# Lines that do not stand for outcomes have these colours, in this order.
CURVE_INKS = ("accent", "ink", "win", "loss")
# Without colours, lines differ by these CSS classes.
DASH_CLASSES = ("", "dashed ", "dotted ", "mixed ")
# The distance between two ticks is one of these, times a power of ten.
TICK_STEPS = (1, 2, 2.5, 5, 10)
MAX_TICKS = 6
# The numbers of closer ticks would overlap. The distance is a share of the axis.
MIN_TICK_DISTANCE = 0.08
# of the widest digit, in pixels
DIGIT_WIDTH = 7.0
# for the numbers and the title of the horizontal axis
AXIS_HEIGHT = 34.0

# Sizes of charts on a page, in pixels.
PLOT_HEIGHT = 170.0
LOW_PLOT_HEIGHT = 80.0
ROOM_ABOVE = 8.0

# Sizes of charts in a file, in pixels.
DEFAULT_FILE_WIDTH = 640
FILE_WIDTH_LIMITS = (280, 1600)
MIN_CHART_WIDTH = 300
SINGLE_CHART_HEIGHT, JOINED_CHART_HEIGHT = 224, 144
TITLE_HEIGHT, NAME_HEIGHT, KEY_ROW_HEIGHT, ROOM_BELOW = (30, 26, 17, 44)
PLOT_LEFT, PLOT_RIGHT, TEXT_MARGIN = (50, 14, 12)
KEY_LINE_WIDTH = 24
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
    minimum: float
    maximum: float
    is_logarithmic: bool
    ticks: Sequence[float]
    # A logarithmic axis shows log(value + log_offset).
    log_offset: float = 0.0

    def compute_share(self, value: float) -> float:
        """Return where a value is on the axis, from 0 to 1; outside the range it is 0 or 1."""
        low = self._apply_logarithm(self.minimum)
        high = self._apply_logarithm(self.maximum)
        value = self._apply_logarithm(value)
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def compute_shares(self, values: ArrayLike) -> FloatArray:
        """Return `compute_share` of many values on a linear axis."""
        shares = (np.asarray(values) - self.minimum) / (self.maximum - self.minimum)
        return np.clip(shares, 0.0, 1.0)

    def _apply_logarithm(self, value: float) -> float:
        if not self.is_logarithmic:
            return value
        return log10(max(value, self.minimum, 1e-300) + self.log_offset)


def build_axis(
    shown_values: Iterable[float],
    includes_zero: bool = False,
    ends_at_ticks: bool = False,
) -> Axis:
    """Return a linear axis for some values.

    `includes_zero` extends it to 0, and `ends_at_ticks` to the next ticks. Otherwise it is slightly
    longer than the range of the values.
    """
    known = [*shown_values, *([0.0] if includes_zero else [])] or [0.0]
    low = min(known)
    high = max(known)
    if low == high:
        room = abs(low) * 0.1 or 1.0
        high += room
        if low != 0 or not includes_zero:
            low -= room
    size = choose_tick_distance(high - low)
    if ends_at_ticks:
        low = floor(low / size + 1e-9) * size
        high = ceil(high / size - 1e-9) * size
    else:
        room = 0.02 * (high - low)
        low = low - room
        high += room
    first = ceil(low / size - 1e-9)
    last = floor(high / size + 1e-9)
    return Axis(
        low, high, False, [number * size + 0.0 for number in range(first, last + 1)]
    )


def build_logarithmic_axis(shown_values: Iterable[float]) -> Axis:
    """Return a logarithmic axis for values above 0, with ticks at powers of ten."""
    known = [value for value in shown_values if value > 0] or [1.0]
    low = min(known)
    high = max(known)
    first = floor(log10(low) + 1e-9)
    last = ceil(log10(high) - 1e-9)
    ticks = [10.0**power for power in range(first, last + 1)]
    if len(ticks) > MAX_TICKS:
        ticks = ticks[:: ceil(len(ticks) / MAX_TICKS)]
    if log10(low) == log10(high):
        low /= 2
        high *= 2
    return Axis(low, high, True, [tick for tick in ticks if low <= tick <= high])


def build_logarithmic_axis_from_zero(maximum: float) -> Axis:
    """Return an axis from 0 to `maximum` that shows log(1 + value)."""
    # Without any update the maximum is 0.
    maximum = max(maximum, 1.0)
    axis = Axis(0.0, maximum, True, [], 1.0)
    powers = (10.0**power for power in range(floor(log10(maximum)) + 1))
    return axis._replace(
        ticks=[
            0.0,
            *(tick for tick in powers if axis.compute_share(tick) > MIN_TICK_DISTANCE),
        ]
    )


def choose_tick_distance(axis_length: float) -> float:
    """Return a round distance, with which an axis has at most MAX_TICKS ticks."""
    rough = axis_length / (MAX_TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    least = rough * (1 - 1e-9)
    return next(step * power for step in TICK_STEPS if step * power >= least)


class LabelledNumber(NamedTuple):
    value: float
    text: str


class Curve(NamedTuple):
    """A line of a chart, and a column of its table."""

    name: str
    css_ink: str
    # None where the line has no point
    numbers: list[LabelledNumber | None]

    @property
    def first_and_last_number(self) -> tuple[LabelledNumber, LabelledNumber]:
        known = [number for number in self.numbers if number]
        return known[0], known[-1]


class Chart(NamedTuple):
    """Lines with a common vertical axis from 0 to `maximum`."""

    title: str
    unit: str
    maximum: float
    curves: list[Curve]

    @property
    def spoken_first_and_last_numbers(self) -> str:
        """The first and the last number of each line in words, for screen readers."""
        ends = ((line.name, *line.first_and_last_number) for line in self.curves)
        told = (
            f"{name} from {first.text} to {last.text}{self.unit}"
            for name, first, last in ends
        )
        return f"{self.title}: {', '.join(told)}."

    @property
    def label(self) -> str:
        return f"{self.spoken_first_and_last_numbers} The table below has all numbers."


class CurvePoint(NamedTuple):
    """A row of the table: the numbers of all lines at the same x."""

    x_number: LabelledNumber
    # the URL of a page with the agent at this snapshot; "" if there is none
    agent_url: str
    numbers: list[LabelledNumber | None]
    cursor_percent: float

    @property
    def texts(self) -> list[str]:
        return [number.text if number else "" for number in self.numbers]


class Charts(NamedTuple):
    id: str
    axis_title: str
    x_axis: Axis
    charts: list[Chart]
    points: list[CurvePoint]

    @property
    def drawn_charts(self) -> list[tuple[Chart, Sequence[svg.LegendKey], Markup]]:
        plots = [lay_out_chart(self, chart, PLOT_HEIGHT) for chart in self.charts]
        each = zip(self.charts, plots, strict=True)
        return [(chart, plot.keys, svg.write_plot(plot)) for chart, plot in each]


def lay_out_charts(
    charts_id: str,
    axis_title: str,
    x_values: Sequence[int],
    charts: list[Chart],
    agent_urls: Sequence[str] = (),
    is_logarithmic: bool = True,
) -> Charts:
    """Return charts with a common horizontal axis, whose values are `x_values`.

    `agent_urls` is empty, or has a URL for each value.
    """
    across = (
        build_logarithmic_axis_from_zero(x_values[-1])
        if is_logarithmic
        else build_axis(x_values)
    )
    columns = [line.numbers for chart in charts for line in chart.curves]
    moments = [
        CurvePoint(
            LabelledNumber(place, format_count(place)),
            view,
            list(numbers),
            round(100 * across.compute_share(place), 2),
        )
        for place, view, *numbers in zip(
            x_values, agent_urls or [""] * len(x_values), *columns, strict=True
        )
    ]
    return Charts(charts_id, axis_title, across, charts, moments)


def build_percentage(share: float) -> LabelledNumber:
    return LabelledNumber(round(100 * share, 7), format_percent(share))


def build_bar_parts(chances: Chances, decimals: int = 2) -> list[dict[str, Any]]:
    """Return the wins, draws and losses in a bar, as wide as their chances."""
    starts = (0.0, chances[0], chances[0] + chances[1])
    return [
        {
            "outcome": kind,
            "text": format_percent(chance, decimals),
            "start_percent": round(100 * start, 2),
            "width_percent": round(100 * chance, 2),
        }
        for kind, chance, start in zip(
            OUTCOME_PARTICIPLES, chances, starts, strict=True
        )
    ]


def lay_out_chart(charts: Charts, chart: Chart, height: float) -> svg.Plot:
    up = build_axis([chart.maximum], includes_zero=True)
    bottom = ROOM_ABOVE + height
    shapes: list[svg.Shape] = []
    margin = plot_vertical_axis(shapes, up, ROOM_ABOVE, height, chart.unit)
    plot_horizontal_axis(shapes, charts.x_axis, bottom, charts.axis_title)
    places = [moment.cursor_percent / 100 for moment in charts.points]
    keys = []
    for line, dash in zip(chart.curves, DASH_CLASSES, strict=False):
        kind = f"{line.css_ink} {dash}curve"
        points = [
            (x, compute_y(up, number.value, ROOM_ABOVE, height))
            for x, number in zip(places, line.numbers, strict=True)
            if number
        ]
        shapes.append(svg.Path(kind, points))
        keys.append(svg.LegendKey(kind, line.name))
    return svg.Plot(bottom + AXIS_HEIGHT, margin, shapes, keys)


def plot_vertical_axis(
    shapes: list[svg.Shape], axis: Axis, top: float, height: float, unit: str = ""
) -> int:
    """Add a line and a number to `shapes` for each tick of the vertical axis.

    Return the width that the numbers need, in units of 8 pixels.
    """
    labels = [
        format_short_number(tick) + "%" * unit.startswith("%") for tick in axis.ticks
    ]
    for tick, label in zip(axis.ticks, labels, strict=True):
        y = compute_y(axis, tick, top, height)
        shapes.append(
            svg.Segment(
                "base" if tick == max(axis.minimum, 0.0) else "rule", 0, y, 1, y
            )
        )
        shapes.append(svg.Text("tick", 0, y + 4, label, "end", 8))
    return measure_margin(labels)


def plot_horizontal_axis(
    shapes: list[svg.Shape], axis: Axis, y: float, title: str
) -> None:
    """Add the numbers and the title of the horizontal axis to `shapes`, below `y`."""
    percent = "%" * title.startswith("%")
    for tick in axis.ticks:
        at = axis.compute_share(tick)
        anchor = "middle"
        if at < 0.04:
            anchor = "start"
        elif at > 0.96:
            anchor = "end"
        shapes.append(
            svg.Text("tick", at, y + 14, format_short_number(tick) + percent, anchor)
        )
    if title != percent:
        shapes.append(svg.Text("axis", 1, y + 30, title, "end"))


def measure_margin(labels: Sequence[str]) -> int:
    """Return the width that labels at the left need, in units of 8 pixels."""
    longest = max(map(len, labels))
    pixels = int(longest * DIGIT_WIDTH + 8)
    return ceil(pixels / 8)


def compute_y(y_axis: Axis, value: float, top: float, height: float) -> float:
    """Return where a value is in a plot, in pixels from the top of the picture."""
    return round(top + (1 - y_axis.compute_share(value)) * height, 1)


def plot_curves_file(charts: Charts, title: str, width: int) -> svg.Drawing:
    across = max(1, min(len(charts.charts), width // MIN_CHART_WIDTH))
    each = width // across
    high = SINGLE_CHART_HEIGHT if len(charts.charts) == 1 else JOINED_CHART_HEIGHT
    plots = [lay_out_chart(charts, chart, high) for chart in charts.charts]
    keys = [_list_keys(plot.keys, each - 2 * TEXT_MARGIN) for plot in plots]
    above = NAME_HEIGHT + max(rows for _, rows in keys) * KEY_ROW_HEIGHT
    height = above + high + ROOM_BELOW
    told = " ".join(chart.spoken_first_and_last_numbers for chart in charts.charts)
    heading = svg.cut_text(title, width - 2 * TEXT_MARGIN, 17)
    shapes: list[svg.Shape] = [svg.Text("heading", TEXT_MARGIN, 21, heading)]
    for number, (chart, plot, (samples, _)) in enumerate(
        zip(charts.charts, plots, keys, strict=True)
    ):
        x = number % across * each
        y = TITLE_HEIGHT + number // across * height
        unit = f", {chart.unit}" if chart.unit else ""
        name = svg.cut_text(chart.title + unit, each - 2 * TEXT_MARGIN, 13)
        shapes.append(svg.Text("label", x + TEXT_MARGIN, y + 14, name))
        shapes.append(svg.Inset("", samples, x + TEXT_MARGIN, y + NAME_HEIGHT))
        left = x + PLOT_LEFT
        room = each - PLOT_LEFT - PLOT_RIGHT
        shapes.append(
            svg.Inset("", plot.shapes, left, y + above - ROOM_ABOVE, width=room)
        )
    rows = ceil(len(charts.charts) / across)
    return svg.Drawing(width, TITLE_HEIGHT + rows * height, f"{title}. {told}", shapes)


def tabulate_charts(charts: Charts) -> tuple[list[str], Iterator[list[float | None]]]:
    several = len(charts.charts) > 1
    columns = []
    for chart in charts.charts:
        title = f"{chart.title}: " if several and len(chart.curves) > 1 else ""
        unit = f", {chart.unit}" if chart.unit else ""
        columns += [f"{title}{line.name}{unit}" for line in chart.curves]
    rows = (
        [moment.x_number.value, *(entry and entry.value for entry in moment.numbers)]
        for moment in charts.points
    )
    return [charts.axis_title, *columns], rows


def lay_out_seed_lines(
    results_by_seed: Sequence[Sequence[float]],
    recipe_names: Sequence[str],
    css_classes: Sequence[str],
    links: Sequence[Destination | None],
    height: float,
    unit: str = "",
) -> svg.Plot:
    """Plot the results of two recipes as a line for each seed, or of one as dots.

    `results_by_seed` is [R, C], the results of R seeds for C recipes. `css_classes` and `links`
    have an entry for each seed.
    """
    values = [value for row in results_by_seed for value in row]
    up = build_axis(values, includes_zero=not any(values))
    bottom = ROOM_ABOVE + height
    shapes: list[svg.Shape] = []
    margin = plot_vertical_axis(shapes, up, ROOM_ABOVE, height, unit)
    across = [(number + 0.5) / len(recipe_names) for number in range(len(recipe_names))]
    for row, kind, link in zip(results_by_seed, css_classes, links, strict=True):
        points = [
            (x, compute_y(up, y, ROOM_ABOVE, height))
            for x, y in zip(across, row, strict=True)
        ]
        shapes.append(svg.Path(f"{kind} curve", points, False, link, points))
    for x, name in zip(across, recipe_names, strict=True):
        shapes.append(svg.Text("tick", x, bottom + 16, name, "middle"))
    return svg.Plot(bottom + AXIS_HEIGHT - 10, margin, shapes)


def render_share_chart(shares: Sequence[float]) -> Markup:
    """Return a chart of a share, from 0 to 1, before the first lesson and after each."""
    up = build_axis([100.0], includes_zero=True)
    across = build_axis([0, max(2, len(shares) - 1)])
    shapes: list[svg.Shape] = []
    margin = plot_vertical_axis(shapes, up, ROOM_ABOVE, LOW_PLOT_HEIGHT, PERCENT_UNIT)
    points = [
        (
            round(across.compute_share(number), 4),
            compute_y(up, 100 * share, ROOM_ABOVE, LOW_PLOT_HEIGHT),
        )
        for number, share in enumerate(shares)
    ]
    shapes.append(svg.Path("accent curve", points))
    return svg.write_plot(svg.Plot(LOW_PLOT_HEIGHT + 2 * ROOM_ABOVE, margin, shapes))


def lay_out_game_values(
    state: MatchState, moves: Sequence[ReviewedMove], height: float
) -> svg.Plot:
    """Plot the exact values of a game as a line, and what the players expected as dots."""
    plies = GAME.cells
    shown = len(state.match.shown_record)
    start = int(state.site.solution.values[0])
    up = Axis(-1.0, 1.0, False, sorted(RESULT_LABELS))
    shapes: list[svg.Shape] = []
    names = {value: gettext(name) for value, name in RESULT_LABELS.items()}
    for value, name in names.items():
        y = compute_y(up, value, ROOM_ABOVE, height)
        shapes += [
            svg.Segment("rule", 0, y, 1, y),
            svg.Text("tick", 0, y + 4, name, "end", 8),
        ]
    shapes.append(
        svg.Segment(
            "now", shown / plies, ROOM_ABOVE - 6, shown / plies, ROOM_ABOVE + height + 6
        )
    )
    corners = [(0, start)]
    truths = [start, *(move.optimal_value for move in moves)]
    for ply, (before, after) in enumerate(pairwise(truths), 1):
        corners += [(ply, before), (ply, after)]
    points = [
        (ply / plies, compute_y(up, value, ROOM_ABOVE, height))
        for ply, value in corners
    ]
    shapes.append(svg.Path("ink curve", points))
    shapes += [
        svg.Dot(
            "dot",
            move.ply / plies,
            compute_y(up, move.expected_value, ROOM_ABOVE, height),
        )
        for move in moves
        if move.expected_value is not None
    ]
    return svg.Plot(height + 2 * ROOM_ABOVE, measure_margin([*names.values()]), shapes)


def render_game_values(state: MatchState, moves: Sequence[ReviewedMove]) -> Markup:
    return svg.write_plot(
        lay_out_game_values(state, moves, LOW_PLOT_HEIGHT), describe_moves(moves)
    )


def plot_game_values_file(
    state: MatchState, moves: Sequence[ReviewedMove], title: str
) -> svg.Drawing:
    plot = lay_out_game_values(state, moves, JOINED_CHART_HEIGHT)
    note = "The line shows the result for X with optimal play, the dots the expected value."
    margin = 12 + 8 * plot.left_margin
    shapes: list[svg.Shape] = [
        svg.Text("heading", 12, 22, svg.cut_text(title, 616, 17)),
        svg.Text("told", 12, 236, note),
        svg.Inset("", plot.shapes, margin, 46, width=628 - margin),
    ]
    return svg.Drawing(
        DEFAULT_FILE_WIDTH, 250, f"{title}. {describe_moves(moves)}", shapes
    )


def list_game_value_rows(
    state: MatchState, moves: Sequence[ReviewedMove]
) -> Iterator[tuple[object, ...]]:
    """Yield a CSV row for each move, with the columns VALUE_COLUMNS."""
    for move, cell in zip(moves, state.played_cells, strict=True):
        row, column = divmod(cell, 3)
        # Adding 0.0 turns -0.0 into 0.0.
        expected = (
            None if move.expected_value is None else round(move.expected_value, 6) + 0.0
        )
        yield (
            move.ply,
            move.mark,
            row + 1,
            column + 1,
            move.optimal_value,
            expected,
            int(move.is_blunder),
        )


def _list_keys(
    legend_keys: Sequence[svg.LegendKey], width: float
) -> tuple[list[svg.Shape], int]:
    shapes: list[svg.Shape] = []
    x, row = 0.0, 0
    for key in legend_keys:
        name = svg.cut_text(key.name, width - KEY_LINE_WIDTH - 6)
        needed = KEY_LINE_WIDTH + 6 + 12 * svg.CHARACTER_WIDTH * len(name) + 14
        if x and x + needed > width:
            x = 0.0
            row += 1
        y = KEY_ROW_HEIGHT * row + 2
        shapes.append(svg.Path(key.css_classes, [(x, y), (x + KEY_LINE_WIDTH, y)]))
        shapes.append(svg.Text("told", x + KEY_LINE_WIDTH + 6, y + 4, name))
        x += needed
    return shapes, row + 1
