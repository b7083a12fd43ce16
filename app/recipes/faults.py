"""Recipes with the ten classic faults of a learner's code, and the same recipes without a fault."""

from types import MappingProxyType
from typing import Any

from msgspec.structs import asdict

from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe

FAULTS_FOLDER = "faults"  # folder of the faulty agents, inside the folder of models
_PLAIN = "q-learning,start=empty,games=20000"
# With initial values of 0 two of the faults would have no effect.
_OPTIMISTIC = f"{_PLAIN},initial=0.5"
_SELF_PLAY = "q-learning,vs=both,start=empty,games=10000"

FAULTY_RECIPES = MappingProxyType(
    {
        fault: parse_recipe(f"{right},fault={fault}")
        for fault, right in (
            ("terminal", _OPTIMISTIC),
            ("answer", _PLAIN),
            ("sign", _SELF_PLAY),
            ("occupied", _OPTIMISTIC),
            ("loser", _PLAIN),
            ("sides", _PLAIN),
            ("reward", _PLAIN),
            ("in-place", _PLAIN),
            ("exploration", _PLAIN),
            ("step", _PLAIN),
        )
    }
)
CORRECT_RECIPES = MappingProxyType(
    {
        "right": parse_recipe(_PLAIN),
        "right-optimistic": parse_recipe(_OPTIMISTIC),
        "right-self-play": parse_recipe(_SELF_PLAY),
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
