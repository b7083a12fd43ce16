"""The lab: change how a program learns, and see whether it matters, seed by seed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
import numpy as np
from flask import Blueprint, Response, redirect, request
from msgspec.structs import asdict
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import ALGORITHMS, SHIPPED, Recipe, RecipeError
from app.recipes import name_recipe as written_name
from app.recipes.games import TrainingGame
from app.recipes.taught import Refusal
from app.sources import SOURCES, Source, find_source
from app.tictactoe.game import O, X
from app.tictactoe.views import heat, on_scale, shown
from app.web import urls
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.algorithms.algorithm import Story
from app.web.algorithms.formula import written
from app.web.comparison import FIGURES, Comparison, View, next_disagreement
from app.web.formatting import format_signed
from app.web.match import Match, next_step, read_integer, read_step
from app.web.move_values import HEAT_STEPS
from app.web.on_demand import whole_name
from app.web.pages.lab import form, result, wording
from app.web.pages.parts.export import (
    Take,
    numbers_file,
    png_file,
    svg_file,
    take_curve,
    take_mind,
)
from app.web.pages.parts.learning import Film, film_of, in_step
from app.web.pictures.figures import drawing, lay_out, preview_of
from app.web.pictures.minds import MindPicture, picture
from app.web.pictures.tables import COLUMNS, records
from app.web.rendering import Page, render_page, wants_fragment
from app.web.site_data import HUMAN, SiteData, current_site
from app.web.urls import Destination, frame_file
from app.web.wording import characterise

bp = Blueprint("lab", __name__)
# The positions on the board: the player to move has to block, or loses.
O_BLOCKS, X_BLOCKS = "024", "4082"
LAST_SEED = 999_999_999
RESULTS = {"win": "won", "draw": "drew", "loss": "lost"}
RESULTS_OF_X = {"win": "X won", "draw": "it was a draw", "loss": "O won"}
START = "q-table"  # where the lab begins
ASKED_FIRST = 4  # questions that are seen at once


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and the recipe that answers it beside another."""

    title: str
    recipe: str  # its name
    line: str
    game: int | None = None  # of its training, where that is what is to be seen
    source: str = "nested-software"  # whose learner it changes
    ghost: str = "q-table"  # the other recipe

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it asks if one recipe is better than the other."""
        return " help" in self.title

    def names(self, site: SiteData) -> tuple[str, str]:
        """Return by what names its recipe and the other one are called here."""
        return _short(site, self.recipe), _short(site, self.ghost)


Presets = list[tuple[Destination, Source | None]]  # each with whose learner it changes


QUESTIONS = msgspec.toml.decode(
    Path(__file__).with_name("questions.toml").read_bytes(),
    type=dict[str, list[Preset]],
)
WORTH_SEEING, EXERCISES = QUESTIONS["telling"], QUESTIONS["exercise"]
HEADINGS = {
    "telling": "Questions",
    "exercise": "Exercises of Sutton & Barto, chapter 1",
}


class StorySquare(NamedTuple):
    """A square of a small board."""

    mark: str  # "X", "O" or "."
    played: bool = False  # the move of this turn
    heat: int | None = None
    text: str = ""  # the new value, where the turn has been updated


class StoryMove(NamedTuple):
    """A move of the learner as a board."""

    squares: list[StorySquare]
    title: str
    how: str  # "explored", "greedy", "drawn", "unseen", "seen", or "answer" of the opponent
    change: str  # the value before and after, "" as long as it has not been updated
    now: bool  # whether it is being updated


class StoryGame(NamedTuple):
    """A game of the training, as far as it is told."""

    game: int
    update: int
    updates: int
    headline: str
    turns: list[StoryMove]
    end: list[StorySquare]  # the final board
    sentence: str
    equation: str
    game_back: str  # where its buttons lead, "" at the ends
    game_next: str
    update_back: str
    update_next: str


class Learner(NamedTuple):
    """One of the sides while it learns: its board and its mind."""

    side: result.Side
    words: str
    film: Film
    step: int  # the frame that is shown
    mind: MindPicture


class DuelPage(Page, frozen=True):
    """What comes of a recipe beside another, or of one, seed by seed."""

    template: ClassVar = "lab/duel.html"

    duel: result.Duel
    about: str  # what this preset shows, or the algorithm in a sentence
    words: Sequence[str]  # A and B, or the only one, in words
    verdict: result.Finding


class LabPage(DuelPage, frozen=True):
    """A recipe, its controls, and what comes of it beside another."""

    template: ClassVar = "lab/lab.html"
    fragment: ClassVar = ("result",)

    name: str  # the one name of the recipe
    title: str
    algorithm: str  # its title
    algorithms: Presets
    presets: list[tuple[str, Presets]]
    asked: Presets  # the questions that are seen at once
    fields: list[form.Field]
    axes: Mapping[str, str]  # the title of each
    proofs: list[tuple[str, str]]
    learners: list[Learner]  # A before B, where it need not be trained for that
    next_step: str  # the address of the next one, after the last of the first
    story: StoryGame | None  # a game of its training, if the address asks for one
    untold: str  # why none can be told, "" if they can
    take: Take  # how the curve leaves the site
    preview: str  # the URL of the picture with which a link to the page is shown
    take_mind: Take  # and the picture of its mind
    why: str  # the address of why it moves so
    compare: str
    next_seed: str  # "" where no other is trained here
    code: str  # likewise


@bp.get(urls.LAB)
def start() -> AnyResponse:
    """Show where the lab begins; or lead to the address of what one of its forms says."""
    if "recipe" in request.args:
        chosen = request.args["recipe"]
    elif "algorithm" in request.args:
        try:
            chosen = one_name(current_site(), form.read(request.args))
        except form.FormError as error:
            return refused(error)
        except RecipeError as error:
            raise BadRequest(form.sentence(error)) from error
    else:
        begin = (
            START
            if START in current_site().agents
            else next(iter(current_site().agents))
        )
        return render_page(lab_page(current_site(), begin, {}))
    ghost, curve = (
        request.args.get("ghost", ""),
        result.short_curve(request.args.get("curve", "")),
    )
    axis = request.args.get("axis", "")
    to = urls.lab(chosen, "" if ghost == chosen else ghost, curve, axis=axis)
    return redirect(to, 303)


@bp.get(urls.LAB_RECIPE)
def lab(name: str) -> AnyResponse:
    """Show a recipe."""
    chosen = one_name(current_site(), form.recipe_of(current_site(), name))
    if chosen != name:
        ghost, curve, axis = (
            request.args.get(key, "") for key in ("ghost", "curve", "axis")
        )
        return redirect(urls.lab(chosen, ghost, curve, axis=axis), 301)
    if current_site().is_taught(name) and isinstance(
        current_site().lab.taught(name, None), Refusal
    ):
        # With these numbers it plays other moves than those that its teacher answered.
        there = urls.teach(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": there})
        return redirect(there, 303)
    more_seeds = wants_fragment() and "seeds" in request.args
    page: DuelPage
    if more_seeds:  # for which no agent is needed, but only runs
        page = duel_page(
            current_site(), result.duel_of(current_site(), name, request.args)
        )
    else:
        page = lab_page(current_site(), name, request.args)
    return render_page(page)


@bp.get(urls.LAB_RECIPE.extend(".<any(svg, csv):ending>"))
def curves_file(name: str, ending: str) -> Response:
    """Return the median curves of all seeds as a file, which has the verdict or its warning."""
    wanted = {**request.args, "seeds": str(result.SEEDS)}
    duel = result.duel_of(
        current_site(),
        one_name(current_site(), form.recipe_of(current_site(), name)),
        wanted,
    )
    verdict = _verdict(current_site(), duel)
    if ending == "csv":
        rows = (
            (1, *row, verdict.warning) for row in records(duel.figure, duel.seeds[0])
        )
        return numbers_file((*COLUMNS, "warning"), rows, "curves")
    page = request.base_url.removesuffix(f".{ending}")
    layout = lay_out(duel.figure, current_site(), duel.seeds[0])
    if duel.ghost:
        layout = layout._replace(caption=f"{verdict.text} {layout.caption}")
    return svg_file(drawing(layout, f"Q-Tac-Toe. {page}"), "curves")


@bp.get(urls.LAB_PREVIEW)
def preview(name: str) -> Response:
    """Return the picture with which a link to two recipes is shown: their curves and the verdict.

    Where several things differ, the warning stands in place of the verdict.
    """
    chosen = one_name(current_site(), form.recipe_of(current_site(), name))
    duel = result.duel_of(current_site(), chosen, request.args)
    verdict = _verdict(current_site(), duel)
    return png_file(
        preview_of(current_site(), duel.figure, verdict.warning or verdict.headline)
    )


def refused(error: form.FormError) -> Response:
    """Say at its fields what is wrong with a form: to its script, or with the page."""
    if wants_fragment():
        told = json.dumps({"refused": error.errors})
        return Response(status=400, headers={"HX-Trigger": told})
    ghost, slug = request.args.get("ghost", ""), request.args["algorithm"]
    whole = (
        ghost if ghost and form.recipe_of(current_site(), ghost).slug == slug else slug
    )
    chosen = one_name(current_site(), form.recipe_of(current_site(), whole))
    response = render_page(lab_page(current_site(), chosen, {}, error))
    response.status_code = 400
    response.headers["Cache-Control"] = "no-store"
    return response


def duel_page(site: SiteData, duel: result.Duel) -> DuelPage:
    """Gather what is shown of seeds."""
    question = question_of(site, duel.chosen.name, duel.ghost)
    return DuelPage(
        duel=duel,
        about=question.line if question else about(type(duel.chosen.recipe)),
        words=[wording.describe_recipe(site, side.recipe) for side in duel.sides],
        verdict=_verdict(site, duel),
    )


def _verdict(site: SiteData, duel: result.Duel) -> result.Finding:
    """Return the verdict, which answers the question that the duel is an answer to."""
    question = question_of(site, duel.chosen.name, duel.ghost)
    return duel.verdict(bool(question and question.is_yes_or_no))


def lab_page(
    site: SiteData,
    chosen: str,
    query: Mapping[str, str],
    refused: form.FormError | None = None,
) -> LabPage:
    """Gather what the templates write down; `chosen` is a canonical name.

    After a form that was `refused` the controls show what was typed, and what is wrong with it.
    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    title, recipe = site.agents[chosen].card.title, form.recipe_of(site, chosen)
    duel = result.duel_of(site, chosen, query)
    ghost, algorithm = duel.ghost, KNOWN[recipe.slug]
    record = X_BLOCKS if getattr(recipe, "seat", "both") == "x" else O_BLOCKS
    last = site.last_step(chosen)
    step = read_step(chosen, query.get("step", ""), last, site)
    story = story_game(duel, query)
    # No other agent is trained for this page: neither for a film beside it, nor to find where both
    # part.
    at_hand = ghost in site.always
    views = (View(chosen), View(ghost)) if ghost else (View(chosen),)
    apart = next_disagreement(views, site) if at_hand else None
    result_page = duel_page(site, duel)
    learners = []
    for side, words in zip(duel.sides, result_page.words, strict=True):
        if side is duel.chosen or at_hand:
            film = film_of(site, side.name, record)
            at = in_step(film.last, last)[step]
            mind = picture(site, side.name, at, moving=True)
            learners.append(Learner(side, words, film, at, mind))
    following = _with_seed(site, recipe, (recipe.seed + 1) % (LAST_SEED + 1))
    families = offers(site, chosen, ghost)
    take = _taken(site, duel, result_page.verdict.warning)
    return LabPage(
        **asdict(result_page),
        name=chosen,
        title=title,
        algorithm=algorithm.title,
        algorithms=algorithms(site, recipe.slug),
        presets=families,
        asked=families[0][1][:ASKED_FIRST],
        fields=form.fields(site, recipe, duel.sides[0].recipe, refused),
        axes=result.AXES,
        proofs=result.proofs(site, chosen),
        learners=learners,
        next_step=duel.address(step=next_step(step, last)),
        story=story,
        untold=algorithm.untold,
        take=take,
        preview=_preview_url(duel) if ghost else take.preview,
        take_mind=take_mind(site, chosen, step),
        why=urls.why(Match(record, o=HUMAN, lens=chosen)),
        compare=urls.compare(Comparison(apart or record, views)),
        next_seed=duel.address(following, chosen) if following else "",
        code=urls.CODE.url(chosen) if site.lab.source and not recipe.is_network else "",
    )


