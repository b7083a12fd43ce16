"""The exact figures of somebody's play, as pages write them."""

from typing import NamedTuple

from app.tictactoe.game import SEATS
from app.web.charts import Share, shares
from app.web.learning import opponent_title
from app.web.numbers import count
from app.web.world import World


class Result(NamedTuple):
    """How somebody does against one opponent, in each seat."""

    opponent: str
    by_seat: list[list[Share]]


class Figure(NamedTuple):
    """A figure that is no chance, and what it says."""

    name: str
    value: str
    meaning: str


def results(world: World, name: str) -> list[Result]:
    """List the chances against every baseline and against the best responder."""
    chances = world.judgement(name).chances
    return [
        Result(
            opponent_title(world, opponent),
            [shares(chances[opponent, seat]) for seat in SEATS],
        )
        for opponent in dict.fromkeys(opponent for opponent, _ in chances)
    ]


def figures(world: World, name: str) -> list[Figure]:
    """List the figures that are no chances, and are true of any play."""
    exact = world.figures(name)
    proofs = [
        Figure(
            f"Unbeatable as {seat.upper()}",
            "no" if world.losing(name, player) else "yes, proved",
            "whether nobody ever wins a game against it there",
        )
        for seat, player in SEATS.items()
    ]
    blunders = Figure(
        "Blunders",
        f"{count(exact.blunders[-1])} of {count(world.game.decisions)}",
        "positions in which it can blunder: make a move that gives away the value of the game",
    )
    met = [
        Figure(
            f"Blunders it can meet as {seat.upper()}",
            count(getattr(exact.reachable_blunders, seat)[-1]),
            "those positions that a game of its own can come to, whoever it plays",
        )
        for seat in SEATS
    ]
    nash_conv = Figure(
        "NashConv",
        f"{exact.nash_conv[-1]:.4g}",
        "what its best responders gain in both seats together: 0 for nothing, 2 at most",
    )
    return [*proofs, blunders, *met, nash_conv]
