"""The front page: a program learns before one's eyes, and four ways in."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.web import addresses
from app.web.language import gettext
from app.web.match import Match, read_step, step_after
from app.web.numbers import count
from app.web.pages.parts.film import Film, film_of
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond
from app.web.text import BLOCKED, STOPS, Character, character, first_opponent, first_puzzle
from app.web.world import World, world

bp = Blueprint("front", __name__)
LEARNERS = ("q-learning-3", "q-table")  # to watch: their games end in every way
RANDOM_MOVES = 0.1  # of the moves of the two, so that no game is like the one before
CAST = ("q-learning-player", "q-table", "self-play")  # of each strength one


class Entrance(NamedTuple):
    """One of the ways in."""

    id: str
    title: str
    line: str
    href: str


class Member(NamedTuple):
    """An agent on a card."""

    title: str
    href: str
    character: Character


@dataclass(frozen=True)
class FrontPage(Page):
    """What this is, to a visitor who has never heard of it."""

    template: ClassVar = "front/front.html"

    film: Film
    step: int  # the frame that is shown
    plays: bool  # whether the film begins by itself
    next_step: str  # the address of the next frame, after the last of the first
    mind: MindPicture
    mind_href: str
    tiles: str  # how many there are
    ways: list[Entrance]
    lesson: str
    cast: list[Member]


@bp.get(addresses.HOME)
def front() -> Response:
    """Show the front page."""
    return respond(front_page(world(), request.args.get("step", "")))


def front_page(world: World, step: str) -> FrontPage:
    """Gather what the template writes down; `step` is as the address has it.

    Raises BadRequest with a sentence if there is no such step.
    """
    name = first_opponent(world)
    film = film_of(world, name, BLOCKED)
    frame = read_step(name, step, film.last, world)
    return FrontPage(
        film=film,
        step=frame,
        plays=not step,
        next_step=addresses.HOME.to(step=step_after(frame, film.last)),
        mind=picture(world, name, frame, moving=True),
        mind_href=addresses.mind(name),
        tiles=count(len(world.tiles.decision)),
        ways=ways(world),
        lesson=addresses.how(STOPS[0].slug),
        cast=[
            Member(world.titles[each], addresses.agent(each), character(world, each))
            for each in CAST
            if each in world.agents
        ],
    )


def ways(world: World) -> list[Entrance]:
    """Lead into one task each: play whom the film shows, watch, find its mistake, teach another."""
    learned = [*world.agents]
    one, other = LEARNERS if {*LEARNERS} <= {*learned} else (learned[0], learned[-1])
    watched = Match(x=one, o=other, lens=one, epsilon=RANDOM_MOVES, keep=True)
    opponent = first_opponent(world)
    return [
        Entrance(
            "way-play",
            gettext("Play it"),
            gettext("It shows what it expects of every square. You can beat it."),
            addresses.play_against(opponent),
        ),
        Entrance(
            "way-watch",
            gettext("Watch two learners"),
            gettext("They play each other, one move in ten at random."),
            addresses.play(watched),
        ),
        Entrance(
            "way-mistake",
            gettext("Find its mistake"),
            gettext("It is about to go wrong. Can you tell where?"),
            addresses.puzzle(first_puzzle(world, opponent)),
        ),
        Entrance(
            "way-teach",
            gettext("Teach one yourself"),
            gettext("It begins with nothing, and learns from your games."),
            addresses.TEACH,
        ),
    ]
