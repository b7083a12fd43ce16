"""What everybody would play in one position, and how it looks to a program."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Response, request
from msgspec.structs import replace
from werkzeug.exceptions import Conflict

from app.web import addresses
from app.web.comparison import comparison_of
from app.web.encodings import Encoding, encoded
from app.web.lens import can_blunder, opinion
from app.web.match import Place, parse
from app.web.play.page import bp
from app.web.respond import Page, respond
from app.web.words import NAMED, listed, short_name
from app.web.world import TRUTH, world


class Mind(NamedTuple):
    """What one lens would play."""

    id: str
    title: str
    href: str  # the board in its colours
    plays: str
    text: str  # what it expects of that; "" where nothing is known
    heat: int | None
    blunder: bool  # whether one of these moves gives something away


@dataclass(frozen=True)
class MindsPage(Page):
    """A position, seen by everybody."""

    template: ClassVar = "minds.html"
    fragment: ClassVar = "_minds.html"

    minds: list[Mind]
    encodings: list[Encoding]
    compare: str  # the address of the comparison of this position
    back: str


@bp.get("/minds/")
@bp.get("/minds/<record>")
def minds(record: str = "") -> Response:
    """Show what everybody would play in the position shown."""
    return respond(minds_page(parse(record, request.args, world())))


def minds_page(place: Place) -> MindsPage:
    """Gather what the templates write down.

    Raises Conflict where the game is over.
    """
    if place.over:
        raise Conflict(f"The game is over after {len(place.match.shown)} moves: nobody plays.")
    return MindsPage(
        minds=[_mind(place, name) for name in (TRUTH, *place.world.agents)],
        encodings=encoded(place.world.game, place.position),
        compare=addresses.compare(comparison_of(place)),
        back=addresses.play(place.match),
    )


def _mind(place: Place, name: str) -> Mind:
    view = opinion(place.world, place.position, name)
    first = view.plays[0]
    few = len(view.plays) <= NAMED
    names = listed([short_name(cell) for cell in view.plays], "or")
    return Mind(
        id=name,
        title=place.world.titles[name],
        href=addresses.play(replace(place.match, lens=name, step=None, train=False, hint=False)),
        plays="mostly " * view.draws + (names if few else f"any of {len(view.plays)}"),
        text=view.truths[first] if view.exact else view.texts[first],
        heat=view.heat[first] if view.known[first] else None,
        blunder=can_blunder(place, view),
    )
