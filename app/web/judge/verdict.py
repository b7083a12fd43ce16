"""What there is to say of somebody's moves: the verdict in a sentence, and why they err."""

from typing import NamedTuple

import numpy as np

from app.tictactoe.arena import league
from app.tictactoe.causes import Cause
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.character import strength
from app.web.judged import Exhibit, shown
from app.web.match import Match, against_person
from app.web.numbers import count, signed
from app.web.words import listed
from app.web.world import HUMAN, World

RULES = {
    "any": "any empty square",
    "first": "the first empty square in reading order",
    "last": "the last empty square in reading order",
}
WORDS = {
    "chance": (
        "Never trained {seats}",
        "Of {of} positions that it meets {seats}, and in which a move can give something away, it "
        "does so in {number}; {random}. That is no better than chance.",
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
        "{number} of its {of} blunders, up to symmetry, it does not make when the same position is "
        "turned or mirrored. A table that knows no symmetry has to learn each image by itself.",
    ),
    "unreachable": (
        "It errs only where it never comes",
        "None of its {of} blunders is in a position that a game of its own comes to, whoever it "
        "plays. They count only where somebody puts it there.",
    ),
}  # of each kind of cause: a heading, and what the numbers say
NEIGHBOURS = 2  # of the arena, above and below


class Way(NamedTuple):
    """Where to go from the verdict."""

    id: str
    label: str
    href: str


class Reason(NamedTuple):
    """A likely cause in words, and positions that show it."""

    title: str
    text: str
    exhibits: list[Exhibit]


class Standing(NamedTuple):
    """Somebody's place in the arena."""

    rank: int
    title: str
    href: str  # "" for one who never learned
    strength: str
    score: str
    judged: bool  # whether it is the one that the page is about


class Arena(NamedTuple):
    """The place among everybody, with those next to it."""

    rank: str
    players: str
    standings: list[Standing]
    href: str


def sentence(world: World, name: str) -> str:
    """Say first whether anybody can beat it."""
    safe = [MARKS[player] for player in SEATS.values() if world.losing(name, player) is None]
    if len(safe) == len(SEATS):
        return "Unbeatable, proved: no line of play beats it, as X or as O."
    if not safe:
        return "It can be beaten in both seats: here are the games."
    (beaten,) = {MARKS[player] for player in SEATS.values()} - {*safe}
    return f"Unbeatable as {safe[0]}, proved. As {beaten} this game beats it."


def summary(world: World, name: str) -> str:
    """Say how often it errs."""
    exact = world.figures(name)
    number, met = exact.blunders[-1], exact.reachable_blunders
    if not number:
        return "It has no blunder: in every position its moves keep what the position is worth."
    return (
        f"It blunders in {count(number)} of {count(world.game.decisions)} positions; "
        f"games of its own come to {count(met.x[-1] + met.o[-1])} of these."
    )


def ways(world: World, name: str) -> list[Way]:
    """Offer the games that beat it, and to play it."""
    games = [
        Way(
            f"beat-{seat}",
            f"The game that beats it as {MARKS[player]}",
            addresses.play(against_person(name, player, record).at(0)),
        )
        for seat, player in SEATS.items()
        if (record := world.losing(name, player)) is not None
    ]
    return [
        *games,
        Way("play-x", "Play X against it", addresses.play(Match(o=name))),
        Way("play-o", "Play O", addresses.play(Match(x=name, o=HUMAN))),
        Way("watch", "Watch it play itself", addresses.play(Match(x=name, o=name))),
    ]


def reasons(world: World, name: str) -> list[Reason]:
    """Say why it errs, as far as the moves tell."""
    return [_reason(world, name, cause) for cause in world.causes(name)]


def arena(world: World, name: str) -> Arena:
    """Find its place among everybody who is always there."""
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
            Standing(
                rank=int(table.rank[player]),
                title=world.titles[names[player]],
                href=addresses.agent(names[player]) if names[player] in world.agents else "",
                strength=strength(world, names[player]),
                score=signed(float(table.score[player])),
                judged=player == last,
            )
            for player in around
        ],
        href=addresses.arena(add=name),
    )


def _reason(world: World, name: str, cause: Cause) -> Reason:
    title, text = _words(cause)
    exhibits = [shown(world, name, position) for position in cause.positions]
    return Reason(title, text, exhibits)


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
