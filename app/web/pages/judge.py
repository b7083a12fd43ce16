"""Judge my agent: moves that an address names, judged exactly, and how they come there.

The few lines of Python that make a link of a player need nothing but Python.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.arena import league
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.match import Match, against_person, parse
from app.web.numbers import count, listed, signed
from app.web.pages.parts import judgement
from app.web.pages.parts.export import Take, take_board
from app.web.pictures.minds import KINDS, Kind, MindPicture, picture_of_play
from app.web.respond import Page, respond
from app.web.text import Character, character, strength
from app.web.world import HUMAN, MOVES, World, world

bp = Blueprint("judge", __name__)

SNIPPET = '''\
import base64

def link(play):
    """play(board, player) gives a move 0-8, or several; board: 9 numbers, 1 X, -1 O, 0 empty."""
    lines = (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)
    boards, bits = {(0,) * 9}, ""
    for player in (1, -1) * 4 + (1,):
        for board in sorted(boards, key=lambda b: [stone % 3 for stone in b]):
            moves = play(board, player)
            moves = {*moves} if hasattr(moves, "__iter__") else {int(moves)}
            bits += "".join("01"[cell in moves] for cell in range(9) if not board[cell])
        after = {b[:c] + (player,) + b[c + 1:] for b in boards for c in range(9) if not b[c]}
        boards = {b for b in after if not any(b[i] == b[j] == b[k] != 0 for i, j, k in lines)}
    code = base64.urlsafe_b64encode(int(bits + "0", 2).to_bytes(len(bits) // 8 + 1, "big"))
    return "SITE/judge?moves=" + code.decode().rstrip("=")
'''
USES = [
    (
        "a dict of dicts",
        "link(lambda board, player: max(q[board], key=q[board].get))",
        "q[board] = {move: value}",
    ),
    (
        "an array by base-3 number",
        "link(lambda b, player: max((c for c in range(9) if b[c] == 0),\n"
        "                           key=q[int(''.join(str(s % 3) for s in b), 3)].__getitem__))",
        "q of shape (19683, 9)",
    ),
    (
        "one's own side as 1",
        "link(lambda board, player: my_move([stone * player for stone in board]))",
        "a function of the board that the mover sees",
    ),
]  # of what, the line, what it stands for


def snippet(site: str) -> str:
    """Return the lines with the address of this site in them."""
    return SNIPPET.replace("SITE", site)


RULES = {
    "any": "any empty square",
    "first": "the first empty square in reading order",
    "last": "the last empty square in reading order",
}
WORDS = {
    "chance": (
        "Never trained {seats}",
        "Of {of} positions that it meets {seats}, and in which a move can be a blunder, it "
        "blunders in {number}; {random}. That is no better than chance.",
    ),
    "untrained": (
        "Never trained {seats}",
        "In {number} of {of} positions {seats} it plays {square}, which is what comes out of a "
        "table in which nothing was ever written.",
    ),
    "other-side": (
        "Its values {seats} are in the other side's view",
        "In {number} of {of} positions that it meets {seats}, and in which moves differ in worth, "
        "it plays one that is worst for it; {random}. So it takes the highest value where the "
        "lowest is best for it.",
    ),
    "first-cell": (
        "Always the {rule} cell on ties",
        "{number} of its {of} blunders are on {square}; random moves would make {by_chance} of "
        "them there. Where values are equal, as where nothing was learned, it falls back on the "
        "{rule} cell.",
    ),
    "no-block": (
        "Never learned to block",
        "In {number} of {of} positions that it meets, and in which one square stops the other "
        "side's line, it lets it through; {random}.",
    ),
    "images": (
        "Plays one position in different ways",
        "{number} of its {of} blunders, up to symmetry, it does not make in every symmetric "
        "position. A table without symmetries has to learn each of them by itself.",
    ),
    "unreachable": (
        "It blunders only where it never comes",
        "None of its {of} blunders is in a position that can be reached with its own policy. They "
        "count only in games that begin there.",
    ),
}  # of each kind of cause: a heading, and what the numbers say
NEIGHBOURS = 2  # of the arena, above and below


class Destination(NamedTuple):
    """Where to go from the verdict."""

    id: str
    label: str
    href: str


class Diagnosis(NamedTuple):
    """A likely cause in words, and positions that show it."""

    title: str
    text: str
    exhibits: list[judgement.Exhibit]


class Neighbour(NamedTuple):
    """A player's place in the arena."""

    rank: int
    title: str
    href: str  # "" for one who never learned
    strength: str
    score: str
    judged: bool  # whether it is the one that the page is about


