"""The lab: one change of a training, and whether it helps, seed by seed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
from flask import Blueprint, Response, redirect, request
from msgspec.structs import asdict
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import Recipe, RecipeError
from app.recipes.names import find_algorithm
from app.recipes.taught import Refusal
from app.sources import SOURCES, Source
from app.web import urls
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.comparison import FIGURES, Comparison, View, find_next_disagreement
from app.web.match import Match, get_next_step, read_integer, read_step
from app.web.on_demand import TrainingPending, get_whole_name
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
from app.web.pages.lab.contest import SEEDS
from app.web.pages.lab.wording import describe_recipe
from app.web.pages.parts.export import (
    Export,
    export_curve,
    export_mind,
    numbers_file,
    png_file,
    svg_file,
)
from app.web.pages.parts.learning import Film, film_position, match_steps
from app.web.pictures.minds import MindPicture, draw_mind
from app.web.pictures.svg import draw_preview
from app.web.pictures.tables import COLUMNS, list_records
from app.web.rendering import Page, render_page, wants_fragment
from app.web.site_data import HUMAN, SiteData, current_site
from app.web.urls import Destination, frame_file

bp = Blueprint("lab", __name__)
# The positions on the board: the player to move has to block, or loses.
O_BLOCKS, X_BLOCKS = "024", "4082"
LAST_SEED = 999_999_999
PNG_SCALE = 2.0
MOST_ELSEWHERE = 100  # more verdicts than the table of other trainings has
# The question of the first visit: both agents are shipped, so nothing is trained for its boards.
START, START_BASELINE = "q-table-draw-1", "q-table"


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question worth asking, with the recipes that answer it."""

    title: str
    recipe: str  # its name
    line: str
    game: int | None = None  # number of the training game that shows the answer
    source: str = "nested-software"  # the source of the learner
    ghost: str = "q-table"  # the name of the baseline

    def list_names(self, site: SiteData) -> tuple[str, str]:
        """Return the names of its recipe and of the baseline on this site."""
        names = (
            site.lab.find_canonical_name(get_whole_name(one))
            for one in (self.recipe, self.ghost)
        )
        chosen, baseline = names
        return chosen, baseline


QUESTIONS = msgspec.toml.decode(
    Path(__file__).with_name("questions.toml").read_bytes(),
    type=dict[str, list[Preset]],
)
WORTH_SEEING = QUESTIONS["telling"]
EXERCISES = QUESTIONS["exercise"]
HEADINGS = {
    "telling": "Questions",
    "exercise": "Exercises of Sutton & Barto, chapter 1",
}


class Learner(NamedTuple):
    """One of the sides while it learns: its board and its mind."""

    side: duel.Side
    words: str
    film: Film
    step: int  # the frame that is shown
    mind: MindPicture


class DuelPage(Page, frozen=True):
    """The verdict on two recipes, or on one, with its figures seed by seed."""

    template: ClassVar = "lab/duel.html"

    duel: duel.Duel
    charts: charts.DuelCharts
    about: str  # a sentence on this question, or on the algorithm
    words: Sequence[str]  # the sides in words
    axes: list[Destination]  # links to the axes of the curves
    take: Export  # the export of the evidence


class ElsewherePage(Page, frozen=True):
    """The same contrast in other trainings."""

    template: ClassVar = "lab/elsewhere.html"

    duel: duel.Duel
    elsewhere: elsewhere.Elsewhere | None


