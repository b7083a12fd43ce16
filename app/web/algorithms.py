"""Which algorithm made an agent: the name on its card, and the section of /how that explains it."""

from app.tictactoe.card import Card

SECTIONS = {
    "Q-iteration, sticky losses": "q-iteration",
    "Q-learning, games from random states": "q-learning",
    "Q-learning, games from every state": "q-learning",
    "Q-learning on afterstates up to symmetry, backward over each game": "afterstates",
    "Double Q-learning on afterstates up to symmetry, backward over each game": "double-q",
    "Q-learning in self-play, one table for both sides": "self-play",
    "Q-learning for uncertain worlds, in a league": "mitchell",
    "Deep Q-learning with guard rails": "dqn",
    "Self-play on afterstates up to symmetry, values from below and above": "champion",
}


def section(card: Card) -> str:
    """Return the section of /how for an agent's algorithm, "" for one that it does not know."""
    return SECTIONS.get(card.algorithm, "")