def _with_seed(site: SiteData, recipe: Recipe, seed: int) -> str:
    """Return the name of a recipe with another seed, "" if it is too long or not trained here."""
    try:
        named = site.lab.seeded(recipe, seed)
    except RecipeError:
        return ""
    return (
        named if site.agents.knows(named) else ""
    )  # a shipped one may have taken longer


def question_of(site: SiteData, chosen: str, ghost: str) -> Preset | None:
    """Return the question that has these canonical names."""
    presets = (*WORTH_SEEING, *EXERCISES)
    return next((one for one in presets if one.names(site) == (chosen, ghost)), None)


def offers(site: SiteData, chosen: str, ghost: str) -> list[tuple[str, Presets]]:
    """List all presets by headings, with the one marked that has the chosen canonical names."""

    def offer(
        id: str, title: str, line: str, recipe: str, other: str, game: int | None
    ) -> Destination:
        to = urls.lab(recipe, other, game=game)
        return Destination(
            title, to, line, id, chosen=(recipe, other) == (chosen, ghost)
        )

    families: list[tuple[str, Presets]] = [
        (
            HEADINGS[kind],
            [
                (
                    offer(
                        f"{kind}-{number}",
                        one.title,
                        one.line,
                        *one.names(site),
                        one.game,
                    ),
                    SOURCES[one.source],
                )
                for number, one in enumerate(questions, 1)
            ],
        )
        for kind, questions in QUESTIONS.items()
    ]
    shipped: Presets = [
        (
            offer(
                f"shipped-{id}", agent.title, characterise(site, id).line, id, "", None
            ),
            find_source(site.agents[id].card.origin),
        )
        for id, agent in SHIPPED.items()
        if id in site.agents
    ]
    return [*families, ("Shipped with this site", shipped)]