class Arena(NamedTuple):
    """The place among all players, with those next to it."""

    rank: str
    players: str
    standings: list[Neighbour]
    href: str


def sentence(world: World, name: str) -> str:
    """Say first whether it can be beaten."""
    safe = [MARKS[player] for player in SEATS.values() if world.losing(name, player) is None]
    if len(safe) == len(SEATS):
        return "Unbeatable, proved: no opponent can win, as X or as O."
    if not safe:
        return "It can be beaten in both seats: here are the games."
    (beaten,) = {MARKS[player] for player in SEATS.values()} - {*safe}
    return f"Unbeatable as {safe[0]}, proved. As {beaten} this game beats it."


def summary(world: World, name: str) -> str:
    """Say how often it errs."""
    exact = world.figures(name)
    number, met = exact.blunders[-1], exact.reachable_blunders
    if not number:
        return "It has no blunder: in every position its moves keep the minimax value."
    return (
        f"It blunders in {count(number)} of {count(world.game.decisions)} positions; "
        f"games of its own come to {count(met.x[-1] + met.o[-1])} of these."
    )


def ways(world: World, name: str) -> list[Destination]:
    """Offer the games that beat it, and to play it."""
    games = [
        Destination(
            f"beat-{seat}",
            f"The game that beats it as {MARKS[player]}",
            addresses.play(against_person(name, player, record).at(0)),
        )
        for seat, player in SEATS.items()
        if (record := world.losing(name, player)) is not None
    ]
    return [
        *games,
        Destination("play-x", "Play X against it", addresses.play(Match(o=name))),
        Destination("play-o", "Play O", addresses.play(Match(x=name, o=HUMAN))),
        Destination("watch", "Watch it play itself", addresses.play(Match(x=name, o=name))),
    ]


def reasons(world: World, name: str) -> list[Diagnosis]:
    """Say why it errs, as far as the moves tell."""
    return [_reason(world, name, cause) for cause in world.causes(name)]


def arena(world: World, name: str) -> Arena:
    """Find its place among the players that are always there."""
    names = [*world.policies, name]
    table = league(world.round_robin(name))
    order = np.argsort(-table.score, kind="stable").tolist()
    last = len(names) - 1
    here = order.index(last)
    around = order[max(0, here - NEIGHBOURS) : here + NEIGHBOURS + 1]
    return Arena(
        rank=count(int(table.rank[last])),
        players=count(len(names)),
        standings=[
            Neighbour(
                rank=int(table.rank[player]),
                title=world.titles[names[player]],
                href=addresses.agent(names[player]) if world.agents.knows(names[player]) else "",
                strength=strength(world, names[player]),
                score=signed(float(table.score[player])),
                judged=player == last,
            )
            for player in around
        ],
        href=addresses.ARENA.to(add=name),
    )


def _reason(world: World, name: str, cause: Cause) -> Diagnosis:
    title, text = _words(cause)
    exhibits = [judgement.shown(world, name, position) for position in cause.positions]
    return Diagnosis(title, text, exhibits)


