"""The figures of experiments laid out: what stands where, what it is called, and what it opens.

A miniature of each, without words, stands in a line of a list, or for a link.
"""

from collections.abc import Callable, Sequence
from functools import singledispatch
from itertools import pairwise
from textwrap import wrap
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from app.experiments import Bars, Boards, Curves, Figure, Grid, Group, Histogram, Mark, Series
from app.tictactoe.notation import parse_record, replay
from app.web.formatting import format_count, format_short, format_tenths, format_with_unit
from app.web.pictures import curves, svg, tables
from app.web.pictures.boards import SmallBoard, small_board
from app.web.pictures.curves import AXIS, Axis, logarithmic, margin_of, scale, ticks
from app.web.pictures.palette import LEVELS
from app.web.site_data import SiteData, cached_per_site

LINE = 17.0  # pixels from one line of words to the next
SMALL = 15.0  # the same of the words below a name
GAP = 18.0  # between two rows
NAME_WIDTH = 32  # characters that fit on a phone
MARK_WIDTH = 22  # and on half of one
LETTER = 7.0  # pixels of one at most
PHONE = 270.0  # pixels that a plot has across at least
BINS = 36
DOT = 9.0  # pixels from one run to the next above it
HIGHEST, LOWEST = 180.0, 46.0  # of a row of dots, where there are few and where there are many rows
ROWS = 540.0  # pixels of all rows, as far as these limits allow
MOST, FEWEST = 100, 30  # dots of a row, the same
DOTS = 400  # of all rows
POINTS = 9  # of a curve that are drawn as dots
CURVES = 280.0  # pixels of height
CELL = 38.0
FEW = 6  # columns whose numbers fit on a phone
BESIDE = 9  # characters of the name of a row that does
BAR = 20.0
# Of lines, by their number.
STYLES = (
    *("accent", "dashed ink", "win", "dashed loss", "dotted draw"),
    *("mixed accent", "dotted win", "mixed loss"),
)

# Of a figure that stands alone, in pixels.
WIDTH, EDGE = 720.0, 20.0
TITLE_LINE, TEXT_LINE, KEY_LINE = 22.0, 16.0, 18.0
PICTURE, PICTURES = 150.0, 4  # the side of a board, and how many stand in a row
WORDS, NARROW = 92, 22  # characters of a line of small words, and of one below a board


# Of a miniature, in pixels.
WIDE, HIGH = 120.0, 48.0
ROWS_SMALL = 4  # of a figure that has many
SLOTS = 40


class Picture(NamedTuple):
    """A position as a picture, with what is to be seen there."""

    board: SmallBoard
    text: str
    link: svg.Link


class Layout(NamedTuple):
    """A figure, laid out."""

    title: str
    unit: str
    caption: str  # how to read it: what a mark is, of how many runs, whether it is exact
    plot: svg.Plot
    pictures: list[Picture]  # of a figure that consists of boards


@singledispatch
def lay_out(figure: object, site: SiteData, first_seed: int) -> Layout:
    """Lay out a figure of an experiment whose seeds begin with `first_seed`."""
    raise TypeError(f"no figure: {figure!r}")


