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
from app.web.pages.lab.recipe_comparison import (
    LINEAR_AXIS,
    LOGARITHMIC_AXIS,
    RecipeComparison,
    Variant,
)
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


def summarize_runs(comparison: RecipeComparison) -> Curves:
    """Return the learning curves of both recipes, on a linear or a logarithmic axis."""
    axes = (
        [LINEAR_AXIS, LOGARITHMIC_AXIS]
        if comparison.baseline_name
        else [LOGARITHMIC_AXIS]
    )
    axes = [comparison.axis_key] if comparison.axis_key else axes
    series = {axis: _summarize_variants(comparison, axis) for axis in axes}

    def measure_gap(axis: str) -> float:
        recipe_b = series[axis][0]
        recipe_a = series[axis][-1]
        return float(np.abs(np.subtract(recipe_b.median, recipe_a.median)).mean())

    # By default, the axis on which the medians are farther apart shows the difference best.
    axis = max(axes, key=measure_gap)
    return Curves(
        comparison.measure.title,
        "Updates",
        comparison.measure.unit,
        series[axis],
        logarithmic=axis == LOGARITHMIC_AXIS,
    )


def _summarize_variants(comparison: RecipeComparison, axis: str) -> list[Series]:
    return [
        _summarize_variant(comparison, variant, axis)
        for variant in comparison.variants[::-1]
    ]


def _summarize_variant(
    comparison: RecipeComparison, variant: Variant, axis: str
) -> Series:
    courses = [
        (run.figures.snapshot_updates, comparison.measure.get_curve(run.figures))
        for run in variant.runs
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
    recipe = name_recipe(variant.recipe.with_seed(0))
    return summarize_seeds(
        variant.title, recipe, points.tolist(), rows, comparison.seeds[0]
    )


def lay_out_seeds(comparison: RecipeComparison, height: float) -> Plot:
    """Plot the results as a line for each seed, from A to B; a single recipe has dots."""
    measure = comparison.measure
    rows = list(zip(*comparison.list_final_values(measure), strict=True))
    styles = [_choose_seed_style(row, measure.more_is_better) for row in rows]
    titles = [variant.title for variant in comparison.variants]
    are_narrow = max(map(len, titles)) <= MAX_SEED_LABEL_CHARACTERS
    names = (
        titles if are_narrow else [variant.letter for variant in comparison.variants]
    )
    links = [link for link, _ in _list_seed_links(comparison)]
    return lay_out_seed_lines(rows, names, styles, links, height, measure.unit)


def _list_seed_links(
    comparison: RecipeComparison,
) -> list[tuple[Destination, list[str]]]:
    rows = zip(*comparison.list_final_values(comparison.measure), strict=True)
    runs = []
    for at, row in enumerate(rows):
        texts = [format_with_unit(value, comparison.measure.unit) for value in row]
        names = [
            comparison.site.on_demand.name_with_seed(
                variant.recipe, variant.runs[at].seed
            )
            for variant in comparison.variants
        ]
        baseline = names[0] if comparison.baseline_name else ""
        title = f"seed {comparison.variants[0].runs[at].seed}: {' → '.join(texts)}"
        runs.append(
            (Destination(title, comparison.build_pair_url(names[-1], baseline)), texts)
        )
    return runs


def build_seed_table(comparison: RecipeComparison) -> HtmlTable:
    seeds = [run.seed for run in comparison.variants[0].runs]
    rows = [
        ((str(seed), link.href), texts)
        for seed, (link, texts) in zip(seeds, _list_seed_links(comparison), strict=True)
    ]
    return HtmlTable("Seed", [variant.title for variant in comparison.variants], rows)


def _choose_seed_style(seed_results: Sequence[float], more_is_better: bool) -> str:
    if len(seed_results) == 1 or seed_results[0] == seed_results[1]:
        return "soft"
    return (
        "accent"
        if (seed_results[1] > seed_results[0]) == more_is_better
        else "dashed loss"
    )


def plot_comparison(comparison: RecipeComparison, link: str) -> Drawing:
    shapes: list[Shape] = []
    verdict = comparison.verdict
    y = MARGIN
    y = _write_lines(shapes, y, comparison.question, "heading")
    headline = f"{verdict.warning} {verdict.headline}".lstrip()
    y = _write_lines(shapes, y + 4, headline, "label")
    y = _write_lines(shapes, y, verdict.detail, "told")
    y = _add_plots(shapes, comparison, y + PLOT_GAP)
    for variant in comparison.variants:
        y = _write_lines(
            shapes, y, f"{variant.letter}: {name_recipe(variant.recipe)}", "told"
        )
    seeds = f"{comparison.finished_seed_count} seeds of A and of B. The results of each seed are exact."
    y = _write_lines(shapes, y, f"{seeds} Q-Tac-Toe:", "told")
    y = _write_lines(shapes, y, link, "told")
    return Drawing(
        FILE_WIDTH, y + MARGIN, f"{comparison.question} {verdict.text}", shapes
    )


def enlarge_drawing(drawing: Drawing, scale: float) -> Drawing:
    whole = Inset("", drawing.shapes, scale=scale)
    width = scale * drawing.width
    height = scale * drawing.height
    return Drawing(width, height, drawing.label, [whole])


def build_file_name(comparison: RecipeComparison) -> str:
    recipes = [name_recipe(variant.recipe) for variant in comparison.variants[::-1]]
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


def _add_plots(shapes: list[Shape], comparison: RecipeComparison, top: float) -> float:
    half = (FILE_WIDTH - 2 * MARGIN - PLOT_GAP) / 2
    figure = summarize_runs(comparison)
    curves = lay_out_curves(figure, comparison.site, comparison.seeds[0], PLOT_HEIGHT)
    plots = (
        (MARGIN, "Each line is one seed", lay_out_seeds(comparison, PLOT_HEIGHT - 8)),
    )
    right = MARGIN + half + PLOT_GAP
    for x, title, plot in (
        *plots,
        (right, f"{comparison.measure.title}: medians", curves.plot),
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
    return [
        shape._replace(link=None) if isinstance(shape, Path) else shape
        for shape in plot.shapes
    ]
