"""The mind page: every decision of an agent in one picture, and any of them as a board."""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.tictactoe.notation import position_text, record_to
from app.tictactoe.value_map import count_outcomes, nearest_outcomes
from app.web import urls
from app.web.formatting import format_signed
from app.web.match import Match, next_step, read_integer, replay_match
from app.web.move_values import NOTHING, OUTCOMES, evaluate_moves
from app.web.pages.parts.export import Take, take_mind
from app.web.pages.parts.learning import Film, film_of_mind
from app.web.pictures import minds
from app.web.pictures.boards import Board, board
from app.web.rendering import Page, render_page
from app.web.site_data import HUMAN, TASK, SiteData, current_site

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


@bp.get(urls.MIND)
def mind(name: str) -> Response:
    """Show an agent's mind."""
    return render_page(mind_page(current_site(), name, request.args))


def mind_page(site: SiteData, name: str, query: Mapping[str, str]) -> MindPage:
    """Gather what the templates write down.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    step, kind = minds.parse_view(site, name, query)
    tiles = len(site.tiles.decision)
    number = read_integer("tile", query.get("tile") or "0", 0, tiles - 1)

    def address(step: int = step, kind: str = kind, tile: int = number) -> str:
        colour = "" if kind == minds.EXPECTS else kind
        return urls.mind(name, site.step_for_url(name, step), colour, tile % tiles or None)

    return MindPage(
        name=name,
        mind=minds.picture(site, name, step, kind, moving=True),
        film=film_of_mind(site, name),
        step=step,
        next_step=address(next_step(step, site.last_step(name))),
        kinds=minds.kinds(site, name),
        address=address,
        tile=_tile(site, name, step, number),
        tiles=tiles,
        agreement=[]
        if site.agents[name].card.worth is None
        else count_outcomes(
            site.tiles,
            nearest_outcomes(minds.expected(site, name, step)[0]),
            minds.represented(site, name, step).known[0],
        ),
        take=take_mind(site, name, step, kind),
    )


def _tile(site: SiteData, name: str, step: int, number: int) -> Tile:
    """Lay out the decision that stands for a tile."""
    where, game = site.tiles, site.game
    rows, knows = minds.represented(site, name, step)
    position, known = int(rows[0, number]), bool(knows[0, number])
    shown = site.step_for_url(name, step)
    match = Match(record_to(game, position), o=HUMAN, lens=name, step=shown)
    state = replay_match(match, site)
    view = evaluate_moves(site, position, name, shown)
    outcome = int(nearest_outcomes(minds.expected(site, name, step)[0, number]))
    best = view.spoken[max(view.plays, key=lambda cell: float(view.values[cell]))]
    says = f"Its likeliest move has {best}" if view.beads else f"Its highest Q-value is {best}"
    task = ""
    if not view.beads and site.task(name):
        exact = evaluate_moves(site, position, name + TASK)
        task = format_signed(float(exact.scaled[exact.known].max()), TASK_DECIMALS)
    return Tile(
        number=number,
        move=int(where.ply[number]) + 1,
        board=board(
            state,
            view,
            lambda cell: urls.play(match.play(cell)),
            "tile-board",
            f"The position {position_text(game, position)}",
            notes=[NOTHING] * game.cells,
        ),
        expects=says if known else "Never updated here",
        nearest=f"a {OUTCOMES[outcome]}" if known and not view.beads else "",
        optimal=f"a {OUTCOMES[int(where.truth[number])]}",
        task=task,
        updates=int(site.agents[name].visits[position].sum()),
        match=match,
    )