@lay_out.register
def _histogram(figure: Histogram, site: SiteData, first_seed: int) -> Layout:
    """Lay out a row for each group: its runs as dots over one axis, and a line for most of them."""
    groups = figure.groups
    marks = [mark.value for group in groups for mark in group.marks]
    axis = scale([value for group in groups for value in group.values] + marks)
    every = [tables.ordered(group.values, first_seed) for group in groups]
    stacked = [_stacks(runs, axis) for runs in every]
    fullest = [max(map(len, stacks.values())) for stacks in stacked]
    highest = max(LOWEST, min(HIGHEST, ROWS / len(groups)))
    dots = max(FEWEST, min(MOST, DOTS // len(groups)))
    worth = -(-max(map(len, every)) // dots)  # runs that a dot stands for
    shapes: list[svg.Shape] = []
    top, unopened = 0.0, False
    for group, runs, stacks, most in zip(groups, every, stacked, fullest, strict=True):
        height = min(highest, max(LOWEST, -(-most // worth) * DOT + 4))
        opened = tables.addresses_of(site, group.recipe)
        unopened |= bool(group.recipe) and not all(opened(run["seed"]) for run in runs[:2])
        middle = tables.median(group.values)
        told = f"median {format_with_unit(middle, figure.unit)} ({_runs(len(runs))})"
        top = _named(shapes, top, group.name, told)
        top += _noted(shapes, group.marks, axis, top, height)
        bottom = top + height
        shapes += _rules(axis, top, bottom)
        shapes.append(svg.Segment("base", 0, bottom, 1, bottom))
        for stack in stacks.values():
            shapes += _dots(stack, axis, bottom, height, worth, figure.unit, opened)
        low, high = (axis.at(tables.at_quantile(runs, share)["value"]) for share in (0.1, 0.9))
        shapes.append(svg.Segment("span", low, bottom + 7, high, bottom + 7))
        shapes.append(
            svg.Segment("notch", axis.at(middle), bottom + 2, axis.at(middle), bottom + 12)
        )
        top = bottom + GAP + 6
    bottom = top - GAP + 4
    ticks(shapes, axis, bottom, figure.unit)
    dot = (
        "A dot is a run."
        if worth == 1
        else f"A dot stands for {format_count(worth)} runs, a smaller one for fewer."
    )
    exactly = "Each value is exact of its run." if figure.exact else "Each value is an estimate."
    caption = (
        f"{_seeds(groups, first_seed)} {dot} Below a row: the middle 80% of its runs, and a notch "
        f"at the median. {exactly}{_press(shapes, 'dot opens its run, or one of them', unopened)}"
    )
    height = bottom + AXIS
    return Layout(figure.title, figure.unit, caption, svg.Plot(height, 0, shapes), [])


@lay_out.register
def lay_out_curves(
    figure: Curves, site: SiteData, first_seed: int, height: float = CURVES
) -> Layout:
    """Lay out lines over one axis: the median of the runs, and bands that hold most or all."""
    every = figure.series
    xs = [x for series in every for x in series.x] + [mark.value for mark in figure.marks]
    across = logarithmic(xs) if figure.logarithmic else scale(xs)
    if not figure.logarithmic:
        across = across._replace(low=min(xs), high=max(xs) if max(xs) > min(xs) else min(xs) + 1)
        across = across._replace(ticks=[t for t in across.ticks if min(xs) <= t <= across.high])
    values = [value for series in every for value in (*series.low, *series.high, *series.median)]
    outermost = [value for series in every for value in (*series.least, *series.most)]
    wide = len(every) <= 2  # then there is room for the bands of all runs
    values += outermost if wide else []
    zero = 0 <= min(values) < 0.6 * max(values)
    up = scale(values, zero=zero, whole=True)
    top = 8.0
    shapes: list[svg.Shape] = []
    top += _noted_above(shapes, figure.marks, across, top)
    bottom = top + height

    def place(pair: tuple[float, float]) -> tuple[float, float]:
        return across.at(pair[0]), curves.down(up, pair[1], top, height)

    margin = curves.levels(shapes, up, top, height, figure.unit)
    shapes += [
        svg.Segment("claimed", at, top, at, bottom)
        for mark in figure.marks
        for at in [across.at(mark.value)]
    ]
    keys, unopened = [], False
    for number, series in enumerate(every):
        style = STYLES[number % len(STYLES)]
        runs, link = _runs(series.n), _of_series(site, series)
        unopened |= bool(series.recipe) and not link.href
        many = f" ({runs})" if series.recipe or series.n > 1 else ""
        keys.append(svg.Key(f"{style} curve", series.name + many, link))
        if series.n > 1:
            if wide:
                shapes.append(_band(f"{style} all", series.x, series.least, series.most, place))
            shapes.append(_band(f"{style} band", series.x, series.low, series.high, place))
    for number, series in enumerate(every):
        points = [place(pair) for pair in zip(series.x, series.median, strict=True)]
        step = -(-len(points) // POINTS)
        dots = points[::-step] if len(points) > 1 else points
        style = STYLES[number % len(STYLES)]
        shapes.append(svg.Path(f"{style} curve", points, False, _of_series(site, series), dots))
    ticks(shapes, across, bottom, figure.x_label)
    bands = "the band holds 80% of the runs" + (", the fainter one all of them" if wide else "")
    told, what = "A line is one run.", "line opens it"
    if any(series.n > 1 for series in every):
        told = f"A line is the median, {bands}."
        what = "line opens the run that ends at the median, whose seed stands in the table"
    caption = told + _press(shapes, what, unopened)
    plot = svg.Plot(bottom + AXIS, margin, shapes, keys)
    return Layout(figure.title, figure.unit, caption, plot, [])


@lay_out.register
def _grid(figure: Grid, site: SiteData, first_seed: int) -> Layout:
    """Lay out a cell for each pair of parameters, the darker the more."""
    flat = [value for row in figure.values for value in row]
    low, high = min(flat), max(flat)
    brief = format_short if all(value % 1 == 0 for value in flat) else format_tenths
    width, top = 1 / len(figure.columns), LINE + 8
    corner = f"{figure.row_label} ↓   {figure.column_label} →"
    shapes: list[svg.Shape] = [svg.Text("axis", 0, LINE - 5, corner)]
    unopened = False
    few = len(figure.columns) <= FEW
    beside = max(map(len, figure.rows)) <= BESIDE  # the names of the rows, else above them
    for name, values, recipes in zip(figure.rows, figure.values, figure.recipes, strict=True):
        if beside:
            shapes.append(svg.Text("tick", 0, top + CELL / 2 + 4, name, "end", 8))
        else:
            shapes.append(svg.Text("told", 0, top + 12, name))
            top += LINE
        for column, (value, recipe) in enumerate(zip(values, recipes, strict=True)):
            level = round(LEVELS * (value - low) / (high - low)) if high > low else 0
            href = tables.address(site, recipe)
            unopened |= bool(recipe) and not href
            text = format_with_unit(value, figure.unit)
            place = f"{figure.row_label} {name}, {figure.column_label} {figure.columns[column]}"
            link = svg.Link(f"{place}: {text}", href)
            shapes.append(svg.Rect(f"pane l{level}", column * width, top, width, CELL, link))
            middle, kind = (column + 0.5) * width, "inside" if few else "inside spare"
            shapes.append(svg.Text(kind, middle, top + CELL / 2 + 4, brief(value), "middle"))
        top += CELL if beside else CELL + 4
    longest = max(map(len, figure.columns)) * LETTER
    fits = longest * len(figure.columns) <= PHONE
    for column, name in enumerate(figure.columns):
        middle = (column + 0.5) * width
        if fits:
            shapes.append(svg.Text("tick", middle, top + 15, name, "middle"))
        else:
            shapes.append(svg.Text("tick down", middle, top + 6, name))
    bottom = top + (0 if fits else longest - 8)
    palest = format_with_unit(low, figure.unit)
    fullest = format_with_unit(high, figure.unit)
    caption = f"The cells go from {palest} (pale) to {fullest} (full)."
    if any(recipe for row in figure.recipes for recipe in row):
        caption += f" Each is the median of {_runs(figure.n)}."
        caption += _press(shapes, "cell opens a typical one", unopened)
    margin = margin_of(figure.rows) if beside else 0
    return Layout(figure.title, figure.unit, caption, svg.Plot(bottom + 22, margin, shapes), [])


@lay_out.register
def _bars(figure: Bars, site: SiteData, first_seed: int) -> Layout:
    """Lay out a bar below each name."""
    ends = [end for bar in figure.bars for end in (bar.value, bar.low, bar.high) if end is not None]
    axis = logarithmic([*ends, 1.0]) if figure.logarithmic else scale(ends, zero=True, whole=True)
    shapes: list[svg.Shape] = []
    top, unopened, zero = 0.0, False, axis.at(1.0 if figure.logarithmic else 0.0)
    for bar in figure.bars:
        told = _told(
            format_with_unit(bar.value, figure.unit), bar.low, bar.high, bar.n, figure.unit
        )
        href = tables.behind_bar(site, bar)
        unopened |= bool(bar.recipe) and not href
        link = svg.Link(f"{bar.name}: {told}", href)
        top = _named(shapes, top, bar.name, told)
        at = axis.at(bar.value)
        shapes += _rules(axis, top - 2, top + BAR + 4)
        shapes.append(svg.Rect("track", 0, top + 1, 1, BAR, link))
        shapes.append(svg.Rect("beam", min(at, zero), top + 1, abs(at - zero), BAR, link))
        if bar.low is not None and bar.high is not None:
            middle = top + 1 + BAR / 2
            shapes.append(svg.Segment("error", axis.at(bar.low), middle, axis.at(bar.high), middle))
            for end in (axis.at(bar.low), axis.at(bar.high)):
                shapes.append(svg.Segment("error", end, middle - 4, end, middle + 4))
        top += BAR + GAP
    ticks(shapes, axis, top - GAP + 6, figure.unit)
    intervals = any(bar.low is not None for bar in figure.bars)
    caption = "Every number is exact." if figure.exact else "Estimated from as many as stand there."
    caption += " The thin line on a bar is its 95% interval (Wilson)." if intervals else ""
    caption += " A logarithmic axis." if figure.logarithmic else ""
    caption += _press(shapes, "bar opens what it is about", unopened)
    height = top - GAP + 6 + AXIS
    return Layout(figure.title, figure.unit, caption, svg.Plot(height, 0, shapes), [])


@lay_out.register
def _boards(figure: Boards, site: SiteData, first_seed: int) -> Layout:
    """Lay out positions as pictures: a star on what is right, a dot on what its lens plays."""
    pictures = []
    for board in figure.boards:
        game, at = site.game, replay(site.game, board.record)[-1]
        signs: dict[int, str] = {}
        if not game.is_over(at):
            signs = {cell: "right" for cell in range(game.cells) if site.right[at, cell]}
            if board.lens in site.always:
                chances = site.policies[board.lens][at]
                signs |= {
                    cell: "plays" if cell in signs else "blunder"
                    for cell in range(game.cells)
                    if chances[cell] > 0
                }
        *_, last = [None, *parse_record(game, board.record)]
        picture = small_board(game, at, signs, last)
        link = svg.Link(board.text, tables.position(site, board.record, board.lens))
        pictures.append(Picture(picture, board.text, link))
    caption = (
        "A star keeps what the position is worth, a dot is what it plays there, a cross what it "
        "plays by mistake."
    )
    return Layout(figure.title, "", caption, svg.Plot(0, 0, []), pictures)


@cached_per_site(64)  # some 100 KB each
def layout_of(site: SiteData, claim: str, number: int) -> Layout:
    """Lay out a figure of an experiment; the first has number 1."""
    summary = site.experiments[claim]
    return lay_out(summary.figures[number - 1], site, summary.first_seed)


def drawing(layout: Layout, source: str) -> svg.Drawing:
    """Draw a figure alone: with its title, what its lines are, how to read it, its source."""
    shapes: list[svg.Shape] = []
    y = EDGE
    for line in wrap(layout.title, 72):
        y += TITLE_LINE
        shapes.append(svg.Text("heading", EDGE, y - 6, line))
    if layout.unit not in ("", "%"):
        y += TEXT_LINE
        shapes.append(svg.Text("told", EDGE, y - 4, layout.unit))
    for key in layout.plot.keys:
        y += KEY_LINE
        sample = svg.Path(key.kind, [(0, -8), (26, -8)]), svg.Text("label", 34, -4, key.name)
        shapes.append(svg.Inset("", sample, EDGE, y, link=svg.Link("", key.link.href)))
    y += 12
    left = EDGE + 8 * layout.plot.margin
    shapes.append(svg.Inset("", layout.plot.shapes, left, y, width=WIDTH - EDGE - left))
    y += layout.plot.height
    for start in range(0, len(layout.pictures), PICTURES):
        pictures = layout.pictures[start : start + PICTURES]
        for number, picture in enumerate(pictures):
            shapes.append(_picture(picture, EDGE + number * (PICTURE + 22), y))
        lines = max(len(wrap(picture.text, NARROW)) for picture in layout.pictures)
        y += PICTURE + lines * TEXT_LINE + 14
    y += 6
    for text in (layout.caption, source):  # an address stays whole
        for line in wrap(text, WORDS, break_long_words=False, break_on_hyphens=False):
            y += TEXT_LINE
            shapes.append(svg.Text("told", EDGE, y - 4, line))
    return svg.Drawing(WIDTH, y + EDGE, layout.title, shapes)


def _picture(picture: Picture, x: float, y: float) -> svg.Inset:
    board = svg.Inset("position", picture.board.signs, scale=PICTURE / picture.board.columns)
    words = [
        svg.Text("told", 0, PICTURE + 16 + number * TEXT_LINE, line)
        for number, line in enumerate(wrap(picture.text, NARROW))
    ]
    return svg.Inset("", [board, *words], x, y, link=svg.Link("", picture.link.href))


def _named(shapes: list[svg.Shape], top: float, name: str, told: str) -> float:
    """Write a name and below it what is told of it; return where those words end."""
    for line in wrap(name, NAME_WIDTH):
        shapes.append(svg.Text("label", 0, top + 13, line))
        top += LINE
    shapes.append(svg.Text("told", 0, top + 11, told))
    return top + SMALL + 4


def _noted(
    shapes: list[svg.Shape], marks: Sequence[Mark], axis: Axis, top: float, height: float
) -> float:
    """Draw lines at values through a row, their words above it; return the height of those."""
    words: list[svg.Shape] = []
    above = _noted_above(words, marks, axis, top)
    for mark in marks:
        at = axis.at(mark.value)
        shapes.append(svg.Segment("claimed", at, top, at, top + above + height))
    shapes += words  # over the lines of the others
    return above


def _noted_above(shapes: list[svg.Shape], marks: Sequence[Mark], axis: Axis, top: float) -> float:
    """Write what lines at values are beside them, one below the other; return the height of all."""
    y = top
    for mark in marks:
        at = axis.at(mark.value)
        anchor, left = ("end", 5) if at > 0.5 else ("start", -5)
        for line in wrap(mark.text, MARK_WIDTH):
            shapes.append(svg.Text("marked", at, y + 11, line, anchor, left))
            y += SMALL
    return y - top + (4 if marks else 0)


def _stacks(runs: tables.Runs, axis: Axis) -> dict[int, tables.Runs]:
    """Put the runs of an ordered group into bins of an axis."""
    bins = (axis.places(runs["value"]) * (BINS - 1e-9)).astype(int)
    ends = [*(np.flatnonzero(np.diff(bins)) + 1).tolist(), len(runs)]
    return {int(bins[start]): runs[start:end] for start, end in pairwise([0, *ends])}


def _dots(
    stack: tables.Runs,
    axis: Axis,
    bottom: float,
    height: float,
    worth: int,
    unit: str,
    opened: tables.Seeded,
) -> list[svg.Dot]:
    """Draw the runs of a bin above each other, `worth` of them as one dot that opens their middle.

    The last dot of a stack may stand for fewer: its area says for how many.  Where there is no room
    for all of them they overlap.
    """
    parts = [stack[start : start + worth] for start in range(0, len(stack), worth)]
    *whole, last = parts
    parts = [
        *sorted(whole, key=lambda part: tables.typical(part)["seed"]),
        last,
    ]  # or columns would slant
    step = min(DOT, (height - DOT) / max(1, len(parts) - 1))
    dots = []
    for level, part in enumerate(parts):
        (seed, value), low, most = tables.typical(part), part[0]["value"], part[-1]["value"]
        title = f"seed {seed}: {format_with_unit(value, unit)}"
        if len(part) > 1:
            span = format_with_unit(low, unit) + (
                f" to {format_with_unit(most, unit)}" if most != low else ""
            )
            title += f", one of {_runs(len(part))} here with {span}"
        y, size = bottom - DOT / 2 - 1 - level * step, max(0.4, (len(part) / worth) ** 0.5)
        link = svg.Link(title, opened(seed))
        dots.append(svg.Dot("dot", axis.at(value), round(y, 1), link, size))
    return dots


def _runs(number: int) -> str:
    return f"{format_count(number)} run{'s' * (number != 1)}"


def _press(shapes: Sequence[svg.Shape], what: str, unopened: bool) -> str:
    """Say what a press on a mark opens, if it opens something, and whether some marks do not."""
    links = [
        shape.link
        for shape in shapes
        if isinstance(shape, (svg.Dot, svg.Path, svg.Rect)) and shape.link
    ]
    opens = any(link.href for link in links)
    told = f" A press on a {what}{', where the lab trains it' * unopened}." if opens else ""
    return told + " The command makes the runs that the lab does not train." * unopened


def _of_series(site: SiteData, series: Series) -> svg.Link:
    href = tables.addresses_of(site, series.recipe)(series.typical)
    return svg.Link(f"{series.name}: seed {series.typical}, which ends at the median", href)


def _band(
    kind: str,
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    place: Callable[[tuple[float, float]], tuple[float, float]],
) -> svg.Path:
    there = [place(pair) for pair in zip(x, high, strict=True)]
    back = [place(pair) for pair in zip(x, low, strict=True)]
    return svg.Path(kind, there + back[::-1], closed=True)


def _rules(axis: Axis, top: float, bottom: float) -> list[svg.Shape]:
    """Draw a thin line at each tick of an axis across."""
    return [svg.Segment("rule", at, top, at, bottom) for at in map(axis.at, axis.ticks)]


def _seeds(groups: Sequence[Group], first: int) -> str:
    """Say how many runs there are a row, and with which seeds."""
    numbers = sorted({len(group.values) for group in groups})
    if len(numbers) == 1:
        runs = f"{format_count(numbers[0])} runs" + (" a row" if len(groups) > 1 else "")
        return f"{runs}, seeds {format_count(first)} to {format_count(first + numbers[0] - 1)}."
    fewest, most = format_count(numbers[0]), format_count(numbers[-1])
    return f"{fewest} to {most} runs a row, from seed {format_count(first)} on."


def _told(value: str, low: float | None, high: float | None, n: int | None, unit: str) -> str:
    """Write the value of a bar with its interval and of how many it is."""
    more = []
    if low is not None and high is not None:
        more.append(f"{format_with_unit(low, unit)} to {format_with_unit(high, unit)}")
    if n is not None:
        more.append(f"n = {format_count(n)}")
    return value + (f" ({', '.join(more)})" if more else "")


def miniature(site: SiteData, figure: Figure) -> Markup:
    """Draw a figure in a box of 120 by 48: whatever it shows first, and no words."""
    box = f'viewBox="0 0 {WIDE:g} {HIGH:g}" aria-hidden="true"'
    return svg.inline(_miniature(figure, site), "drawing miniature", box)


def preview_of(site: SiteData, figure: Figure, line: str) -> svg.Drawing:
    """Draw a figure as a link to it is shown, over a line of text."""
    return svg.preview(line, [svg.Inset("large", _miniature(figure, site))], WIDE, HIGH)


@singledispatch
def _miniature(figure: object, site: SiteData) -> list[svg.Shape]:
    """Draw what is in the box."""
    raise TypeError(f"no figure: {figure!r}")


@_miniature.register
def _small_histogram(figure: Histogram, site: SiteData) -> list[svg.Shape]:
    groups = figure.groups[:ROWS_SMALL]
    axis = scale([value for group in groups for value in group.values])
    row, wide = HIGH / len(groups), WIDE / SLOTS
    drawn: list[svg.Shape] = []
    for number, group in enumerate(groups):
        counts = np.bincount((axis.places(group.values) * (SLOTS - 1e-9)).astype(int))
        fullest, bottom = int(counts.max()), (number + 1) * row - 1
        bars = [
            f"M{place * wide:g} {bottom:.3g}v{-max(1.0, (row - 4) * found / fullest):.3g}"
            f"h{wide - 0.6:g}V{bottom:.3g}z"
            for place, found in enumerate(counts.tolist())
            if found
        ]
        drawn.append(svg.Sign("bin", "".join(bars)))
        drawn.append(svg.Sign("base", f"M0 {bottom:.3g}H{WIDE:g}"))
        for mark in group.marks:
            x = WIDE * axis.at(mark.value)
            drawn.append(svg.Sign("claimed", f"M{x:.4g} {bottom - row + 3:.3g}V{bottom:.3g}"))
    return drawn


@_miniature.register
def _small_curves(figure: Curves, site: SiteData) -> list[svg.Shape]:
    xs = [x for series in figure.series for x in series.x]
    across = logarithmic(xs) if figure.logarithmic else scale(xs)
    across = across._replace(low=min(x for x in xs if x > 0 or not figure.logarithmic))
    across = across._replace(high=max(*xs, across.low + 1))
    up = scale([value for series in figure.series for value in (*series.low, *series.high)])

    def place(pair: tuple[float, float]) -> tuple[float, float]:
        return WIDE * across.at(pair[0]), curves.down(up, pair[1], 2, HIGH - 4)

    bands, lines = [], []
    for number, series in enumerate(figure.series):
        style = STYLES[number % len(STYLES)]
        bands.append(_band(f"{style} band", series.x, series.low, series.high, place))
        middle = [place(pair) for pair in zip(series.x, series.median, strict=True)]
        lines.append(svg.Path(f"{style} curve", middle))
    return [*bands, *lines]


@_miniature.register
def _small_grid(figure: Grid, site: SiteData) -> list[svg.Shape]:
    flat = [value for row in figure.values for value in row]
    low, span = min(flat), (max(flat) - min(flat)) or 1.0
    wide, high = WIDE / len(figure.columns), HIGH / len(figure.rows)
    outlines: dict[int, str] = {}
    for row, values in enumerate(figure.values):
        for column, value in enumerate(values):
            level = round(LEVELS * (value - low) / span)
            cell = f"M{column * wide:.4g} {row * high:.4g}h{wide:.4g}v{high:.4g}h{-wide:.4g}z"
            outlines[level] = outlines.get(level, "") + cell
    return [svg.Sign(f"pane l{level}", outline) for level, outline in sorted(outlines.items())]


@_miniature.register
def _small_bars(figure: Bars, site: SiteData) -> list[svg.Shape]:
    bars = figure.bars[: 2 * ROWS_SMALL]
    values = [bar.value for bar in bars]
    axis = logarithmic([*values, 1.0]) if figure.logarithmic else scale(values, True, True)
    zero, row = axis.at(1.0 if figure.logarithmic else 0.0), HIGH / len(bars)
    height = min(row - 2, 12)
    return [
        svg.Rect("beam", WIDE * min(at, zero), number * row + 1, WIDE * abs(at - zero), height)
        for number, at in enumerate(map(axis.at, values))
    ]


@_miniature.register
def _small_boards(figure: Boards, site: SiteData) -> list[svg.Shape]:
    pictures = [
        small_board(site.game, replay(site.game, board.record)[-1], {})
        for board in figure.boards[:2]
    ]
    return [
        svg.Inset("position", picture.signs, number * 60 + 8, 2, 44 / picture.columns)
        for number, picture in enumerate(pictures)
    ]
