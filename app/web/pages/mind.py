"""The mind page: a picture of every decision of an agent, and a chosen decision as a board."""

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
    get_next_step,
    match_against_person,
    read_integer,
    replay_match,
)
from app.web.move_values import NOTHING, OUTCOMES, evaluate_moves
from app.web.pages.parts.export import Export, export_mind
from app.web.pages.parts.learning import Film, film_all_positions
from app.web.pictures import minds
from app.web.pictures.boards import Board, lay_out_board
from app.web.rendering import Page, render_page
from app.web.site_data import TASK, SiteData, current_site

bp = Blueprint("mind", __name__)
TASK_DECIMALS = 3  # digits that show the difference between 0.999 and a win


class Tile(NamedTuple):
    """A tile of the picture: a position in which the agent has to move, with its values."""

    number: int
    move: int  # number of the move to decide, from 1
    board: Board
    expects: (
        str  # sentence on the highest Q-value or on the beads of the likeliest move
    )
    nearest: (
        str  # outcome nearest to the value: "a win", "a draw", "a loss"; "" if unknown
    )
    optimal: str  # the outcome of optimal play
    task: str  # highest exact value of the training task, "" without exact values
    updates: int  # number of updates in the whole training
    match: Match


class MindPage(Page, frozen=True):
    """The page with all values of an agent at a snapshot."""

    template: ClassVar = "mind/mind.html"
    fragment: ClassVar = ("tile",)

    site: SiteData
    name: str
    step: int
    colour: str  # a key of `minds.KINDS`
    number: int  # number of the chosen tile

    @property
    def mind(self) -> minds.MindPicture:
        """The picture of all decisions."""
        return minds.draw_mind(
            self.site, self.name, self.step, self.colour, moving=True
        )

    @property
    def kinds(self) -> Mapping[str, minds.Kind]:
        """The ways to colour the picture."""
        return minds.list_kinds(self.site, self.name)

    @property
    def film(self) -> Film:
        """The film of the training."""
        return film_all_positions(self.site, self.name)

    @property
    def next_step(self) -> str:
        """The URL of the next snapshot; the first snapshot follows the last."""
        return self._build_url(
            get_next_step(self.step, self.site.get_last_step(self.name))
        )

    @property
    def address(self) -> Callable[..., str]:
        """A function that returns the URL of this page with another step, kind or tile."""
        return self._build_url

    def _build_url(
        self, step: int | None = None, kind: str | None = None, tile: int | None = None
    ) -> str:
        """Return the URL of this page with the given changes; the first tile follows the last."""
        url_step = self.site.step_for_url(
            self.name, self.step if step is None else step
        )
        colour = self.colour if kind is None else kind
        colour = "" if colour == minds.EXPECTS else colour  # URLs leave out the default
        number = (self.number if tile is None else tile) % self.tiles
        return urls.mind(
            self.name,
            url_step,
            "" if colour == minds.EXPECTS else colour,
            number or None,
        )

    @property
    def tile(self) -> Tile:
        """The chosen tile."""
        return _build_tile(self.site, self.name, self.step, self.number)

    @property
    def tiles(self) -> int:
        """The number of tiles."""
        return len(self.site.tiles.decision)

    @property
    def agreement(self) -> list[list[int]]:
        """The picture as a table: for each move twelve counts; empty for beads."""
        if self.site.agents[self.name].card.worth is None:
            return []
        return count_outcomes(
            self.site.tiles,
            round_outcomes(minds.estimate_tiles(self.site, self.name, self.step)[0]),
            minds.choose_decisions(self.site, self.name, self.step).known[0],
        )

    @property
    def take(self) -> Export:
        """The ways to export the picture."""
        return export_mind(self.site, self.name, self.step, self.colour)


@bp.get(urls.MIND)
def show_mind(name: str) -> Response:
    """Show an agent's mind."""
    return render_page(build_mind_page(current_site(), name, request.args))


def build_mind_page(site: SiteData, name: str, query: Mapping[str, str]) -> MindPage:
    """Return the mind page for the snapshot, the colours and the tile of a query.

    Raises NotFound or BadRequest with a sentence that names the fault.
    """
    step, colour = minds.parse_mind_view(site, name, query)
    tiles = len(site.tiles.decision)
    number = read_integer("tile", query.get("tile") or "0", 0, tiles - 1)
    return MindPage(site, name, step, colour, number)


def _build_tile(site: SiteData, name: str, step: int, number: int) -> Tile:
    """Return the decision that represents a symmetry class in the picture."""
    tiles = site.tiles
    game = site.game
    rows, knows = minds.choose_decisions(site, name, step)
    position = int(rows[0, number])
    known = bool(knows[0, number])
    url_step = site.step_for_url(name, step)
    record = find_record(game, position)
    mover = int(game.to_move[position])
    against = match_against_person(name, -mover, record)
    match = replace(against, lens=name, step=url_step)
    state = replay_match(match, site)
    view = evaluate_moves(site, position, name, url_step)
    outcome = int(round_outcomes(minds.estimate_tiles(site, name, step)[0, number]))
    best = view.spoken[max(view.plays, key=lambda cell: float(view.values[cell]))]
    expectation = (
        f"Its most likely move has {best}"
        if view.beads
        else f"Its highest Q-value is {best}"
    )
    task = ""
    if not view.beads and site.get_task(name):
        exact = evaluate_moves(site, position, name + TASK)
        task = format_signed(float(exact.scaled[exact.known].max()), TASK_DECIMALS)
    return Tile(
        number=number,
        move=int(tiles.ply[number]) + 1,
        board=lay_out_board(
            state,
            view,
            lambda cell: urls.play(match.play(cell)),
            "tile-board",
            f"The position {format_position(game, position)}",
            notes=[NOTHING] * game.cells,
        ),
        expects=expectation
        if known
        else "The agent has never updated a value of this position",
        nearest=f"a {OUTCOMES[outcome]}" if known and not view.beads else "",
        optimal=f"a {OUTCOMES[int(tiles.truth[number])]}",
        task=task,
        updates=int(site.agents[name].visits[position].sum()),
        match=match,
    )
