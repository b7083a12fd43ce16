"""A figure without words, small enough to stand in a line of a list, or for a link."""

from functools import singledispatch

import numpy as np
from markupsafe import Markup

from app.experiments import Bars, Boards, Curves, Figure, Grid, Histogram
from app.tictactoe.notation import replay
from app.web.pictures.boards import small_board
from app.web.pictures.curves import down
from app.web.pictures.figures import STYLES
from app.web.pictures.palette import LEVELS
from app.web.pictures.scales import logarithmic, scale
from app.web.pictures.svg import Drawing, Inset, Path, Rect, Shape, Sign, inline, preview
from app.web.world import World

WIDE, HIGH = 120.0, 48.0
ROWS = 4  # of a figure that has many
BINS = 40


def miniature(world: World, figure: Figure) -> Markup:
    """Draw a figure in a box of 120 by 48: whatever it shows first, and no words."""
    box = f'viewBox="0 0 {WIDE:g} {HIGH:g}" aria-hidden="true"'
    return inline(small_shapes(figure, world), "drawing miniature", box)


def preview_of(world: World, figure: Figure, line: str) -> Drawing:
    """Draw a figure as a link to it is shown, over a line of text."""
    return preview(line, [Inset("large", small_shapes(figure, world))], WIDE, HIGH)


@singledispatch
def small_shapes(figure: object, world: World) -> list[Shape]:
    """Draw what is in the box."""
    raise TypeError(f"no figure: {figure!r}")


@small_shapes.register
def _histogram(figure: Histogram, world: World) -> list[Shape]:
    groups = figure.groups[:ROWS]
    axis = scale([value for group in groups for value in group.values])
    row, wide = HIGH / len(groups), WIDE / BINS
    drawn: list[Shape] = []
    for number, group in enumerate(groups):
        counts = np.bincount((axis.places(group.values) * (BINS - 1e-9)).astype(int))
        fullest, bottom = int(counts.max()), (number + 1) * row - 1
        bars = [
            f"M{place * wide:g} {bottom:.3g}v{-max(1.0, (row - 4) * found / fullest):.3g}"
            f"h{wide - 0.6:g}V{bottom:.3g}z"
            for place, found in enumerate(counts.tolist())
            if found
        ]
        drawn.append(Sign("bin", "".join(bars)))
        drawn.append(Sign("base", f"M0 {bottom:.3g}H{WIDE:g}"))
        for mark in group.marks:
            x = WIDE * axis.at(mark.value)
            drawn.append(Sign("claimed", f"M{x:.4g} {bottom - row + 3:.3g}V{bottom:.3g}"))
    return drawn


@small_shapes.register
def _curves(figure: Curves, world: World) -> list[Shape]:
    xs = [x for series in figure.series for x in series.x]
    across = logarithmic(xs) if figure.logarithmic else scale(xs)
    across = across._replace(low=min(x for x in xs if x > 0 or not figure.logarithmic))
    across = across._replace(high=max(*xs, across.low + 1))
    up = scale([value for series in figure.series for value in (*series.low, *series.high)])

    def place(pair: tuple[float, float]) -> tuple[float, float]:
        return WIDE * across.at(pair[0]), down(up, pair[1], 2, HIGH - 4)

    bands, lines = [], []
    for number, series in enumerate(figure.series):
        style = STYLES[number % len(STYLES)]
        low, high, middle = (
            [place(pair) for pair in zip(series.x, values, strict=True)]
            for values in (series.low, series.high, series.median)
        )
        bands.append(Path(f"{style} band", high + low[::-1], closed=True))
        lines.append(Path(f"{style} curve", middle))
    return [*bands, *lines]


@small_shapes.register
def _grid(figure: Grid, world: World) -> list[Shape]:
    flat = [value for row in figure.values for value in row]
    low, span = min(flat), (max(flat) - min(flat)) or 1.0
    wide, high = WIDE / len(figure.columns), HIGH / len(figure.rows)
    outlines: dict[int, str] = {}
    for row, values in enumerate(figure.values):
        for column, value in enumerate(values):
            level = round(LEVELS * (value - low) / span)
            cell = f"M{column * wide:.4g} {row * high:.4g}h{wide:.4g}v{high:.4g}h{-wide:.4g}z"
            outlines[level] = outlines.get(level, "") + cell
    return [Sign(f"pane l{level}", outline) for level, outline in sorted(outlines.items())]


@small_shapes.register
def _bars(figure: Bars, world: World) -> list[Shape]:
    bars = figure.bars[: 2 * ROWS]
    values = [bar.value for bar in bars]
    axis = logarithmic([*values, 1.0]) if figure.logarithmic else scale(values, True, True)
    zero, row = axis.at(1.0 if figure.logarithmic else 0.0), HIGH / len(bars)
    height = min(row - 2, 12)
    return [
        Rect("beam", WIDE * min(at, zero), number * row + 1, WIDE * abs(at - zero), height)
        for number, at in enumerate(map(axis.at, values))
    ]


@small_shapes.register
def _boards(figure: Boards, world: World) -> list[Shape]:
    pictures = [
        small_board(world.game, replay(world.game, board.record)[-1], {})
        for board in figure.boards[:2]
    ]
    return [
        Inset("position", picture.signs, number * 60 + 8, 2, 44 / picture.columns)
        for number, picture in enumerate(pictures)
    ]
