"""Judge my agent: a table that is sent, or moves that a URL names, judged exactly.

All blunders and proofs of a policy are here too, be it an agent by its name or by such moves.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from flask import Blueprint, redirect, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from app.tables.options import DEFAULT, QUESTIONS, Options
from app.tables.reader import Reading
from app.tables.values import TableError
from app.tictactoe.arena import summarize_round_robin
from app.tictactoe.atlas import Certificate
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS
from app.tictactoe.notation import DIGITS, MARKS, format_position
from app.tictactoe.policy_codec import encode_moves
from app.web import urls
from app.web.facts import (
    build_atlas,
    build_certificate,
    find_causes,
    find_losing_game,
    play_round_robin,
)
from app.web.match import parse_match, read_integer
from app.web.move_values import describe_best_play
from app.web.pages.parts import judgement
from app.web.pages.parts.export import Take, numbers_file, take_board
from app.web.pages.parts.sent_table import LARGEST, read_sent_table
from app.web.pictures.curves import Share
from app.web.pictures.minds import KINDS, Kind, MindPicture, picture_of_play
from app.web.rendering import Page, render_page, wants_fragment
from app.web.site_data import MOVES, SiteData, current_site
from app.web.urls import Destination
from app.web.wording import Character, characterise

bp = Blueprint("judge", __name__)

NEIGHBOURS = 2  # players of the arena shown above the policy, and below it
SHOWN = 12  # blunders on the page
SHEET = 60  # pictures on a page of all of them


def standings(site: SiteData, name: str) -> list[tuple[str, int, float]]:
    """Place it among the players that are always there: those next to it, with rank and score."""
    names, table = (
        [*site.policies, name],
        summarize_round_robin(play_round_robin(site, name)),
    )
    order = np.argsort(-table.score, kind="stable").tolist()
    here = order.index(len(names) - 1)
    around = order[max(0, here - NEIGHBOURS) : here + NEIGHBOURS + 1]
    return [
        (names[player], int(table.rank[player]), table.score.item(player))
        for player in around
    ]


class JudgePage(Page, frozen=True):
    """The form for a table, and what was read of the table that was sent."""

    template: ClassVar = "judge/judge.html"
    fragment: ClassVar = ("outcome",)

    decisions: int
    questions: Mapping[str, tuple[str, Mapping[str, str]]]  # how a table may be read
    chosen: Options
    largest: int  # bytes of a table
    reading: Reading | None = None  # the reading of the table that was sent
    fault: str = ""  # why nothing of it could be read
    moves: str = ""  # the code of what it plays


class JudgedPage(Page, frozen=True):
    """A policy, judged."""

    template: ClassVar = "judge/judged.html"

    site: SiteData
    name: str
    moves: str  # code of the moves
    character: Character
    ways: list[Destination]  # links: games that beat the policy, and a game against it
    causes: list[
        tuple[Cause, list[judgement.Exhibit]]
    ]  # each cause with positions that show it
    results: dict[str, list[list[Share]]]
    mind: MindPicture
    kind: Kind  # the colouring of the tiles
    standings: list[
        tuple[str, int, float]
    ]  # its neighbours in the arena: a player, its rank and score
    blunders: judgement.Blunders
    verdicts: Mapping[
        str, judgement.LostGame | judgement.Proof
    ]  # seat -> a lost game or the proof
    take: Take  # how a board to play it leaves the site


class ListedPage(Page, frozen=True):
    """All blunders of a policy, or the whole proof that it cannot be beaten in a seat."""

    template: ClassVar = "judge/listed.html"

    name: str
    title: str  # title of the policy
    seat: str  # seat of the proof
    blunders: judgement.Blunders | None
    proof: judgement.Proof | None
    number: int  # number of the page, from 1
    shown: range  # which of all pictures it has
    pictures: int
    hrefs: list[str]  # URLs of all pages


@bp.get(urls.JUDGE, strict_slashes=False)
def judge() -> Response:
    """Judge the moves in the address, or say how they come there."""
    text, site = request.args.get("moves", "").strip(), current_site()
    if not text:
        return render_page(judge_page(site))
    code = text.rpartition("moves=")[2]  # a whole link, put into the form, is as good
    if code != request.args["moves"]:
        return redirect(urls.judge(code), 303)
    name = policy_named()
    mind, verdicts = picture_of_play(site, name), judgement.verdicts(site, name)
    page = JudgedPage(
        site=site,
        name=name,
        moves=code,
        character=characterise(site, name),
        ways=[
            Destination(
                f"The game that beats it as {seat.upper()}",
                lost.href,
                id=f"beat-{seat}",
            )
            for seat, lost in verdicts.items()
            if isinstance(lost, judgement.LostGame)
        ]
        + judgement.encounters(name),
        causes=[
            (
                cause,
                [
                    judgement.decision(site, name, position)
                    for position in cause.positions
                ],
            )
            for cause in find_causes(site, name)
        ],
        results=judgement.results(site, name),
        mind=mind,
        kind=KINDS[mind.kind],
        standings=standings(site, name),
        blunders=judgement.blunders(site, name, slice(SHOWN)),
        verdicts=verdicts,
        take=take_board(parse_match("", {"o": name}, site)),
    )
    return render_page(page)


@bp.post(urls.JUDGE, strict_slashes=False)
def judge_table() -> Response:
    """Read the table in the form, and redirect to its judgement.

    htmx gets the part of the page that says how the table was read.  So does everybody, with
    status 400, if a row cannot be read.
    """
    site = current_site()
    try:
        reading, options = read_sent_table(site)
    except TableError as error:
        response = render_page(judge_page(site, fault=str(error)))
        response.status_code = 400
    else:
        code = encode_moves(site.game, reading.choice)
        if not reading.unread and not wants_fragment():
            return redirect(urls.judge(code), 303)
        response = render_page(
            judge_page(site, chosen=options, reading=reading, moves=code)
        )
        response.status_code = 400 if reading.unread else 200
    response.headers |= NOT_KEPT | SHOWN_BY_HTMX
    return response


# htmx would show what has the status 400 as a notice.
SHOWN_BY_HTMX = {"HX-Retarget": "#outcome", "HX-Reswap": "innerHTML"}
NOT_KEPT = {"Cache-Control": "no-store"}


def judge_page(site: SiteData, chosen: Options = DEFAULT, **read: Any) -> JudgePage:
    """Return the page with the form; `read` are the fields about the table that was sent."""
    return JudgePage(site.game.decisions, QUESTIONS, chosen, LARGEST, **read)


@bp.get(urls.BLUNDERS)
@bp.get(urls.JUDGE_BLUNDERS)
def blunders(name: str = "") -> Response:
    """Show all blunders of a policy."""
    name, site = policy_named(name), current_site()
    shown, listed = _listed(
        name, len(build_atlas(site, name).row), partial(urls.blunders, name)
    )
    return render_page(
        listed(blunders=judgement.blunders(site, name, shown), proof=None, seat="")
    )


@bp.get(urls.CERTIFICATE)
@bp.get(urls.JUDGE_CERTIFICATE)
def certificate(seat: str, name: str = "") -> Response:
    """Show the whole proof that a policy cannot be beaten in a seat."""
    name, site = policy_named(name), current_site()
    positions = len(proved(site, name, seat).position)
    shown, listed = _listed(name, positions, partial(urls.certificate, name, seat))
    return render_page(
        listed(blunders=None, proof=judgement.proof(site, name, seat, shown), seat=seat)
    )


def _listed(
    name: str, pictures: int, address: Callable[[int], str]
) -> tuple[slice, Callable[..., ListedPage]]:
    """Return which of all pictures the page that is asked for has, and what else is on it."""
    pages = max(1, -(-pictures // SHEET))
    number = read_integer("page", request.args.get("page") or "1", 1, pages)
    shown = slice((number - 1) * SHEET, number * SHEET)
    page = partial(
        ListedPage,
        name=name,
        title=current_site().titles[name],
        number=number,
        shown=range(pictures)[shown],
        pictures=pictures,
        hrefs=[address(page) for page in range(1, pages + 1)],
    )
    return shown, page


@bp.get(urls.CERTIFICATE.extend(".csv"))
@bp.get(urls.JUDGE_CERTIFICATE.extend(".csv"))
def certificate_file(seat: str, name: str = "") -> Response:
    """Serve a proof as a file: each position, the cells that may be played, and the exact value."""
    site, certificate = current_site(), proved(current_site(), policy_named(name), seat)
    rows = (
        (
            format_position(site.game, position),
            " ".join(DIGITS[cell] for cell in np.flatnonzero(choice)),
            describe_best_play(site, position),
        )
        for position, choice in zip(
            certificate.position.tolist(), certificate.moves, strict=True
        )
    )
    return numbers_file(
        ("position", "moves", "value"), rows, f"{name or 'judged'}-{seat}"
    )


def policy_named(name: str = "") -> str:
    """Return who is judged: an agent by its name, or without one the moves in the address.

    Raises NotFound or BadRequest if there is none.
    """
    if name:
        current_site().learned(name)
        return name
    moves = MOVES + request.args.get("moves", "")
    current_site().canonical(moves)
    return moves


def proved(site: SiteData, name: str, seat: str) -> Certificate:
    """Return the proof of a policy in a seat; raises NotFound, with a lost game, if it has none."""
    record = find_losing_game(site, name, SEATS[seat])
    if record is not None:
        raise NotFound(
            f"{site.titles[name]} can be beaten as {MARKS[SEATS[seat]]}, so there is no "
            f"certificate: it loses the game {record}."
        )
    return build_certificate(site, name, seat)
