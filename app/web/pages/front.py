"""The front page: a program learns before one's eyes, and four ways in."""

from typing import ClassVar

from flask import Blueprint, Response, request

from app.web import urls
from app.web.match import Match, next_step, read_step
from app.web.pages.parts.learning import Film, film_of
from app.web.pictures.minds import MindPicture, picture
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, current_site
from app.web.wording import BLOCKED, Character, characterise, first_opponent, first_puzzle

bp = Blueprint("front", __name__)
LEARNERS = ("q-learning-3", "q-table")  # to watch: their games end in every way
RANDOM_MOVES = 0.1  # of the moves of the two, so that no game is like the one before
CAST = ("q-learning-player", "q-table", "self-play")  # of each strength one


class FrontPage(Page, frozen=True):
    """What this is, to a visitor who has never heard of it."""

    template: ClassVar = "front/front.html"

    film: Film
    step: int  # the frame that is shown
    plays: bool  # whether the film begins by itself
    next_step: str  # the address of the next frame, after the last of the first
    name: str  # whose it is
    mind: MindPicture
    tiles: int  # how many there are
    watched: str  # where two learners play each other
    puzzle: int  # of the film's agent
    cast: list[tuple[str, str, Character]]  # name, title and character


@bp.get(urls.HOME)
def front() -> Response:
    """Show the front page."""
    site, step = current_site(), request.args.get("step", "")
    name = first_opponent(site)
    film = film_of(site, name, BLOCKED)
    frame = read_step(name, step, film.last, site)
    page = FrontPage(
        film=film,
        step=frame,
        plays=not step,
        next_step=urls.HOME.url(step=next_step(frame, film.last)),
        name=name,
        mind=picture(site, name, frame, moving=True),
        tiles=len(site.tiles.decision),
        watched=watched(site),
        puzzle=first_puzzle(site, name),
        cast=[
            (each, site.titles[each], characterise(site, each))
            for each in CAST
            if each in site.agents
        ],
    )
    return render_page(page)


def watched(site: SiteData) -> str:
    """Return where two learners play each other."""
    learned = [*site.agents]
    one, other = LEARNERS if {*LEARNERS} <= {*learned} else (learned[0], learned[-1])
    return urls.play(Match(x=one, o=other, lens=one, epsilon=RANDOM_MOVES, keep=True))
