"""How a match is taken along: a page, and what the play page shows of it where it is shared."""

from dataclasses import dataclass
from typing import ClassVar

from flask import Response, request

from app.web import addresses
from app.web.embed.frames import bp
from app.web.match import Place, parse
from app.web.respond import Page, respond
from app.web.take import Take, take_board, take_value
from app.web.world import world


@dataclass(frozen=True)
class TakePage(Page):
    """A match as files, in a frame, and as a citation."""

    template: ClassVar = "take.html"
    fragment: ClassVar = "_takes.html"

    takes: list[Take]
    back: str


@bp.get("/take/")
@bp.get("/take/<record>")
def take(record: str = "") -> Response:
    """Show how a match is taken along."""
    return respond(take_page(parse(record, request.args, world())))


def take_page(place: Place) -> TakePage:
    """Gather what the templates write down."""
    takes = [take_board(place)]
    if place.match.record and not place.match.hide:
        takes.append(take_value(place))
    return TakePage(takes, addresses.play(place.match))
