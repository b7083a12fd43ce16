"""Names of recipes: `q-learning,vs=self,alpha=0.5,games=20000,seed=7`.

First the algorithm, then what differs from its defaults, in the order of its class.  A recipe has
one name, and `parse(name(recipe)) == recipe`.  `parse` also reads other orders and other ways to
write a number; the one name is `name(parse(text))`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from app.recipes.algorithms import ALGORITHMS
from app.recipes.parameters import (
    SHOWN,
    WORDS,
    Parameter,
    Recipe,
    RecipeError,
    Value,
    expected,
    parameters_of,
    shown,
    written,
)

LONGEST = 120  # characters of a name
LONGEST_TAUGHT = 2_000  # of one with the games of a person
WHOLE = re.compile(r"-?[0-9]{1,18}")
NUMBER = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e-?[0-9]{1,3})?")
ALSO_CALLED = {"first-empty": "fixed"}  # other words for an opponent
# Other names of parameters, which lead to the recipe with the right ones: the old name of each that
# was renamed, since links with it are out there, and what books and libraries call some.
PARAMETER_ALIASES = {
    "learning_rate": "alpha",
    "discount": "gamma",
    "discount_factor": "gamma",
}


def name(recipe: Recipe) -> str:
    """Return the one name of a recipe.

    Raises RecipeError if it would be longer than a name may be.
    """
    differing = (
        f"{parameter.name}={written(value)}"
        for parameter in parameters_of(type(recipe)).values()
        if (value := getattr(recipe, parameter.name)) != parameter.default
    )
    text = ",".join([recipe.slug, *differing])
    _check_length(text)
    return text


def file_name(recipe: Recipe) -> str:
    """Return the name of the file with a recipe's training, in characters that all systems take."""
    settings = name(recipe).partition(",taught=")[0]
    return re.sub(r"[^a-z0-9._]+", "-", settings) + ".py"


def parse(text: str) -> Recipe:
    """Return the recipe with this name.

    Raises RecipeError with a sentence that names what is wrong and what would be right.
    """
    _check_length(text)
    slug, *settings = text.split(",")
    known = parameters_of(algorithm(slug))
    values: dict[str, Any] = {}
    for setting in settings:
        written_name, equals, value = setting.partition("=")
        parameter = PARAMETER_ALIASES.get(written_name, written_name)
        if parameter not in known:
            raise RecipeError(
                f"{slug} has no parameter {shown(written_name)}"
                f"{suggest(written_name, known)}, only {', '.join(known)}"
            )
        if parameter in values:
            raise RecipeError(f"{parameter} is given twice")
        if not equals:
            raise RecipeError(f"{parameter} has no value: write {parameter}=...")
        values[parameter] = _value(known[parameter], value)
    if "vs" in values and values["vs"] not in known["vs"].choices:
        values |= _opponents(str(values["vs"]), ALGORITHMS[slug].turns, values)
    recipe = ALGORITHMS[slug](**values)
    name(recipe)  # a recipe without a name cannot be asked for again
    return recipe


def algorithm(slug: str) -> type[Recipe]:
    """Return the algorithm that is called so; RecipeError, naming those there are, if none is."""
    if slug not in ALGORITHMS:
        nearest = suggest(slug, ALGORITHMS)
        raise RecipeError(
            f"there is no algorithm {shown(slug)}{nearest}, only {', '.join(ALGORITHMS)}"
        )
    return ALGORITHMS[slug]


def suggest(word: str, words: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the word that is nearest to a wrong one; "" if none is."""
    nearest = get_close_matches(word[:SHOWN], words, n=1)
    return f" (did you mean {nearest[0]}?)" if nearest else ""


def _value(parameter: Parameter, text: str) -> Value:
    """Read the value of a parameter."""
    if parameter.kind is bool and text in WORDS.values():
        return text == WORDS[True]
    if parameter.kind is int and WHOLE.fullmatch(text):
        return int(text)
    if parameter.kind is float and NUMBER.fullmatch(text):
        return float(text) + 0.0  # -0.0 is 0
    if parameter.kind is str:
        return text.replace(" ", "+")  # what a `+` becomes in a query
    raise RecipeError(f"{parameter.name} {expected(parameter)}, not {shown(text)}")


def _opponents(vs: str, turns: str, values: dict[str, Value]) -> dict[str, Value]:
    """Read opponents: other words for them, and a count for a single one, which is its turns."""
    phases = [phase.split(":") for phase in vs.split("+")]
    for phase in phases:
        phase[0] = ALSO_CALLED.get(phase[0], phase[0])
    if len(phases) == 1 and len(phases[0]) == 2 and WHOLE.fullmatch(phases[0][1]):
        if turns in values:
            raise RecipeError(f"{turns} is not given where vs says how many")
        return {"vs": phases[0][0], turns: int(phases[0][1])}
    return {"vs": "+".join(":".join(phase) for phase in phases)}


def longest(text: str) -> int:
    """Return how many characters a name may have that is meant like this one."""
    return LONGEST_TAUGHT if ",taught=" in text else LONGEST


def _check_length(text: str) -> None:
    if len(text) > longest(text):
        raise RecipeError(
            f"a name has at most {longest(text)} characters, not {len(text)}"
        )
