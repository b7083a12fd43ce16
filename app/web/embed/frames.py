"""Figures in frames on pages of others: small, without a header, with a link to the whole page.

Nothing else of the site may be framed: see `app.web.headers`.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from app.web import addresses
from app.web.addresses import IN_FRAME
from app.web.board_view import Board
from app.web.charts import Charts
from app.web.claims import Claim, known
from app.web.claims import claim as in_a_line
from app.web.embed.curve_picture import WIDTH, curve_picture, parse_curves
from app.web.figures.layout import lay_out
from app.web.figures.shapes import Layout
from app.web.figures.svg import inline
from app.web.figures.tables import Table, table
from app.web.film import Film, film_of_mind
from app.web.match import Match, Place, parse
from app.web.mind_picture import EXPECTS, Kind, Picture, kinds, parse_view, picture
from app.web.respond import Page, lead_to, respond
from app.web.scene import Bar, Way, scene
from app.web.steering import Auto, Links, replied
from app.web.world import World, world

bp = Blueprint("embed", __name__)
NARROW = 320  # pixels of a curve, where there is no room for its usual width


@dataclass(frozen=True)
class BoardFrame(Page):
    """A match where it stands, to be played on inside the frame."""

    template: ClassVar = "embed_board.html"
    fragment: ClassVar = "_embed_game.html"

    match: Match
    headline: str
    caption: str
    ways: list[Way]
    result: str
    status: str
    board: Board
    bar: Bar
    links: Links
    auto: Auto | None
    page: str  # the address of the whole page, as in every frame


class Sized(NamedTuple):
    """A picture by its address."""

    src: str
    width: int
    height: int


@dataclass(frozen=True)
class CurveFrame(Page):
    """How somebody learned, or several."""

    template: ClassVar = "embed_curve.html"

    title: str
    wide: Sized
    narrow: Sized
    label: str  # all of it in words
    charts: Charts
    page: str


@dataclass(frozen=True)
class MindFrame(Page):
    """An agent's mind, at a snapshot, with the film of its training."""

    template: ClassVar = "embed_mind.html"

    mind: Picture
    kind: Kind
    film: Film
    step: int
    next_step: str  # the address of the next frame of the film, after the last of the first
    page: str


@dataclass(frozen=True)
class ExperimentFrame(Page):
    """A figure of an experiment, and what came of its claim."""

    template: ClassVar = "embed_experiment.html"

    claim: Claim
    layout: Layout
    svg: Markup
    table: Table
    page: str


@bp.get("/embed/board/")
@bp.get("/embed/board/<record>")
def board(record: str = "") -> Response:
    """Show a position."""
    return respond(board_frame(parse(record, request.args, world())))


@bp.get("/embed/reply/")
@bp.get("/embed/reply/<record>")
def reply(record: str = "") -> AnyResponse:
    """Draw one move for whoever is to move: the board after it to htmx, to others where it is."""
    after = replied(parse(record, request.args, world()))
    address = addresses.embed_board(after.match)
    return lead_to(address, partial(board_frame, after), "Replace")  # the page around has its own


@bp.get("/embed/curve/<name>")
def curve(name: str) -> Response:
    """Show learning curves."""
    curves = parse_curves(world(), name, request.args)
    title = curves.take.title
    drawings = [curve_picture(curves.charts, title, width) for width in (WIDTH, NARROW)]
    wide, narrow = (
        Sized(curves.picture(drawing.width), drawing.width, drawing.height) for drawing in drawings
    )
    unlinked = [moment._replace(href="") for moment in curves.charts.moments]
    return respond(
        CurveFrame(
            title=title,
            wide=wide,
            narrow=narrow,
            label=drawings[0].label,
            charts=curves.charts._replace(moments=unlinked),
            page=curves.take.page,
        )
    )


@bp.get("/embed/mind/<name>")
def mind(name: str) -> Response:
    """Show an agent's mind."""
    return respond(mind_frame(world(), name, *parse_view(world(), name, request.args)))


@bp.get("/embed/experiment/<claim>")
def experiment(claim: str) -> Response:
    """Show a figure of an experiment."""
    summary = known(world(), claim)
    text = request.args.get("figure", "") or "1"
    last = len(summary.figures)
    if text not in map(str, range(1, last + 1)):
        raise BadRequest(f"figure={text} in the address is wrong: {claim} has 1 to {last}.")
    figure = summary.figures[int(text) - 1]
    layout = lay_out(figure, world(), summary.first_seed)
    return respond(
        ExperimentFrame(
            claim=in_a_line(summary),
            layout=layout,
            svg=inline(layout),
            table=table(figure, world(), summary.first_seed),
            page=addresses.experiment(summary.id),
        )
    )


def board_frame(place: Place) -> BoardFrame:
    """Gather what the templates write down."""
    shown = scene(place, IN_FRAME)
    return BoardFrame(
        match=place.match,
        headline=shown.says.headline,
        caption=shown.says.caption,
        ways=shown.says.ways,
        result=shown.result,
        status=shown.status,
        board=shown.board,
        bar=shown.bar,
        links=shown.links,
        auto=shown.auto,
        page=addresses.play(place.match),
    )


def mind_frame(world: World, name: str, step: int, colour: str) -> MindFrame:
    """Gather what the template writes down."""
    last, kind = world.last_step(name), "" if colour == EXPECTS else colour
    following = world.short_step(name, 0 if step == last else step + 1)
    return MindFrame(
        mind=picture(world, name, step, colour, moving=True),
        kind=kinds(world, name)[colour],
        film=film_of_mind(world, name),
        step=step,
        next_step=addresses.embed_mind(name, following, kind),
        page=addresses.mind(name, world.short_step(name, step), kind),
    )