class LabPage(DuelPage, frozen=True):
    """A question with its slots, and everything that answers it."""

    template: ClassVar = "lab/lab.html"
    fragment: ClassVar = ("sentence", "result")

    name: str  # the canonical name of the recipe
    title: str
    asked: Sequence[question.Phrase]
    slots: Mapping[str, slots.Slot]
    presets: list[tuple[str, list[tuple[Destination, Source]]]]
    swap: str  # the URL with A and B exchanged, "" for a recipe alone
    elsewhere: elsewhere.Elsewhere | None
    proofs: list[tuple[str, str]]
    learners: list[Learner]  # A before B, unless A would have to be trained for it
    next_step: str  # the URL of the next snapshot, after the last of the first
    # a game of the training, if the URL asks for one
    story: training_game.StoryGame | None
    untold: str  # reason why no game can be shown, "" if games can be shown
    preview: str  # the URL of the picture with which a link to the page is shown
    mind_export: Export
    why: str  # the URL of why it moves so
    compare: str
    next_seed: str  # "" if no other seed is trained here
    code: str  # "" if the training cannot be exported


@bp.get(urls.LAB)
def redirect_to_question() -> AnyResponse:
    """Show the first question, or redirect to the comparison of a submitted form."""
    query = request.args
    if "recipe" not in query and "algorithm" not in query:
        return render_page(start_page(current_site()))
    try:
        chosen, baseline = read_form(current_site(), query)
    except RecipeError as error:
        raise BadRequest(duel.format_error(error)) from error
    curve = duel.shorten_curve(query.get("curve", ""))
    baseline = "" if baseline == chosen else baseline
    return redirect(urls.lab(chosen, baseline, curve, axis=query.get("axis", "")), 303)


def start_page(site: SiteData) -> "LabPage":
    """Return the page of the first question, or of the first agent if that has no agents here."""
    if START in site.agents and START_BASELINE in site.agents:
        return lab_page(site, START, {"ghost": START_BASELINE})
    return lab_page(site, next(iter(site.agents)), {})


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
    b = duel.find_recipe(site, query["recipe"])
    a = duel.find_recipe(site, query["ghost"]) if query.get("ghost") else b
    changes = {key: text for key, text in query.items() if key in urls.LAB_CHANGES}
    a, b = change_both(a, b, changes)
    return slots.find_name(site, b), slots.find_name(site, a)


