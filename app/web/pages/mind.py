"""The mind page: every decision of an agent in one picture, and any of them as a board."""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from msgspec.structs import replace

from app.tictactoe.notation import find_record, format_position
from app.tictactoe.value_map import count_outcomes, round_outcomes
from app.web import urls
from app.web.formatting import format_signed
from app.web.match import (
    Match,
    match_against_person,
    next_step,
    read_integer,
    replay_match,
)
from app.web.move_values import NOTHING, OUTCOMES, evaluate_moves
from app.web.pages.parts.export import Take, take_mind
from app.web.pages.parts.learning import Film, film_of_mind
from app.web.pictures import minds
from app.web.pictures.boards import Board, board
from app.web.rendering import Page, render_page
from app.web.site_data import TASK, SiteData, current_site

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

    site: SiteData
    name: str
    step: int
    colour: str  # of `minds.KINDS`
    number: int  # of the tile that is chosen

    @property
    def mind(self) -> minds.MindPicture:
        """The picture."""
        return minds.picture(self.site, self.name, self.step, self.colour, moving=True)

    @property
    def kinds(self) -> Mapping[str, minds.Kind]:
        """The ways to colour it."""
        return minds.kinds(self.site, self.name)

    @property
    def film(self) -> Film:
        """The film of its training."""
        return film_of_mind(self.site, self.name)

    @property
    def next_step(self) -> str:
        """The address of the next snapshot, after the last of the first."""
        return self._address(next_step(self.step, self.site.last_step(self.name)))

    @property
    def address(self) -> Callable[..., str]:
        """A function to the address of this page with another step, kind or tile."""
        return self._address

    def _address(
        self, step: int | None = None, kind: str | None = None, tile: int | None = None
    ) -> str:
        """Return the address of this page but for what is given; the tiles are a ring."""
        shown = self.site.step_for_url(self.name, self.step if step is None else step)
        colour = self.colour if kind is None else kind
        colour = "" if colour == minds.EXPECTS else colour  # the usual one is not named
        number = (self.number if tile is None else tile) % self.tiles
        return urls.mind(
            self.name, shown, "" if colour == minds.EXPECTS else colour, number or None
        )

    @property
    def tile(self) -> Tile:
        """The tile that is chosen."""
        return _tile(self.site, self.name, self.step, self.number)

    @property
    def tiles(self) -> int:
        """How many tiles there are."""
        return len(self.site.tiles.decision)

    @property
    def agreement(self) -> list[list[int]]:
        """The picture as a table: for each move twelve counts; empty for beads."""
        if self.site.agents[self.name].card.worth is None:
            return []
        return count_outcomes(
            self.site.tiles,
            round_outcomes(minds.expected(self.site, self.name, self.step)[0]),
            minds.represented(self.site, self.name, self.step).known[0],
        )

    @property
    def take(self) -> Take:
        """How the picture is exported."""
        return take_mind(self.site, self.name, self.step, self.colour)


@bp.get(urls.MIND)
def mind(name: str) -> Response:
    """Show an agent's mind."""
    return render_page(mind_page(current_site(), name, request.args))


def mind_page(site: SiteData, name: str, query: Mapping[str, str]) -> MindPage:
    """Read which mind is shown, at which snapshot, coloured by what, with which tile chosen.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    step, colour = minds.parse_view(site, name, query)
    tiles = len(site.tiles.decision)
    number = read_integer("tile", query.get("tile") or "0", 0, tiles - 1)
    return MindPage(site, name, step, colour, number)


def _tile(site: SiteData, name: str, step: int, number: int) -> Tile:
    """Lay out the decision that stands for a tile."""
    where, game = site.tiles, site.game
    rows, knows = minds.represented(site, name, step)
    position, known = int(rows[0, number]), bool(knows[0, number])
    shown = site.step_for_url(name, step)
    record, mover = find_record(game, position), int(game.to_move[position])
    against = match_against_person(name, -mover, record)
    match = replace(against, lens=name, step=shown)
    state = replay_match(match, site)
    view = evaluate_moves(site, position, name, shown)
    outcome = int(round_outcomes(minds.expected(site, name, step)[0, number]))
    best = view.spoken[max(view.plays, key=lambda cell: float(view.values[cell]))]
    says = (
        f"Its likeliest move has {best}"
        if view.beads
        else f"Its highest Q-value is {best}"
    )
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
            f"The position {format_position(game, position)}",
            notes=[NOTHING] * game.cells,
        ),
        expects=says if known else "Never updated here",
        nearest=f"a {OUTCOMES[outcome]}" if known and not view.beads else "",
        optimal=f"a {OUTCOMES[int(where.truth[number])]}",
        task=task,
        updates=int(site.agents[name].visits[position].sum()),
        match=match,
    )
