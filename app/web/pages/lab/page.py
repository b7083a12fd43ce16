"""The lab: change how a program learns, and see whether it matters, seed by seed."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

import msgspec
import numpy as np
from flask import Blueprint, Response, redirect, request
from msgspec.structs import asdict
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import ALGORITHMS, SHIPPED, Recipe, RecipeError, parse
from app.recipes import name as written_name
from app.recipes.games import TrainingGame
from app.recipes.taught import Refusal
from app.tictactoe.game import Game, O, X
from app.tictactoe.views import heat, on_scale, shown
from app.web import addresses
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.algorithms.story import Story, written
from app.web.comparison import FIGURES, Comparison, View, parting
from app.web.lens import HEAT_STEPS
from app.web.match import Match, read_step, read_whole, read_word, step_after
from app.web.numbers import signed
from app.web.pages.lab import form, presets, result
from app.web.pages.lab.presets import Presets
from app.web.pages.parts.export import Take, numbers_file, svg_file, take_curve, take_mind
from app.web.pages.parts.film import Film, film_of, in_step
from app.web.pictures.figures import drawing, lay_out
from app.web.pictures.minds import MindPicture, picture
from app.web.pictures.tables import COLUMNS, records
from app.web.respond import Page, respond, wants_fragment
from app.web.world import HUMAN, World, world

bp = Blueprint("lab", __name__)
# The positions on the board: the player to move has to block, or loses.
O_BLOCKS, X_BLOCKS = "024", "4082"
LAST_SEED = 999_999_999
RESULTS = {"win": "won", "draw": "drew", "loss": "lost"}
RESULTS_OF_X = {"win": "X won", "draw": "it was a draw", "loss": "O won"}
AXES = {"": "clearest axis", result.LINEAR: "linear axis", result.LOGARITHMIC: "logarithmic axis"}


class Duel(NamedTuple):
    """What an address of the lab asks for, trained."""

    recipe: Recipe
    ghost: str  # the name of A, "" for nothing
    sides: list[result.Side]
    seeds: range
    more: int  # seeds that are to be asked for next, 0 if there are no more
    measures: Mapping[str, result.Criterion]
    curve: str  # the one that is chosen
    axis: str  # of AXES

    @property
    def measure(self) -> result.Criterion:
        """By what they are compared."""
        return self.measures[self.curve]


class StorySquare(NamedTuple):
    """A square of a small board."""

    mark: str  # "X", "O" or "."
    played: bool  # the move of this turn
    heat: int | None
    text: str  # the new value, where the turn has been updated


class StoryMove(NamedTuple):
    """A move of the learner as a board."""

    ranks: list[list[StorySquare]]
    title: str
    how: str  # "explored", "greedy", "drawn", "unseen", "seen", or "answer" of the opponent
    change: str  # the value before and after, "" as long as it has not been updated
    now: bool  # whether it is being updated


class StoryGame(NamedTuple):
    """A game of the training, as far as it is told."""

    game: int
    games: int
    update: int
    updates: int
    headline: str
    turns: list[StoryMove]
    end: list[list[StorySquare]]  # the final board
    sentence: str
    equation: str


class Mind(NamedTuple):
    """A mind of one of the sides."""

    mark: str
    title: str
    picture: MindPicture
    href: str


class DuelPage(Page, frozen=True):
    """What comes of a recipe beside another, or of one, seed by seed."""

    template: ClassVar = "lab/duel.html"

    duel: Duel
    about: str  # what this preset shows, or the algorithm in a sentence
    words: Sequence[str]  # A and B, or the only one, in words
    verdict: result.Finding
    medians: str  # of the figure, "311 → 195"
    facts: list[result.Fact]
    charts: result.DuelCharts
    more: str  # the address with more of them, "" if there are no more


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
    film: Film
    step: int  # the frame that is shown
    next_step: str  # the address of the next one, after the last of the first
    beside: Film | None  # of A, where it need not be trained for that
    beside_step: int
    minds: list[Mind]
    story: StoryGame | None  # a game of its training, if the address asks for one
    story_links: Mapping[str, str]  # where the buttons of that lead; none if it cannot be told
    untold: str  # why not, "" if it can
    take: Take  # how the curve leaves the site
    take_mind: Take  # and the picture of its mind
    links: Mapping[str, str]  # where its buttons lead


@bp.get(addresses.LAB)
def start() -> AnyResponse:
    """Show where the lab begins; or lead to the address of what one of its forms says."""
    if "recipe" in request.args:
        chosen = request.args["recipe"]
    elif "algorithm" in request.args:
        try:
            chosen = one_name(world(), form.read(request.args))
        except form.FormError as error:
            return refused(error)
        except RecipeError as error:
            raise BadRequest(form.sentence(error)) from error
    else:
        begin = presets.START if presets.START in world().agents else next(iter(world().agents))
        return respond(lab_page(world(), begin, {}))
    ghost, curve = request.args.get("ghost", ""), _curve(request.args.get("curve", ""))
    axis = request.args.get("axis", "")
    to = addresses.lab(chosen, "" if ghost == chosen else ghost, curve, axis=axis)
    return redirect(to, 303)


@bp.get(addresses.LAB_RECIPE)
def lab(name: str) -> AnyResponse:
    """Show a recipe."""
    chosen = one_name(world(), recipe_of(world(), name))
    if chosen != name:
        ghost, curve, axis = (request.args.get(key, "") for key in ("ghost", "curve", "axis"))
        return redirect(addresses.lab(chosen, ghost, curve, axis=axis), 301)
    if world().is_taught(name) and isinstance(world().lab.taught(name, None), Refusal):
        # With these numbers it plays other moves than those that its teacher answered.
        there = addresses.teach(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": there})
        return redirect(there, 303)
    more_seeds = wants_fragment() and "seeds" in request.args
    page: DuelPage
    if more_seeds:  # for which no agent is needed, but only runs
        page = duel_page(world(), duel_of(world(), name, request.args))
    else:
        page = lab_page(world(), name, request.args)
    return respond(page)


@bp.get(f"{addresses.LAB_RECIPE}.<any(svg, csv):ending>")
def curves_file(name: str, ending: str) -> Response:
    """Hand out the median curves of all seeds."""
    wanted = {**request.args, "seeds": str(result.SEEDS)}
    duel = duel_of(world(), one_name(world(), recipe_of(world(), name)), wanted)
    figure = result.curves_of(duel.sides, duel.measure, duel.seeds, duel.axis)
    if ending == "svg":
        page = request.base_url.removesuffix(f".{ending}")
        layout = lay_out(figure, world(), duel.seeds[0])
        return svg_file(drawing(layout, f"Q-Tac-Toe. {page}"), "curves")
    return numbers_file(COLUMNS, records(figure, 1, duel.seeds[0]), "curves")


def refused(error: form.FormError) -> Response:
    """Say at its fields what is wrong with a form: to its script, or with the page."""
    if wants_fragment():
        told = json.dumps({"refused": error.errors})
        return Response(status=400, headers={"HX-Trigger": told})
    ghost, slug = request.args.get("ghost", ""), request.args["algorithm"]
    whole = ghost if ghost and recipe_of(world(), ghost).slug == slug else slug
    chosen = one_name(world(), recipe_of(world(), whole))
    response = respond(lab_page(world(), chosen, {}, request.args, error.errors))
    response.status_code = 400
    response.headers["Cache-Control"] = "no-store"
    return response


def duel_page(world: World, duel: Duel) -> DuelPage:
    """Gather what is shown of seeds."""
    chosen, ghost, sides, measure = duel.sides[-1].name, duel.ghost, duel.sides, duel.measure
    asked = presets.asked(world, chosen, ghost)
    verdict = result.verdict(sides, measure, bool(asked and asked.is_yes_or_no))
    figure = result.curves_of(sides, measure, duel.seeds, duel.axis)
    return DuelPage(
        duel=duel,
        about=asked.line if asked else presets.about(type(duel.recipe)),
        words=[form.described(world, side.recipe) for side in sides],
        verdict=verdict,
        medians=" → ".join(result.medians(sides, measure)),
        facts=result.facts(world, sides, measure),
        charts=result.charts(world, sides, measure, duel.seeds, figure),
        more=addresses.lab(chosen, ghost, _curve(duel.curve), seeds=duel.more, axis=duel.axis)
        if duel.more
        else "",
    )


def lab_page(
    world: World,
    chosen: str,
    query: Mapping[str, str],
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> LabPage:
    """Gather what the templates write down; `chosen` is a canonical name.

    `typed` is what the controls show instead of the recipe, and `errors` what is wrong with it.
    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    title, recipe = world.agents[chosen].card.title, recipe_of(world, chosen)
    duel = duel_of(world, chosen, query)
    ghost, curve, axis = duel.ghost, _curve(duel.curve), duel.axis
    record = X_BLOCKS if getattr(recipe, "seat", "both") == "x" else O_BLOCKS
    last = world.last_step(chosen)
    step = read_step(chosen, query.get("step", ""), last, world)
    told = story_game(world, recipe, written_name(recipe), query)
    here = partial(addresses.lab, chosen, ghost, curve, axis=axis)
    film = film_of(world, chosen, record)
    # No other agent is trained for this page.
    beside = film_of(world, ghost, record) if ghost in world.always else None
    beside_step = in_step(beside.last, last)[step] if beside else 0
    result_page = duel_page(world, duel)
    drawn = [(side, beside_step if side.name == ghost else step) for side in duel.sides]
    families = presets.offers(world, chosen, ghost)
    return LabPage(
        **asdict(result_page),
        name=chosen,
        title=title,
        algorithm=KNOWN[recipe.slug].title,
        algorithms=presets.algorithms(world, recipe.slug),
        presets=families,
        asked=families[0][1][: presets.ASKED_FIRST],
        fields=form.fields(world, recipe, duel.sides[0].recipe, typed, errors),
        axes=AXES,
        proofs=result.proofs(world, chosen),
        film=film,
        step=step,
        next_step=here(step_after(step, film.last)),
        beside=beside,
        beside_step=beside_step,
        minds=[
            Mind(
                side.mark,
                words,
                picture(world, side.name, at, moving=True),
                addresses.mind(side.name),
            )
            for (side, at), words in zip(drawn, result_page.words, strict=True)
            if side.name == chosen or beside
        ],
        story=told,
        story_links=_story_links(recipe, told, partial(here, None)),
        untold=KNOWN[recipe.slug].untold,
        take=_taken(world, chosen, duel),
        take_mind=take_mind(world, chosen, step),
        links=links(world, chosen, duel, record),
    )


