"""The front page: a program learns before one's eyes, and four ways in."""

from typing import ClassVar

from flask import Blueprint, Response, request

from app.web import addresses
from app.web.match import Match, read_step, step_after
from app.web.pages.parts.learning import Film, film_of
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond
from app.web.text import BLOCKED, Character, character, first_opponent, first_puzzle
from app.web.world import World, world

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


@bp.get(addresses.HOME)
def front() -> Response:
    """Show the front page."""
    there, step = world(), request.args.get("step", "")
    name = first_opponent(there)
    film = film_of(there, name, BLOCKED)
    frame = read_step(name, step, film.last, there)
    page = FrontPage(
        film=film,
        step=frame,
        plays=not step,
        next_step=addresses.HOME.to(step=step_after(frame, film.last)),
        name=name,
        mind=picture(there, name, frame, moving=True),
        tiles=len(there.tiles.decision),
        watched=watched(there),
        puzzle=first_puzzle(there, name),
        cast=[
            (each, there.titles[each], character(there, each))
            for each in CAST
            if each in there.agents
        ],
    )
    return respond(page)


def watched(world: World) -> str:
    """Return where two learners play each other."""
    learned = [*world.agents]
    one, other = LEARNERS if {*LEARNERS} <= {*learned} else (learned[0], learned[-1])
    return addresses.play(Match(x=one, o=other, lens=one, epsilon=RANDOM_MOVES, keep=True))
