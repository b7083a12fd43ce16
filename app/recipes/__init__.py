"""What can be learned and how, as values: recipes, their names, and those that are shipped."""

from app.recipes.algorithms import ALGORITHMS
from app.recipes.names import (
    LONGEST,
    LONGEST_TAUGHT,
    file_name,
    longest,
    name,
    parse,
    suggest,
)
from app.recipes.parameters import (
    Parameter,
    Recipe,
    RecipeError,
    parameters,
    parameters_of,
)
from app.recipes.shipped import SHIPPED, SHORT

__all__ = [
    "ALGORITHMS",
    "LONGEST",
    "LONGEST_TAUGHT",
    "SHIPPED",
    "SHORT",
    "Parameter",
    "Recipe",
    "RecipeError",
    "file_name",
    "longest",
    "name",
    "parameters",
    "parameters_of",
    "parse",
    "suggest",
]
