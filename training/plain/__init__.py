"""Every learner once more in plain Python, step by step, on boards as text.

Slow and independent on purpose: nothing here is numbered or compiled, and the rules are written
down again.  The tests hold the compiled learners to it update by update on the same random
numbers, and the story of a training is told by it.

Each learner is a generator of its updates: a board, its cells in reading order as X, O or '.', the
cell played, and the new value of the two.
"""

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

from app.recipes import Recipe
from training.plain.boards import Update
from training.plain.champion import champion
from training.plain.league import league
from training.plain.q_iteration import q_iteration
from training.plain.q_learning import q_learning
from training.plain.q_table import q_table
from training.plain.randomness import Random
from training.plain.self_play import self_play

LEARNERS: MappingProxyType[str, Callable[[Any, Random], Iterator[Update]]] = MappingProxyType(
    {
        "q-iteration": q_iteration,
        "q-learning": q_learning,
        "q-table": q_table,
        "double-q": q_table,
        "self-play": self_play,
        "league": league,
        "champion": champion,
    }
)


def learn(recipe: Recipe) -> Iterator[Update]:
    """Do what `training.learners.learn` does with a recipe, yielding each update."""
    return LEARNERS[recipe.slug](recipe, Random(recipe.seed))
