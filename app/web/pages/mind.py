"""The mind page: every decision of an agent in one picture, and any of them as a board."""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.tictactoe.mind import agreement, outcomes
from app.tictactoe.notation import MARKS, position_text, record_to
from app.web import addresses
from app.web.lens import NOTHING, OUTCOMES, opinion
from app.web.match import Match, place_of, read_whole, step_after
from app.web.numbers import count, signed
from app.web.pages.parts.export import Take, take_mind
from app.web.pages.parts.film import Film, film_of_mind
from app.web.pictures import minds
from app.web.pictures.boards import Board, board
from app.web.respond import Page, respond
from app.web.world import HUMAN, TASK, World, world

bp = Blueprint("mind", __name__)
TASK_DECIMALS = 3  # so that a task that is all but a win is told from one


class Tile(NamedTuple):
    """One decision of a mind."""

    number: int
    headline: str
    board: Board
    expects: str  # its highest Q-value there, or what it has of its likeliest move
    nearest: str  # the outcome nearest to that, "" where there is none: "a win", "a draw", "a loss"
    optimal: str  # the outcome of optimal play
    task: str  # the highest exact value of its training task, "" where that has none
    updates: str  # how often training had updated it by its end
    open: str  # its address on the play page
    before: str  # the addresses of the tiles beside it
    after: str


class MindPage(Page, frozen=True):
    """An agent's mind at a snapshot."""

    template: ClassVar = "mind/mind.html"
    fragment: ClassVar = ("tile",)

    mind: minds.MindPicture
    film: Film
    step: int
    next_step: str  # the address of the next frame, after the last of the first
    kinds: Mapping[str, minds.Kind]
    views: Mapping[str, str]  # the address of each colouring
    tile: Tile
    tiles: int  # how many there are
    agreement: list[list[int]]  # the picture as a table: for each move twelve counts; of beads none
    agent: str  # the address of the agent's page
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
    number = read_whole("tile", query.get("tile") or "0", 0, len(world.tiles.decision) - 1)

    def address(step: int, kind: str, tile: int = number) -> str:
        return addresses.mind(
            name,
            world.short_step(name, step),
            "" if kind == minds.EXPECTS else kind,
            tile or None,
        )

    return MindPage(
        mind=minds.picture(world, name, step, kind, moving=True),
        film=film_of_mind(world, name),
        step=step,
        next_step=address(step_after(step, world.last_step(name)), kind),
        kinds=minds.kinds(world, name),
        views={other: address(step, other) for other in minds.kinds(world, name)},
        tile=_tile(world, name, step, number, lambda other: address(step, kind, other)),
        tiles=len(world.tiles.decision),
        agreement=[]
        if world.agents[name].card.worth is None
        else agreement(
            world.tiles,
            outcomes(minds.expected(world, name, step)[0]),
            minds.represented(world, name, step).known[0],
        ),
        agent=addresses.agent(name),
        take=take_mind(world, name, step, kind),
    )


def _tile(world: World, name: str, step: int, number: int, address: Callable[[int], str]) -> Tile:
    """Lay out the decision that stands for a tile; `address` is that of the page with another."""
    where, game = world.tiles, world.game
    rows, knows = minds.represented(world, name, step)
    position, known = int(rows[0, number]), bool(knows[0, number])
    shown = world.short_step(name, step)
    match = Match(record_to(game, position), o=HUMAN, lens=name, step=shown)
    place = place_of(match, world)
    view = opinion(world, position, name, shown)
    outcome = int(outcomes(minds.expected(world, name, step)[0, number]))
    best = view.spoken[max(view.plays, key=lambda cell: float(view.values[cell]))]
    says = f"Its likeliest move has {best}" if view.beads else f"Its highest Q-value is {best}"
    task = ""
    if not view.beads and world.task(name):
        exact = opinion(world, position, name + TASK)
        task = signed(float(exact.scaled[exact.known].max()), TASK_DECIMALS)
    mover = MARKS[int(game.to_move[position])]
    tiles = len(where.decision)
    return Tile(
        number=number,
        headline=f"Move {where.ply[number] + 1}, {mover} to move",
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
        updates=count(int(world.agents[name].visits[position].sum())),
        open=addresses.play(match),
        before=address((number - 1) % tiles),
        after=address((number + 1) % tiles),
    )
