"""The front page: a film of an agent that learns one position, and links to start."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from flask import Blueprint, Response, request

from app.web import urls
from app.web.doors import build_watch_url
from app.web.formatting import format_updates
from app.web.match import Match, get_next_snapshot, read_snapshot
from app.web.pages.parts.learning import Film, film_position
from app.web.pictures.minds import MindPicture, draw_mind
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, get_current_site
from app.web.urls import Destination
from app.web.wording import (
    BLOCK_EXAMPLE,
    Character,
    describe_character,
    find_first_puzzle,
)

bp = Blueprint("front", __name__)
# one agent of each strength
CAST_AGENTS = ("q-learning-player", "q-table", "self-play")
# numbers of games after which the early and the middle opponent are shown
GAME_COUNTS = (500, 20_000)


class FrontPage(Page, frozen=True):
    """The front page, with the film of a training at a snapshot."""

    template: ClassVar = "front/front.html"

    site: SiteData
    name: str  # id of the agent
    snapshot: int  # the snapshot shown
    plays_film: bool  # whether the film starts automatically

    @cached_property
    def film(self) -> Film:
        """The film of the training."""
        return film_position(self.site, self.name, BLOCK_EXAMPLE)

    @property
    def learned_frame(self) -> int:
        """The number of the first frame after which the agent always blocks."""
        starred = [
            [cell for cell, square in frame.squares.items() if square.is_best]
            for frame in self.film.frames
        ]
        changes = (at for at, cells in enumerate(starred, 1) if cells != starred[-1])
        return max(changes, default=0)

    @property
    def opponent_url(self) -> str:
        """The URL of a game from the film's position, against the agent at the snapshot shown."""
        match = Match(
            BLOCK_EXAMPLE, o=self.name, value_source=self.name, snapshot=self.snapshot
        )
        return urls.play_url(match)

    @property
    def training_stage_links(self) -> list[Destination]:
        """New games against the agent at an early, a middle and the last snapshot."""
        updates = self.site.agents[self.name].snapshot_updates.tolist()
        steps = [_find_nearest_snapshot(updates, target) for target in GAME_COUNTS]
        games = [
            Destination(
                format_updates(updates[step]),
                urls.play_url(
                    Match(o=self.name, value_source=self.name, snapshot=step)
                ),
            )
            for step in steps
        ]
        last = format_updates(updates[-1])
        return [*games, Destination(last, urls.play_against_url(self.name))]

    @property
    def next_frame_url(self) -> str:
        """The URL of the next frame; the first frame follows the last."""
        return urls.HOME.url(
            step=get_next_snapshot(self.snapshot, self.film.last_frame)
        )

    @property
    def mind_picture(self) -> MindPicture:
        """The picture of all positions."""
        return draw_mind(self.site, self.name, self.snapshot, has_all_frames=True)

    @property
    def tile_count(self) -> int:
        """The number of tiles in the picture of all positions."""
        return len(self.site.tile_layout.decisions)

    @property
    def watch_url(self) -> str:
        """The URL of a game between two agents."""
        return build_watch_url(self.site)

    @property
    def puzzle_number(self) -> int:
        """The number of a puzzle of the film's agent."""
        return find_first_puzzle(self.site, self.name)

    @property
    def agents_by_strength(self) -> list[tuple[str, str, Character]]:
        """The name, the title and the description of an agent of each strength."""
        return [
            (name, self.site.display_titles[name], describe_character(self.site, name))
            for name in CAST_AGENTS
            if name in self.site.agents
        ]


def _find_nearest_snapshot(update_counts: Sequence[int], target_count: int) -> int:
    """Return the snapshot with the number of updates nearest to a target; the first of equals."""
    return min(
        range(len(update_counts)),
        key=lambda step: abs(update_counts[step] - target_count),
    )


@bp.get(urls.HOME)
def show_front() -> Response:
    """Show the front page, with the film at the snapshot in the URL."""
    site = get_current_site()
    step = request.args.get("step", "")
    name = site.first_opponent
    step_shown = read_snapshot(
        name, step, film_position(site, name, BLOCK_EXAMPLE).last_frame, site
    )
    return render_page(FrontPage(site, name, step_shown, plays_film=not step))
