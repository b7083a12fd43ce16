"""The lab: does a change of a training help? Runs with equal seeds are compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
    duel,
    elsewhere,
    slots,
    training_game,
)
from app.web.pages.lab.change import change_recipe, change_recipe_pair
from app.web.pages.lab.contest import MAX_SEEDS
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
from app.web.rendering import render_page, wants_fragment
from app.web.routes import Destination, frame_file_url
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("lab", __name__)
bp.add_menu_page("Research", "lab", gettext_noop("Lab"), LAB_ROUTE.url)
MAX_SEED = 999_999_999
PNG_SCALE = 2.0
# The table has 24 cells, so no page asks for so many.
MAX_VERDICTS_PER_REQUEST = 100
# Both agents are shipped, so the first page needs no training.
START_RECIPE, START_BASELINE = "q-table-draw-1", "q-table"


class SuggestedQuestion(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """A suggested question about a training, and the recipes that answer it."""

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
            site.lab.find_canonical_name(get_full_name(one))
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
    """Redirect a form to the comparison that it asks for; without a form, show the first question."""
    query = request.args
    if "recipe" not in query and "algorithm" not in query:
        return show_first_question(get_current_site())
    try:
        chosen, baseline = read_form(get_current_site(), query)
    except RecipeError as error:
        raise BadRequest(duel.format_error(error)) from error
    curve = query.get("curve", "")
    axis = query.get("axis", "")
    return redirect(lab_url(chosen, baseline, curve, axis_key=axis), 303)


def show_first_question(site: SiteData) -> Response:
    """Compare the first question's recipes, or show the first agent if the site lacks one of them."""
    if START_RECIPE in site.agents and START_BASELINE in site.agents:
        return render_lab(site, START_RECIPE, {"ghost": START_BASELINE})
    return render_lab(site, next(iter(site.agents)), {})


