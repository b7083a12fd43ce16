"""Finds how two recipes differ, and applies the changes of a form to them."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

from app.recipes import (
    SHIPPED,
    Parameter,
    Recipe,
    RecipeError,
    get_parameters,
    list_parameters,
    parse_recipe,
)
from app.recipes.names import find_algorithm
from app.recipes.on_demand import MAX_UPDATES, check_on_demand
from app.recipes.parameters import TrainingPhases, format_value

# the form's field for the algorithm; every other field is a parameter
ALGORITHM_FIELD = "algorithm"
SHIPPED_RECIPES = frozenset(agent.recipe for agent in SHIPPED.values())
# A is the baseline, B the recipe that is compared with it.
VARIANT_LETTERS = ("a", "b")
RATE_BY_DECAY = {"epsilon_drop": "epsilon", "alpha_drop": "alpha"}


def find_differing_parameters(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the parameters of a recipe that have another value in the other recipe.

    If the algorithms differ, only parameters with the same meaning in both count.
    """
    others = {one.name: one for one in list_parameters(other_recipe)}
    return [
        one
        for one in find_shared_parameters(recipe, other_recipe)
        if _is_difference(one, others[one.name], recipe, other_recipe)
    ]


def find_possible_causes(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the parameters that can explain why two trainings have different results.

    The seed is not one of them, because A and B are compared seed by seed.
    """
    return [
        one
        for one in find_differing_parameters(recipe, other_recipe)
        if one.name != "seed"
    ]


def find_shared_parameters(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the parameters that mean the same in the other recipe's algorithm."""
    others = {one.name: one for one in list_parameters(other_recipe)}
    return [
        one
        for one in list_parameters(recipe)
        if one.name in others and _has_same_meaning(one, others, recipe, other_recipe)
    ]


def count_turns(phases: TrainingPhases) -> int:
    return sum(turns for _, turns in phases)


def _has_same_meaning(
    parameter: Parameter,
    other_parameters: Mapping[str, Parameter],
    recipe: Recipe,
    other_recipe: Recipe,
) -> bool:
    other = other_parameters[parameter.name]
    is_turns = parameter.name == recipe.length_parameter
    is_turns_of_other = other.name == other_recipe.length_parameter
    looks = (parameter.symbol, parameter.value_type, is_turns)
    return looks == (other.symbol, other.value_type, is_turns_of_other)


def _is_difference(
    parameter: Parameter,
    other_parameter: Parameter,
    recipe: Recipe,
    other_recipe: Recipe,
) -> bool:
    name = parameter.name
    if name == "vs":
        return not _have_same_proportions(recipe.phases, other_recipe.phases)
    if name == recipe.length_parameter:
        return count_turns(recipe.phases) != count_turns(other_recipe.phases)
    start = RATE_BY_DECAY.get(name)
    if start and 0 in (getattr(recipe, start), getattr(other_recipe, start)):
        # A rate of 0 stays 0, so its decay has no effect.
        return False
    return parameter.value != other_parameter.value


def _have_same_proportions(
    phases: TrainingPhases, other_phases: TrainingPhases
) -> bool:
    """Return whether two trainings divide their games in the same way among the same opponents."""
    if [opponent for opponent, _ in phases] != [
        opponent for opponent, _ in other_phases
    ]:
        return False
    total = count_turns(phases)
    other_total = count_turns(other_phases)
    if total == other_total:
        return phases == other_phases
    # Each number of games is rounded, and the last opponent gets the rest.
    tolerance = len(phases) * max(total, other_total)
    return all(
        abs(turns * other_total - other_turns * total) < tolerance
        for (_, turns), (_, other_turns) in zip(phases, other_phases, strict=True)
    )


def change_recipe_pair(
    recipe_a: Recipe, recipe_b: Recipe, changes: Mapping[str, str]
) -> tuple[Recipe, Recipe]:
    """Return the recipes A and B after the changes in a form.

    The key "alpha" changes both recipes, "a.alpha" only A and "b.alpha" only B. Raises RecipeError,
    naming the parameter, if a value is invalid.
    """
    common = {key: text for key, text in changes.items() if "." not in key}
    changed = []
    for variant, recipe in zip(VARIANT_LETTERS, (recipe_a, recipe_b), strict=True):
        own = {
            key.partition(".")[2]: text
            for key, text in changes.items()
            if key.startswith(f"{variant}.")
        }
        changed.append(change_recipe(recipe, common | own))
    return changed[0], changed[1]


def change_recipe(recipe: Recipe, changes: Mapping[str, str]) -> Recipe:
    """Return a recipe with other values of some parameters, or with another algorithm.

    Parameters that the algorithm does not have are ignored. An empty text stands for the default.
    If the number of games changes, each opponent keeps its share of them. Raises RecipeError,
    naming the parameter, if a value is invalid or the training would take too long.
    """
    return _change_recipe(recipe, tuple(changes.items()))


# A page tries hundreds of changes for its links, and most of them again at the next click.
@lru_cache(maxsize=2048)
def _change_recipe(recipe: Recipe, change_items: tuple[tuple[str, str], ...]) -> Recipe:
    changes = dict(change_items)
    slug = changes.get(ALGORITHM_FIELD) or recipe.slug
    if slug != recipe.slug:
        recipe = carry_over_parameters(recipe, slug)
    known = get_parameters(type(recipe))
    typed = {
        key: _remove_decimals(known[key], text.strip())
        or format_value(known[key].default)
        for key, text in changes.items()
        if key in known
    }
    values = list_parameter_texts(recipe) | typed
    if ":" in values.get("vs", "") and not values.get("taught"):
        values["vs"] = _rescale_turns(
            slug, values["vs"], values.pop(recipe.length_parameter)
        )
    elif ":" in values.get("vs", ""):
        del values[recipe.length_parameter]
    settings = [
        f"{key}={text}"
        for key, text in values.items()
        if text != format_value(known[key].default)
    ]
    changed = parse_recipe(",".join([slug, *settings]))
    if changed not in SHIPPED_RECIPES:
        check_on_demand(changed)
    return changed


def carry_over_parameters(recipe: Recipe, slug: str) -> Recipe:
    """Return a recipe of the algorithm `slug` with the parameters of another recipe.

    A parameter gets its default if it means something else in the new algorithm, or if its value is
    not allowed there. Raises RecipeError if there is no such algorithm.
    """
    changed_recipe: Recipe = find_algorithm(slug)()
    values = list_parameter_texts(recipe)
    shared = {
        one.name: values[one.name]
        for one in find_shared_parameters(recipe, changed_recipe)
    }
    with suppress(RecipeError):
        return change_recipe(changed_recipe, shared)
    for key, text in shared.items():
        with suppress(RecipeError):
            changed_recipe = change_recipe(changed_recipe, {key: text})
    return changed_recipe


def list_parameter_texts(recipe: Recipe) -> dict[str, str]:
    """Return parameter name -> value as in a recipe's name, such as "0.1".

    The number of games is the sum over all opponents.
    """
    return dict(_list_parameter_texts(recipe))


@lru_cache(maxsize=512)
def _list_parameter_texts(recipe: Recipe) -> dict[str, str]:
    values = {one.name: format_value(one.value) for one in list_parameters(recipe)}
    return values | {recipe.length_parameter: str(count_turns(recipe.phases))}


def shorten_training(recipe: Recipe) -> Recipe:
    """Return the recipe with fewer games, if this server cannot train it with all of them."""
    turns = get_max_turns(recipe)
    if recipe.is_network or turns >= count_turns(recipe.phases):
        return recipe
    return change_recipe(recipe, {recipe.length_parameter: str(turns)})


def get_max_turns(recipe: Recipe) -> int:
    turns = count_turns(recipe.phases)
    return max(1, MAX_UPDATES * turns // recipe.compute_max_updates())


def _remove_decimals(parameter: Parameter, value_text: str) -> str:
    if parameter.value_type is not int or not value_text.isascii():
        return value_text
    try:
        number = float(value_text)
    except ValueError:
        return value_text
    return str(int(number)) if number.is_integer() else value_text


def _rescale_turns(slug: str, opponents: str, total_turns: str) -> str:
    """Return `opponents` with a new total number of games, in the same proportions.

    An invalid or too small total changes nothing.
    """
    try:
        recipe = parse_recipe(f"{slug},vs={opponents}")
        first, _ = recipe.phases[0]
        wanted = count_turns(
            parse_recipe(
                f"{slug},vs={first},{recipe.length_parameter}={total_turns}"
            ).phases
        )
    except RecipeError:
        return opponents
    phases = recipe.phases
    total = count_turns(recipe.phases)
    if total == wanted or wanted < len(phases):
        return opponents
    shares = [max(1, number * wanted // total) for _, number in phases[:-1]]
    shares.append(max(1, wanted - sum(shares)))
    return "+".join(
        f"{one}:{share}" for (one, _), share in zip(phases, shares, strict=True)
    )
