"""Recipes with the ten classic faults of a learner's code, and the same recipes without a fault."""

from types import MappingProxyType
from typing import Any, get_args

from msgspec.structs import asdict

from app.recipes.algorithms import FaultName
from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe

FAULTS_FOLDER = "faults"  # folder of the faulty agents, inside the folder of models
# Self-play from every position is short and makes a good agent.  The initial value 0.5 matters: with
# 0 two of the faults would have no effect.
_SELF_PLAY_RECIPE = "q-learning,vs=both,start=every,initial=0.5,games=25000"
# An opponent that does not learn, as in most programs with the fault "answer".
_AGAINST_RANDOM_RECIPE = "q-learning,start=every,initial=0.5,games=50000"
# Nothing but exploration leads to new moves: games begin with the empty board, and no initial value
# is higher than what the games bring.
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
    """Return the recipe of the same training without the fault."""
    settings = _list_settings(FAULTY_RECIPES[fault])
    return next(
        one for one in CORRECT_RECIPES.values() if _list_settings(one) == settings
    )


def _list_settings(recipe: Recipe) -> dict[str, Any]:
    """Return the algorithm and the parameters of a recipe, except for its fault."""
    return {"slug": recipe.slug, **asdict(recipe), "fault": None}
