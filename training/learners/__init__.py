"""The compiled learners, one algorithm a file, and what they share."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from app.recipes import Recipe
from app.recipes.parameters import YOU
from app.tictactoe.game import Game
from training.learners.phases import NextStop, Progress


def module_of(algorithm: type[Recipe]) -> str:
    """Name the module that learns an algorithm by its function `learn`: its own or an ancestor's.

    It is imported where it is needed: who trains a table waits for no JAX, and compiles no loop of
    another learner.
    """
    package = "training.networks" if algorithm.is_network else __name__
    modules = (f"{package}.{slug.replace('-', '_')}" for slug in algorithm.lineage())
    return next(module for module in modules if find_spec(module))


def never(_updates: int) -> int:
    """Return a number of updates that no training comes to."""
    return 10**12


def learn(game: Game, recipe: Recipe, next_stop: NextStop = never) -> Iterator[Progress]:
    """Run the algorithm of a recipe, showing the table at the start, every stop and the end.

    `next_stop` says, from how many updates there were, after how many to show it again.
    What a person teaches is learned by the plain learners.
    """
    if recipe.is_met(YOU):
        return import_module("training.taught").learn(game, recipe, next_stop)  # type: ignore[no-any-return]
    progress: Iterator[Progress] = import_module(module_of(type(recipe))).learn(
        game, recipe, next_stop
    )
    return progress
