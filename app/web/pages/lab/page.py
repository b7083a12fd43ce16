"""The lab: one change of a training, and whether it helps, seed by seed."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
from flask import Response, redirect, request
from markupsafe import Markup
from msgspec.structs import asdict
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from app.experiments import Curves
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
    LAB,
    LAB_CHANGES,
    LAB_PREVIEW,
    LAB_RECIPE,
    RECIPE_SCRIPT,
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
    evidence,
    question,
    slots,
    training_game,
)
from app.web.pages.lab.change import change_both, change_recipe
from app.web.pages.lab.contest import MAX_SEEDS
from app.web.pages.lab.wording import describe_recipe
from app.web.pages.parts.export import (
    Export,
    build_csv_response,
    build_png_response,
    build_svg_response,
    export_curves,
    export_mind,
)
from app.web.pages.parts.learning import (
    Film,
    align_snapshots,
    film_position,
    find_block_record,
)
from app.web.pictures.figures import FigureLayout, lay_out_curves
from app.web.pictures.minds import MindPicture, draw_mind
from app.web.pictures.svg import draw_preview, write_plot
from app.web.pictures.tables import COLUMNS, HtmlTable, build_table, list_records
from app.web.rendering import Page, render_page, wants_fragment
from app.web.routes import Destination, frame_file_url
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("lab", __name__)
bp.add_room("Research", "lab", gettext_noop("Lab"), LAB.url)
LAST_SEED = 999_999_999
PNG_SCALE = 2.0
MAX_VERDICTS_PER_REQUEST = 100  # more verdicts than the table of other trainings has
# The recipes of the first question: both agents are shipped, so their boards need no training.
START_RECIPE, START_BASELINE = "q-table-draw-1", "q-table"


class Preset(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """A question worth asking, with the recipes that answer it."""

    title: str
    recipe: str  # the name of the compared recipe
    description: str
    game_number: int | None = None  # number of the training game that shows the answer
    source_slug: str = "nested-software"  # slug of the source of the learner
    baseline: str = "q-table"  # the name of the baseline

    def list_names(self, site: SiteData) -> tuple[str, str]:
        """Return the canonical names of the compared recipe and of the baseline."""
        names = (
            site.lab.find_canonical_name(get_full_name(one))
            for one in (self.recipe, self.baseline)
        )
        chosen, baseline = names
        return chosen, baseline


QUESTIONS = msgspec.toml.decode(
    Path(__file__).with_name("questions.toml").read_bytes(),
    type=dict[str, list[Preset]],
)
STRIKING_QUESTIONS = QUESTIONS["telling"]
EXERCISES = QUESTIONS["exercise"]
QUESTION_HEADINGS = {
    "telling": "Questions",
    "exercise": "Exercises of Sutton & Barto, chapter 1",
}


class SideFilm(NamedTuple):
    """The film of one side of a comparison: its training on a board, and its mind."""

    side: duel.Side
    description: str
    film: Film
    frame_index: int  # index of the frame that is shown
    mind_picture: MindPicture


class DuelPage(Page, frozen=True):
    """The verdict on two recipes, or on one, with its figures seed by seed."""

    template: ClassVar = "lab/duel.html"

    duel: duel.Duel
    introduction: str  # sentence on the question, or on the algorithm
    side_descriptions: Sequence[str]  # text on the recipe of each side
    axis_links: list[Destination]  # links to the axes of the curves
    export: Export  # the export of the evidence

    @cached_property
    def _curves(self) -> Curves:
        return charts.summarize_runs(self.duel)

    @cached_property
    def curve_layout(self) -> FigureLayout:
        """The learning curves of both recipes."""
        first_seed = self.duel.seeds[0]
        return lay_out_curves(
            self._curves, self.duel.site, first_seed, charts.CURVES_HEIGHT
        )

    @property
    def curve_chart(self) -> Markup:
        """The learning curves as SVG."""
        return write_plot(self.curve_layout.plot)

    @property
    def curve_table(self) -> HtmlTable:
        """The numbers of the learning curves."""
        return build_table(self._curves, self.duel.site, self.duel.seeds[0])

    @property
    def seed_chart(self) -> Markup:
        """The result of each seed as SVG."""
        return write_plot(charts.lay_out_seeds(self.duel, charts.SEEDS_HEIGHT))

    @property
    def seed_table(self) -> HtmlTable:
        """The result of each seed."""
        return charts.build_seed_table(self.duel)


class ElsewherePage(Page, frozen=True):
    """The same contrast in other trainings."""

    template: ClassVar = "lab/elsewhere.html"

    duel: duel.Duel
    verdict_table: elsewhere.VerdictTable | None


class LabPage(DuelPage, frozen=True):
    """A question with its slots, and everything that answers it."""

    template: ClassVar = "lab/lab.html"
    fragment: ClassVar = ("sentence", "result")

    name: str  # the canonical name of the recipe
    title: str
    question_phrases: Sequence[question.Phrase]
    slots: Mapping[str, slots.Slot]
    presets: list[tuple[str, list[tuple[Destination, Source]]]]
    swap_url: str  # the URL with A and B exchanged, "" for a recipe alone
    verdict_table: elsewhere.VerdictTable | None
    proofs: list[tuple[str, str]]
    # films of A and B; only of B if A would have to be trained for it
    side_films: list[SideFilm]
    next_frame_url: str  # URL of the next snapshot; the first snapshot follows the last
    # a game of the training, if the URL asks for one
    game_picture: training_game.TrainingGamePicture | None
    no_game_reason: str  # reason why no game can be shown, "" if games can be shown
    preview_url: str  # the URL of the preview picture of the page
    mind_export: Export
    why_url: str  # the URL that explains the value of the agent's best move
    compare_url: str
    next_seed_url: str  # "" if no other seed is trained here
    script_url: str  # "" if the training cannot be exported


@bp.get(LAB)
def redirect_to_question() -> AnyResponse:
    """Show the first question, or redirect to the comparison of a submitted form."""
    query = request.args
    if "recipe" not in query and "algorithm" not in query:
        return render_page(build_start_page(get_current_site()))
    try:
        chosen, baseline = read_form(get_current_site(), query)
    except RecipeError as error:
        raise BadRequest(duel.format_error(error)) from error
    curve = duel.name_measure_for_url(query.get("curve", ""))
    baseline = "" if baseline == chosen else baseline
    return redirect(
        lab_url(chosen, baseline, curve, axis_key=query.get("axis", "")), 303
    )


def build_start_page(site: SiteData) -> "LabPage":
    """Return the page of the first question, or of the first agent if that has no agents here."""
    if START_RECIPE in site.agents and START_BASELINE in site.agents:
        return build_lab_page(site, START_RECIPE, {"ghost": START_BASELINE})
    return build_lab_page(site, next(iter(site.agents)), {})


def read_form(site: SiteData, query: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of the compared recipe and of the baseline after the changes of a form.

    If the form names an algorithm and no recipe, its changes apply to the algorithm's
    defaults, and the baseline stays as the URL has it.
    Raises RecipeError with the parameter that is wrong, and what `find_recipe` raises.
    """
    if "recipe" not in query:
        base = find_algorithm(query["algorithm"])()
        chosen = slots.find_name(site, change_recipe(base, query))
        return chosen, query.get("ghost", "")
    recipe_b = duel.find_recipe(site, query["recipe"])
    recipe_a = (
        duel.find_recipe(site, query["ghost"]) if query.get("ghost") else recipe_b
    )
    changes = {key: text for key, text in query.items() if key in LAB_CHANGES}
    recipe_a, recipe_b = change_both(recipe_a, recipe_b, changes)
    return slots.find_name(site, recipe_b), slots.find_name(site, recipe_a)


