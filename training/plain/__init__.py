"""Every learner once more in plain Python, step by step, on boards as text.

Slow on purpose: no learner here knows of numbers or is compiled; the game tells it how a board
ends, and an opponent what it answers.  The tests hold the compiled learners to it update by update
on the same random numbers, and the story of a training is told by it.

Each learner is a generator of its updates: a board, its cells in reading order as X, O or '.', the
cell played, and the new value of the two.
"""

from collections.abc import Callable, Hashable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from app.recipes import ALGORITHMS, Recipe
from app.recipes.algorithms import Champion, Menace, QTable, TdAfterstates
from app.tictactoe.game import Game
from training.plain.boards import Update, move, standing, standing_pair
from training.plain.champion import Memory
from training.plain.menace import Boxes
from training.plain.q_table import key_of as q_table_key
from training.plain.randomness import Random
from training.plain.td_afterstates import Afterstates
from training.plain.td_afterstates import key_of as afterstate_key

Learner = Callable[[Game, Any, Random], Iterator[Update]]


def _learner(algorithm: type[Recipe]) -> Learner:
    """Return the function of the name of its module: the algorithm's own or an ancestor's."""
    names = (slug.replace("-", "_") for slug in algorithm.lineage())
    name = next(name for name in names if find_spec(f"{__name__}.{name}"))
    learner: Learner = getattr(import_module(f"{__name__}.{name}"), name)
    return learner


LEARNERS = MappingProxyType(
    {
        slug: _learner(algorithm)
        for slug, algorithm in ALGORITHMS.items()
        if not algorithm.is_network
    }
)


def key_of(game: Game, recipe: Recipe, board: str, cell: int) -> Hashable:
    """Return what a move shares its value with: itself, or all that are the same to its learner."""
    if isinstance(recipe, QTable):
        return q_table_key(game, recipe, board, cell)
    if isinstance(recipe, TdAfterstates):
        return afterstate_key(game, recipe, move(board, cell))
    if isinstance(recipe, Menace):
        return standing_pair(game, board, cell)
    if isinstance(recipe, Champion):
        return standing(game, move(board, cell))
    return board, cell


def at_first(game: Game, recipe: Recipe, board: str, cell: int) -> float:
    """Return what a move is worth before anything is learned."""
    if isinstance(recipe, TdAfterstates):
        return Afterstates(game, recipe).value(move(board, cell))
    if isinstance(recipe, Menace):
        return Boxes(game, recipe).beads(board, cell)
    if isinstance(recipe, Champion):
        return Memory(game).value(board)
    return float(getattr(recipe, "initial", 0))


def learn(game: Game, recipe: Recipe) -> Iterator[Update]:
    """Do what `training.learners.learn` does with a recipe, yielding each update."""
    return LEARNERS[recipe.slug](game, recipe, Random(recipe.seed))
