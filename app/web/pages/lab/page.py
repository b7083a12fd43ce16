"""The lab: does a change of a training help? Runs with equal seeds are compared."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import werkzeug
from flask import Response, redirect, request
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe, RecipeError
from app.recipes.names import find_algorithm
from app.recipes.taught import Refusal
from app.sources import SOURCES, Source
from app.web.algorithms import ALGORITHM_PAGES
from app.web.comparison import (
    CURVE_TITLES,
    Comparison,
    SourceSnapshot,
    find_next_disagreement,
)
from app.web.links.compare import compare_url
from app.web.links.lab import (
    LAB_CHANGE_PARAMETERS,
    LAB_PREVIEW_ROUTE,
    LAB_RECIPE_ROUTE,
    LAB_ROUTE,
    RECIPE_SCRIPT_ROUTE,
    lab_url,
)
from app.web.links.teach import teach_url
from app.web.links.why import why_url
from app.web.match import Match, get_next_snapshot, read_integer, read_snapshot
from app.web.navigation import PageBlueprint
from app.web.on_demand import TrainingPending, get_full_name
from app.web.pages.lab import (
    charts,
    elsewhere,
    menus,
    recipe_comparison,
    training_game,
)
from app.web.pages.lab.change import change_recipe, change_recipe_pair
from app.web.pages.lab.recipe_comparison import RecipeComparison
from app.web.pages.lab.verdict import MAX_SEEDS
from app.web.pages.lab.wording import describe_recipe
from app.web.pages.parts.export import (
    Export,
    build_csv_response,
    build_png_response,
    build_svg_response,
    export_curves,
    export_value_map,
)
from app.web.pages.parts.learning import (
    align_snapshots,
    build_position_film,
    find_block_record,
)
from app.web.pictures.figures import lay_out_curves
from app.web.pictures.minds import plot_value_map
from app.web.pictures.svg import plot_preview, write_plot
from app.web.pictures.tables import RECORD_COLUMNS, build_figure_table, list_records
from app.web.rendering import Variables, render_page, wants_fragment
from app.web.routes import Destination, Query, iframe_file_url
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("lab", __name__)
bp.add_menu_page("Research", "lab", gettext_noop("Lab"), LAB_ROUTE.url)
MAX_SEED = 999_999_999
PNG_SCALE = 2.0
# The table has only 24 cells, so this limit stops no page.
MAX_VERDICTS_PER_REQUEST = 100
# Both agents are shipped, so the first page needs no training.
START_RECIPE, START_BASELINE = "q-table-draw-1", "q-table"


class SuggestedQuestion(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """A question for visitors, and the recipes A and B that answer it."""

    title: str
    # recipe B
    recipe: str
    description: str
    # the training game, from 1, that shows the answer
    game_number: int | None = None
    # the key in SOURCES of the publication that the learner comes from
    source_slug: str = "nested-software"
    # recipe A
    baseline: str = "q-table"

    def list_names(self, site: SiteData) -> tuple[str, str]:
        names = (
            site.on_demand.find_canonical_name(get_full_name(one))
            for one in (self.recipe, self.baseline)
        )
        chosen, baseline = names
        return chosen, baseline


QUESTIONS = msgspec.toml.decode(
    Path(__file__).with_name("questions.toml").read_bytes(),
    type=dict[str, list[SuggestedQuestion]],
)
STRIKING_QUESTIONS = QUESTIONS["telling"]
EXERCISES = QUESTIONS["exercise"]
QUESTION_HEADINGS = {
    "telling": "Questions",
    "exercise": "Exercises of Sutton & Barto, chapter 1",
}


@bp.get(LAB_ROUTE)
def redirect_to_question() -> werkzeug.Response:
    """Redirect a form to the comparison that it asks for, by default to the first question."""
    query = request.args
    if "recipe" not in query and "algorithm" not in query:
        return show_first_question(get_current_site())
    try:
        chosen, baseline = read_form(get_current_site(), query)
    except RecipeError as error:
        raise BadRequest(recipe_comparison.format_error(error)) from error
    curve = query.get("curve", "")
    axis = query.get("axis", "")
    return redirect(lab_url(chosen, baseline, curve, axis_key=axis), 303)


def show_first_question(site: SiteData) -> Response:
    """Compare the first question's recipes, or show the first agent if one of them is missing."""
    if START_RECIPE in site.agents and START_BASELINE in site.agents:
        return render_lab(site, START_RECIPE, {"ghost": START_BASELINE})
    return render_lab(site, next(iter(site.agents)), {})


