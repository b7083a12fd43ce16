"""Decide which recipes the site trains on demand, while a visitor waits."""

from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe, RecipeError

# Compiled loops make these updates in less than a second.
MAX_UPDATES = 2_000_000


def parse_on_demand(recipe_name: str) -> Recipe:
    """Return the recipe with this name; raises RecipeError if its training takes too long."""
    recipe = parse_recipe(recipe_name)
    check_on_demand(recipe)
    return recipe


def check_on_demand(recipe: Recipe) -> None:
    if recipe.is_network:
        raise RecipeError(
            f"{recipe.slug} takes minutes: only the command line trains it"
        )
    updates = recipe.compute_max_updates()
    if updates > MAX_UPDATES:
        raise RecipeError(
            f"this may take {updates:,} updates, and {MAX_UPDATES:,} are the most that are "
            f"trained here: lower {recipe.length_parameter}"
        )
