"""The judge page: exact results of a table that is sent, or of moves in a URL.

The pages of all blunders and of the proofs of a policy are here too, for an agent's name or
for such moves.
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
from app.web.pages.parts.export import Export, export_board, numbers_file
from app.web.pages.parts.sent_table import LARGEST, read_sent_table
from app.web.pictures.curves import Share
from app.web.pictures.minds import KINDS, Kind, MindPicture, draw_policy_blunders
from app.web.rendering import Page, render_page, wants_fragment
from app.web.site_data import MOVES, SiteData, current_site
from app.web.urls import Destination
from app.web.wording import Character, describe_character

bp = Blueprint("judge", __name__)

NEIGHBOURS = 2  # players of the arena shown above the policy, and below it
SHOWN_BLUNDERS = 12  # limit for the blunders on the page
PICTURES_PER_PAGE = 60  # pictures on a page of a list


def list_standings(site: SiteData, name: str) -> list[tuple[str, int, float]]:
    """Return the neighbours of a policy in the arena, with rank and score."""
    names = [*site.policies, name]
    table = summarize_round_robin(play_round_robin(site, name))
    order = np.argsort(-table.score, kind="stable").tolist()
    here = order.index(len(names) - 1)
    around = order[max(0, here - NEIGHBOURS) : here + NEIGHBOURS + 1]
    return [
        (names[player], int(table.rank[player]), table.score.item(player))
        for player in around
    ]


class JudgePage(Page, frozen=True):
    """The form for a table, and the result of reading the table that was sent."""

    template: ClassVar = "judge/judge.html"
    fragment: ClassVar = ("outcome",)

    decisions: int
    # the options for reading a table
    questions: Mapping[str, tuple[str, Mapping[str, str]]]
    chosen: Options
    largest: int  # limit for the size of a table in bytes
    reading: Reading | None = None  # the table that was sent, as it was understood
    fault: str = ""  # the reason if nothing could be read
    moves: str = ""  # the code of the moves


class JudgedPage(Page, frozen=True):
    """The exact results of a policy."""

    template: ClassVar = "judge/judged.html"

    site: SiteData
    name: str
    moves: str  # code of the moves
    character: Character
    ways: list[Destination]  # links: games that beat the policy, and a game against it
    # each cause with positions that show it
    causes: list[tuple[Cause, list[judgement.Exhibit]]]
    results: dict[str, list[list[Share]]]
    mind: MindPicture
    kind: Kind  # the colouring of the tiles
    # its neighbours in the arena: a player, its rank and score
    standings: list[tuple[str, int, float]]
    blunders: judgement.Blunders
    # seat -> a lost game or the proof
    verdicts: Mapping[str, judgement.LostGame | judgement.Proof]
    take: Export  # the export of a board to play against it


class ListedPage(Page, frozen=True):
    """All blunders of a policy, or the whole proof that it cannot be beaten in a seat."""

    template: ClassVar = "judge/listed.html"

    name: str
    title: str  # title of the policy
    seat: str  # seat of the proof
    blunders: judgement.Blunders | None
    proof: judgement.Proof | None
    number: int  # number of the page, from 1
    shown: range  # range of the pictures on this page
    pictures: int
    hrefs: list[str]  # URLs of all pages


@bp.get(urls.JUDGE, strict_slashes=False)
def show_judge() -> Response:
    """Show the results of the moves in the URL, or the form."""
    text = request.args.get("moves", "").strip()
    site = current_site()
    if not text:
        return render_page(build_judge_page(site))
    code = text.rpartition("moves=")[2]  # the form accepts a whole link too
    if code != request.args["moves"]:
        return redirect(urls.judge(code), 303)
    name = get_judged_policy()
    mind = draw_policy_blunders(site, name)
    verdicts = judgement.judge_seats(site, name)
    page = JudgedPage(
        site=site,
        name=name,
        moves=code,
        character=describe_character(site, name),
        ways=[
            Destination(
                f"The game that beats it as {seat.upper()}",
                lost.href,
                id=f"beat-{seat}",
            )
            for seat, lost in verdicts.items()
            if isinstance(lost, judgement.LostGame)
        ]
        + judgement.list_encounters(name),
        causes=[
            (
                cause,
                [
                    judgement.show_decision(site, name, position)
                    for position in cause.positions
                ],
            )
            for cause in find_causes(site, name)
        ],
        results=judgement.list_results(site, name),
        mind=mind,
        kind=KINDS[mind.kind],
        standings=list_standings(site, name),
        blunders=judgement.show_blunders(site, name, slice(SHOWN_BLUNDERS)),
        verdicts=verdicts,
        take=export_board(parse_match("", {"o": name}, site)),
    )
    return render_page(page)


@bp.post(urls.JUDGE, strict_slashes=False)
def judge_table() -> Response:
    """Read the table in the form, and redirect to its results.

    htmx receives the block of the page on how the table was read. If a row cannot be read,
    every client receives it, with status 400.
    """
    site = current_site()
    try:
        reading, options = read_sent_table(site)
    except TableError as error:
        response = render_page(build_judge_page(site, fault=str(error)))
        response.status_code = 400
    else:
        code = encode_moves(site.game, reading.choice)
        if not reading.unread and not wants_fragment():
            return redirect(urls.judge(code), 303)
        response = render_page(
            build_judge_page(site, chosen=options, reading=reading, moves=code)
        )
        response.status_code = 400 if reading.unread else 200
    response.headers |= NO_STORE | SHOWN_BY_HTMX
    return response


# Without these headers htmx shows a response with status 400 as a notice.
SHOWN_BY_HTMX = {"HX-Retarget": "#outcome", "HX-Reswap": "innerHTML"}
NO_STORE = {"Cache-Control": "no-store"}


def build_judge_page(
    site: SiteData, chosen: Options = DEFAULT, **read: Any
) -> JudgePage:
    """Return the page with the form; `read` are the fields about the table that was sent."""
    return JudgePage(site.game.decisions, QUESTIONS, chosen, LARGEST, **read)


@bp.get(urls.BLUNDERS)
@bp.get(urls.JUDGE_BLUNDERS)
def show_blunders(name: str = "") -> Response:
    """Show all blunders of a policy."""
    name = get_judged_policy(name)
    site = current_site()
    shown, listed = _build_list_page(
        name, len(build_atlas(site, name).row), partial(urls.blunders, name)
    )
    return render_page(
        listed(blunders=judgement.show_blunders(site, name, shown), proof=None, seat="")
    )


@bp.get(urls.CERTIFICATE)
@bp.get(urls.JUDGE_CERTIFICATE)
def show_certificate(seat: str, name: str = "") -> Response:
    """Show the whole proof that a policy cannot be beaten in a seat."""
    name = get_judged_policy(name)
    site = current_site()
    positions = len(get_certificate(site, name, seat).position)
    shown, listed = _build_list_page(
        name, positions, partial(urls.certificate, name, seat)
    )
    return render_page(
        listed(
            blunders=None,
            proof=judgement.show_proof(site, name, seat, shown),
            seat=seat,
        )
    )


def _build_list_page(
    name: str, pictures: int, address: Callable[[int], str]
) -> tuple[slice, Callable[..., ListedPage]]:
    """Return the range of pictures on the requested page, and a function that builds the page."""
    pages = max(1, -(-pictures // PICTURES_PER_PAGE))
    number = read_integer("page", request.args.get("page") or "1", 1, pages)
    shown = slice((number - 1) * PICTURES_PER_PAGE, number * PICTURES_PER_PAGE)
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
def download_certificate(seat: str, name: str = "") -> Response:
    """Return a proof as CSV: each position, the cells that may be played, and the exact value."""
    site = current_site()
    certificate = get_certificate(current_site(), get_judged_policy(name), seat)
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


def get_judged_policy(name: str = "") -> str:
    """Return the name of the judged policy: an agent's, or the name for the moves in the URL.

    Raises NotFound or BadRequest if there is neither.
    """
    if name:
        current_site().get_agent(name)
        return name
    moves = MOVES + request.args.get("moves", "")
    current_site().canonicalize(moves)
    return moves


def get_certificate(site: SiteData, name: str, seat: str) -> Certificate:
    """Return the proof of a policy in a seat; raises NotFound, with a lost game, if it has none."""
    record = find_losing_game(site, name, SEATS[seat])
    if record is not None:
        raise NotFound(
            f"{site.titles[name]} can be beaten as {MARKS[SEATS[seat]]}, so there is no "
            f"certificate: it loses the game {record}."
        )
    return build_certificate(site, name, seat)
