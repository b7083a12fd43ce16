"""The algorithms that made the agents, by the name on their cards."""

from typing import NamedTuple

from app.tictactoe.card import Card


class Algorithm(NamedTuple):
    """What the pages have to know of an algorithm."""

    section: str  # of /how, which explains it; app.web.why.rules has its updates by the same name
    iterations: str  # what a training consists of, in words that end before the opponent


ALGORITHMS = {
    "Q-iteration, sticky losses": Algorithm(
        "q-iteration", "sweeps over every move of every position, the opponent being"
    ),
    "Q-learning, games from random states": Algorithm(
        "q-learning", "games from random positions, against"
    ),
    "Q-learning, games from every state": Algorithm(
        "q-learning", "rounds of one game from each position, against"
    ),
    "Q-learning on afterstates up to symmetry, backward over each game": Algorithm(
        "afterstates", "games a seat, against"
    ),
    "Double Q-learning on afterstates up to symmetry, backward over each game": Algorithm(
        "double-q", "games a seat, against"
    ),
    "Q-learning in self-play, one table for both sides": Algorithm("self-play", "games against"),
    "Q-learning for uncertain worlds, in a league": Algorithm(
        "mitchell", "rounds with a game in each seat, against"
    ),
    "Deep Q-learning with guard rails": Algorithm("dqn", "epochs against"),
    "Self-play on afterstates up to symmetry, values from below and above": Algorithm(
        "champion", "games at most, until every afterstate has been seen, against"
    ),
}
UNKNOWN = Algorithm("", "iterations against")


def section(card: Card) -> str:
    """Return the section of /how for an agent's algorithm, "" for one that it does not know."""
    return ALGORITHMS.get(card.algorithm, UNKNOWN).section


def iterations(card: Card) -> str:
    """Say what an agent's training consists of, in words that end before the opponent."""
    return ALGORITHMS.get(card.algorithm, UNKNOWN).iterations