def duel_of(world: World, chosen: str, query: Mapping[str, str]) -> Duel:
    """Train A and B, or the only one, with as many seeds as are asked for; 1 is their own.

    `chosen` is a canonical name.
    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    recipe, ghost = recipe_of(world, chosen), ""
    if query.get("ghost"):
        ghost = world.lab.canonical(query["ghost"]) or query["ghost"]
    ghost = "" if ghost == chosen else ghost
    names = [one for one in (ghost, chosen) if one]
    recipes = [recipe_of(world, one) for one in names]  # which says so if there is none
    numbers = [1, *range(result.FIRST, result.SEEDS + 1, result.FIRST)]
    wanted = read_word("seeds", query, map(str, numbers), "1")
    axis = read_word("axis", query, result.AXES)
    seeds, more = result.seeds_of(recipe), 0
    has_seeds = all(result.has_seeds(world, one, seeds) for one in recipes)
    if has_seeds and wanted != "1":
        runs = result.runs_of(world, recipes, seeds, int(wanted))
    else:
        runs = [[result.own_run(world, one)] for one in names]
    if has_seeds:
        more = next((number for number in numbers if number > len(runs[0])), 0)
    told = form.labels(world, *recipes[::-1])[::-1] if len(recipes) == 2 else ("A",)
    marks = ("A", "B")
    sides = [result.Side(*side) for side in zip(marks, names, recipes, told, runs, strict=False)]
    measures = result.measures(world, sides)
    curve = read_word("curve", query, measures, result.BLUNDERS)
    return Duel(recipe, ghost, sides, seeds, more, measures, curve, axis)


def links(world: World, chosen: str, duel: Duel, record: str) -> dict[str, str]:
    """Return where the buttons lead, "" where what they ask for is not trained here."""
    recipe, ghost, curve, axis = duel.recipe, duel.ghost, _curve(duel.curve), duel.axis
    seated = Match(record, o=HUMAN, lens=chosen)
    views = (View(chosen), View(ghost)) if ghost else (View(chosen),)
    at_hand = ghost in world.always  # to find where both part no other agent is trained again
    apart = parting(views, world) if at_hand else None
    following = _with_seed(world, recipe, (recipe.seed + 1) % (LAST_SEED + 1))
    return {
        "play": addresses.play_against(chosen),
        "why": addresses.why(seated),
        "compare": addresses.compare(Comparison(apart or record, views)),
        "agent": addresses.agent(chosen),
        "file": addresses.AGENT_FILE.to(chosen, "npz"),
        "seed": addresses.lab(following, chosen, curve, axis=axis) if following else "",
        "here": addresses.lab(chosen, ghost, curve, axis=axis),
        "how": addresses.how(recipe.slug),
        "code": addresses.CODE.to(chosen) if world.lab.source and not recipe.is_network else "",
        "swap": addresses.lab(ghost, chosen, curve, axis=axis) if ghost else "",
        "reset": addresses.lab(ghost) if ghost else "",
    }


def _with_seed(world: World, recipe: Recipe, seed: int) -> str:
    """Return the name of a recipe with another seed, "" if it is too long or not trained here."""
    try:
        named = world.lab.seeded(recipe, seed)
    except RecipeError:
        return ""
    return named if world.agents.knows(named) else ""  # a shipped one may have taken longer


def story_game(
    world: World, recipe: Recipe, text: str, query: Mapping[str, str]
) -> StoryGame | None:
    """Tell the game that an address asks for, None if it asks for none.

    `text` is the whole name of the recipe.
    Raises BadRequest, saying what there is, and what `Lab.story` raises.
    """
    if not query.get("game"):
        return None
    algorithm = KNOWN[recipe.slug]
    if (story := algorithm.story) is None:
        raise BadRequest(algorithm.untold)
    games = msgspec.json.decode(world.lab.story(text), type=list[TrainingGame])
    number = read_whole("game", query["game"], 1, len(games))
    game = games[number - 1]
    update = read_whole("update", query.get("update") or "0", 0, len(game.changes))
    end = [StorySquare(mark, False, None, "") for mark in game.turns[-1].after]
    return StoryGame(
        game=number,
        games=len(games),
        update=update,
        updates=len(game.changes),
        headline=_headline(world, game),
        turns=[
            _move(world.game, recipe, story, game, turn, update) for turn in range(len(game.turns))
        ],
        end=_ranks(world.game, end),
        sentence=story.sentence(recipe, game, update),
        equation=story.equation(recipe, game.changes[update - 1]) if update else "",
    )


def _headline(world: World, game: TrainingGame) -> str:
    moves = len(game.turns)
    if game.both_sides:
        return f"It played itself, and {RESULTS_OF_X[game.result]} after {moves} moves"
    moves = sum(move.mark == game.seat for move in game.turns)
    against = f" against {world.titles[game.opponent]}" if game.opponent else ""
    plural = "s" if moves != 1 else ""
    return f"It {RESULTS[game.result]} as {game.seat}{against} with {moves} move{plural}"


def _move(
    rules: Game, recipe: Recipe, story: Story, game: TrainingGame, turn: int, update: int
) -> StoryMove:
    """Lay out a move after so many updates of its game."""
    move, changes = game.turns[turn], game.changes[:update]
    change = next((one for one in reversed(changes) if one.turn == turn), None)
    squares = [StorySquare(mark, False, None, "") for mark in move.board]
    squares[move.cell] = StorySquare(move.mark, True, None, "")
    if change:
        whose = move.mark if change.observed or story.movers_view else game.seat
        worth, colour, text = recipe.worth(), None, written(change.new)
        if worth:
            player = X if whose == "X" else O
            value = on_scale(np.array(change.new), worth, player)
            colour, text = int(heat(value, HEAT_STEPS)), signed(float(shown(value)))
        squares[move.cell] = StorySquare(move.mark, True, colour, text)
    return StoryMove(
        ranks=_ranks(rules, squares),
        title=f"Move {turn + 1}",
        how=story.choice(game, move),
        change=f"{written(change.old)} → {written(change.new)}" if change else "",
        now=bool(changes) and changes[-1].turn == turn,
    )


def _ranks(rules: Game, squares: list[StorySquare]) -> list[list[StorySquare]]:
    return [
        squares[start : start + rules.columns] for start in range(0, rules.cells, rules.columns)
    ]


def _story_links(
    recipe: Recipe, told: StoryGame | None, address: Callable[[int, int | None], str]
) -> dict[str, str]:
    """Return where the buttons of a story lead; "" at its ends, nothing if there is no story."""
    if KNOWN[recipe.slug].untold:
        return {}
    if told is None:
        return {"begin": address(1, None)}
    game, update = told.game, told.update
    return {
        "game_back": address(game - 1, None) if game > 1 else "",
        "game_next": address(game + 1, None) if game < told.games else "",
        "update_back": address(game, update - 1) if update else "",
        "update_next": address(game, update + 1) if update < told.updates else "",
    }


def recipe_of(world: World, text: str) -> Recipe:
    """Return the recipe that a name or a shipped id stands for.

    Raises NotFound where there is no such algorithm, and BadRequest where a parameter is wrong.
    """
    if text in SHIPPED and text in world.agents:
        return SHIPPED[text].recipe
    try:
        return parse(text)
    except RecipeError as error:
        known = text.split(",", maxsplit=1)[0] in ALGORITHMS
        raise (BadRequest if known else NotFound)(form.sentence(error)) from error


def one_name(world: World, recipe: Recipe) -> str:
    """Return the one name of a recipe on this site: its short one if it is shipped."""
    return world.lab.called(written_name(recipe))


def _taken(world: World, chosen: str, duel: Duel) -> Take:
    """Return how a curve leaves the site: as a file the median of all seeds, in a frame one run.

    In a frame it is of one agent alone where it is against an opponent.
    """
    if duel.curve in FIGURES:
        take = take_curve(world, [one for one in (chosen, duel.ghost) if one], duel.curve)
    else:
        take = take_curve(world, [chosen], against=duel.curve)
    here = addresses.lab(chosen, duel.ghost, _curve(duel.curve), axis=duel.axis)
    return take._replace(svg=addresses.file_of(here, "svg"), csv=addresses.file_of(here, "csv"))


def _curve(curve: str) -> str:
    return "" if curve == result.BLUNDERS else curve
