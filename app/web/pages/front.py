"""The front page: a program learns before one's eyes, and four ways in."""

from functools import cached_property
from typing import ClassVar

from flask import Blueprint, Response, request

from app.web import urls
from app.web.doors import watch_url
from app.web.match import next_step, read_step
from app.web.pages.parts.learning import Film, film_of
from app.web.pictures.minds import MindPicture, picture
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, current_site
from app.web.wording import (
    BLOCKED,
    Character,
    characterise,
    first_opponent,
    first_puzzle,
)

bp = Blueprint("front", __name__)
CAST = ("q-learning-player", "q-table", "self-play")  # of each strength one


class FrontPage(Page, frozen=True):
    """What this is, to a visitor who has never heard of it."""

    template: ClassVar = "front/front.html"

    site: SiteData
    name: str  # of the agent whose training is shown
    step: int  # the frame of the film that is shown
    plays: bool  # whether the film begins by itself

    @cached_property
    def film(self) -> Film:
        """The film of its training."""
        return film_of(self.site, self.name, BLOCKED)

    @property
    def next_step(self) -> str:
        """The address of the next frame, after the last of the first."""
        return urls.HOME.url(step=next_step(self.step, self.film.last))

    @property
    def mind(self) -> MindPicture:
        """Its mind."""
        return picture(self.site, self.name, self.step, moving=True)

    @property
    def tiles(self) -> int:
        """How many tiles the mind has."""
        return len(self.site.tiles.decision)

    @property
    def watched(self) -> str:
        """The URL of a game between two agents."""
        return watch_url(self.site)

    @property
    def puzzle(self) -> int:
        """The number of a puzzle of the film's agent."""
        return first_puzzle(self.site, self.name)

    @property
    def cast(self) -> list[tuple[str, str, Character]]:
        """The name, the title and the character of an agent of each strength."""
        return [
            (name, self.site.titles[name], characterise(self.site, name))
            for name in CAST
            if name in self.site.agents
        ]


@bp.get(urls.HOME)
def front() -> Response:
    """Show the front page."""
    site, step = current_site(), request.args.get("step", "")
    name = first_opponent(site)
    shown = read_step(name, step, film_of(site, name, BLOCKED).last, site)
    return render_page(FrontPage(site, name, shown, plays=not step))
