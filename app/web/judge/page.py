"""The judge: somebody's own table, read in the browser, and what is exactly true of its moves."""

from dataclasses import dataclass
from typing import ClassVar

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.game import SEATS
from app.web import addresses
from app.web.character import Character, character
from app.web.exact import Figure, Result, figures, results
from app.web.judge import verdict
from app.web.judge.snippet import USES, snippet
from app.web.judged import (
    Blunders,
    Verdict,
    blunders,
    blunders_page,
    certificate_file,
    certificate_page,
)
from app.web.judged import verdict as seat_verdict
from app.web.match import parse
from app.web.mind_picture import KINDS, Kind, Picture, picture_of_play
from app.web.numbers import count
from app.web.respond import Page, respond
from app.web.take import Take, take_board
from app.web.world import MOVES, World, world

bp = Blueprint("judge", __name__)
SHOWN = 12  # blunders on the page


@dataclass(frozen=True)
class JudgePage(Page):
    """How an agent is brought here."""

    template: ClassVar = "judge.html"

    decisions: str
    snippet: str
    uses: list[tuple[str, str, str]]


@dataclass(frozen=True)
class JudgedPage(Page):
    """Somebody's moves, judged."""

    template: ClassVar = "judged.html"

    title: str
    moves: str  # their code
    character: Character
    sentence: str  # the verdict
    summary: str
    ways: list[verdict.Way]
    reasons: list[verdict.Reason]
    figures: list[Figure]
    results: list[Result]
    mind: Picture
    kind: Kind  # how it is coloured
    arena: verdict.Arena
    blunders: Blunders
    verdicts: list[Verdict]  # a seat each
    api: str
    take: Take  # how a board to play it leaves the site


@bp.get("/judge", strict_slashes=False)
def judge() -> AnyResponse:
    """Judge the moves in the address, or say how they come there."""
    text = request.args.get("moves", "").strip()
    if not text:
        return respond(judge_page(world(), request.host_url.rstrip("/")))
    code = text.rpartition("moves=")[2]  # a whole link, put into the form, is as good
    if code != request.args["moves"]:
        return redirect(addresses.judge(code), 303)
    return respond(judged_page(world(), _known(world())))


@bp.get("/judge/blunders")
def atlas() -> Response:
    """Show all blunders of the moves in the address."""
    return respond(blunders_page(world(), _known(world()), request.args))


@bp.get("/judge/certificate-<any(x, o):seat>")
def certificate(seat: str) -> Response:
    """Show the whole proof that these moves cannot be beaten in a seat."""
    return respond(certificate_page(world(), _known(world()), seat, request.args))


@bp.get("/judge/certificate-<any(x, o):seat>.csv")
def proof_file(seat: str) -> Response:
    """Send such a proof as a file."""
    response = respond(certificate_file(world(), _known(world()), seat))
    response.headers["Content-Disposition"] = f'attachment; filename="judged-{seat}.csv"'
    return response


def judge_page(world: World, site: str) -> JudgePage:
    """Gather what the template writes down."""
    return JudgePage(count(world.game.decisions), snippet(site), USES)


def judged_page(world: World, name: str) -> JudgedPage:
    """Gather what the template writes down of somebody who is named by moves."""
    mind = picture_of_play(world, name)
    return JudgedPage(
        title=world.titles[name],
        moves=name.removeprefix(MOVES),
        character=character(world, name),
        sentence=verdict.sentence(world, name),
        summary=verdict.summary(world, name),
        ways=verdict.ways(world, name),
        reasons=verdict.reasons(world, name),
        figures=figures(world, name),
        results=results(world, name),
        mind=mind,
        kind=KINDS[mind.kind],
        arena=verdict.arena(world, name),
        blunders=blunders(world, name, slice(SHOWN)),
        verdicts=[seat_verdict(world, name, seat) for seat in SEATS],
        api=addresses.api_judge(name),
        take=take_board(parse("", {"o": name}, world)),
    )


def _known(world: World) -> str:
    """Return by what name the moves in the address go; raises BadRequest if they are none."""
    name = MOVES + request.args.get("moves", "")
    world.canonical(name)
    return name