def algorithms(site: SiteData, chosen: str) -> Presets:
    """List the algorithms, each a link to the recipe with its defaults."""
    return [
        (
            Destination(
                KNOWN[slug].title,
                urls.lab(_short(site, slug)),
                about(algorithm),
                id=f"algorithm-{slug}",
                chosen=slug == chosen,
            ),
            None,
        )
        for slug, algorithm in ALGORITHMS.items()
    ]


def about(algorithm: type[Recipe]) -> str:
    """Describe an algorithm in a sentence."""
    return (algorithm.__doc__ or "").splitlines()[0]


def _short(site: SiteData, text: str) -> str:
    return site.lab.called(whole_name(text))


def story_game(duel: result.Duel, query: Mapping[str, str]) -> StoryGame | None:
    """Tell the game that an address asks for, None if it asks for none.

    Raises BadRequest, saying what there is, and what `Lab.story` raises.
    """
    if not query.get("game"):
        return None
    site, recipe, here = duel.site, duel.chosen.recipe, duel.address
    algorithm = KNOWN[recipe.slug]
    if (story := algorithm.story) is None:
        raise BadRequest(algorithm.untold)
    told = site.lab.story(written_name(recipe))
    games = msgspec.json.decode(told, type=list[TrainingGame])
    number = read_integer("game", query["game"], 1, len(games))
    game = games[number - 1]
    updates = len(game.changes)
    update = read_integer("update", query.get("update") or "0", 0, updates)
    return StoryGame(
        game=number,
        update=update,
        updates=updates,
        headline=_headline(site, game),
        turns=[
            _move(recipe, story, game, turn, update) for turn in range(len(game.turns))
        ],
        end=[StorySquare(mark) for mark in game.turns[-1].after],
        sentence=story.sentence(recipe, game, update),
        equation=story.equation(recipe, game.changes[update - 1]) if update else "",
        game_back=here(game=number - 1) if number > 1 else "",
        game_next=here(game=number + 1) if number < len(games) else "",
        update_back=here(game=number, update=update - 1) if update else "",
        update_next=here(game=number, update=update + 1) if update < updates else "",
    )