def read_form(site: SiteData, query: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of recipes B and A after the changes of a form.

    If the form has an algorithm but no recipe, B is this algorithm's default recipe with the
    changes, and A is the `ghost` in the query. Raises RecipeError if a change is invalid, and the
    errors of `find_recipe`.
    """
    if "recipe" not in query:
        base = find_algorithm(query["algorithm"])()
        chosen = slots.find_recipe_name(site, change_recipe(base, query))
        return chosen, query.get("ghost", "")
    recipe_b = duel.find_recipe(site, query["recipe"])
    recipe_a = (
        duel.find_recipe(site, query["ghost"]) if query.get("ghost") else recipe_b
    )
    changes = {key: text for key, text in query.items() if key in LAB_CHANGE_PARAMETERS}
    recipe_a, recipe_b = change_recipe_pair(recipe_a, recipe_b, changes)
    return slots.find_recipe_name(site, recipe_b), slots.find_recipe_name(
        site, recipe_a
    )


@bp.get(LAB_RECIPE_ROUTE)
def show_lab(name: str) -> werkzeug.Response:
    site = get_current_site()
    chosen = slots.find_recipe_name(site, duel.find_recipe(site, name))
    if chosen != name:
        ghost = request.args.get("ghost", "")
        curve = request.args.get("curve", "")
        axis = request.args.get("axis", "")
        return redirect(lab_url(chosen, ghost, curve, axis_key=axis), 301)
    if site.is_taught_by_person(name) and isinstance(
        site.lab.replay_course(name, None), Refusal
    ):
        # A learner with other parameters would have made other moves in these games.
        teach = teach_url(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": teach})
        return redirect(teach, 303)
    if wants_fragment() and "elsewhere" in request.args:
        shown = duel.build_duel(site, name, request.args)
        table = _build_other_verdicts(shown, request.args)
        return render_page("lab/elsewhere.html", duel=shown, verdict_table=table)
    if wants_fragment() and "seeds" in request.args:
        # A request for more seeds changes only the results on the page, not the boards.
        shown = duel.build_duel(site, name, request.args)
        return render_page("lab/duel.html", **describe_duel(shown))
    try:
        return render_lab(site, name, request.args)
    except TrainingPending as pending:
        pending.heading = duel.build_question(site, name, request.args)
        raise


@bp.get(LAB_RECIPE_ROUTE.append_ending(".<any(svg, png, csv):ending>"))
def download_evidence(name: str, ending: str) -> Response:
    """Return the verdict with its charts as a picture, or the learning curves as CSV, with all seeds."""
    shown = build_duel_with_all_seeds(get_current_site(), name, request.args)
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
    """Return the preview picture of a comparison, with all seeds and the headline of the verdict.

    If the recipes differ in several settings, a warning replaces the headline.
    """
    shown = build_duel_with_all_seeds(get_current_site(), name, request.args)
    drawing = charts.plot_comparison(shown, request.host)
    line = shown.verdict.warning or shown.verdict.headline
    return build_png_response(
        plot_preview(line, drawing.shapes, drawing.width, drawing.height)
    )


def build_duel_with_all_seeds(
    site: SiteData, main_recipe: str, query: Mapping[str, str]
) -> duel.Duel:
    """Return the comparison of a URL with all seeds, whatever number of seeds its query has."""
    chosen = slots.find_recipe_name(site, duel.find_recipe(site, main_recipe))
    return duel.build_duel(site, chosen, {**query, "seeds": str(MAX_SEEDS)})


def describe_duel(shown_duel: duel.Duel) -> dict[str, Any]:
    site = shown_duel.site
    names = (shown_duel.main_side.recipe_name, shown_duel.baseline_name)
    presets = (*STRIKING_QUESTIONS, *EXERCISES)
    descriptions = (
        preset.description for preset in presets if preset.list_names(site) == names
    )
    about_algorithm = slots.describe_algorithm(type(shown_duel.main_side.recipe))
    first_seed = shown_duel.seeds[0]
    curves = charts.summarize_runs(shown_duel)
    layout = lay_out_curves(curves, site, first_seed, charts.CURVES_HEIGHT)
    return {
        "duel": shown_duel,
        "introduction": next(descriptions, about_algorithm),
        "side_descriptions": [
            describe_recipe(site, side.recipe) for side in shown_duel.sides
        ],
        "axis_links": _list_axes(shown_duel.pair),
        "export": export_evidence(site, shown_duel),
        "curve_layout": layout,
        "curve_chart": write_plot(layout.plot),
        "curve_table": build_figure_table(curves, site, first_seed),
        "seed_chart": write_plot(charts.lay_out_seeds(shown_duel, charts.SEEDS_HEIGHT)),
        "seed_table": charts.build_seed_table(shown_duel),
    }


def _build_other_verdicts(
    shown_duel: duel.Duel, query: Mapping[str, str]
) -> dict[str, Any] | None:
    if not shown_duel.baseline_name:
        return None
    wanted = read_integer(
        "elsewhere", query.get("elsewhere") or "0", 0, MAX_VERDICTS_PER_REQUEST
    )
    return elsewhere.build_other_verdicts(shown_duel.pair, wanted)


def render_lab(site: SiteData, main_recipe: str, query: Mapping[str, str]) -> Response:
    """Show the page of a recipe, or the parts of it that htmx replaces.

    `main_recipe` is a canonical name. Raises BadRequest or NotFound if the query or a recipe is
    invalid.
    """
    recipe = duel.find_recipe(site, main_recipe)
    shown = duel.build_duel(site, main_recipe, query)

    record = find_block_record(site, main_recipe)
    last = site.get_last_snapshot(main_recipe)
    step = read_snapshot(main_recipe, query.get("step", ""), last, site)
    values = describe_duel(shown)
    seed = (recipe.seed + 1) % (MAX_SEED + 1)
    following = _name_with_seed(site, recipe, seed)
    is_code = site.lab.trainer and not recipe.is_network
    return render_page(
        "lab/lab.html",
        fragment=("sentence", "result"),
        **values,
        name=main_recipe,
        title=site.agents[main_recipe].card.title,
        question_phrases=shown.question_phrases,
        slots=slots.build_slots(shown.pair, shown.measures),
        presets=list_suggested_questions(site, main_recipe, shown.baseline_name),
        swap_url=shown.build_pair_url(shown.baseline_name, main_recipe)
        if shown.baseline_name
        else "",
        verdict_table=_build_other_verdicts(shown, query),
        proofs=duel.list_seat_proofs(site, main_recipe),
        side_films=_list_side_films(shown, values["side_descriptions"], record, step),
        next_frame_url=shown.build_url(step=get_next_snapshot(step, last)),
        game_picture=training_game.build_game_picture(shown, query),
        no_game_reason=ALGORITHM_PAGES[recipe.slug].no_game_reason,
        preview_url=_build_preview_url(shown),
        mind_export=export_value_map(site, main_recipe, step),
        why_url=why_url(Match(record, o=HUMAN, value_source=main_recipe)),
        compare_url=_build_compare_url(shown, record),
        next_seed_url=shown.build_pair_url(following, main_recipe) if following else "",
        script_url=RECIPE_SCRIPT_ROUTE.url(main_recipe) if is_code else "",
    )


def _list_side_films(
    shown_duel: duel.Duel, descriptions: Sequence[str], record: str, snapshot: int
) -> list[dict[str, Any]]:
    """Return, for each recipe, its description, its film and its picture of all positions.

    `snapshot` is that of recipe B. The film of recipe A shows the same share of its training.
    """
    site = shown_duel.site
    last = site.get_last_snapshot(shown_duel.main_side.recipe_name)
    films = []
    for side, description in zip(shown_duel.sides, descriptions, strict=True):
        film = build_position_film(site, side.recipe_name, record)
        at = align_snapshots(film.last_frame, last)[snapshot]
        mind = plot_value_map(site, side.recipe_name, at, has_all_frames=True)
        films.append(
            {
                "side": side,
                "description": description,
                "film": film,
                "frame_index": at,
                "mind_picture": mind,
            }
        )
    return films


def _build_compare_url(shown_duel: duel.Duel, record: str) -> str:
    site = shown_duel.site
    baseline = shown_duel.baseline_name
    views = [
        SourceSnapshot(one)
        for one in (shown_duel.main_side.recipe_name, baseline)
        if one
    ]
    apart = find_next_disagreement(views, site) if baseline else None
    return compare_url(Comparison(apart or record, tuple(views)))


def _list_axes(pair: slots.RecipePair) -> list[Destination]:
    return [
        Destination(
            title,
            pair._replace(axis_key=axis).build_url(pair.recipe_a, pair.recipe_b),
            id=f"axis-{axis or 'clearest'}",
            is_current=axis == pair.axis_key,
        )
        for axis, title in duel.AXIS_TITLES.items()
    ]


def _name_with_seed(site: SiteData, recipe: Recipe, seed: int) -> str:
    try:
        named = site.lab.name_with_seed(recipe, seed)
    except RecipeError:
        return ""
    # A shipped agent may have been trained for longer than this server allows.
    return named if site.agents.contains_name(named) else ""


def list_suggested_questions(
    site: SiteData, main_recipe: str, baseline: str
) -> list[tuple[str, list[tuple[Destination, Source]]]]:
    """Return the suggested questions, grouped by heading, each with its source."""
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


def _build_preview_url(shown_duel: duel.Duel) -> str:
    _, _, query = shown_duel.build_url().partition("?")
    preview = LAB_PREVIEW_ROUTE.url(shown_duel.main_side.recipe_name)
    return f"{preview}?{query}" if query else preview


def export_evidence(site: SiteData, shown_duel: duel.Duel) -> Export:
    """Return the export of a comparison: files with all seeds, and a page with one run for an iframe.

    If the measure is a result against an opponent, the iframe shows only the agent of recipe B.
    """
    chosen = shown_duel.main_side.recipe_name
    if shown_duel.measure_key in CURVE_TITLES:
        names = [one for one in (chosen, shown_duel.baseline_name) if one]
        take = export_curves(site, names, shown_duel.measure_key)
    else:
        take = export_curves(site, [chosen], opponent=shown_duel.measure_key)
    url = shown_duel.build_url()
    take = take._replace(
        svg_url=frame_file_url(url, "svg"),
        png_url=frame_file_url(url, "png"),
        csv_url=frame_file_url(url, "csv"),
    )
    if not shown_duel.baseline_name:
        return take
    verdict = shown_duel.verdict
    note = (verdict.warning or verdict.headline).removesuffix(".")
    return take._replace(
        title=shown_duel.question, page_url=shown_duel.all_seeds_url, note=note
    )
