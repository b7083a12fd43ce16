"""Recipes with games of a person, from one game to the next.

A recipe whose opponents and games are the usual ones stands for a learner before its first game:
as many as those no learner with people plays.
"""

from msgspec.structs import replace

from app.recipes.parameters import (
    YOU,
    Phases,
    Recipe,
    RecipeError,
    games_taught,
    parameters_of,
)


def untaught(recipe: Recipe) -> Recipe:
    """Return the recipe of the learner before its first game.

    Raises RecipeError if no person can teach it.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(f"no person teaches {recipe.slug}")
    return _taught(recipe, [], [])


def phases_of(recipe: Recipe) -> Phases:
    """Return the opponents of a learner and the turns against each, none before its first game.

    Raises RecipeError if no person can teach it, or not after these.
    """
    phases = [] if recipe == untaught(recipe) else recipe.phases
    if YOU not in dict(phases):
        _taught(recipe, [*phases, (YOU, 1)], ["0"])
    return phases


def with_game(recipe: Recipe, cells: str) -> Recipe:
    """Return a recipe with one more game of a person, who played these cells.

    Raises RecipeError as for all recipes.
    """
    phases = phases_of(recipe)
    before = phases.pop()[1] if phases and phases[-1][0] == YOU else 0
    return _taught(recipe, [*phases, (YOU, before + 1)], [*games_taught(recipe), cells])


def with_practice(recipe: Recipe, opponent: str, turns: int) -> Recipe:
    """Return a recipe with so many turns more against an opponent that is no person.

    Raises RecipeError as for all recipes.
    """
    return _taught(recipe, [*phases_of(recipe), (opponent, turns)], games_taught(recipe))


def without_last(recipe: Recipe) -> Recipe:
    """Return a recipe without its last game of a person or its last practice."""
    *phases, (opponent, turns) = phases_of(recipe)
    games = games_taught(recipe)
    if opponent == YOU:
        games.pop()
        phases += [(YOU, turns - 1)] if turns > 1 else []
    return _taught(recipe, phases, games)


def _taught(recipe: Recipe, phases: Phases, games: list[str]) -> Recipe:
    usual = {one: parameters_of(type(recipe))[one].default for one in ("vs", recipe.turns)}
    if len(phases) == 1:
        usual = dict(zip(usual, phases[0], strict=True))
    elif phases:
        usual["vs"] = "+".join(f"{opponent}:{turns}" for opponent, turns in phases)
    return replace(recipe, **usual, taught=".".join(games))
