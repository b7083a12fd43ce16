"""What is exactly true of an agent as shipped, and where its page leads."""

from typing import NamedTuple

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.web.agents.curves import chances_against, opponent_title, opponents
from app.web.agents.outcomes import Share, shares
from app.web.match import Match, build
from app.web.numbers import count, percent
from app.web.players import HUMAN, Players, losing


class Links(NamedTuple):
    """Addresses of the play page with this agent."""

    as_x: str  # the visitor is X
    as_o: str
    watch: str
    through_training: str


class Result(NamedTuple):
    """How the agent does against one opponent, in each seat."""

    opponent: str
    by_seat: list[list[Share]]


class Figure(NamedTuple):
    """A figure that is no chance, and what it says."""

    name: str
    value: str
    meaning: str


def links(card: Card) -> Links:
    """Say where to meet an agent."""
    return Links(
        as_x=build(Match(o=card.id)),
        as_o=build(Match(x=card.id, o=HUMAN)),
        watch=build(Match(x=card.id, o=card.id)),
        through_training=build(Match(o=card.id, lens=card.id, step=0)),
    )


def results(players: Players, card: Card) -> list[Result]:
    """List the chances against every baseline and against the best responder."""
    return [
        Result(
            opponent_title(players, opponent),
            [shares(getattr(chances_against(card, opponent), seat)[-1]) for seat in SEATS],
        )
        for opponent in opponents(card)
    ]


def figures(players: Players, card: Card) -> list[Figure]:
    """List the figures that are no chances."""
    proofs = [
        Figure(
            f"Unbeatable as {seat.upper()}",
            "no" if losing(players, card.id, player) else "yes, proved",
            "whether nobody ever wins a game against it there",
        )
        for seat, player in SEATS.items()
    ]
    blunders = Figure(
        "Blunders",
        f"{count(card.figures.blunders[-1])} of {count(players.game.decisions)}",
        "positions in which it can blunder: make a move that gives away the value of the game",
    )
    met = [
        Figure(
            f"Blunders it can meet as {seat.upper()}",
            count(getattr(card.figures.reachable_blunders, seat)[-1]),
            "those positions that a game of its own can come to, whoever it plays",
        )
        for seat in SEATS
    ]
    nash_conv = Figure(
        "NashConv",
        f"{card.figures.nash_conv[-1]:.4g}",
        "what its best responders gain in both seats together: 0 for nothing, 2 at most",
    )
    right = Figure(
        "Values that fit the truth",
        f"{percent(card.figures.classes_right[-1])}%",
        "moves whose value is nearest to the result that they truly lead to, of all moves",
    )
    return [*proofs, blunders, *met, nash_conv, right]