@bp.get(LAB_RECIPE)
def show_lab(name: str) -> AnyResponse:
    """Show the page of a recipe, or the part of the page that htmx replaces."""
    site = get_current_site()
    chosen = slots.find_name(site, duel.find_recipe(site, name))
    if chosen != name:
        ghost = request.args.get("ghost", "")
        curve = request.args.get("curve", "")
        axis = request.args.get("axis", "")
        return redirect(lab_url(chosen, ghost, curve, axis_key=axis), 301)
    if site.is_taught_by_person(name) and isinstance(
        site.lab.replay_course(name, None), Refusal
    ):
        # With these parameters the learner would have made other moves than those in its games.
        teach = teach_url(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": teach})
        return redirect(teach, 303)
    if wants_fragment() and "elsewhere" in request.args:
        return render_page(build_elsewhere_page(site, name, request.args))
    if wants_fragment() and "seeds" in request.args:
        # More seeds need only their results, not their agents.
        return render_page(
            build_duel_page(site, duel.build_duel(site, name, request.args))
        )
    try:
        return render_page(build_lab_page(site, name, request.args))
    except TrainingPending as pending:
        pending.heading = duel.build_question(site, name, request.args)
        raise


@bp.get(LAB_RECIPE.append_ending(".<any(svg, png, csv):ending>"))
def download_evidence(name: str, ending: str) -> Response:
    """Return the evidence of all seeds as a file: a figure, or the curves as numbers."""
    shown = build_whole_duel(get_current_site(), name, request.args)
    file = evidence.build_file_name(shown)
    if ending == "csv":
        figure = charts.summarize_runs(shown)
        rows = (
            (1, *row, shown.verdict.warning)
            for row in list_records(figure, shown.seeds[0])
        )
        return build_csv_response((*COLUMNS, "warning"), rows, file)
    host = request.host_url.rstrip("/")
    drawing = evidence.draw_evidence(shown, host + shown.all_seeds_url)
    if ending == "png":
        return build_png_response(evidence.enlarge_drawing(drawing, PNG_SCALE), file)
    return build_svg_response(drawing, file)


@bp.get(LAB_PREVIEW)
def download_preview(name: str) -> Response:
    """Return the preview picture of a comparison: the results of all seeds, and the verdict.

    If the recipes differ in several parameters, a warning replaces the verdict.
    """
    shown = build_whole_duel(get_current_site(), name, request.args)
    drawing = evidence.draw_evidence(shown, request.host)
    line = shown.verdict.warning or shown.verdict.headline
    return build_png_response(
        draw_preview(line, drawing.shapes, drawing.width, drawing.height)
    )


def build_whole_duel(
    site: SiteData, main_recipe: str, query: Mapping[str, str]
) -> duel.Duel:
    """Return a comparison with all seeds; the number of seeds in the URL is ignored."""
    chosen = slots.find_name(site, duel.find_recipe(site, main_recipe))
    return duel.build_duel(site, chosen, {**query, "seeds": str(MAX_SEEDS)})


def build_duel_page(site: SiteData, shown_duel: duel.Duel) -> DuelPage:
    """Return the page of a comparison with the seeds that are trained so far."""
    names = (shown_duel.main_side.recipe_name, shown_duel.baseline_name)
    preset = next(
        (
            one
            for one in (*STRIKING_QUESTIONS, *EXERCISES)
            if one.list_names(site) == names
        ),
        None,
    )
    algorithm = type(shown_duel.main_side.recipe)
    return DuelPage(
        duel=shown_duel,
        introduction=preset.description
        if preset
        else slots.describe_algorithm(algorithm),
        side_descriptions=[
            describe_recipe(site, side.recipe) for side in shown_duel.sides
        ],
        axis_links=_list_axes(build_setup(shown_duel)),
        export=export_evidence(site, shown_duel),
    )


def build_elsewhere_page(
    site: SiteData, main_recipe: str, query: Mapping[str, str]
) -> ElsewherePage:
    """Return the part of a page with the table of the contrast in other trainings."""
    shown = duel.build_duel(site, main_recipe, query)
    return ElsewherePage(duel=shown, verdict_table=_list_elsewhere(shown, query))


def _list_elsewhere(
    shown_duel: duel.Duel, query: Mapping[str, str]
) -> elsewhere.VerdictTable | None:
    """Return the table of verdicts in other trainings, None for a single recipe."""
    if not shown_duel.baseline_name:
        return None
    wanted = read_integer(
        "elsewhere", query.get("elsewhere") or "0", 0, MAX_VERDICTS_PER_REQUEST
    )
    return elsewhere.build_other_verdicts(build_setup(shown_duel), wanted)


def build_setup(shown_duel: duel.Duel) -> slots.Setup:
    """Return the recipes, the measure and the axis of a comparison, for building its links."""
    recipe_a = shown_duel.sides[0].recipe
    recipe_b = shown_duel.main_side.recipe
    return slots.Setup(
        shown_duel.site,
        recipe_a,
        recipe_b,
        duel.name_measure_for_url(shown_duel.measure_key),
        shown_duel.axis_key,
    )


def build_lab_page(
    site: SiteData, main_recipe: str, query: Mapping[str, str]
) -> LabPage:
    """Return the page of a recipe, given its canonical name.

    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    recipe = duel.find_recipe(site, main_recipe)
    shown = duel.build_duel(site, main_recipe, query)
    setup = build_setup(shown)
    record = find_block_record(site, main_recipe)
    last = site.get_last_snapshot(main_recipe)
    step = read_snapshot(main_recipe, query.get("step", ""), last, site)
    part = build_duel_page(site, shown)
    seed = (recipe.seed + 1) % (LAST_SEED + 1)
    following = _name_with_seed(site, recipe, seed)
    algorithm = ALGORITHM_PAGES[recipe.slug]
    return LabPage(
        **asdict(part),
        name=main_recipe,
        title=site.agents[main_recipe].card.title,
        question_phrases=question.build_question_phrases(
            site, setup.recipe_a, setup.recipe_b, shown.measure.noun
        ),
        slots=slots.build_slots(setup, shown.measures),
        presets=list_presets(site, main_recipe, shown.baseline_name),
        swap_url=shown.build_pair_url(shown.baseline_name, main_recipe)
        if shown.baseline_name
        else "",
        verdict_table=_list_elsewhere(shown, query),
        proofs=duel.describe_proofs(site, main_recipe),
        side_films=_list_side_films(shown, part.side_descriptions, record, step),
        next_frame_url=shown.build_url(step=get_next_snapshot(step, last)),
        game_picture=training_game.build_game_picture(shown, query),
        no_game_reason=algorithm.no_game_reason,
        preview_url=_build_preview_url(shown),
        mind_export=export_mind(site, main_recipe, step),
        why_url=why_url(Match(record, o=HUMAN, value_source=main_recipe)),
        compare_url=_build_compare_url(shown, record),
        next_seed_url=shown.build_pair_url(following, main_recipe) if following else "",
        script_url=RECIPE_SCRIPT.url(main_recipe)
        if site.lab.trainer and not recipe.is_network
        else "",
    )


def _list_side_films(
    shown_duel: duel.Duel, descriptions: Sequence[str], record: str, snapshot: int
) -> list[SideFilm]:
    """Return the film of each side; all films show equal shares of their trainings."""
    site = shown_duel.site
    last = shown_duel.site.get_last_snapshot(shown_duel.main_side.recipe_name)
    learners = []
    for side, text in zip(shown_duel.sides, descriptions, strict=True):
        film = film_position(site, side.recipe_name, record)
        at = align_snapshots(film.last_frame, last)[snapshot]
        mind = draw_mind(site, side.recipe_name, at, has_all_frames=True)
        learners.append(SideFilm(side, text, film, at, mind))
    return learners


def _build_compare_url(shown_duel: duel.Duel, record: str) -> str:
    """Return the URL that compares both agents on one board, if possible where their moves differ."""
    site = shown_duel.site
    baseline = shown_duel.baseline_name
    views = [
        SourceSnapshot(one)
        for one in (shown_duel.main_side.recipe_name, baseline)
        if one
    ]
    apart = find_next_disagreement(views, site) if baseline else None
    return compare_url(Comparison(apart or record, tuple(views)))


def _list_axes(setup: slots.Setup) -> list[Destination]:
    """Return a link to each axis of the curves."""
    return [
        Destination(
            title,
            setup._replace(axis_key=axis).build_url(setup.recipe_a, setup.recipe_b),
            id=f"axis-{axis or 'clearest'}",
            is_current=axis == setup.axis_key,
        )
        for axis, title in duel.AXIS_TITLES.items()
    ]


def _name_with_seed(site: SiteData, recipe: Recipe, seed: int) -> str:
    """Return the name of a recipe with another seed, "" if it is too long or not trained here."""
    try:
        named = site.lab.name_with_seed(recipe, seed)
    except RecipeError:
        return ""
    # The training of a shipped agent may have taken longer than is allowed here.
    return named if site.agents.contains_name(named) else ""


def list_presets(
    site: SiteData, main_recipe: str, baseline: str
) -> list[tuple[str, list[tuple[Destination, Source]]]]:
    """Return the questions worth asking under their headings, each with its source."""
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
    return LAB_PREVIEW.url(
        shown_duel.main_side.recipe_name,
        ghost=shown_duel.baseline_name,
        curve=duel.name_measure_for_url(shown_duel.measure_key),
        axis=shown_duel.axis_key,
    )


def export_evidence(site: SiteData, shown_duel: duel.Duel) -> Export:
    """Return the export of a comparison: files of all seeds, and a frame of one run.

    The frame has one agent alone if the measure is against an opponent.
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
