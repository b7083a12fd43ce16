"""The proof that nobody beats an agent in a seat, as pages and a file show it."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from app.tictactoe.certificate import Certificate, certificate
from app.tictactoe.game import SEATS
from app.tictactoe.notation import DIGITS, position_text
from app.web.agents import address
from app.web.judgement.exhibits import Exhibit, Group, exhibit, groups
from app.web.lens import in_truth
from app.web.numbers import count
from app.web.players import Players


class Row(NamedTuple):
    """A line of a certificate, as text."""

    position: str
    moves: str
    value: str


class Proof(NamedTuple):
    """A certificate, or the beginning of it."""

    met: str  # in how many positions it can come to move
    listed: str  # how many are left up to symmetry
    href: str  # all of it
    csv: str
    groups: list[Group]


def proof(players: Players, name: str, seat: str, shown: int | None = None) -> Proof:
    """Lay out the first positions of a certificate, or all; the seat is one where it has one."""
    listed = _certificate(players, name, seat)
    whole = f"{address(name)}/certificate-{seat}"
    numbers = range(len(listed.position))[:shown]

    def move(number: int) -> str:
        ply = np.searchsorted(players.game.ply_start, listed.position[number], side="right") - 1
        return f"Its move {ply // 2 + 1}"

    return Proof(
        met=count(listed.met),
        listed=count(len(listed.position)),
        href=whole,
        csv=f"{whole}.csv",
        groups=groups(numbers, move, partial(_listed, players, name, seat)),
    )


def rows(players: Players, name: str, seat: str) -> list[Row]:
    """Write out a certificate: each position, the cells it may play, and the exact value."""
    listed = _certificate(players, name, seat)
    return [
        Row(
            position_text(players.game, position),
            " ".join(DIGITS[cell] for cell in np.flatnonzero(choice)),
            in_truth(players, position),
        )
        for position, choice in zip(listed.position.tolist(), listed.moves, strict=True)
    ]


@lru_cache(maxsize=8)
def _certificate(players: Players, name: str, seat: str) -> Certificate:
    return certificate(players.game, players.policies[name], SEATS[seat])


def _listed(players: Players, name: str, seat: str, number: int) -> Exhibit:
    """Show a position of a certificate with the agent's moves."""
    listed = _certificate(players, name, seat)
    position, choice = int(listed.position[number]), listed.moves[number]
    signs = {
        cell: "plays" if players.right[position, cell] else "blunder"
        for cell in np.flatnonzero(choice).tolist()
    }
    return exhibit(players, name, position, signs, in_truth(players, position))
