"""Every learner once more in plain Python, step by step, on boards as text.

Slow on purpose: no learner here knows of numbers or is compiled; the game tells it how a board
ends, and an opponent what it answers.  The tests hold the compiled learners to it update by update
on the same random numbers, and the story of a training is told by it.

Each learner is a generator of its updates: a board, its cells in reading order as X, O or '.', the
cell played, and the new value of the two.
"""

from collections.abc import Callable, Hashable, Iterator
from types import MappingProxyType
from typing import Any

from app.recipes import Recipe
from app.recipes.algorithms import Champion, Menace, QTable, TdAfterstates
from app.tictactoe.game import Game
from training.plain.boards import Update, move, standing, standing_pair
from training.plain.champion import Memory, champion
from training.plain.league import league
from training.plain.menace import Boxes, menace
from training.plain.monte_carlo import monte_carlo
from training.plain.q_iteration import q_iteration
from training.plain.q_learning import q_learning
from training.plain.q_table import key_of as q_table_key
from training.plain.q_table import q_table
from training.plain.randomness import Random
from training.plain.self_play import self_play
from training.plain.td_afterstates import Afterstates, td_afterstates
from training.plain.td_afterstates import key_of as afterstate_key

LEARNERS: MappingProxyType[str, Callable[[Game, Any, Random], Iterator[Update]]] = MappingProxyType(
    {
        "q-iteration": q_iteration,
        "q-learning": q_learning,
        "q-table": q_table,
        "double-q": q_table,
        "self-play": self_play,
        "league": league,
        "champion": champion,
        "sarsa": q_learning,
        "expected-sarsa": q_learning,
        "monte-carlo": monte_carlo,
        "td-afterstates": td_afterstates,
        "menace": menace,
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