def _headline(site: SiteData, game: TrainingGame) -> str:
    moves = len(game.turns)
    if game.both_sides:
        return f"It played itself, and {RESULTS_OF_X[game.result]} after {moves} moves"
    moves = sum(move.mark == game.seat for move in game.turns)
    against = f" against {site.titles[game.opponent]}" if game.opponent else ""
    plural = "s" if moves != 1 else ""
    return (
        f"It {RESULTS[game.result]} as {game.seat}{against} with {moves} move{plural}"
    )


def _move(
    recipe: Recipe, story: Story, game: TrainingGame, turn: int, update: int
) -> StoryMove:
    """Lay out a move after so many updates of its game."""
    move, changes = game.turns[turn], game.changes[:update]
    change = next((one for one in reversed(changes) if one.turn == turn), None)
    played = StorySquare(move.mark, played=True)
    if change:
        whose = move.mark if change.observed or story.movers_view else game.seat
        worth, colour, text = recipe.worth(), None, written(change.new)
        if worth:
            value = on_scale(np.array(change.new), worth, X if whose == "X" else O)
            colour, text = (
                int(heat(value, HEAT_STEPS)),
                format_signed(float(shown(value))),
            )
        played = played._replace(heat=colour, text=text)
    return StoryMove(
        squares=[
            played if cell == move.cell else StorySquare(mark)
            for cell, mark in enumerate(move.board)
        ],
        title=f"Move {turn + 1}",
        how=story.choice(game, move),
        change=f"{written(change.old)} → {written(change.new)}" if change else "",
        now=bool(changes) and changes[-1].turn == turn,
    )


def one_name(site: SiteData, recipe: Recipe) -> str:
    """Return the one name of a recipe on this site: its short one if it is shipped."""
    return site.lab.called(written_name(recipe))


def _preview_url(duel: result.Duel) -> str:
    return urls.LAB_PREVIEW.url(
        duel.chosen.name,
        ghost=duel.ghost,
        curve=result.short_curve(duel.curve),
        axis=duel.axis,
        seeds=duel.done if duel.done > 1 else None,
    )


def _taken(site: SiteData, duel: result.Duel, warning: str) -> Take:
    """Return how a curve leaves the site: as a file the median of all seeds, in a frame one run.

    In a frame it is of one agent alone where it is against an opponent.  A warning that several
    things differ is a note of the citation.
    """
    chosen = duel.chosen.name
    if duel.curve in FIGURES:
        take = take_curve(
            site, [one for one in (chosen, duel.ghost) if one], duel.curve
        )
    else:
        take = take_curve(site, [chosen], against=duel.curve)
    here = duel.address()
    return take._replace(
        svg=frame_file(here, "svg"),
        csv=frame_file(here, "csv"),
        note=warning.removesuffix(".") or take.note,
    )
