"""Judge my agent: moves that an address names, judged exactly, and how they come there.

The few lines of Python that make a link of a player need nothing but Python.
"""

from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.tictactoe.arena import league
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.addresses import Offer
from app.web.match import against_person, parse
from app.web.numbers import count, listed, signed
from app.web.pages.parts import judgement
from app.web.pages.parts.export import Take, take_board
from app.web.pictures.curves import Share
from app.web.pictures.minds import KINDS, Kind, MindPicture, picture_of_play
from app.web.respond import Page, respond
from app.web.text import Character, character
from app.web.world import World, world

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


def ways(world: World, name: str) -> list[Offer]:
    """Offer the games that beat it, and to play it."""
    games = [
        Offer(
            f"The game that beats it as {MARKS[player]}",
            addresses.play(against_person(name, player, record).at(0)),
            id=f"beat-{seat}",
        )
        for seat, player in SEATS.items()
        if (record := world.losing(name, player)) is not None
    ]
    return [*games, *judgement.encounters(name)]


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
                score=signed(float(table.score[player])),
                judged=player == last,
            )
            for player in around
        ],
        href=addresses.ARENA.to(add=name),
    )


def diagnosis(world: World, name: str, cause: Cause) -> Diagnosis:
    """Say why it errs: a heading, the numbers that speak for it, and positions that show it."""
    words = {
        "number": count(cause.number),
        "of": count(cause.of),
        "random": f"random moves would in {count(round(cause.by_chance))}",
        "by_chance": count(round(cause.by_chance)),
        "seats": listed(
            [f"as {MARKS[seat]}" for seat in ([cause.seat] if cause.seat else SEATS.values())]
        ),
        "rule": cause.rule,
        "square": RULES.get(cause.rule, ""),
    }
    title, text = WORDS[cause.kind if cause.rule != "chance" else "chance"]
    exhibits = [judgement.shown(world, name, position) for position in cause.positions]
    return Diagnosis(title.format(**words), text.format(**words), exhibits)


SHOWN = 12  # blunders on the page


class JudgePage(Page, frozen=True):
    """How an agent is brought here."""

    template: ClassVar = "judge/judge.html"

    decisions: int
    snippet: str
    uses: list[tuple[str, str, str]]


class JudgedPage(Page, frozen=True):
    """A policy, judged."""

    template: ClassVar = "judge/judged.html"

    title: str
    moves: str  # their code
    character: Character
    sentence: str  # the verdict
    summary: str
    ways: list[Offer]
    reasons: list[Diagnosis]
    figures: list[judgement.Measure]
    results: dict[str, list[list[Share]]]
    mind: MindPicture
    kind: Kind  # how it is coloured
    arena: Arena
    blunders: judgement.Blunders
    verdicts: list[judgement.SeatVerdict]  # a seat each
    api: str
    take: Take  # how a board to play it leaves the site


@bp.get(addresses.JUDGE, strict_slashes=False)
def judge() -> Response:
    """Judge the moves in the address, or say how they come there."""
    text, there = request.args.get("moves", "").strip(), world()
    if not text:
        snippet = SNIPPET.replace("SITE", request.host_url.rstrip("/"))
        return respond(JudgePage(there.game.decisions, snippet, USES))
    code = text.rpartition("moves=")[2]  # a whole link, put into the form, is as good
    if code != request.args["moves"]:
        return redirect(addresses.judge(code), 303)
    name = judgement.known()
    mind = picture_of_play(there, name)
    page = JudgedPage(
        title=there.titles[name],
        moves=code,
        character=character(there, name),
        sentence=sentence(there, name),
        summary=summary(there, name),
        ways=ways(there, name),
        reasons=[diagnosis(there, name, cause) for cause in there.causes(name)],
        figures=judgement.figures(there, name),
        results=judgement.results(there, name),
        mind=mind,
        kind=KINDS[mind.kind],
        arena=arena(there, name),
        blunders=judgement.blunders(there, name, slice(SHOWN)),
        verdicts=[judgement.verdict(there, name, seat) for seat in SEATS],
        api=addresses.API_JUDGE.to(moves=code),
        take=take_board(parse("", {"o": name}, there)),
    )
    return respond(page)
