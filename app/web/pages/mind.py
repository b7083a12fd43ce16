"""The mind page: every decision of an agent in one picture, and any of them as a board."""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.tictactoe.notation import position_text, record_to
from app.tictactoe.value_map import count_outcomes, nearest_outcomes
from app.web import addresses
from app.web.lens import NOTHING, OUTCOMES, opinion
from app.web.match import Match, place_of, read_whole, step_after
from app.web.numbers import signed
from app.web.pages.parts.export import Take, take_mind
from app.web.pages.parts.learning import Film, film_of_mind
from app.web.pictures import minds
from app.web.pictures.boards import Board, board
from app.web.respond import Page, respond
from app.web.world import HUMAN, TASK, World, world

bp = Blueprint("mind", __name__)
TASK_DECIMALS = 3  # so that a task that is all but a win is told from one


class Tile(NamedTuple):
    """One decision of a mind."""

    number: int
    move: int  # that it decides, from 1
    board: Board
    expects: str  # its highest Q-value there, or what it has of its likeliest move
    nearest: str  # the outcome nearest to that, "" where there is none: "a win", "a draw", "a loss"
    optimal: str  # the outcome of optimal play
    task: str  # the highest exact value of its training task, "" where that has none
    updates: int  # how often training had updated it by its end
    match: Match


class MindPage(Page, frozen=True):
    """An agent's mind at a snapshot."""

    template: ClassVar = "mind/mind.html"
    fragment: ClassVar = ("tile",)

    name: str
    mind: minds.MindPicture
    film: Film
    step: int
    next_step: str  # the address of the next frame, after the last of the first
    kinds: Mapping[str, minds.Kind]
    # Of this page but for a step, kind or tile that is named; the tiles are a ring.
    address: Callable[..., str]
    tile: Tile
    tiles: int  # how many there are
    agreement: list[list[int]]  # the picture as a table: for each move twelve counts; of beads none
    take: Take


@bp.get(addresses.MIND)
def mind(name: str) -> Response:
    """Show an agent's mind."""
    return respond(mind_page(world(), name, request.args))


def mind_page(world: World, name: str, query: Mapping[str, str]) -> MindPage:
    """Gather what the templates write down.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    step, kind = minds.parse_view(world, name, query)
    tiles = len(world.tiles.decision)
    number = read_whole("tile", query.get("tile") or "0", 0, tiles - 1)

    def address(step: int = step, kind: str = kind, tile: int = number) -> str:
        colour = "" if kind == minds.EXPECTS else kind
        return addresses.mind(name, world.short_step(name, step), colour, tile % tiles or None)

    return MindPage(
        name=name,
        mind=minds.picture(world, name, step, kind, moving=True),
        film=film_of_mind(world, name),
        step=step,
        next_step=address(step_after(step, world.last_step(name))),
        kinds=minds.kinds(world, name),
        address=address,
        tile=_tile(world, name, step, number),
        tiles=tiles,
        agreement=[]
        if world.agents[name].card.worth is None
        else count_outcomes(
            world.tiles,
            nearest_outcomes(minds.expected(world, name, step)[0]),
            minds.represented(world, name, step).known[0],
        ),
        take=take_mind(world, name, step, kind),
    )


def _tile(world: World, name: str, step: int, number: int) -> Tile:
    """Lay out the decision that stands for a tile."""
    where, game = world.tiles, world.game
    rows, knows = minds.represented(world, name, step)
    position, known = int(rows[0, number]), bool(knows[0, number])
    shown = world.short_step(name, step)
    match = Match(record_to(game, position), o=HUMAN, lens=name, step=shown)
    place = place_of(match, world)
    view = opinion(world, position, name, shown)
    outcome = int(nearest_outcomes(minds.expected(world, name, step)[0, number]))
    best = view.spoken[max(view.plays, key=lambda cell: float(view.values[cell]))]
    says = f"Its likeliest move has {best}" if view.beads else f"Its highest Q-value is {best}"
    task = ""
    if not view.beads and world.task(name):
        exact = opinion(world, position, name + TASK)
        task = signed(float(exact.scaled[exact.known].max()), TASK_DECIMALS)
    return Tile(
        number=number,
        move=int(where.ply[number]) + 1,
        board=board(
            place,
            view,
            lambda cell: addresses.play(match.play(cell)),
            "tile-board",
            f"The position {position_text(game, position)}",
            notes=[NOTHING] * game.cells,
        ),
        expects=says if known else "Never updated here",
        nearest=f"a {OUTCOMES[outcome]}" if known and not view.beads else "",
        optimal=f"a {OUTCOMES[int(where.truth[number])]}",
        task=task,
        updates=int(world.agents[name].visits[position].sum()),
        match=match,
    )
