"""The figures of experiments as pictures: histograms, curves, grids, bars and boards.

Each figure also has a miniature without words, for previews of links.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import pairwise
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from app.experiments import (
    Bar,
    Bars,
    Boards,
    Curves,
    Figure,
    Grid,
    Histogram,
    RecipeValues,
    ReferenceLine,
    Series,
)
from app.tictactoe.game import GAME
from app.tictactoe.notation import parse_record, replay_record
from app.web.formatting import (
    format_count,
    format_one_decimal,
    format_short_number,
    format_with_unit,
)
from app.web.pictures import curves, svg, tables
from app.web.pictures.boards import SmallBoard, plot_small_board
from app.web.pictures.curves import (
    AXIS_HEIGHT,
    Axis,
    build_axis,
    build_logarithmic_axis,
    measure_margin,
    plot_horizontal_axis,
)
from app.web.pictures.palette import LEVEL_COUNT
from app.web.routes import Destination
from app.web.site_data import SiteData, cached_per_site

TEXT_LINE_HEIGHT = 17.0
SMALL_LINE_HEIGHT = 15.0
ROW_GAP = 18.0
# The names of rows must fit on a phone.
MAX_NAME_CHARACTERS = 32
# The text at a reference line is broken into lines of at most this length.
MAX_REFERENCE_CHARACTERS = 22
# of the widest letter, in pixels
MAX_CHARACTER_WIDTH = 7.0
MIN_PLOT_WIDTH = 270.0
MAX_BINS = 36
DOT_DISTANCE = 9.0
# The fewer rows a figure has, the higher they are.
MAX_ROW_HEIGHT, MIN_ROW_HEIGHT = (180.0, 46.0)
# All rows together are not higher than this, unless each row has its minimum height.
MAX_ROWS_HEIGHT = 540.0
# The more rows a figure has, the fewer dots a row has.
MAX_ROW_DOTS, MIN_ROW_DOTS = (100, 30)
MAX_FIGURE_DOTS = 400
# A curve has at most this many dots; its other points have none.
MAX_CURVE_DOTS = 9
CURVES_HEIGHT, ROOM_ABOVE_CURVES = (280.0, 8.0)
# Around more curves than this, the bands from the worst to the best run would overlap.
MAX_WIDE_BANDS = 2
CELL_HEIGHT = 38.0
# On a phone, a grid with more columns than this has colours, but no numbers.
MAX_PHONE_COLUMNS = 6
# A name that is longer than this stands above its row, not beside it.
MAX_CHARACTERS_BESIDE_ROW = 9
BAR_HEIGHT = 20.0
CURVE_STYLES = (
    *("accent", "dashed ink", "win", "dashed loss", "dotted draw"),
    *("mixed accent", "dotted win", "mixed loss"),
)

# Sizes of a figure in a file of its own, in pixels.
FILE_WIDTH, FILE_MARGIN = 720.0, 20.0
TITLE_LINE_HEIGHT, FILE_LINE_HEIGHT, KEY_LINE_HEIGHT = 22.0, 16.0, 18.0
BOARD_SIZE, BOARDS_PER_ROW = (150.0, 4)
MAX_LINE_CHARACTERS, MAX_BOARD_LINE_CHARACTERS = (92, 22)


MINIATURE_WIDTH, MINIATURE_HEIGHT = 120.0, 48.0
MINIATURE_ROWS = 4
MINIATURE_SLOTS = 40


class FigureLayout(NamedTuple):
    title: str
    unit: str
    # what a dot or a line means, how many runs there are, and whether values are exact
    caption: str
    plot: svg.Plot
    # (board, sentence, link) for a figure without a plot
    captioned_boards: list[tuple[SmallBoard, str, Destination]]


@singledispatch
def lay_out_figure(figure: object, site: SiteData, first_seed: int) -> FigureLayout:
    """Return the layout of a figure; `first_seed` is the seed of the experiment's first run."""
    raise TypeError(f"no figure: {figure!r}")


