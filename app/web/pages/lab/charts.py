"""The charts of a comparison, on its page and in one picture to download.

They show the result of each seed, and the learning curves of both recipes.
"""

import re
from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from app.experiments import Curves, Series, summarize_seeds
from app.recipes import name_recipe
from app.tictactoe.game import FloatArray
from app.web.formatting import format_with_unit
from app.web.pages.lab.duel import LINEAR_AXIS, LOGARITHMIC_AXIS, Duel, Side
from app.web.pictures.curves import lay_out_seed_lines
from app.web.pictures.figures import lay_out_curves
from app.web.pictures.svg import Drawing, Inset, Path, Plot, Shape, Text
from app.web.pictures.tables import HtmlTable
from app.web.routes import Destination

# These are sizes of the picture to download, in pixels.
FILE_WIDTH, MARGIN, PLOT_GAP = 720.0, 20.0, 28.0
PLOT_HEIGHT = 200.0
HEADING_LINE_HEIGHT, TEXT_LINE_HEIGHT = 22.0, 16.0
MAX_HEADING_CHARACTERS, MAX_TEXT_CHARACTERS = 74, 98
MAX_FILE_NAME_CHARACTERS = 120
CURVES_HEIGHT, SEEDS_HEIGHT = 150.0, 236.0
MAX_CURVE_POINTS = 50
# A longer label does not fit below its column on a phone.
MAX_SEED_LABEL_CHARACTERS = 18


def summarize_runs(duel: Duel) -> Curves:
    """Return the learning curves of both recipes, on a linear or a logarithmic axis.

    The URL can name the axis. By default it is the one on which the medians of A and B are farther
    apart; the axis of a single recipe is logarithmic.
    """
    axes = [LINEAR_AXIS, LOGARITHMIC_AXIS] if duel.baseline_name else [LOGARITHMIC_AXIS]
    axes = [duel.axis_key] if duel.axis_key else axes
    series = {axis: _summarize_sides(duel, axis) for axis in axes}

    def measure_gap(axis: str) -> float:
        recipe_b = series[axis][0]
        recipe_a = series[axis][-1]
        return float(np.abs(np.subtract(recipe_b.median, recipe_a.median)).mean())

    axis = max(axes, key=measure_gap)
    return Curves(
        duel.measure.title,
        "Updates",
        duel.measure.unit,
        series[axis],
        logarithmic=axis == LOGARITHMIC_AXIS,
    )


def _summarize_sides(duel: Duel, axis: str) -> list[Series]:
    return [_summarize_side(duel, side, axis) for side in duel.sides[::-1]]


def _summarize_side(duel: Duel, side: Side, axis: str) -> Series:
    courses = [
        (run.figures.snapshot_updates, duel.measure.get_curve(run.figures))
        for run in side.runs
    ]
    end = max(1, *(updates[-1] for updates, _ in courses))
    is_logarithmic = axis == LOGARITHMIC_AXIS

    def convert_to_axis(updates: Sequence[float]) -> FloatArray:
        return np.log1p(updates) if is_logarithmic else np.asarray(updates, float)

    low, high = convert_to_axis([1 if is_logarithmic else 0, end])
    places = np.linspace(low, high, MAX_CURVE_POINTS)
    points = np.expm1(places) if is_logarithmic else places
    rows = [
        np.interp(places, convert_to_axis(updates), course).tolist()
        for updates, course in courses
    ]
    recipe = name_recipe(side.recipe.with_seed(0))
    return summarize_seeds(side.title, recipe, points.tolist(), rows, duel.seeds[0])


def lay_out_seeds(duel: Duel, height: float) -> Plot:
    """Plot the results of all seeds: a line for each seed from its result in A to its result in B.

    A single recipe has a dot for each seed. A label that is too long for its column becomes A or B.
    """
    measure = duel.measure
    rows = list(zip(*duel.list_final_values(measure), strict=True))
    styles = [_choose_seed_style(row, measure.more_is_better) for row in rows]
    titles = [side.title for side in duel.sides]
    are_narrow = max(map(len, titles)) <= MAX_SEED_LABEL_CHARACTERS
    names = titles if are_narrow else [side.letter for side in duel.sides]
    links = [link for link, _ in _list_seed_links(duel)]
    return lay_out_seed_lines(rows, names, styles, links, height, measure.unit)


def _list_seed_links(duel: Duel) -> list[tuple[Destination, list[str]]]:
    rows = zip(*duel.list_final_values(duel.measure), strict=True)
    runs = []
    for at, row in enumerate(rows):
        texts = [format_with_unit(value, duel.measure.unit) for value in row]
        names = [
            duel.site.lab.name_with_seed(side.recipe, side.runs[at].seed)
            for side in duel.sides
        ]
        baseline = names[0] if duel.baseline_name else ""
        title = f"seed {duel.sides[0].runs[at].seed}: {' → '.join(texts)}"
        runs.append(
            (Destination(title, duel.build_pair_url(names[-1], baseline)), texts)
        )
    return runs