@bp.get(urls.LAB_RECIPE)
def show_lab(name: str) -> AnyResponse:
    """Show a recipe, or the part of its page that grows."""
    site = current_site()
    chosen = slots.find_name(site, duel.find_recipe(site, name))
    if chosen != name:
        ghost, curve, axis = (
            request.args.get(key, "") for key in ("ghost", "curve", "axis")
        )
        return redirect(urls.lab(chosen, ghost, curve, axis=axis), 301)
    if site.is_taught(name) and isinstance(site.lab.replay_course(name, None), Refusal):
        # With these parameters the learner does not make the moves that its teacher answered.
        teach = urls.teach(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": teach})
        return redirect(teach, 303)
    if wants_fragment() and "elsewhere" in request.args:
        return render_page(elsewhere_page(site, name, request.args))
    if wants_fragment() and "seeds" in request.args:
        # No agent is needed for more seeds, only runs.
        return render_page(duel_page(site, duel.build_duel(site, name, request.args)))
    try:
        return render_page(lab_page(site, name, request.args))
    except TrainingPending as pending:
        pending.heading = duel.ask_without_runs(site, name, request.args)
        raise


@bp.get(urls.LAB_RECIPE.extend(".<any(svg, png, csv):ending>"))
def evidence_file(name: str, ending: str) -> Response:
    """Return the evidence of all seeds as a file: a figure, or the curves as numbers."""
    shown = build_whole_duel(current_site(), name, request.args)
    file = evidence.name_file(shown)
    if ending == "csv":
        figure = charts.summarize_runs(shown)
        rows = (
            (1, *row, shown.verdict.warning)
            for row in list_records(figure, shown.seeds[0])
        )
        return numbers_file((*COLUMNS, "warning"), rows, file)
    host = request.host_url.rstrip("/")
    drawing = evidence.draw_evidence(shown, host + shown.all_seeds_url)
    if ending == "png":
        return png_file(evidence.enlarge_drawing(drawing, PNG_SCALE), file)
    return svg_file(drawing, file)


@bp.get(urls.LAB_PREVIEW)
def preview_file(name: str) -> Response:
    """Return the picture with which a link is shown: the evidence of all seeds and the verdict.

    If several things differ, the warning replaces the verdict.
    """
    shown = build_whole_duel(current_site(), name, request.args)
    drawing = evidence.draw_evidence(shown, request.host)
    line = shown.verdict.warning or shown.verdict.headline
    return png_file(draw_preview(line, drawing.shapes, drawing.width, drawing.height))


def build_whole_duel(site: SiteData, name: str, query: Mapping[str, str]) -> duel.Duel:
    """Return a comparison with all seeds, and ignore the number in the URL."""
    chosen = slots.find_name(site, duel.find_recipe(site, name))
    return duel.build_duel(site, chosen, {**query, "seeds": str(SEEDS)})


def duel_page(site: SiteData, shown: duel.Duel) -> DuelPage:
    """Return the page of a comparison with the seeds that are trained so far."""
    names = (shown.chosen.name, shown.baseline)
    preset = next(
        (one for one in (*WORTH_SEEING, *EXERCISES) if one.list_names(site) == names),
        None,
    )
    algorithm = type(shown.chosen.recipe)
    return DuelPage(
        duel=shown,
        charts=charts.draw_charts(shown),
        about=preset.line if preset else slots.describe_algorithm(algorithm),
        words=[describe_recipe(site, side.recipe) for side in shown.sides],
        axes=_list_axes(build_setup(shown)),
        take=export_evidence(site, shown),
    )


def elsewhere_page(
    site: SiteData, chosen: str, query: Mapping[str, str]
) -> ElsewherePage:
    """Return the part of a page with the same contrast in other trainings."""
    shown = duel.build_duel(site, chosen, query)
    return ElsewherePage(duel=shown, elsewhere=_list_elsewhere(shown, query))


def _list_elsewhere(
    shown: duel.Duel, query: Mapping[str, str]
) -> elsewhere.Elsewhere | None:
    """Return the table of other trainings for two recipes, None for one alone."""
    if not shown.baseline:
        return None
    wanted = read_integer("elsewhere", query.get("elsewhere") or "0", 0, MOST_ELSEWHERE)
    return elsewhere.build_other_verdicts(build_setup(shown), wanted)


def build_setup(shown: duel.Duel) -> slots.Setup:
    """Return the recipes and the measure of a comparison, as its links need them."""
    a = shown.sides[0].recipe
    b = shown.chosen.recipe
    return slots.Setup(shown.site, a, b, duel.shorten_curve(shown.curve), shown.axis)


def lab_page(site: SiteData, chosen: str, query: Mapping[str, str]) -> LabPage:
    """Return the page of a recipe, given its canonical name.

    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    recipe = duel.find_recipe(site, chosen)
    shown = duel.build_duel(site, chosen, query)
    setup = build_setup(shown)
    record = X_BLOCKS if getattr(recipe, "seat", "both") == "x" else O_BLOCKS
    last = site.get_last_step(chosen)
    step = read_step(chosen, query.get("step", ""), last, site)
    part = duel_page(site, shown)
    seed = (recipe.seed + 1) % (LAST_SEED + 1)
    following = _name_with_seed(site, recipe, seed)
    algorithm = KNOWN[recipe.slug]
    return LabPage(
        **asdict(part),
        name=chosen,
        title=site.agents[chosen].card.title,
        asked=question.ask_question(site, setup.a, setup.b, shown.measure.noun),
        slots=slots.build_slots(setup, shown.measures),
        presets=list_presets(site, chosen, shown.baseline),
        swap=shown.url_of_pair(shown.baseline, chosen) if shown.baseline else "",
        elsewhere=_list_elsewhere(shown, query),
        proofs=duel.list_proofs(site, chosen),
        learners=_list_learners(shown, part.words, record, step),
        next_step=shown.url(step=get_next_step(step, last)),
        story=training_game.build_story_game(shown, query),
        untold=algorithm.untold,
        preview=_preview_url(shown),
        mind_export=export_mind(site, chosen, step),
        why=urls.why(Match(record, o=HUMAN, lens=chosen)),
        compare=_compare_url(shown, record),
        next_seed=shown.url_of_pair(following, chosen) if following else "",
        code=urls.CODE.url(chosen) if site.lab.source and not recipe.is_network else "",
    )


def _list_learners(
    shown: duel.Duel, words: Sequence[str], record: str, step: int
) -> list[Learner]:
    """Return the sides as they learn, in the same share of their trainings."""
    site = shown.site
    last = shown.site.get_last_step(shown.chosen.name)
    learners = []
    for side, text in zip(shown.sides, words, strict=True):
        film = film_position(site, side.name, record)
        at = match_steps(film.last, last)[step]
        mind = draw_mind(site, side.name, at, moving=True)
        learners.append(Learner(side, text, film, at, mind))
    return learners


def _compare_url(shown: duel.Duel, record: str) -> str:
    """Return the URL that compares both agents on a board, where they disagree if that is known."""
    site = shown.site
    baseline = shown.baseline
    views = [View(one) for one in (shown.chosen.name, baseline) if one]
    apart = find_next_disagreement(views, site) if baseline else None
    return urls.compare(Comparison(apart or record, tuple(views)))


def _list_axes(setup: slots.Setup) -> list[Destination]:
    """Return a link to each axis of the curves."""
    return [
        Destination(
            title,
            setup._replace(axis=axis).url(setup.a, setup.b),
            id=f"axis-{axis or 'clearest'}",
            chosen=axis == setup.axis,
        )
        for axis, title in duel.AXES.items()
    ]


def _name_with_seed(site: SiteData, recipe: Recipe, seed: int) -> str:
    """Return the name of a recipe with another seed, "" if it is too long or not trained here."""
    try:
        named = site.lab.name_with_seed(recipe, seed)
    except RecipeError:
        return ""
    # The training of a shipped agent may have taken longer than is allowed here.
    return named if site.agents.knows(named) else ""


def list_presets(
    site: SiteData, chosen: str, baseline: str
) -> list[tuple[str, list[tuple[Destination, Source]]]]:
    """Return the questions worth asking under their headings, each with its source."""
    families = []
    for kind, presets in QUESTIONS.items():
        links = []
        for number, preset in enumerate(presets, 1):
            names = preset.list_names(site)
            link = Destination(
                preset.title,
                urls.lab(*names, game=preset.game),
                preset.line,
                f"{kind}-{number}",
                chosen=names == (chosen, baseline),
            )
            links.append((link, SOURCES[preset.source]))
        families.append((HEADINGS[kind], links))
    return families


def _preview_url(shown: duel.Duel) -> str:
    return urls.LAB_PREVIEW.url(
        shown.chosen.name,
        ghost=shown.baseline,
        curve=duel.shorten_curve(shown.curve),
        axis=shown.axis,
    )


def export_evidence(site: SiteData, shown: duel.Duel) -> Export:
    """Return the export of a comparison: files of all seeds, and a frame of one run.

    The frame has one agent alone if the measure is against an opponent.
    """
    chosen = shown.chosen.name
    if shown.curve in FIGURES:
        names = [one for one in (chosen, shown.baseline) if one]
        take = export_curve(site, names, shown.curve)
    else:
        take = export_curve(site, [chosen], against=shown.curve)
    url = shown.url()
    svg, png, csv = (frame_file(url, ending) for ending in ("svg", "png", "csv"))
    take = take._replace(svg=svg, png=png, csv=csv)
    if not shown.baseline:
        return take
    verdict = shown.verdict
    note = (verdict.warning or verdict.headline).removesuffix(".")
    return take._replace(title=shown.question, page=shown.all_seeds_url, note=note)
