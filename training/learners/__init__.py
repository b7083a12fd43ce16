"""The learners compiled by numba: a file for each algorithm, and the functions that they share."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from app.project import PACKAGE_PREFIX
from app.recipes import Recipe
from app.recipes.parameters import PERSON_OPPONENT
from app.tictactoe.game import Game
from training.learners.phases import NextCheckpoint, Progress


def find_module_name(algorithm: type[Recipe]) -> str:
    """Return the name of the module whose function `learn` trains this algorithm.

    An algorithm without its own module uses that of its nearest base class.
    """
    package = f"{PACKAGE_PREFIX}training.networks" if algorithm.is_network else __name__
    modules = (
        f"{package}.{slug.replace('-', '_')}" for slug in algorithm.list_lineage()
    )
    return next(module for module in modules if find_spec(module))


def skip_checkpoints(_updates: int) -> int:
    """Return a checkpoint that no training reaches, so only the start and the end are reported."""
    return 10**12


def learn(
    game: Game, recipe: Recipe, next_checkpoint: NextCheckpoint = skip_checkpoints
) -> Iterator[Progress]:
    """Train a recipe, yielding the progress at the start, at every checkpoint and at the end.

    `next_checkpoint` gets the number of updates so far, and returns the number at the next
    checkpoint. Recipes with games against a person or with a planted fault are trained by the
    textbook learners, which are slower.
    """
    needs_textbook = (
        recipe.has_opponent(PERSON_OPPONENT)
        or getattr(recipe, "fault", "none") != "none"
    )
    module = (
        f"{PACKAGE_PREFIX}training.taught"
        if needs_textbook
        else find_module_name(type(recipe))
    )
    progress: Iterator[Progress] = import_module(module).learn(
        game, recipe, next_checkpoint
    )
    return progress
