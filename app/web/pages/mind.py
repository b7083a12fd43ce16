"""The mind page: a picture of every decision of an agent, and a chosen decision as a board."""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from flask import Response, request
from msgspec.structs import replace

from app.tictactoe.notation import find_record, format_position
from app.tictactoe.value_map import count_outcomes, round_outcomes
from app.web.formatting import format_signed
from app.web.links.mind import FILM, MIND, mind_url
from app.web.links.play import play_url
from app.web.match import (
    Match,
    build_match_against_person,
    get_next_snapshot,
    read_integer,
    replay_match,
)
from app.web.move_values import EMPTY_NOTE, OUTCOME_LABELS, evaluate_moves
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import Export, build_file_response, export_mind
from app.web.pages.parts.film_file import render_film
from app.web.pages.parts.learning import Film, film_all_positions
from app.web.pictures import minds
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.rendering import Page, render_page
from app.web.site_data import TASK_SUFFIX, SiteData, get_current_site
from app.web.translation import gettext_noop

bp = PageBlueprint("mind", __name__)
bp.add_room(
    "Research",
    "minds",
    gettext_noop("Minds"),
    lambda: mind_url(get_current_site().first_opponent),
)
TASK_DECIMALS = 3  # enough decimals to tell 0.999 from a win


class MindTile(NamedTuple):
    """The selected tile of a mind: a position of the agent, with its values and results."""

    tile_number: int
    move_number: int  # number of the move to decide, from 1
    board: BoardPicture
    # sentence on the highest Q-value or on the beads of the likeliest move
    value_sentence: str
    # outcome nearest to the value: "a win", "a draw", "a loss"; "" if unknown
    nearest_result: str
    optimal_result: str  # the outcome of optimal play
    task_value: str  # highest exact value of the training task, "" without exact values
    update_count: int  # number of updates in the whole training
    match: Match


class MindPage(Page, frozen=True):
    """The page with all values of an agent at a snapshot."""

    template: ClassVar = "mind/mind.html"
    fragment: ClassVar = ("tile",)

    site: SiteData
    name: str
    snapshot: int
    colouring_key: str  # a key of `minds.COLOURINGS`
    tile_number: int  # number of the chosen tile

    @property
    def mind_picture(self) -> minds.MindPicture:
        """The picture of all decisions."""
        return minds.draw_mind(
            self.site, self.name, self.snapshot, self.colouring_key, has_all_frames=True
        )

    @property
    def colourings(self) -> Mapping[str, minds.TileColouring]:
        """The ways to colour the picture."""
        return minds.list_colourings(self.site, self.name)

    @property
    def film(self) -> Film:
        """The film of the training."""
        return film_all_positions(self.site, self.name)

    @property
    def next_frame_url(self) -> str:
        """The URL of the next snapshot; the first snapshot follows the last."""
        return self._build_url(
            get_next_snapshot(self.snapshot, self.site.get_last_snapshot(self.name))
        )

    @property
    def build_url(self) -> Callable[..., str]:
        """A function that returns the URL of this page with another step, kind or tile."""
        return self._build_url

    def _build_url(
        self,
        step: int | None = None,
        kind: str | None = None,
        tile: int | None = None,
    ) -> str:
        """Return the URL of this page with another snapshot, colouring or tile.

        `step` is a snapshot, `kind` a key of COLOURINGS, and `tile` a tile number; the first tile
        follows the last.
        """
        url_step = self.site.get_snapshot_parameter(
            self.name, self.snapshot if step is None else step
        )
        colour = self.colouring_key if kind is None else kind
        number = (self.tile_number if tile is None else tile) % self.tile_count
        return mind_url(
            self.name,
            url_step,
            "" if colour == minds.EXPECTED_KEY else colour,
            number or None,
        )

    @property
    def chosen_tile(self) -> MindTile:
        return _build_tile(self.site, self.name, self.snapshot, self.tile_number)

    @property
    def tile_count(self) -> int:
        """The number of tiles."""
        return len(self.site.tile_layout.decisions)

    @property
    def agreement_counts(self) -> list[list[int]]:
        """The numbers of tiles by move number, expected result and optimal result; [] for beads.

        Each row has twelve counts.
        """
        if self.site.agents[self.name].card.reward_scale is None:
            return []
        return count_outcomes(
            self.site.tile_layout,
            round_outcomes(
                minds.estimate_tiles(self.site, self.name, self.snapshot)[0]
            ),
            minds.choose_decisions(self.site, self.name, self.snapshot).is_known[0],
        )

    @property
    def export(self) -> Export:
        """The ways to export the picture."""
        return export_mind(self.site, self.name, self.snapshot, self.colouring_key)


