"""Which recipes are trained on demand, while a visitor waits."""

from app.recipes.names import parse_recipe
from app.recipes.parameters import Recipe, RecipeError

MAX_UPDATES = 2_000_000  # less than a second


def parse_on_demand(text: str) -> Recipe:
    """Return the recipe with this name, if it is one that can be trained at once.

    Raises RecipeError as `parse` does, and where the training would be too long.
    """
    recipe = parse_recipe(text)
    if recipe.is_network:
        raise RecipeError(
            f"{recipe.slug} takes minutes: only the command line trains it"
        )
    updates = recipe.updates_at_most()
    if updates > MAX_UPDATES:
        raise RecipeError(
            f"this may take {updates:,} updates, and {MAX_UPDATES:,} are the most that are "
            f"trained here: lower {recipe.turns}"
        )
    return recipe
