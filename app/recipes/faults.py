"""Recipes of learners with and without a classic fault, which is a bug that many programs have."""

from types import MappingProxyType
from typing import Any, get_args

from msgspec.structs import asdict

from app.recipes.algorithms import FaultName
from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe

FAULTS_FOLDER = "faults"
# the results of all recipes below with each of FAULT_SEEDS
SEED_RUNS_FILE = "runs.msgpack.br"
FAULT_SEEDS = range(20)
# Self-play from every position soon makes a good agent. With the initial value 0 two of the faults
# would have no effect.
_SELF_PLAY_RECIPE = "q-learning,vs=both,start=every,initial=0.5,games=25000"
# Most programs with the fault "answer" train against an opponent that does not learn.
_AGAINST_RANDOM_RECIPE = "q-learning,start=every,initial=0.5,games=50000"
# In this training only exploration leads to new moves: all games begin on the empty board, and the
# initial values are too low to attract the learner.
_FROM_EMPTY_RECIPE = "q-learning,vs=both,start=empty,epsilon=0.5,games=25000"

_SPECIAL_RECIPES = {
    "answer": _AGAINST_RANDOM_RECIPE,
    "exploration": _FROM_EMPTY_RECIPE,
}
FAULTY_RECIPES = MappingProxyType(
    {
        fault: parse_recipe(
            f"{_SPECIAL_RECIPES.get(fault, _SELF_PLAY_RECIPE)},fault={fault}"
        )
        for fault in get_args(FaultName)
        if fault != "none"
    }
)
CORRECT_RECIPES = MappingProxyType(
    {
        "right": parse_recipe(_SELF_PLAY_RECIPE),
        "right-against-random": parse_recipe(_AGAINST_RANDOM_RECIPE),
        "right-from-empty": parse_recipe(_FROM_EMPTY_RECIPE),
    }
)


def find_correct_recipe(fault: str) -> Recipe:
    settings = _list_settings(FAULTY_RECIPES[fault])
    return next(
        one for one in CORRECT_RECIPES.values() if _list_settings(one) == settings
    )


def _list_settings(recipe: Recipe) -> dict[str, Any]:
    return {"slug": recipe.slug, **asdict(recipe), "fault": None}