def build_seed_table(duel: Duel) -> HtmlTable:
    seeds = [run.seed for run in duel.sides[0].runs]
    rows = [
        ((str(seed), link.href), texts)
        for seed, (link, texts) in zip(seeds, _list_seed_links(duel), strict=True)
    ]
    return HtmlTable("Seed", [side.title for side in duel.sides], rows)


def _choose_seed_style(seed_results: Sequence[float], more_is_better: bool) -> str:
    if len(seed_results) == 1 or seed_results[0] == seed_results[1]:
        return "soft"
    return (
        "accent"
        if (seed_results[1] > seed_results[0]) == more_is_better
        else "dashed loss"
    )


def plot_comparison(duel: Duel, link: str) -> Drawing:
    """Return the picture to download: the question, the verdict, both charts and the recipes."""
    shapes: list[Shape] = []
    verdict = duel.verdict
    y = MARGIN
    y = _write_lines(shapes, y, duel.question, "heading")
    headline = f"{verdict.warning} {verdict.headline}".lstrip()
    y = _write_lines(shapes, y + 4, headline, "label")
    y = _write_lines(shapes, y, verdict.detail, "told")
    y = _add_plots(shapes, duel, y + PLOT_GAP)
    for side in duel.sides:
        y = _write_lines(
            shapes, y, f"{side.letter}: {name_recipe(side.recipe)}", "told"
        )
    seeds = f"{duel.finished_seed_count} seeds of A and of B. The results of each seed are exact."
    y = _write_lines(shapes, y, f"{seeds} Q-Tac-Toe:", "told")
    y = _write_lines(shapes, y, link, "told")
    return Drawing(FILE_WIDTH, y + MARGIN, f"{duel.question} {verdict.text}", shapes)


def enlarge_drawing(drawing: Drawing, scale: float) -> Drawing:
    whole = Inset("", drawing.shapes, scale=scale)
    width = scale * drawing.width
    height = scale * drawing.height
    return Drawing(width, height, drawing.label, [whole])


def build_file_name(duel: Duel) -> str:
    recipes = [name_recipe(side.recipe) for side in duel.sides[::-1]]
    words = re.sub(
        r"[^a-z0-9.]+", "-", " vs ".join(["lab", *recipes]).replace("lab vs", "lab", 1)
    )
    return words[:MAX_FILE_NAME_CHARACTERS].rstrip("-.")


def _write_lines(shapes: list[Shape], top: float, text: str, css_classes: str) -> float:
    is_heading = css_classes == "heading"
    length = MAX_HEADING_CHARACTERS if is_heading else MAX_TEXT_CHARACTERS
    for line in wrap(text, length, break_long_words=True, break_on_hyphens=False):
        top += HEADING_LINE_HEIGHT if is_heading else TEXT_LINE_HEIGHT
        shapes.append(Text(css_classes, MARGIN, top, line))
    return top


def _add_plots(shapes: list[Shape], duel: Duel, top: float) -> float:
    half = (FILE_WIDTH - 2 * MARGIN - PLOT_GAP) / 2
    figure = summarize_runs(duel)
    curves = lay_out_curves(figure, duel.site, duel.seeds[0], PLOT_HEIGHT)
    plots = ((MARGIN, "Each line is one seed", lay_out_seeds(duel, PLOT_HEIGHT - 8)),)
    right = MARGIN + half + PLOT_GAP
    for x, title, plot in (
        *plots,
        (right, f"{duel.measure.title}: medians", curves.plot),
    ):
        shapes.append(Text("label", x, top, title))
        left = x + 8 * plot.left_margin
        width = half - 8 * plot.left_margin
        shapes.append(Inset("", remove_links(plot), left, top + 8, width=width))
        key = top + plot.height + 22
        for line in plot.keys:
            sample = Path(line.css_classes, [(x, key - 4), (x + 26, key - 4)])
            shapes += [sample, Text("told", x + 34, key, line.name)]
            key += TEXT_LINE_HEIGHT
    return top + PLOT_HEIGHT + 56 + TEXT_LINE_HEIGHT * len(curves.plot.keys)


def remove_links(plot: Plot) -> list[Shape]:
    """Return the shapes of a plot without links, which a picture in a file cannot open."""
    return [
        shape._replace(link=None) if isinstance(shape, Path) else shape
        for shape in plot.shapes
    ]
