"""A position out of an agent's play, as a small picture that leads to it on the play page."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from app.tictactoe.game import X
from app.tictactoe.own_play import own_records
from app.web.match import Match, build
from app.web.players import HUMAN, Players
from app.web.small_board import SmallBoard, small_board


class Exhibit(NamedTuple):
    """A picture with where it leads and what there is to say of it."""

    board: SmallBoard
    href: str
    title: str
    notes: list[str]
    blunder: bool = False


class Group(NamedTuple):
    """Pictures under one heading."""

    title: str
    exhibits: list[Exhibit]


def groups(
    numbers: Iterable[int], title: Callable[[int], str], show: Callable[[int], Exhibit]
) -> list[Group]:
    """Put what follows each other under one title into one group."""
    return [Group(name, [show(number) for number in of]) for name, of in groupby(numbers, title)]


def exhibit(
    players: Players, name: str, position: int, signs: Mapping[int, str], title: str, *notes: str
) -> Exhibit:
    """Show a decision in which an agent is to move; `signs` as in `small_board`.

    It leads there by a game of the agent's own, if it has one, and waits before its move.
    """
    seat = int(players.game.to_move[position])
    anybody = _own_records(players, "random", seat)[position]
    record = _own_records(players, name, seat).get(position, anybody)
    href = build(replace(seated(name, seat, record), pause=True))
    return Exhibit(small_board(players.game, position, signs), href, title, list(notes))


def seated(name: str, seat: int, record: str) -> Match:
    """Return the game of an agent in a seat (+1 X, -1 O) against a person."""
    x, o = (name, HUMAN) if seat == X else (HUMAN, name)
    return Match(record, x=x, o=o)


@lru_cache(maxsize=8)
def _own_records(players: Players, name: str, seat: int) -> dict[int, str]:
    return own_records(players.game, players.policies[name], seat)
