"""Recipes, which determine agents: an algorithm and the values of its parameters.

`algorithms` has the parameters of each algorithm, `names` reads and writes recipes as text, and
`shipped` lists the agents that come with the site.
"""

from app.recipes.algorithms import ALGORITHMS
from app.recipes.names import (
    MAX_NAME_LENGTH,
    MAX_TAUGHT_NAME_LENGTH,
    get_max_length,
    name_recipe,
    name_script_file,
    parse_recipe,
    suggest_word,
)
from app.recipes.parameters import (
    Parameter,
    Recipe,
    RecipeError,
    get_parameters,
    list_parameters,
)
from app.recipes.shipped import AGENT_IDS_BY_RECIPE, SHIPPED

__all__ = [
    "AGENT_IDS_BY_RECIPE",
    "ALGORITHMS",
    "MAX_NAME_LENGTH",
    "MAX_TAUGHT_NAME_LENGTH",
    "SHIPPED",
    "Parameter",
    "Recipe",
    "RecipeError",
    "get_max_length",
    "get_parameters",
    "list_parameters",
    "name_recipe",
    "name_script_file",
    "parse_recipe",
    "suggest_word",
]
