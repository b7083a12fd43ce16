"""Everybody's exact figures: of those who learned, as shipped, and of those who follow a rule."""

from functools import lru_cache, partial
from typing import NamedTuple

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances, blunders, chances_against, chances_at_worst
from app.web.agents import address
from app.web.algorithms import section
from app.web.match import Match, build
from app.web.players import Players, losing

OPPONENTS = ("random", "t-hand")
BEST_RESPONDER = "best-responder"  # as if it were one more opponent


class Training(NamedTuple):
    """How somebody came to be."""

    origin: str
    kind: str  # of its algorithm, without what is particular to it
    explained: str  # where the algorithm is
    games: int
    updates: int


class Standing(NamedTuple):
    """What is exactly true of somebody."""

    title: str
    href: str
    chances: dict[tuple[str, str], Chances]  # opponent, seat -> win, draw, loss from the own side
    blunders: int
    unbeatable: dict[str, bool]  # seat -> whether it is proved
    training: Training | None = None  # of those who learned


@lru_cache
def learned(players: Players) -> list[Standing]:
    """Judge every agent."""
    return [
        _judged(players, name, address(name))._replace(training=_training(agent.card))
        for name, agent in players.agents.items()
    ]


@lru_cache
def ruled(players: Players) -> list[Standing]:
    """Judge every baseline; its link is a game against it."""
    return [_judged(players, name, build(Match(o=name))) for name in BASELINES]


def _training(card: Card) -> Training:
    return Training(
        origin=card.origin,
        kind=card.algorithm.partition(",")[0],
        explained=f"/how#{where}" if (where := section(card)) else "",
        games=card.games,
        updates=card.updates,
    )


def _judged(players: Players, name: str, href: str) -> Standing:
    game, policy = players.game, players.policies[name]
    judges = {
        opponent: partial(chances_against, game, players.policies[opponent])
        for opponent in OPPONENTS
    } | {BEST_RESPONDER: partial(chances_at_worst, game)}
    return Standing(
        title=players.titles[name],
        href=href,
        chances={
            (opponent, seat): judge(policy, player)
            for opponent, judge in judges.items()
            for seat, player in SEATS.items()
        },
        blunders=int(blunders(game, policy).sum()),
        unbeatable={seat: losing(players, name, player) is None for seat, player in SEATS.items()},
    )