@bp.get(MIND)
def show_mind(name: str) -> Response:
    """Show an agent's mind."""
    return render_page(build_mind_page(get_current_site(), name, request.args))


@bp.get(FILM)
def download_film(name: str) -> Response:
    """Return the film of a training as an animated GIF."""
    film = render_film(get_current_site(), name)
    return build_file_response(film, "image/gif", f"{name}.gif")


def build_mind_page(
    site: SiteData, agent_name: str, query: Mapping[str, str]
) -> MindPage:
    """Return the mind page for the snapshot, the colours and the tile of a query.

    Raises NotFound or BadRequest with a sentence that names the fault.
    """
    step, colour = minds.parse_snapshot_and_colouring(site, agent_name, query)
    tiles = len(site.tile_layout.decisions)
    number = read_integer("tile", query.get("tile") or "0", 0, tiles - 1)
    return MindPage(site, agent_name, step, colour, number)


def _build_tile(
    site: SiteData, agent_name: str, snapshot: int, tile_number: int
) -> MindTile:
    """Return a tile of the mind by its number, with the board that represents the tile."""
    tiles = site.tile_layout
    game = site.game
    rows, knows = minds.choose_decisions(site, agent_name, snapshot)
    position = int(rows[0, tile_number])
    known = bool(knows[0, tile_number])
    url_step = site.get_snapshot_parameter(agent_name, snapshot)
    record = find_record(game, position)
    mover = int(game.to_move[position])
    against = build_match_against_person(agent_name, -mover, record)
    match = replace(against, value_source=agent_name, snapshot=url_step)
    state = replay_match(match, site)
    view = evaluate_moves(site, position, agent_name, url_step)
    estimate = minds.estimate_tiles(site, agent_name, snapshot)[0, tile_number]
    outcome = int(round_outcomes(estimate))
    best_cell = max(view.likeliest_cells, key=lambda cell: float(view.values[cell]))
    best = view.spoken_values[best_cell]
    expectation = (
        f"Its most likely move has {best}"
        if view.are_beads
        else f"Its highest Q-value is {best}"
    )
    task = ""
    if not view.are_beads and site.get_task(agent_name):
        exact = evaluate_moves(site, position, agent_name + TASK_SUFFIX)
        task = format_signed(
            float(exact.scaled_values[exact.is_known].max()), TASK_DECIMALS
        )
    return MindTile(
        tile_number=tile_number,
        move_number=int(tiles.plies[tile_number]) + 1,
        board=lay_out_board(
            state,
            view,
            lambda cell: play_url(match.follow_move(cell)),
            "tile-board",
            f"The position {format_position(game, position)}",
            notes=[EMPTY_NOTE] * game.cells,
        ),
        value_sentence=expectation
        if known
        else "The agent has never updated a value of this position",
        nearest_result=f"a {OUTCOME_LABELS[outcome]}"
        if known and not view.are_beads
        else "",
        optimal_result=f"a {OUTCOME_LABELS[int(tiles.optimal_value[tile_number])]}",
        task_value=task,
        update_count=int(site.agents[agent_name].visits[position].sum()),
        match=match,
    )