def _words(cause: Cause) -> tuple[str, str]:
    """Return a heading for a cause, and the numbers that speak for it."""
    kind = cause.kind if cause.rule != "chance" else "chance"
    words = {
        "number": count(cause.number),
        "of": count(cause.of),
        "random": f"random moves would in {count(round(cause.by_chance))}",
        "by_chance": count(round(cause.by_chance)),
        "seats": listed(
            [f"as {MARKS[seat]}" for seat in ([cause.seat] if cause.seat else (1, -1))]
        ),
        "rule": cause.rule,
        "square": RULES.get(cause.rule, ""),
    }
    title, text = WORDS[kind]
    return title.format(**words), text.format(**words)


SHOWN = 12  # blunders on the page


@dataclass(frozen=True)
class JudgePage(Page):
    """How an agent is brought here."""

    template: ClassVar = "judge/judge.html"

    decisions: str
    snippet: str
    uses: list[tuple[str, str, str]]


@dataclass(frozen=True)
class JudgedPage(Page):
    """A policy, judged."""

    template: ClassVar = "judge/judged.html"

    title: str
    moves: str  # their code
    character: Character
    sentence: str  # the verdict
    summary: str
    ways: list[Destination]
    reasons: list[Diagnosis]
    figures: list[judgement.Measure]
    results: list[judgement.Result]
    mind: MindPicture
    kind: Kind  # how it is coloured
    arena: Arena
    blunders: judgement.Blunders
    verdicts: list[judgement.SeatVerdict]  # a seat each
    api: str
    take: Take  # how a board to play it leaves the site


@bp.get(addresses.JUDGE, strict_slashes=False)
def judge() -> AnyResponse:
    """Judge the moves in the address, or say how they come there."""
    text = request.args.get("moves", "").strip()
    if not text:
        return respond(judge_page(world(), request.host_url.rstrip("/")))
    code = text.rpartition("moves=")[2]  # a whole link, put into the form, is as good
    if code != request.args["moves"]:
        return redirect(addresses.judge(code), 303)
    return respond(judged_page(world(), _known(world())))


@bp.get(addresses.JUDGE_BLUNDERS)
def atlas() -> Response:
    """Show all blunders of the moves in the address."""
    return respond(judgement.blunders_page(world(), _known(world()), request.args))


@bp.get(addresses.JUDGE_CERTIFICATE)
def certificate(seat: str) -> Response:
    """Show the whole proof that these moves cannot be beaten in a seat."""
    return respond(judgement.certificate_page(world(), _known(world()), seat, request.args))


@bp.get(f"{addresses.JUDGE_CERTIFICATE}.csv")
def proof_file(seat: str) -> Response:
    """Send such a proof as a file."""
    response = respond(judgement.certificate_file(world(), _known(world()), seat))
    response.headers["Content-Disposition"] = f'attachment; filename="judged-{seat}.csv"'
    return response


def judge_page(world: World, site: str) -> JudgePage:
    """Gather what the template writes down."""
    return JudgePage(count(world.game.decisions), snippet(site), USES)


def judged_page(world: World, name: str) -> JudgedPage:
    """Gather what the template writes down of a policy that is named by its moves."""
    mind = picture_of_play(world, name)
    return JudgedPage(
        title=world.titles[name],
        moves=name.removeprefix(MOVES),
        character=character(world, name),
        sentence=sentence(world, name),
        summary=summary(world, name),
        ways=ways(world, name),
        reasons=reasons(world, name),
        figures=judgement.figures(world, name),
        results=judgement.results(world, name),
        mind=mind,
        kind=KINDS[mind.kind],
        arena=arena(world, name),
        blunders=judgement.blunders(world, name, slice(SHOWN)),
        verdicts=[judgement.verdict(world, name, seat) for seat in SEATS],
        api=addresses.API_JUDGE.to(moves=name.removeprefix(MOVES)),
        take=take_board(parse("", {"o": name}, world)),
    )


def _known(world: World) -> str:
    """Return by what name the moves in the address go; raises BadRequest if they are none."""
    name = MOVES + request.args.get("moves", "")
    world.canonical(name)
    return name