def read_form(site: SiteData, query: Query) -> tuple[str, str]:
    """Return the names of recipes B and A after the changes in a form.

    Without a recipe, B is the default recipe of the chosen algorithm, and A is the query's `ghost`.
    Raises RecipeError if a change is invalid, and the errors of `find_recipe`.
    """
    if "recipe" not in query:
        base = find_algorithm(query["algorithm"])()
        chosen = menus.find_recipe_name(site, change_recipe(base, query))
        return chosen, query.get("ghost", "")
    recipe_b = recipe_comparison.find_recipe(site, query["recipe"])
    recipe_a = (
        recipe_comparison.find_recipe(site, query["ghost"])
        if query.get("ghost")
        else recipe_b
    )
    changes = {key: text for key, text in query.items() if key in LAB_CHANGE_PARAMETERS}
    recipe_a, recipe_b = change_recipe_pair(recipe_a, recipe_b, changes)
    return menus.find_recipe_name(site, recipe_b), menus.find_recipe_name(
        site, recipe_a
    )


@bp.get(LAB_RECIPE_ROUTE)
def show_lab(name: str) -> werkzeug.Response:
    site = get_current_site()
    chosen = menus.find_recipe_name(site, recipe_comparison.find_recipe(site, name))
    if chosen != name:
        ghost = request.args.get("ghost", "")
        curve = request.args.get("curve", "")
        axis = request.args.get("axis", "")
        return redirect(lab_url(chosen, ghost, curve, axis_key=axis), 301)
    if site.is_taught_by_person(name) and isinstance(
        site.on_demand.replay_course(name, None), Refusal
    ):
        # A learner with other parameters would have made other moves in these games.
        teach = teach_url(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": teach})
        return redirect(teach, 303)
    if wants_fragment() and "elsewhere" in request.args:
        shown = recipe_comparison.build_recipe_comparison(site, name, request.args)
        table = _build_other_verdicts(shown, request.args)
        return render_page("lab/elsewhere.html", comparison=shown, verdict_table=table)
    if wants_fragment() and "seeds" in request.args:
        # A request for more seeds changes only the results on the page, not the boards.
        shown = recipe_comparison.build_recipe_comparison(site, name, request.args)
        return render_page("lab/comparison.html", **describe_recipe_comparison(shown))
    try:
        return render_lab(site, name, request.args)
    except TrainingPending as pending:
        pending.heading = recipe_comparison.build_question(site, name, request.args)
        raise


@bp.get(LAB_RECIPE_ROUTE.append_ending(".<any(svg, png, csv):ending>"))
def download_evidence(name: str, ending: str) -> Response:
    """Return the verdict with its charts as a picture, or the learning curves as CSV.

    Both contain all seeds.
    """
    shown = compare_with_all_seeds(get_current_site(), name, request.args)
    file = charts.build_file_name(shown)
    if ending == "csv":
        figure = charts.summarize_runs(shown)
        rows = (
            (1, *row, shown.verdict.warning)
            for row in list_records(figure, shown.seeds[0])
        )
        return build_csv_response((*RECORD_COLUMNS, "warning"), rows, file)
    host = request.host_url.rstrip("/")
    drawing = charts.plot_comparison(shown, host + shown.all_seeds_url)
    if ending == "png":
        return build_png_response(charts.enlarge_drawing(drawing, PNG_SCALE), file)
    return build_svg_response(drawing, file)


@bp.get(LAB_PREVIEW_ROUTE)
def download_preview(name: str) -> Response:
    shown = compare_with_all_seeds(get_current_site(), name, request.args)
    drawing = charts.plot_comparison(shown, request.host)
    line = shown.verdict.warning or shown.verdict.headline
    return build_png_response(
        plot_preview(line, drawing.shapes, drawing.width, drawing.height)
    )


def compare_with_all_seeds(
    site: SiteData, main_recipe: str, query: Query
) -> RecipeComparison:
    chosen = menus.find_recipe_name(
        site, recipe_comparison.find_recipe(site, main_recipe)
    )
    return recipe_comparison.build_recipe_comparison(
        site, chosen, {**query, "seeds": str(MAX_SEEDS)}
    )


def describe_recipe_comparison(comparison: RecipeComparison) -> Variables:
    site = comparison.site
    names = (comparison.main_variant.recipe_name, comparison.baseline_name)
    presets = (*STRIKING_QUESTIONS, *EXERCISES)
    descriptions = (
        preset.description for preset in presets if preset.list_names(site) == names
    )
    about_algorithm = menus.describe_algorithm(type(comparison.main_variant.recipe))
    first_seed = comparison.seeds[0]
    curves = charts.summarize_runs(comparison)
    layout = lay_out_curves(curves, site, first_seed, charts.CURVES_HEIGHT)
    return {
        "comparison": comparison,
        "introduction": next(descriptions, about_algorithm),
        "variant_descriptions": [
            describe_recipe(site, variant.recipe) for variant in comparison.variants
        ],
        "axis_links": _list_axes(comparison.recipe_pair),
        "export": export_evidence(site, comparison),
        "curve_layout": layout,
        "curve_chart": write_plot(layout.plot),
        "curve_table": build_figure_table(curves, site, first_seed),
        "seed_chart": write_plot(charts.lay_out_seeds(comparison, charts.SEEDS_HEIGHT)),
        "seed_table": charts.build_seed_table(comparison),
    }


def _build_other_verdicts(
    comparison: RecipeComparison, query: Query
) -> Variables | None:
    if not comparison.baseline_name:
        return None
    wanted = read_integer(
        "elsewhere", query.get("elsewhere") or "0", 0, MAX_VERDICTS_PER_REQUEST
    )
    return elsewhere.build_other_verdicts(comparison.recipe_pair, wanted)


def render_lab(site: SiteData, main_recipe: str, query: Query) -> Response:
    """Show the page of a recipe, or the parts of it that htmx replaces.

    `main_recipe` is a canonical name. Raises BadRequest or NotFound if the query or a recipe is
    invalid.
    """
    recipe = recipe_comparison.find_recipe(site, main_recipe)
    shown = recipe_comparison.build_recipe_comparison(site, main_recipe, query)

    record = find_block_record(site, main_recipe)
    last = site.get_last_snapshot(main_recipe)
    step = read_snapshot(main_recipe, query.get("step", ""), last, site)
    values = describe_recipe_comparison(shown)
    seed = (recipe.seed + 1) % (MAX_SEED + 1)
    following = _name_with_seed(site, recipe, seed)
    is_code = site.on_demand.trainer and not recipe.is_network
    return render_page(
        "lab/lab.html",
        fragment=("sentence", "result"),
        **values,
        name=main_recipe,
        title=site.agents[main_recipe].card.title,
        question_phrases=shown.question_phrases,
        menus=menus.build_menus(shown.recipe_pair, shown.measures),
        presets=list_suggested_questions(site, main_recipe, shown.baseline_name),
        swap_url=shown.build_pair_url(shown.baseline_name, main_recipe)
        if shown.baseline_name
        else "",
        verdict_table=_build_other_verdicts(shown, query),
        proofs=recipe_comparison.list_seat_proofs(site, main_recipe),
        variant_films=_list_variant_films(
            shown, values["variant_descriptions"], record, step
        ),
        next_frame_url=shown.build_url(step=get_next_snapshot(step, last)),
        game_picture=training_game.build_game_picture(shown, query),
        no_game_reason=ALGORITHM_PAGES[recipe.slug].no_game_reason,
        preview_url=_build_preview_url(shown),
        # The links to the films stand below the board.
        mind_export=export_value_map(site, main_recipe, step)._replace(film_url=""),
        why_url=why_url(Match(record, o=HUMAN, value_source=main_recipe)),
        compare_url=_build_compare_url(shown, record),
        next_seed_url=shown.build_pair_url(following, main_recipe) if following else "",
        script_url=RECIPE_SCRIPT_ROUTE.url(main_recipe) if is_code else "",
    )


def _list_variant_films(
    comparison: RecipeComparison,
    descriptions: Sequence[str],
    record: str,
    snapshot: int,
) -> list[Variables]:
    site = comparison.site
    last = site.get_last_snapshot(comparison.main_variant.recipe_name)
    films = []
    for variant, description in zip(comparison.variants, descriptions, strict=True):
        film = build_position_film(site, variant.recipe_name, record)
        at = align_snapshots(film.last_frame, last)[snapshot]
        mind = plot_value_map(site, variant.recipe_name, at, has_all_frames=True)
        films.append(
            {
                "variant": variant,
                "description": description,
                "film": film,
                "frame_index": at,
                "mind_picture": mind,
            }
        )
    return films


def _build_compare_url(comparison: RecipeComparison, record: str) -> str:
    site = comparison.site
    baseline = comparison.baseline_name
    views = [
        SourceSnapshot(one)
        for one in (comparison.main_variant.recipe_name, baseline)
        if one
    ]
    apart = find_next_disagreement(views, site) if baseline else None
    return compare_url(Comparison(apart or record, tuple(views)))


def _list_axes(recipe_pair: menus.RecipePair) -> list[Destination]:
    return [
        Destination(
            title,
            recipe_pair._replace(axis_key=axis).build_url(
                recipe_pair.recipe_a, recipe_pair.recipe_b
            ),
            id=f"axis-{axis or 'clearest'}",
            is_current=axis == recipe_pair.axis_key,
        )
        for axis, title in recipe_comparison.AXIS_TITLES.items()
    ]


def _name_with_seed(site: SiteData, recipe: Recipe, seed: int) -> str:
    try:
        named = site.on_demand.name_with_seed(recipe, seed)
    except RecipeError:
        return ""
    # A shipped agent may have been trained for longer than this server allows.
    return named if site.agents.contains_name(named) else ""


def list_suggested_questions(
    site: SiteData, main_recipe: str, baseline: str
) -> list[tuple[str, list[tuple[Destination, Source]]]]:
    """Return (heading, [(link, where the question comes from)]) for all suggested questions."""
    families = []
    for kind, presets in QUESTIONS.items():
        links = []
        for number, preset in enumerate(presets, 1):
            names = preset.list_names(site)
            link = Destination(
                preset.title,
                lab_url(*names, game=preset.game_number),
                preset.description,
                f"{kind}-{number}",
                is_current=names == (main_recipe, baseline),
            )
            links.append((link, SOURCES[preset.source_slug]))
        families.append((QUESTION_HEADINGS[kind], links))
    return families


def _build_preview_url(comparison: RecipeComparison) -> str:
    _, _, query = comparison.build_url().partition("?")
    preview = LAB_PREVIEW_ROUTE.url(comparison.main_variant.recipe_name)
    return f"{preview}?{query}" if query else preview


def export_evidence(site: SiteData, comparison: RecipeComparison) -> Export:
    """Return the export of a comparison: files with all seeds, and an iframe with one run."""
    chosen = comparison.main_variant.recipe_name
    if comparison.measure_key in CURVE_TITLES:
        names = [one for one in (chosen, comparison.baseline_name) if one]
        take = export_curves(site, names, comparison.measure_key)
    else:
        take = export_curves(site, [chosen], opponent=comparison.measure_key)
    url = comparison.build_url()
    take = take._replace(
        svg_url=iframe_file_url(url, "svg"),
        png_url=iframe_file_url(url, "png"),
        csv_url=iframe_file_url(url, "csv"),
    )
    if not comparison.baseline_name:
        return take
    verdict = comparison.verdict
    note = (verdict.warning or verdict.headline).removesuffix(".")
    return take._replace(
        title=comparison.question, page_url=comparison.all_seeds_url, note=note
    )
