"""The lab: choose an algorithm and its numbers, and see at once what becomes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from flask import Blueprint, Response, redirect, request
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import ALGORITHMS, SHIPPED, Recipe, RecipeError, parse
from app.recipes import name as written_name
from app.recipes.taught import Refusal
from app.web import addresses
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.comparison import FIGURES, Comparison, View, parting
from app.web.match import Match, read_step, step_after
from app.web.numbers import count
from app.web.pages.lab import form, presets, result, seeds
from app.web.pages.lab.story import StoryGame, story_game
from app.web.pages.parts.export import Take, take_curve, take_mind
from app.web.pages.parts.film import Film, film_of
from app.web.pictures.curves import Charts
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond, wants_fragment
from app.web.world import HUMAN, World, world

bp = Blueprint("lab", __name__)
# The positions on the board: the player to move has to block, or loses.
O_BLOCKS, X_BLOCKS = "024", "4082"
LAST_SEED = 999_999_999
GHOSTS = ("q-learning-1", "q-table", "double-q", "self-play", "q-iteration")


@dataclass(frozen=True)
class LabPage(Page):
    """A recipe, its controls and what it comes to."""

    template: ClassVar = "lab/lab.html"
    fragment: ClassVar = ("result",)

    name: str  # the one name of the recipe
    title: str
    slug: str
    algorithm: str  # its title
    about: str  # what this preset shows, or the algorithm in a sentence
    algorithms: list[presets.PresetLink]
    presets: list[presets.PresetGroup]
    fields: list[form.Field]
    curve: str  # which one is shown
    curves: Mapping[str, str]  # the title of each
    chart: Charts
    ghost: str  # the name of what it is compared with, "" for nothing
    ghosts: Mapping[str, str]  # titles by name of what it can be compared with
    verdict: list[result.Part]
    status: str  # the same to be heard
    figures: list[result.EndFigure]
    film: Film
    step: int  # the frame that is shown
    next_step: str  # the address of the next one, after the last of the first
    mind: MindPicture
    story: StoryGame | None  # a game of its training, if the address asks for one
    story_links: Mapping[str, str]  # where the buttons of that lead; none if it cannot be told
    untold: str  # why not, "" if it can
    take: Take  # how the curve leaves the site
    take_mind: Take  # and the picture of its mind
    links: Mapping[str, str]  # where its buttons lead
    command: str  # what makes the same file


@dataclass(frozen=True)
class SeedsPage(Page):
    """A recipe with other random numbers."""

    template: ClassVar = "lab/seeds.html"
    fragment: ClassVar = ("seeds",)

    title: str
    band: seeds.TwentySeeds
    back: str  # the recipe in the lab
    again: str  # the same page, which has come further


@bp.get(addresses.LAB)
def start() -> AnyResponse:
    """Show where the lab begins; or lead to the address of what one of its forms says."""
    if "recipe" in request.args:
        chosen = request.args["recipe"]
    elif "algorithm" in request.args:
        try:
            chosen = one_name(world(), form.read(request.args))
        except RecipeError as error:
            raise BadRequest(sentence(error)) from error
    else:
        begin = presets.START if presets.START in world().agents else next(iter(world().agents))
        return respond(lab_page(world(), begin, {}))
    ghost, curve = request.args.get("ghost", ""), _curve(request.args.get("curve", ""))
    to = addresses.lab(chosen, "" if ghost == chosen else ghost, curve)
    return redirect(to, 303)


@bp.get(addresses.LAB_RECIPE)
def lab(name: str) -> AnyResponse:
    """Show a recipe."""
    chosen = one_name(world(), recipe_of(world(), name))
    if chosen != name:
        ghost, curve = request.args.get("ghost", ""), request.args.get("curve", "")
        return redirect(addresses.lab(chosen, ghost, curve), 301)
    if world().is_taught(name) and isinstance(world().lab.taught(name, None), Refusal):
        # With these numbers it plays other moves than those that its teacher answered.
        there = addresses.teach(name)
        if wants_fragment():
            return Response(headers={"HX-Redirect": there})
        return redirect(there, 303)
    return respond(lab_page(world(), name, request.args))


@bp.get(addresses.SEEDS)
def twenty(name: str) -> Response:
    """Train one more of twenty seeds, and show how far they have come."""
    recipe = recipe_of(world(), name)
    chosen = one_name(world(), recipe)
    done = request.args.get("done", "")
    seen = int(done) if done.isascii() and done.isdigit() and len(done) < 3 else 0
    try:
        drawn = seeds.band(world(), recipe, seen)
    except RecipeError as error:
        raise BadRequest(sentence(error)) from error
    page = SeedsPage(
        title=chosen,
        band=drawn,
        back=addresses.lab(chosen),
        again=addresses.seeds(chosen, drawn.done),
    )
    response = respond(page)
    if page.band.done < page.band.seeds:  # the next answer is another one
        response.headers["Cache-Control"] = "no-store"
    return response


def lab_page(world: World, chosen: str, query: Mapping[str, str]) -> LabPage:
    """Gather what the templates write down; `chosen` is a canonical name.

    Raises BadRequest or NotFound with a sentence on what is wrong.
    """
    recipe, ghost = recipe_of(world, chosen), ""
    if query.get("ghost"):
        ghost = world.lab.canonical(query["ghost"]) or query["ghost"]
        recipe_of(world, ghost)  # which says so if there is none
    ghost = "" if ghost == chosen else ghost
    agent = world.agents[chosen]
    there = result.curves(world, chosen)
    curve = query.get("curve") or result.BLUNDERS
    if curve not in there:
        raise BadRequest(f"There is no curve {curve!r} here. There are: {', '.join(there)}.")
    record = X_BLOCKS if getattr(recipe, "seat", "both") == "x" else O_BLOCKS
    labels = _labels(world, chosen, ghost)
    parts = result.verdict(world, chosen)
    step = read_step(chosen, query.get("step", ""), world.last_step(chosen), world)
    told = story_game(world, recipe, written_name(recipe), query)

    def game_at(game: int, update: int | None) -> str:
        return addresses.lab(chosen, ghost, _curve(curve), None, game, update)

    film = film_of(world, chosen, record)
    families = presets.offers(world, chosen)
    lines = [offer for family in families[:-1] for offer in family.offers]
    return LabPage(
        name=chosen,
        title=agent.card.title,
        slug=recipe.slug,
        algorithm=KNOWN[recipe.slug].title,
        about=next((offer.line for offer in lines if offer.chosen), presets.about(type(recipe))),
        algorithms=presets.algorithms(world, recipe.slug),
        presets=families,
        fields=form.fields(world, recipe),
        curve=curve,
        curves=there,
        chart=result.chart(world, chosen, ghost, curve, labels),
        ghost=ghost,
        ghosts=_ghosts(world, chosen, ghost),
        verdict=parts,
        status=f"{count(agent.card.updates)} updates. {result.sentence(parts)}",
        figures=result.figures(world, chosen, ghost),
        film=film,
        step=step,
        next_step=addresses.lab(chosen, ghost, _curve(curve), step_after(step, film.last)),
        mind=picture(world, chosen, step, moving=True),
        story=told,
        story_links=_story_links(recipe, told, game_at),
        untold=KNOWN[recipe.slug].untold,
        take=_taken(world, chosen, ghost, curve),
        take_mind=take_mind(world, chosen, step),
        links=links(world, chosen, recipe, record, ghost, curve),
        command=f"python -m training train {chosen}",
    )


def links(
    world: World, chosen: str, recipe: Recipe, record: str, ghost: str, curve: str
) -> dict[str, str]:
    """Return where the buttons lead, "" where what they ask for is not trained here."""
    seated = Match(record, o=HUMAN, lens=chosen)
    views = (View(chosen), View(ghost)) if ghost else (View(chosen),)
    following = _with_seed(world, recipe, (recipe.seed + 1) % (LAST_SEED + 1))
    last = _with_seed(world, recipe, seeds.seeds_of(recipe)[-1])  # the longest name of the twenty
    return {
        "play": addresses.play_against(chosen),
        "why": addresses.why(seated),
        "compare": addresses.compare(Comparison(parting(views, world) or record, views)),
        "agent": addresses.agent(chosen),
        "mind": addresses.mind(chosen),
        "file": addresses.agent_file(chosen, "npz"),
        "seed": addresses.lab(following, chosen, _curve(curve)) if following else "",
        "here": addresses.lab(chosen, ghost, _curve(curve)),
        "how": addresses.how(recipe.slug),
        "seeds": addresses.seeds(chosen) if last else "",
    }


def _with_seed(world: World, recipe: Recipe, seed: int) -> str:
    """Return the name of a recipe with another seed, "" if it is too long or not trained here."""
    try:
        named = one_name(world, recipe.with_seed(seed))
    except RecipeError:
        return ""
    return named if world.agents.knows(named) else ""  # a shipped one may have taken longer


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
        raise (BadRequest if known else NotFound)(sentence(error)) from error


def one_name(world: World, recipe: Recipe) -> str:
    """Return the one name of a recipe on this site: its short one if it is shipped."""
    return world.lab.called(written_name(recipe))


def sentence(error: RecipeError) -> str:
    """Make a sentence of what is wrong with a recipe."""
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."


def _taken(world: World, chosen: str, ghost: str, curve: str) -> Take:
    """Return how a curve leaves the site; against an opponent it is of one agent alone."""
    if curve not in FIGURES:
        return take_curve(world, [chosen], against=curve)
    return take_curve(world, [chosen, ghost] if ghost else [chosen], curve)


def _labels(world: World, chosen: str, ghost: str) -> tuple[str, str]:
    """Return short words that tell an agent and its ghost apart."""
    if not ghost:
        return world.titles[chosen], ""
    recipe, other = (recipe_of(world, one) for one in (chosen, ghost))
    titles = (world.titles[chosen], world.titles[ghost])
    short = recipe.slug != other.slug and max(map(len, titles)) <= form.SHORT_LABEL
    return titles if short else form.labels(recipe, other)


def _curve(curve: str) -> str:
    return "" if curve == result.BLUNDERS else curve


def _ghosts(world: World, chosen: str, ghost: str) -> dict[str, str]:
    names = [*GHOSTS, *([ghost] if ghost else [])]
    return {
        one: world.titles[one]
        for one in dict.fromkeys(names)
        if world.agents.knows(one) and one != chosen
    }
