"""Differences between two trainings: the parameters that may cause different results."""

from collections.abc import Mapping

from app.recipes import Parameter, Recipe, list_parameters
from app.recipes.parameters import Phases

START_OF_DECAY = {"epsilon_drop": "epsilon", "alpha_drop": "alpha"}


def find_differing_parameters(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the parameters of a recipe in which its training differs from another training.

    If the algorithms differ, only parameters with the same meaning in both count.
    """
    others = {one.name: one for one in list_parameters(other_recipe)}
    return [
        one
        for one in find_shared_parameters(recipe, other_recipe)
        if _is_difference(one, others[one.name], recipe, other_recipe)
    ]


def find_possible_causes(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the differences that may cause different results with the same seeds.

    The seed does not count, because the seeds of both recipes are paired.
    """
    return [
        one
        for one in find_differing_parameters(recipe, other_recipe)
        if one.name != "seed"
    ]


def find_shared_parameters(recipe: Recipe, other_recipe: Recipe) -> list[Parameter]:
    """Return the parameters of a recipe that another recipe has with the same meaning."""
    others = {one.name: one for one in list_parameters(other_recipe)}
    return [
        one
        for one in list_parameters(recipe)
        if one.name in others and _has_same_meaning(one, others, recipe, other_recipe)
    ]


def count_turns(phases: Phases) -> int:
    """Return the number of turns of a training against all of its opponents."""
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
    start = START_OF_DECAY.get(name)
    if start and 0 in (getattr(recipe, start), getattr(other_recipe, start)):
        return False  # a rate of 0 stays 0, so its decay has no effect
    return parameter.value != other_parameter.value


def _have_same_proportions(phases: Phases, other_phases: Phases) -> bool:
    """Return whether two trainings divide their turns in the same way among the same opponents.

    Turns are whole numbers, so each opponent may be off by one turn. The last opponent gets the
    rest, so it may be off by one turn for each opponent before it.
    """
    if [opponent for opponent, _ in phases] != [
        opponent for opponent, _ in other_phases
    ]:
        return False
    total = count_turns(phases)
    other_total = count_turns(other_phases)
    if total == other_total:
        return phases == other_phases
    tolerance = len(phases) * max(total, other_total)
    return all(
        abs(turns * other_total - other_turns * total) < tolerance
        for (_, turns), (_, other_turns) in zip(phases, other_phases, strict=True)
    )
