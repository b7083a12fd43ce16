"""A figure without words, small enough to stand in a line of a list."""

from functools import singledispatch
from itertools import groupby

from markupsafe import Markup

from app.experiments import Bars, Boards, Curves, Figure, Grid, Histogram
from app.tictactoe.notation import replay
from app.web.pages.parts.claims import Verdict
from app.web.pictures.board import small_board
from app.web.pictures.drawing import INKS
from app.web.pictures.layout import LEVELS, STYLES
from app.web.pictures.scales import Scale, logarithmic, scale
from app.web.pictures.svg import style
from app.web.world import World

WIDE, HIGH = 120.0, 48.0
CARD = (1200, 630)  # pixels of a preview
SIGNS = {"holds": "win", "in-part": "accent", "does-not": "loss", "cannot-tell": "soft"}  # inks
ROWS = 4  # of a figure that has many
BINS = 40


def miniature(world: World, figure: Figure) -> Markup:
    """Draw a figure in a box of 120 by 48: whatever it shows first, and no words."""
    return Markup(
        f'<svg class="miniature" viewBox="0 0 {WIDE:g} {HIGH:g}" aria-hidden="true">'
        f"{shapes(figure, world)}</svg>"
    )


def preview_svg(world: World, figure: Figure, verdict: Verdict) -> str:
    """Draw a figure as the picture that a link is shown with, and the sign of the verdict."""
    sign = f'<circle cx="10" cy="10" r="9"/><path d="{verdict.sign}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CARD[0]}" height="{CARD[1]}">'
        f"<style>{style('dark')}.curve{{stroke-width:.6}}.bin,.beam,.pane,.end{{stroke-width:.3}}"
        f".claimed{{stroke-width:.5;stroke-dasharray:2 1}}.base{{stroke-width:.2}}</style>"
        f'<rect class="paper" width="{CARD[0]}" height="{CARD[1]}"/>'
        f'<svg x="100" y="60" width="1000" height="400" viewBox="0 0 {WIDE:g} {HIGH:g}">'
        f"{shapes(figure, world)}</svg>"
        f'<svg x="550" y="492" width="100" height="100" viewBox="0 0 20 20" fill="none" '
        f'stroke="{INKS[SIGNS[verdict.slug]][1]}" stroke-width="2" stroke-linecap="round">{sign}'
        "</svg></svg>"
    )


@singledispatch
def shapes(figure: object, world: World) -> str:
    """Draw what is in the box."""
    raise TypeError(f"no figure: {figure!r}")


@shapes.register
def _histogram(figure: Histogram, world: World) -> str:
    groups = figure.groups[:ROWS]
    axis = scale([value for group in groups for value in group.values])
    row, wide = HIGH / len(groups), WIDE / BINS
    drawn = []
    for number, group in enumerate(groups):
        places = sorted(int(axis.at(value) * (BINS - 1e-9)) for value in group.values)
        bins = {place: len([*found]) for place, found in groupby(places)}
        fullest, bottom = max(bins.values()), (number + 1) * row - 1
        bars = [
            f"M{place * wide:g} {bottom:.3g}v{-max(1.0, (row - 4) * found / fullest):.3g}"
            f"h{wide - 0.6:g}V{bottom:.3g}z"
            for place, found in bins.items()
        ]
        drawn.append(f'<path class="bin" d="{"".join(bars)}"/>')
        drawn.append(f'<path class="base" d="M0 {bottom:.3g}H{WIDE:g}"/>')
        for mark in group.marks:
            x = WIDE * axis.at(mark.value)
            drawn.append(
                f'<path class="claimed" d="M{x:.4g} {bottom - row + 3:.3g}V{bottom:.3g}"/>'
            )
    return "".join(drawn)


@shapes.register
def _curves(figure: Curves, world: World) -> str:
    xs = [x for series in figure.series for x in series.x]
    across = logarithmic(xs) if figure.logarithmic else scale(xs)
    across = across._replace(low=min(x for x in xs if x > 0 or not figure.logarithmic))
    across = across._replace(high=max(*xs, across.low + 1))
    up = scale([value for series in figure.series for value in (*series.low, *series.high)])
    bands, lines = [], []
    for number, series in enumerate(figure.series):
        style = f"s{number % STYLES}"
        low, high, middle = (
            [_point(across, up, pair) for pair in zip(series.x, values, strict=True)]
            for values in (series.low, series.high, series.median)
        )
        bands.append(f'<path class="{style} band" d="M{"L".join(high + low[::-1])}z"/>')
        lines.append(f'<path class="{style} curve" d="M{"L".join(middle)}"/>')
    return "".join([*bands, *lines])


def _point(across: Scale, up: Scale, pair: tuple[float, float]) -> str:
    return f"{WIDE * across.at(pair[0]):.4g} {2 + (HIGH - 4) * (1 - up.at(pair[1])):.3g}"


@shapes.register
def _grid(figure: Grid, world: World) -> str:
    flat = [value for row in figure.values for value in row]
    low, span = min(flat), (max(flat) - min(flat)) or 1.0
    wide, high = WIDE / len(figure.columns), HIGH / len(figure.rows)
    outlines: dict[int, str] = {}
    for row, values in enumerate(figure.values):
        for column, value in enumerate(values):
            level = round(LEVELS * (value - low) / span)
            cell = f"M{column * wide:.4g} {row * high:.4g}h{wide:.4g}v{high:.4g}h{-wide:.4g}z"
            outlines[level] = outlines.get(level, "") + cell
    return "".join(
        f'<path class="pane l{level}" d="{outline}"/>'
        for level, outline in sorted(outlines.items())
    )


@shapes.register
def _bars(figure: Bars, world: World) -> str:
    bars = figure.bars[: 2 * ROWS]
    values = [bar.value for bar in bars]
    axis = logarithmic([*values, 1.0]) if figure.logarithmic else scale(values, True, True)
    zero, row = axis.at(1.0 if figure.logarithmic else 0.0), HIGH / len(bars)
    return "".join(
        f'<rect class="beam" x="{WIDE * min(at, zero):.4g}" y="{number * row + 1:.4g}" '
        f'width="{WIDE * abs(at - zero):.4g}" height="{min(row - 2, 12):.4g}"/>'
        for number, at in enumerate(map(axis.at, values))
    )


@shapes.register
def _boards(figure: Boards, world: World) -> str:
    drawn = []
    for number, board in enumerate(figure.boards[:2]):
        picture = small_board(world.game, replay(world.game, board.record)[-1], {})
        paths = "".join(f'<path class="{kind}" d="{outline}"/>' for kind, outline in picture.paths)
        drawn.append(
            f'<svg class="figure-board" x="{number * 60 + 8:g}" y="2" width="44" height="44" '
            f'viewBox="{picture.box}">{paths}</svg>'
        )
    return "".join(drawn)