@lay_out_figure.register
def _lay_out_histogram(
    figure: Histogram, site: SiteData, first_seed: int
) -> FigureLayout:
    groups = figure.groups
    axis = _scale_histogram(figure)
    every = [tables.sort_runs(group.values, first_seed) for group in groups]
    highest = max(MIN_ROW_HEIGHT, min(MAX_ROW_HEIGHT, MAX_ROWS_HEIGHT / len(groups)))
    dots = max(MIN_ROW_DOTS, min(MAX_ROW_DOTS, MAX_FIGURE_DOTS // len(groups)))
    longest = max(map(len, every))
    runs_per_dot = -(-longest // dots)
    shapes: list[svg.Shape] = []
    top = 0.0
    for group, runs in zip(groups, every, strict=True):
        middle = format_with_unit(tables.compute_median(group.values), figure.unit)
        top = _add_row_name(
            shapes, top, group.name, f"median {middle} ({_write_run_count(len(runs))})"
        )
        stacks = _sort_runs_into_bins(runs, axis)
        dots_above = -(-max(map(len, stacks.values())) // runs_per_dot)
        height = min(highest, max(MIN_ROW_HEIGHT, dots_above * DOT_DISTANCE + 4))
        top += _add_reference_lines(shapes, group.marks, axis, top, height)
        bottom = top + height
        shapes += _plot_tick_lines(axis, top, bottom)
        shapes.append(svg.Segment("base", 0, bottom, 1, bottom))
        opened = tables.map_seeds_to_urls(site, group.recipe)
        for stack in stacks.values():
            shapes += _plot_dots(
                stack, axis, bottom, height, runs_per_dot, figure.unit, opened
            )
        shapes += _plot_quantiles(
            runs, tables.compute_median(group.values), axis, bottom
        )
        top = bottom + ROW_GAP + 6
    bottom = top - ROW_GAP + 4
    plot_horizontal_axis(shapes, axis, bottom, figure.unit)
    unopened = any(
        has_unlinked_runs(site, group, runs)
        for group, runs in zip(groups, every, strict=True)
    )
    caption = (
        f"{_describe_dot(runs_per_dot)} The line below spans the middle 80% of the runs, "
        "and its mark is the median."
    )
    if not figure.exact:
        caption += " The values are estimates."
    press = _describe_links(shapes, "dot to open its training run in the lab", unopened)
    plot = svg.Plot(bottom + AXIS_HEIGHT, 0, shapes)
    return FigureLayout(figure.title, figure.unit, caption + press, plot, [])


def _scale_histogram(figure: Histogram) -> Axis:
    values = [value for group in figure.groups for value in group.values]
    marks = [mark.value for group in figure.groups for mark in group.marks]
    return build_axis(values + marks)


def _plot_quantiles(
    runs: tables.Runs, median: float, axis: Axis, bottom: float
) -> list[svg.Segment]:
    low = axis.compute_share(tables.find_quantile_run(runs, 0.1)["value"])
    high = axis.compute_share(tables.find_quantile_run(runs, 0.9)["value"])
    middle = axis.compute_share(median)
    return [
        svg.Segment("span", low, bottom + 7, high, bottom + 7),
        svg.Segment("notch", middle, bottom + 2, middle, bottom + 12),
    ]


def has_unlinked_runs(site: SiteData, group: RecipeValues, runs: tables.Runs) -> bool:
    """Return whether some runs of a group have no page."""
    if not group.recipe:
        return False
    # Without a training in the lab, only a shipped agent has a page, so two runs are enough.
    url_for_seed = tables.map_seeds_to_urls(site, group.recipe)
    return not all(url_for_seed(run["seed"]) for run in runs[:2])


def _describe_dot(runs_per_dot: int) -> str:
    if runs_per_dot == 1:
        return "Each dot is a training run."
    return f"A full dot is {format_count(runs_per_dot)} training runs."


class PlotArea(NamedTuple):
    x_axis: Axis
    y_axis: Axis
    # in pixels from the top of the picture
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def place_point(self, x: float, y: float) -> tuple[float, float]:
        """Return (x, y), x as a share of the width, and y in pixels from the top."""
        return self.x_axis.compute_share(x), curves.compute_y(
            self.y_axis, y, self.top, self.height
        )

    def place_points(
        self, xs: Sequence[float], ys: Sequence[float]
    ) -> list[tuple[float, float]]:
        return [self.place_point(x, y) for x, y in zip(xs, ys, strict=True)]

    def fill_band(
        self,
        css_classes: str,
        xs: Sequence[float],
        lower_ys: Sequence[float],
        upper_ys: Sequence[float],
    ) -> svg.Path:
        """Return the area between two lines, such as the worst and the best runs."""
        there = self.place_points(xs, upper_ys)
        back = self.place_points(xs, lower_ys)
        return svg.Path(css_classes, there + back[::-1], is_closed=True)


@lay_out_figure.register
def lay_out_curves(
    figure: Curves, site: SiteData, first_seed: int, height: float = CURVES_HEIGHT
) -> FigureLayout:
    """Return the layout of learning curves: a line for each median, with a band around it.

    The band contains the middle 80% of the runs. Around few lines, a paler band contains all runs.
    """
    every = figure.series
    has_wide_bands = len(every) <= MAX_WIDE_BANDS
    across = build_x_axis(figure)
    up = build_y_axis(every, has_wide_bands)
    links = [_link_series(site, series) for series in every]
    styles = [CURVE_STYLES[number % len(CURVE_STYLES)] for number in range(len(every))]
    shapes: list[svg.Shape] = []
    top = ROOM_ABOVE_CURVES + _add_reference_texts(
        shapes, figure.marks, across, ROOM_ABOVE_CURVES
    )
    field = PlotArea(across, up, top, height)
    margin = curves.plot_vertical_axis(shapes, up, top, height, figure.unit)
    for mark in figure.marks:
        at = across.compute_share(mark.value)
        shapes.append(svg.Segment("claimed", at, top, at, field.bottom))
    for series, style in zip(every, styles, strict=True):
        shapes += _plot_bands(series, style, field, has_wide_bands)
    for series, style, link in zip(every, styles, links, strict=True):
        points = field.place_points(series.x, series.median)
        shapes.append(
            svg.Path(f"{style} curve", points, False, link, _choose_dots(points))
        )
    plot_horizontal_axis(shapes, across, field.bottom, figure.x_label)
    keys = [
        svg.LegendKey(f"{style} curve", _name_series(series), link)
        for series, style, link in zip(every, styles, links, strict=True)
    ]
    told, pressed = _describe_curves(every, has_wide_bands)
    unopened = any(
        series.recipe and not link.href
        for series, link in zip(every, links, strict=True)
    )
    caption = told + _describe_links(shapes, pressed, unopened)
    plot = svg.Plot(field.bottom + AXIS_HEIGHT, margin, shapes, keys)
    return FigureLayout(figure.title, figure.unit, caption, plot, [])


def build_x_axis(figure: Curves) -> Axis:
    """Return the horizontal axis of curves; a linear one begins and ends where they do."""
    xs = [x for series in figure.series for x in series.x]
    xs += [mark.value for mark in figure.marks]
    if figure.logarithmic:
        return build_logarithmic_axis(xs)
    low = min(xs)
    high = max(xs)
    if low == high:
        high = low + 1
    axis = build_axis(xs)
    within = [tick for tick in axis.ticks if low <= tick <= high]
    return axis._replace(minimum=low, maximum=high, ticks=within)


def build_y_axis(all_series: Sequence[Series], has_wide_bands: bool) -> Axis:
    """Return the vertical axis of curves, from 0 if the values are not far above 0."""
    values: list[float] = []
    for series in all_series:
        values += [*series.low, *series.high, *series.median]
        if has_wide_bands:
            values += [*series.least, *series.most]
    is_near_zero = 0 <= min(values) < 0.6 * max(values)
    return build_axis(values, includes_zero=is_near_zero, ends_at_ticks=True)


def _plot_bands(
    series: Series, css_style: str, plot: PlotArea, has_wide_bands: bool
) -> list[svg.Shape]:
    if series.seed_count == 1:
        return []
    band = plot.fill_band(f"{css_style} band", series.x, series.low, series.high)
    if not has_wide_bands:
        return [band]
    return [
        plot.fill_band(f"{css_style} all", series.x, series.least, series.most),
        band,
    ]


def _choose_dots(
    points: Sequence[tuple[float, float]],
) -> Sequence[tuple[float, float]]:
    """Return every n-th point, counted from the last, so that at most MAX_CURVE_DOTS have a dot."""
    if len(points) == 1:
        return points
    step = -(-len(points) // MAX_CURVE_DOTS)
    return points[::-step]


def _name_series(series: Series) -> str:
    if series.recipe or series.seed_count > 1:
        return f"{series.name} ({_write_run_count(series.seed_count)})"
    return series.name


def _describe_curves(
    all_series: Sequence[Series], has_wide_bands: bool
) -> tuple[str, str]:
    if all(series.seed_count == 1 for series in all_series):
        return "Each line is one training run.", "line to open its training run"
    faint = ", and the paler band all of them" if has_wide_bands else ""
    return (
        "Each line is the median of the training runs. The band around it spans the middle "
        f"80% of them{faint}.",
        "line to open a typical training run",
    )


@lay_out_figure.register
def _lay_out_grid(figure: Grid, site: SiteData, first_seed: int) -> FigureLayout:
    flat = [value for row in figure.values for value in row]
    extent = min(flat), max(flat)
    format_value = (
        format_short_number
        if all(value % 1 == 0 for value in flat)
        else format_one_decimal
    )
    names_are_beside = max(map(len, figure.rows)) <= MAX_CHARACTERS_BESIDE_ROW
    top = TEXT_LINE_HEIGHT + 8
    corner = f"{figure.row_label} ↓   {figure.column_label} →"
    shapes: list[svg.Shape] = [svg.Text("axis", 0, TEXT_LINE_HEIGHT - 5, corner)]
    for row, name in enumerate(figure.rows):
        if names_are_beside:
            shapes.append(
                svg.Text("tick", 0, top + CELL_HEIGHT / 2 + 4, name, "end", 8)
            )
        else:
            shapes.append(svg.Text("told", 0, top + 12, name))
            top += TEXT_LINE_HEIGHT
        shapes += _plot_grid_row(figure, row, site, extent, format_value, top)
        top += CELL_HEIGHT if names_are_beside else CELL_HEIGHT + 4
    bottom = top + _add_column_names(shapes, figure.columns, top)
    margin = measure_margin(figure.rows) if names_are_beside else 0
    caption = _describe_grid(figure, site, extent, shapes)
    return FigureLayout(
        figure.title, figure.unit, caption, svg.Plot(bottom + 22, margin, shapes), []
    )


def _plot_grid_row(
    figure: Grid,
    row_index: int,
    site: SiteData,
    extent: tuple[float, float],
    format_value: Callable[[float], str],
    top: float,
) -> Iterator[svg.Shape]:
    """Yield the squares of a row and their values.

    `extent` has the lowest and the highest value of the grid.
    """
    minimum, maximum = extent
    step = (maximum - minimum) / LEVEL_COUNT
    width = 1 / len(figure.columns)
    kind = "inside" if len(figure.columns) <= MAX_PHONE_COLUMNS else "inside spare"
    values = figure.values[row_index]
    recipes = figure.recipes[row_index]
    for column, (value, recipe) in enumerate(zip(values, recipes, strict=True)):
        names = (
            f"{figure.row_label} {figure.rows[row_index]}",
            f"{figure.column_label} {figure.columns[column]}",
        )
        text = format_with_unit(value, figure.unit)
        link = Destination(
            f"{', '.join(names)}: {text}", tables.build_recipe_url(site, recipe)
        )
        level = round((value - minimum) / step) if step else 0
        pane = f"pane l{level}"
        yield svg.Rect(pane, column * width, top, width, CELL_HEIGHT, link)
        middle = (column + 0.5) * width
        yield svg.Text(
            kind, middle, top + CELL_HEIGHT / 2 + 4, format_value(value), "middle"
        )


def _add_column_names(
    shapes: list[svg.Shape], columns: Sequence[str], top: float
) -> float:
    """Add the names of columns, vertical if they are long, and return their height."""
    longest = max(map(len, columns)) * MAX_CHARACTER_WIDTH
    are_short = longest * len(columns) <= MIN_PLOT_WIDTH
    for column, name in enumerate(columns):
        middle = (column + 0.5) * (1 / len(columns))
        if are_short:
            shapes.append(svg.Text("tick", middle, top + 15, name, "middle"))
        else:
            shapes.append(svg.Text("tick down", middle, top + 6, name))
    return 0 if are_short else longest - 8


def _describe_grid(
    figure: Grid,
    site: SiteData,
    extent: tuple[float, float],
    shapes: Sequence[svg.Shape],
) -> str:
    palest, fullest = (format_with_unit(value, figure.unit) for value in extent)
    caption = f"The colours go from {palest} (pale) to {fullest} (dark)."
    recipes = [recipe for row in figure.recipes for recipe in row if recipe]
    if not recipes:
        return caption
    unopened = any(not tables.build_recipe_url(site, recipe) for recipe in recipes)
    press = _describe_links(shapes, "square to open a typical training run", unopened)
    return f"Each square is the median of {_write_run_count(figure.seed_count)}. {caption}{press}"


@lay_out_figure.register
def _lay_out_bars(figure: Bars, site: SiteData, first_seed: int) -> FigureLayout:
    axis = _scale_bars(figure)
    zero = axis.compute_share(1.0 if figure.logarithmic else 0.0)
    links = [
        Destination(
            f"{bar.name}: {_describe_bar(bar, figure.unit)}",
            tables.build_bar_url(site, bar),
        )
        for bar in figure.bars
    ]
    shapes: list[svg.Shape] = []
    top = 0.0
    for bar, link in zip(figure.bars, links, strict=True):
        top = _add_row_name(shapes, top, bar.name, _describe_bar(bar, figure.unit))
        at = axis.compute_share(bar.value)
        shapes += _plot_tick_lines(axis, top - 2, top + BAR_HEIGHT + 4)
        shapes.append(svg.Rect("track", 0, top + 1, 1, BAR_HEIGHT, link))
        shapes.append(
            svg.Rect("beam", min(at, zero), top + 1, abs(at - zero), BAR_HEIGHT, link)
        )
        if bar.low is not None and bar.high is not None:
            shapes += _plot_interval(
                axis.compute_share(bar.low),
                axis.compute_share(bar.high),
                top + 1 + BAR_HEIGHT / 2,
            )
        top += BAR_HEIGHT + ROW_GAP
    bottom = top - ROW_GAP + 6
    plot_horizontal_axis(shapes, axis, bottom, figure.unit)
    unopened = any(
        bar.recipe and not link.href
        for bar, link in zip(figure.bars, links, strict=True)
    )
    press = _describe_links(
        shapes, "bar to open its training run or its page", unopened
    )
    caption = _describe_bars(figure) + press
    return FigureLayout(
        figure.title,
        figure.unit,
        caption,
        svg.Plot(bottom + AXIS_HEIGHT, 0, shapes),
        [],
    )


def _scale_bars(figure: Bars) -> Axis:
    ends = [
        end
        for bar in figure.bars
        for end in (bar.value, bar.low, bar.high)
        if end is not None
    ]
    if figure.logarithmic:
        return build_logarithmic_axis([*ends, 1.0])
    return build_axis(ends, includes_zero=True, ends_at_ticks=True)


def _plot_interval(x_low: float, x_high: float, y: float) -> list[svg.Segment]:
    return [
        svg.Segment("error", x_low, y, x_high, y),
        svg.Segment("error", x_low, y - 4, x_low, y + 4),
        svg.Segment("error", x_high, y - 4, x_high, y + 4),
    ]


def _describe_bars(figure: Bars) -> str:
    has_intervals = any(bar.low is not None for bar in figure.bars)
    caption = (
        "Every number is exact."
        if figure.exact
        else "Each number is an estimate from a sample of size n."
    )
    if has_intervals:
        caption += " The thin line on a bar is the 95% confidence interval (Wilson)."
    if figure.logarithmic:
        caption += " The axis of the chart is logarithmic."
    return caption


@lay_out_figure.register
def _lay_out_boards(figure: Boards, site: SiteData, first_seed: int) -> FigureLayout:
    pictures = []
    for board in figure.boards:
        at = replay_record(GAME, board.record)[-1]
        sign_by_cell: dict[int, str] = {}
        if not GAME.is_over(at):
            sign_by_cell = {
                cell: "right"
                for cell in range(GAME.cells)
                if site.is_move_correct[at, cell]
            }
            if board.value_source in site.shipped_agents:
                chances = site.policies[board.value_source][at]
                sign_by_cell |= {
                    cell: "plays" if cell in sign_by_cell else "blunder"
                    for cell in range(GAME.cells)
                    if chances[cell] > 0
                }
        *_, last = [None, *parse_record(GAME, board.record)]
        picture = plot_small_board(at, sign_by_cell, last)
        link = Destination(
            board.text,
            tables.build_position_url(site, board.record, board.value_source),
        )
        pictures.append((picture, board.text, link))
    caption = (
        "★ marks a move that preserves the value of the position, ● a move that the agent plays, ✗ a "
        "blunder of the agent."
    )
    return FigureLayout(figure.title, "", caption, svg.Plot(0, 0, []), pictures)


@cached_per_site(64)  # Each cached result takes some 100 KB.
def lay_out_numbered_figure(
    site: SiteData, claim: str, figure_number: int
) -> FigureLayout:
    summary = site.experiments[claim]
    return lay_out_figure(summary.figures[figure_number - 1], site, summary.first_seed)


def plot_figure_file(layout: FigureLayout, source_text: str) -> svg.Drawing:
    shapes: list[svg.Shape] = []
    y = FILE_MARGIN
    for line in wrap(layout.title, 72):
        y += TITLE_LINE_HEIGHT
        shapes.append(svg.Text("heading", FILE_MARGIN, y - 6, line))
    if layout.unit not in ("", "%"):
        y += FILE_LINE_HEIGHT
        shapes.append(svg.Text("told", FILE_MARGIN, y - 4, layout.unit))
    for key in layout.plot.keys:
        y += KEY_LINE_HEIGHT
        sample = (
            svg.Path(key.css_classes, [(0, -8), (26, -8)]),
            svg.Text("label", 34, -4, key.name),
        )
        shapes.append(
            svg.Inset("", sample, FILE_MARGIN, y, link=Destination("", key.link.href))
        )
    y += 12
    left = FILE_MARGIN + 8 * layout.plot.left_margin
    shapes.append(
        svg.Inset(
            "", layout.plot.shapes, left, y, width=FILE_WIDTH - FILE_MARGIN - left
        )
    )
    y += layout.plot.height
    for start in range(0, len(layout.captioned_boards), BOARDS_PER_ROW):
        pictures = layout.captioned_boards[start : start + BOARDS_PER_ROW]
        for number, picture in enumerate(pictures):
            x = FILE_MARGIN + number * (BOARD_SIZE + 22)
            shapes.append(_place_board(*picture, x, y))
        lines = max(
            len(wrap(text, MAX_BOARD_LINE_CHARACTERS))
            for _, text, _ in layout.captioned_boards
        )
        y += BOARD_SIZE + lines * FILE_LINE_HEIGHT + 14
    y += 6
    # A link must stay whole, so a line may be too long.
    for text in (layout.caption, source_text):
        for line in wrap(
            text, MAX_LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False
        ):
            y += FILE_LINE_HEIGHT
            shapes.append(svg.Text("told", FILE_MARGIN, y - 4, line))
    return svg.Drawing(FILE_WIDTH, y + FILE_MARGIN, layout.title, shapes)


def _place_board(
    board: SmallBoard, text: str, link: Destination, x: float, y: float
) -> svg.Inset:
    position = svg.Inset("position", board.signs, scale=BOARD_SIZE / 3)
    words = [
        svg.Text("told", 0, BOARD_SIZE + 16 + number * FILE_LINE_HEIGHT, line)
        for number, line in enumerate(wrap(text, MAX_BOARD_LINE_CHARACTERS))
    ]
    untitled = Destination("", link.href)
    return svg.Inset("", [position, *words], x, y, link=untitled)


def _add_row_name(
    shapes: list[svg.Shape], top: float, row_name: str, spoken_text: str
) -> float:
    """Add the name of a row and a text below it, and return where the text ends."""
    for line in wrap(row_name, MAX_NAME_CHARACTERS):
        shapes.append(svg.Text("label", 0, top + 13, line))
        top += TEXT_LINE_HEIGHT
    shapes.append(svg.Text("told", 0, top + 11, spoken_text))
    return top + SMALL_LINE_HEIGHT + 4


def _add_reference_lines(
    shapes: list[svg.Shape],
    marks: Sequence[ReferenceLine],
    axis: Axis,
    top: float,
    height: float,
) -> float:
    """Add a vertical line with a text at each reference value; return the height of the texts."""
    text_shapes: list[svg.Shape] = []
    above = _add_reference_texts(text_shapes, marks, axis, top)
    for mark in marks:
        at = axis.compute_share(mark.value)
        shapes.append(svg.Segment("claimed", at, top, at, top + above + height))
    # Texts come last, because they cover the lines of other reference values.
    shapes += text_shapes
    return above


def _add_reference_texts(
    shapes: list[svg.Shape], marks: Sequence[ReferenceLine], axis: Axis, top: float
) -> float:
    y = top
    for mark in marks:
        at = axis.compute_share(mark.value)
        anchor, left = ("end", 5) if at > 0.5 else ("start", -5)
        for line in wrap(mark.text, MAX_REFERENCE_CHARACTERS):
            shapes.append(svg.Text("marked", at, y + 11, line, anchor, left))
            y += SMALL_LINE_HEIGHT
    return y - top + (4 if marks else 0)


def _sort_runs_into_bins(runs: tables.Runs, axis: Axis) -> dict[int, tables.Runs]:
    bins = (axis.compute_shares(runs["value"]) * (MAX_BINS - 1e-9)).astype(int)
    changes = np.flatnonzero(np.diff(bins)) + 1
    ends = [0, *changes.tolist(), len(runs)]
    return {int(bins[start]): runs[start:end] for start, end in pairwise(ends)}


def _plot_dots(
    runs: tables.Runs,
    axis: Axis,
    bottom: float,
    height: float,
    runs_per_dot: int,
    unit: str,
    build_run_url: tables.BuildRunUrl,
) -> list[svg.Dot]:
    """Return the runs in a bin as a column of dots, each of which links to its middle run.

    A dot stands for `runs_per_dot` runs; the last one is smaller if it stands for fewer.
    """
    parts = [
        runs[start : start + runs_per_dot]
        for start in range(0, len(runs), runs_per_dot)
    ]
    *whole, last = parts
    # In the order of their results, the dots of a column would stand on a slant.
    parts = [
        *sorted(whole, key=lambda part: tables.find_middle_run(part)["seed"]),
        last,
    ]
    step = min(DOT_DISTANCE, (height - DOT_DISTANCE) / max(1, len(parts) - 1))
    dots = []
    for level, part in enumerate(parts):
        (seed, value), low, most = (
            tables.find_middle_run(part),
            part[0]["value"],
            part[-1]["value"],
        )
        title = f"seed {seed}: {format_with_unit(value, unit)}"
        if len(part) > 1:
            span = format_with_unit(low, unit) + (
                f" to {format_with_unit(most, unit)}" if most != low else ""
            )
            title += f", one of {format_count(len(part))} runs here with {span}"
        y = bottom - DOT_DISTANCE / 2 - 1 - level * step
        size = max(0.4, (len(part) / runs_per_dot) ** 0.5)
        link = Destination(title, build_run_url(seed))
        dots.append(svg.Dot("dot", axis.compute_share(value), round(y, 1), link, size))
    return dots


def _write_run_count(run_count: int) -> str:
    return f"{format_count(run_count)} training run{'s' * (run_count != 1)}"


def _describe_links(
    shapes: Sequence[svg.Shape], link_phrase: str, has_unlinked_runs: bool
) -> str:
    links = [
        shape.link
        for shape in shapes
        if isinstance(shape, (svg.Dot, svg.Path, svg.Rect)) and shape.link
    ]
    opens = any(link.href for link in links)
    told = f" Click a {link_phrase}." if opens else ""
    return (
        told
        + f" The lab cannot train {'all' if opens else 'any'} of these runs, but the command at the "
        "end of this page can." * has_unlinked_runs
    )


def _link_series(site: SiteData, series: Series) -> Destination:
    href = tables.map_seeds_to_urls(site, series.recipe)(series.typical_seed)
    return Destination(
        f"{series.name}: a typical training run (seed {series.typical_seed})",
        href,
    )


def _plot_tick_lines(axis: Axis, top: float, bottom: float) -> list[svg.Shape]:
    return [
        svg.Segment("rule", at, top, at, bottom)
        for at in map(axis.compute_share, axis.ticks)
    ]


def _describe_bar(bar: Bar, unit: str) -> str:
    details = []
    if bar.low is not None and bar.high is not None:
        details.append(
            f"{format_with_unit(bar.low, unit)} to {format_with_unit(bar.high, unit)}"
        )
    if bar.sample_size is not None:
        details.append(f"n = {format_count(bar.sample_size)}")
    value = format_with_unit(bar.value, unit)
    return f"{value} ({', '.join(details)})" if details else value


def plot_figure_preview(site: SiteData, figure: Figure, caption: str) -> svg.Drawing:
    return svg.plot_preview(
        caption,
        [svg.Inset("large", _list_miniature_shapes(figure, site))],
        MINIATURE_WIDTH,
        MINIATURE_HEIGHT,
    )


@singledispatch
def _list_miniature_shapes(figure: object, site: SiteData) -> list[svg.Shape]:
    raise TypeError(f"no figure: {figure!r}")


@_list_miniature_shapes.register
def _list_histogram_shapes(figure: Histogram, site: SiteData) -> list[svg.Shape]:
    groups = figure.groups[:MINIATURE_ROWS]
    axis = build_axis([value for group in groups for value in group.values])
    row = MINIATURE_HEIGHT / len(groups)
    wide = MINIATURE_WIDTH / MINIATURE_SLOTS
    miniature_shapes: list[svg.Shape] = []
    for number, group in enumerate(groups):
        slots = axis.compute_shares(group.values) * (MINIATURE_SLOTS - 1e-9)
        counts = np.bincount(slots.astype(int))
        fullest = int(counts.max())
        bottom = (number + 1) * row - 1
        bars = ""
        for place in np.flatnonzero(counts).tolist():
            height = max(1.0, (row - 4) * int(counts[place]) / fullest)
            bars += f"M{place * wide:g} {bottom:.3g}v{-height:.3g}"
            bars += f"h{wide - 0.6:g}V{bottom:.3g}z"
        miniature_shapes.append(svg.Sign("bin", bars))
        miniature_shapes.append(
            svg.Sign("base", f"M0 {bottom:.3g}H{MINIATURE_WIDTH:g}")
        )
        for mark in group.marks:
            x = MINIATURE_WIDTH * axis.compute_share(mark.value)
            miniature_shapes.append(
                svg.Sign("claimed", f"M{x:.4g} {bottom - row + 3:.3g}V{bottom:.3g}")
            )
    return miniature_shapes


@_list_miniature_shapes.register
def _list_curve_shapes(figure: Curves, site: SiteData) -> list[svg.Shape]:
    xs = [x for series in figure.series for x in series.x]
    across = build_logarithmic_axis(xs) if figure.logarithmic else build_axis(xs)
    minimum = min(x for x in xs if x > 0 or not figure.logarithmic)
    across = across._replace(minimum=minimum, maximum=max(*xs, minimum + 1))
    up = build_axis(
        [value for series in figure.series for value in (*series.low, *series.high)]
    )

    field = PlotArea(across, up, 2, MINIATURE_HEIGHT - 4)

    def scale_to_miniature(
        points: Iterable[tuple[float, float]],
    ) -> list[tuple[float, float]]:
        return [(MINIATURE_WIDTH * x, y) for x, y in points]

    bands = []
    lines = []
    for number, series in enumerate(figure.series):
        style = CURVE_STYLES[number % len(CURVE_STYLES)]
        band = field.fill_band(f"{style} band", series.x, series.low, series.high)
        bands.append(band._replace(points=scale_to_miniature(band.points)))
        lines.append(
            svg.Path(
                f"{style} curve",
                scale_to_miniature(field.place_points(series.x, series.median)),
            )
        )
    return [*bands, *lines]


@_list_miniature_shapes.register
def _list_grid_shapes(figure: Grid, site: SiteData) -> list[svg.Shape]:
    flat = [value for row in figure.values for value in row]
    low = min(flat)
    span = (max(flat) - min(flat)) or 1.0
    wide = MINIATURE_WIDTH / len(figure.columns)
    high = MINIATURE_HEIGHT / len(figure.rows)
    outlines: dict[int, str] = {}
    for row, values in enumerate(figure.values):
        for column, value in enumerate(values):
            level = round(LEVEL_COUNT * (value - low) / span)
            cell = f"M{column * wide:.4g} {row * high:.4g}"
            cell += f"h{wide:.4g}v{high:.4g}h{-wide:.4g}z"
            outlines[level] = outlines.get(level, "") + cell
    return [
        svg.Sign(f"pane l{level}", outline)
        for level, outline in sorted(outlines.items())
    ]


@_list_miniature_shapes.register
def _list_bar_shapes(figure: Bars, site: SiteData) -> list[svg.Shape]:
    bars = figure.bars[: 2 * MINIATURE_ROWS]
    values = [bar.value for bar in bars]
    axis = (
        build_logarithmic_axis([*values, 1.0])
        if figure.logarithmic
        else build_axis(values, True, True)
    )
    zero = axis.compute_share(1.0 if figure.logarithmic else 0.0)
    row = MINIATURE_HEIGHT / len(bars)
    height = min(row - 2, 12)
    return [
        svg.Rect(
            "beam",
            MINIATURE_WIDTH * min(at, zero),
            number * row + 1,
            MINIATURE_WIDTH * abs(at - zero),
            height,
        )
        for number, at in enumerate(map(axis.compute_share, values))
    ]


@_list_miniature_shapes.register
def _list_board_shapes(figure: Boards, site: SiteData) -> list[svg.Shape]:
    pictures = [
        plot_small_board(replay_record(GAME, board.record)[-1], {})
        for board in figure.boards[:2]
    ]
    return [
        svg.Inset("position", picture.signs, number * 60 + 8, 2, 44 / 3)
        for number, picture in enumerate(pictures)
    ]
