"""Recipes with the ten classic faults of a learner's code, and the same recipes without a fault."""

from types import MappingProxyType
from typing import Any

from msgspec.structs import asdict

from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe

FAULTS_FOLDER = "faults"  # folder of the faulty agents, inside the folder of models
_USUAL_RECIPE = "q-learning,start=empty,games=20000"
# With initial values of 0 two of the faults would have no effect.
_OPTIMISTIC_RECIPE = f"{_USUAL_RECIPE},initial=0.5"
_SELF_PLAY_RECIPE = "q-learning,vs=both,start=empty,games=10000"

FAULTY_RECIPES = MappingProxyType(
    {
        fault: parse_recipe(f"{right},fault={fault}")
        for fault, right in (
            ("terminal", _OPTIMISTIC_RECIPE),
            ("answer", _USUAL_RECIPE),
            ("sign", _SELF_PLAY_RECIPE),
            ("occupied", _OPTIMISTIC_RECIPE),
            ("loser", _USUAL_RECIPE),
            ("sides", _USUAL_RECIPE),
            ("reward", _USUAL_RECIPE),
            ("in-place", _USUAL_RECIPE),
            ("exploration", _USUAL_RECIPE),
            ("step", _USUAL_RECIPE),
        )
    }
)
CORRECT_RECIPES = MappingProxyType(
    {
        "right": parse_recipe(_USUAL_RECIPE),
        "right-optimistic": parse_recipe(_OPTIMISTIC_RECIPE),
        "right-self-play": parse_recipe(_SELF_PLAY_RECIPE),
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
