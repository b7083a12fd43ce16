"""Every learner once more in plain Python, step by step, on boards as text.

Slow on purpose: no learner here knows of numbers or is compiled; the game tells it how a board
ends, and an opponent what it answers.  The tests hold the compiled learners to it update by update
on the same random numbers, and the story of a training is told by it.

Each learner plays turn after turn, games for most, and yields its updates: a board, its cells in
reading order as X, O or '.', the cell played, and the new value of the two.  What it knows between
two turns is in its attributes, so a copy of it can go on from there.
"""

from collections.abc import Hashable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol

from app.recipes import ALGORITHMS, Recipe
from app.recipes.algorithms import Champion, Menace, QTable, TdAfterstates
from app.tictactoe.game import Game
from training.plain import champion, menace, td_afterstates
from training.plain.boards import Turn, Update, move, standing, standing_pair, turns
from training.plain.q_table import key_of as q_table_key
from training.plain.randomness import Random
from training.plain.td_afterstates import key_of as afterstate_key


class Learner(Protocol):
    """What learns a recipe."""

    def __init__(self, game: Game, recipe: Any) -> None: ...

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a turn, yielding each update."""


def _learner(algorithm: type[Recipe]) -> type[Learner]:
    """Return the learner of the module of its name: the algorithm's own or an ancestor's."""
    names = (slug.replace("-", "_") for slug in algorithm.lineage())
    name = next(name for name in names if find_spec(f"{__name__}.{name}"))
    learner: type[Learner] = import_module(f"{__name__}.{name}").Learner
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
        return td_afterstates.Learner(game, recipe).value(move(board, cell))
    if isinstance(recipe, Menace):
        return menace.Learner(game, recipe).beads(board, cell)
    if isinstance(recipe, Champion):
        return champion.Learner(game, recipe).value(board)
    return float(getattr(recipe, "initial", 0))


def learn(
    game: Game, recipe: Recipe, rng: Random | None = None, learner: Learner | None = None
) -> Iterator[Update]:
    """Do what `training.learners.learn` does with a recipe, yielding each update.

    Who listens, or looks at what is learned, brings the random numbers and the learner along.
    """
    rng = rng or Random(recipe.seed)
    learner = learner or LEARNERS[recipe.slug](game, recipe)
    for turn in turns(recipe):
        yield from learner.play(turn, rng)
        if turn.person:
            turn.person.leave()
