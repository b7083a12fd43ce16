"""A comparison as one picture to download: its question, verdict, charts, recipes and link."""

import re
from textwrap import wrap

from app.recipes import name_recipe
from app.web.pages.lab.charts import lay_out_seeds, summarize_runs
from app.web.pages.lab.duel import Duel
from app.web.pictures.figures import lay_out_curves
from app.web.pictures.svg import Drawing, Inset, Path, Plot, Shape, Text

FILE_WIDTH, MARGIN, PLOT_GAP = 720.0, 20.0, 28.0  # pixels
PLOT_HEIGHT = 200.0
HEADING_LINE_HEIGHT, TEXT_LINE_HEIGHT = 22.0, 16.0
MAX_HEADING_CHARACTERS, MAX_TEXT_CHARACTERS = 74, 98  # characters of a line
MAX_FILE_NAME = 120  # characters of a file's name


def draw_evidence(duel: Duel, link: str) -> Drawing:
    """Return the drawing of a comparison for a file: its question, verdict, charts and recipes."""
    shapes: list[Shape] = []
    verdict = duel.verdict
    y = MARGIN
    y = _write_lines(shapes, y, duel.question, "heading")
    headline = f"{verdict.warning} {verdict.headline}".lstrip()
    y = _write_lines(shapes, y + 4, headline, "label")
    y = _write_lines(shapes, y, verdict.detail, "told")
    y = _draw_plots(shapes, duel, y + PLOT_GAP)
    for side in duel.sides:
        y = _write_lines(
            shapes, y, f"{side.letter}: {name_recipe(side.recipe)}", "told"
        )
    seeds = (
        f"{duel.seeds_done} seeds of A and of B. The results of each seed are exact."
    )
    y = _write_lines(shapes, y, f"{seeds} Q-Tac-Toe:", "told")
    y = _write_lines(shapes, y, link, "told")
    return Drawing(FILE_WIDTH, y + MARGIN, f"{duel.question} {verdict.text}", shapes)


def enlarge_drawing(drawing: Drawing, scale: float) -> Drawing:
    """Return a drawing with more pixels, for screens and slides."""
    whole = Inset("", drawing.shapes, scale=scale)
    width = scale * drawing.width
    height = scale * drawing.height
    return Drawing(width, height, drawing.label, [whole])


def build_file_name(duel: Duel) -> str:
    """Return the name of a file with this comparison, without its ending."""
    recipes = [name_recipe(side.recipe) for side in duel.sides[::-1]]
    words = re.sub(
        r"[^a-z0-9.]+", "-", " vs ".join(["lab", *recipes]).replace("lab vs", "lab", 1)
    )
    return words[:MAX_FILE_NAME].rstrip("-.")


def _write_lines(shapes: list[Shape], top: float, text: str, css_classes: str) -> float:
    """Add lines of text below each other; return the place below the last line."""
    is_heading = css_classes == "heading"
    length = MAX_HEADING_CHARACTERS if is_heading else MAX_TEXT_CHARACTERS
    for line in wrap(text, length, break_long_words=True, break_on_hyphens=False):
        top += HEADING_LINE_HEIGHT if is_heading else TEXT_LINE_HEIGHT
        shapes.append(Text(css_classes, MARGIN, top, line))
    return top


def _draw_plots(shapes: list[Shape], duel: Duel, top: float) -> float:
    """Add the plots of the seeds and the curves side by side; return the place below them."""
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
    """Return the shapes of a plot without links, because an exported figure cannot open them."""
    return [
        shape._replace(link=None) if isinstance(shape, Path) else shape
        for shape in plot.shapes
    ]
