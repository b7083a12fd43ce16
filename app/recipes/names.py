"""Write recipes as names and read them: `q-learning,vs=self,alpha=0.5,games=20000,seed=7`.

A name is the algorithm, followed by the parameters that differ from their defaults, in the order of
the algorithm's class. Each recipe has exactly one name, and `parse_recipe(name_recipe(recipe))`
returns the recipe. `parse_recipe` also accepts other orders and other spellings of a number; the
canonical name is `name_recipe(parse_recipe(text))`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from app.recipes.algorithms import ALGORITHMS
from app.recipes.parameters import (
    MAX_QUOTED_LENGTH,
    YES_NO_WORDS,
    Parameter,
    ParameterValue,
    Recipe,
    RecipeError,
    describe_range,
    format_value,
    get_parameters,
    quote_value,
)

MAX_NAME_LENGTH = 120
# With games against a person, the name contains every move of the person.
MAX_TAUGHT_NAME_LENGTH = 2_000
WHOLE_NUMBER_PATTERN = re.compile(r"-?[0-9]{1,18}")
NUMBER_PATTERN = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e-?[0-9]{1,3})?")
OPPONENT_ALIASES = {"first-empty": "fixed"}
# These names are common in books and libraries, or this site used them before. A URL with an alias
# redirects to the canonical name.
PARAMETER_ALIASES = {
    "learning_rate": "alpha",
    "discount": "gamma",
    "discount_factor": "gamma",
}


def name_recipe(recipe: Recipe) -> str:
    """Return the canonical name of a recipe; raises RecipeError if it is too long."""
    differing = (
        f"{parameter.name}={format_value(value)}"
        for parameter in get_parameters(type(recipe)).values()
        if (value := getattr(recipe, parameter.field_name)) != parameter.default
    )
    text = ",".join([recipe.slug, *differing])
    _check_length(text)
    return text


def name_script_file(recipe: Recipe) -> str:
    settings = name_recipe(recipe).partition(",taught=")[0]
    return re.sub(r"[^a-z0-9._]+", "-", settings) + ".py"


def parse_recipe(recipe_name: str) -> Recipe:
    """Return the recipe with this name.

    Raises RecipeError if the name is wrong; the message tells what would be right.
    """
    _check_length(recipe_name)
    slug, *settings = recipe_name.split(",")
    known = get_parameters(find_algorithm(slug))
    values: dict[str, Any] = {}
    for setting in settings:
        written_name, equals, value = setting.partition("=")
        parameter = PARAMETER_ALIASES.get(written_name, written_name)
        if parameter not in known:
            raise RecipeError(
                f"{slug} has no parameter {quote_value(written_name)}"
                f"{suggest_word(written_name, known)}, only {', '.join(known)}"
            )
        if parameter in values:
            raise RecipeError(f"{parameter} is given twice")
        if not equals:
            raise RecipeError(f"{parameter} has no value: write {parameter}=...")
        values[parameter] = _parse_value(known[parameter], value)
    if "vs" in values and values["vs"] not in known["vs"].choices:
        values |= _parse_opponents(
            str(values["vs"]), ALGORITHMS[slug].length_parameter, values
        )
    recipe = ALGORITHMS[slug](
        **{known[one].field_name: value for one, value in values.items()}
    )
    # The canonical name can be longer than the given one, and then this raises RecipeError.
    name_recipe(recipe)
    return recipe


def find_algorithm(slug: str) -> type[Recipe]:
    if slug not in ALGORITHMS:
        nearest = suggest_word(slug, ALGORITHMS)
        raise RecipeError(
            f"there is no algorithm {quote_value(slug)}{nearest}, only {', '.join(ALGORITHMS)}"
        )
    return ALGORITHMS[slug]


def suggest_word(word: str, words: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the most similar word, or "" if none is similar."""
    nearest = get_close_matches(word[:MAX_QUOTED_LENGTH], words, n=1)
    return f" (did you mean {nearest[0]}?)" if nearest else ""


def _parse_value(parameter: Parameter, value_text: str) -> ParameterValue:
    if parameter.value_type is bool and value_text in YES_NO_WORDS.values():
        return value_text == YES_NO_WORDS[True]
    if parameter.value_type is int and WHOLE_NUMBER_PATTERN.fullmatch(value_text):
        return int(value_text)
    if parameter.value_type is float and NUMBER_PATTERN.fullmatch(value_text):
        # Adding 0.0 turns -0.0 into 0.0.
        return float(value_text) + 0.0
    if parameter.value_type is str:
        # A "+" in a URL query arrives as a space.
        return value_text.replace(" ", "+")
    raise RecipeError(
        f"{parameter.name} {describe_range(parameter)}, not {quote_value(value_text)}"
    )


def _parse_opponents(
    vs: str, length_parameter: str, values_by_parameter: dict[str, ParameterValue]
) -> dict[str, ParameterValue]:
    """Return the parameters in the text of `vs`, with current names of opponents.

    For random:500 these are the opponent and the `length_parameter`, such as games=500.
    """
    phases = [phase.split(":") for phase in vs.split("+")]
    for phase in phases:
        phase[0] = OPPONENT_ALIASES.get(phase[0], phase[0])
    if (
        len(phases) == 1
        and len(phases[0]) == 2
        and WHOLE_NUMBER_PATTERN.fullmatch(phases[0][1])
    ):
        if length_parameter in values_by_parameter:
            raise RecipeError(f"{length_parameter} is not given where vs says how many")
        return {"vs": phases[0][0], length_parameter: int(phases[0][1])}
    return {"vs": "+".join(":".join(phase) for phase in phases)}


def get_max_length(recipe_name: str) -> int:
    return MAX_TAUGHT_NAME_LENGTH if ",taught=" in recipe_name else MAX_NAME_LENGTH


def _check_length(recipe_name: str) -> None:
    if len(recipe_name) > get_max_length(recipe_name):
        raise RecipeError(
            f"a name has at most {get_max_length(recipe_name)} characters, not {len(recipe_name)}"
        )
