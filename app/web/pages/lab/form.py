"""The controls of a recipe beside those of another, and what a form of them sends back."""

from collections.abc import Mapping
from math import log10
from typing import NamedTuple

from werkzeug.exceptions import BadRequest, NotFound

from app.recipes import (
    ALGORITHMS,
    SHIPPED,
    Parameter,
    Recipe,
    RecipeError,
    list_parameters,
    parse_recipe,
)
from app.recipes.names import find_algorithm
from app.recipes.on_demand import MAX_UPDATES, parse_on_demand
from app.recipes.parameters import BOTH, OPPONENTS, SELF, YOU, format_value
from app.web.formatting import format_count
from app.web.site_data import SiteData

REWARDS = (2.0, 10.0, 100.0)  # ends of a slider for what may be worth -100 to 100
STEP = 0.01  # of a slider for what is 0 to 1
FEW = 4  # choices that are seen at once
FIRST = (
    "vs",
    "",
    "alpha",
    "step_size",
    "epsilon",
    "gamma",
)  # "" for how long it learns
LABELS = {
    "vs": "Opponent",
    "alpha": "Learning rate",
    "step_size": "Learning rate",
    "epsilon": "Exploration rate",
    "gamma": "Discount factor",
    "epsilon_drop": "Exploration falls by",
    "epsilon_last": "Exploration at the end",
    "alpha_drop": "Learning rate falls by",
    "initial": "Initial value",
    "seat": "Learns as",
    "start": "Games begin",
    "key": "Values are of",
    "ties": "Of equal moves",
    "last": "Last move teaches",
    "learn_from": "Learns from moves",
    "symmetric": "Symmetric boards as one",
    "observing": "Learns from its opponent",
    "sticky": "A loss stays one",
    "k_start": "k at first",
    "k_step": "k grows by",
    "k_limit": "k at most",
    "beads_drop": "Fewer beads later",
    "memory": "Replay buffer",
    "batch": "Minibatch",
    "error": "Loss function",
}
MEANINGS = {"vs": "The opponent of its training."}
CHOICES = {"x": "X", "o": "O", "pair": "state and action", "afterstate": "afterstates"}


class Option(NamedTuple):
    """One of several values to choose."""

    value: str
    title: str
    chosen: bool


class Slider(NamedTuple):
    """The track beside a number."""

    low: float
    high: float
    step: float
    at: float
    logarithmic: bool  # then all of these are powers of ten


class Field(NamedTuple):
    """One parameter as a control."""

    name: str
    label: str
    symbol: str
    meaning: str
    # "number", "choice" of a few that are seen at once, "select", or "hidden"
    kind: str
    value: str
    was: str  # the value that it is compared with, in words; "" where there is none
    low: str  # of a number
    high: str
    step: str
    slider: Slider | None
    options: list[Option]
    changed: bool  # whether it is not what it is compared with
    first: bool  # whether it is seen at once
    error: str  # what is wrong with what was typed


class FormError(RecipeError):
    """What is wrong with a form: a sentence for each parameter."""

    def __init__(self, errors: Mapping[str, str], typed: Mapping[str, str]) -> None:
        """`errors` are by the names of the parameters, at least one; `typed` is the whole form."""
        super().__init__(" ".join(errors.values()))
        self.errors, self.typed = errors, typed


def fields(
    site: SiteData, recipe: Recipe, other: Recipe, refused: FormError | None = None
) -> list[Field]:
    """Return the controls of a recipe beside the values of another, what students ask for first.

    After a form that was `refused` they show what was typed, and what is wrong with it.
    """
    first = [recipe.turns if name == "" else name for name in FIRST]
    order = sorted(
        list_parameters(recipe),
        key=lambda one: first.index(one.name) if one.name in first else len(first),
    )
    made = [_field(site, recipe, other, one, one.name in first) for one in order]
    if refused is None:
        return made
    typed, errors = refused.typed, refused.errors
    return [
        one._replace(
            value=typed.get(one.name, one.value), error=errors.get(one.name, "")
        )
        for one in made
    ]


def read(query: Mapping[str, str]) -> Recipe:
    """Return the recipe that a form sends; a parameter that it leaves out has its usual value.

    Raises FormError, with a sentence for each parameter that is wrong, and RecipeError where there
    is no such algorithm.
    """
    slug = query.get("algorithm", "")
    chosen = find_algorithm(slug)
    usual = {parameter.name: parameter for parameter in list_parameters(chosen())}
    typed = _read_values(query, usual)
    if ":" in typed.get("vs", "") and "taught" not in typed:
        typed["vs"] = _rescaled(slug, typed["vs"], typed.pop(chosen.turns, ""))
    errors = _find_errors(chosen(), usual, typed)
    if errors:
        raise FormError(errors, query)
    text = _join_name(slug, usual, typed)
    try:
        recipe = parse_recipe(text)
        if recipe not in [agent.recipe for agent in SHIPPED.values()]:
            parse_on_demand(text)
    except RecipeError as error:
        field = _find_field(error, typed, chosen.turns)
        raise FormError({field: sentence(error)}, query) from error
    return recipe


def _read_values(
    query: Mapping[str, str], usual: Mapping[str, Parameter]
) -> dict[str, str]:
    """Return the parameters that a form sends, without empty ones."""
    return {
        name: _tidy(usual[name], value.strip())
        for name, value in query.items()
        if name in usual and value.strip()
    }


def _find_errors(
    recipe: Recipe, usual: Mapping[str, Parameter], typed: Mapping[str, str]
) -> dict[str, str]:
    """Return what is wrong with each value alone; the games of a person are judged with all."""
    errors = {
        name: _wrong(recipe, usual[name], value)
        for name, value in typed.items()
        if name != "taught"
    }
    return {name: error for name, error in errors.items() if error}


def _join_name(
    slug: str, usual: Mapping[str, Parameter], typed: Mapping[str, str]
) -> str:
    """Return a recipe's name without usual values: with all of them it might be too long."""
    settings = [
        f"{name}={value}"
        for name, value in typed.items()
        if value != format_value(usual[name].default)
    ]
    return ",".join([slug, *settings])


def _find_field(error: RecipeError, typed: Mapping[str, str], turns: str) -> str:
    """Return the parameter at which an error is shown: its first word, if that is one."""
    word, _, _ = str(error).partition(" ")
    if word in typed:
        return word
    return "loss" if word == "rewards" else turns


def recipe_of(site: SiteData, text: str) -> Recipe:
    """Return the recipe that a name or a shipped id stands for.

    Raises NotFound where there is no such algorithm, and BadRequest where a parameter is wrong.
    """
    if text in SHIPPED and text in site.agents:
        return SHIPPED[text].recipe
    try:
        return parse_recipe(text)
    except RecipeError as error:
        known = text.split(",", maxsplit=1)[0] in ALGORITHMS
        raise (BadRequest if known else NotFound)(sentence(error)) from error


def sentence(error: RecipeError) -> str:
    """Make a sentence of what is wrong with a recipe."""
    text = str(error)
    return text if text.endswith(".") else f"{text[0].upper()}{text[1:]}."


def _label(parameter: Parameter) -> str:
    return LABELS.get(parameter.name, parameter.name.replace("_", " ").capitalize())


def _told(site: SiteData, recipe: Recipe, parameter: Parameter) -> str:
    """Write the value of a parameter in words."""
    if parameter.name == "vs" and not parameter.choices:
        return ", then ".join(
            _opponent(site, opponent) for opponent, _ in recipe.phases
        )
    value = format_value(parameter.value)
    return (
        format_count(int(value)) if parameter.kind is int else CHOICES.get(value, value)
    )


def _opponent(site: SiteData, name: str) -> str:
    itself = {SELF: "Itself", BOTH: "Itself, both sides learning", YOU: "You"}
    return itself.get(name) or site.titles[name]


def _field(
    site: SiteData, recipe: Recipe, other: Recipe, parameter: Parameter, first: bool
) -> Field:
    was = next(
        (one for one in list_parameters(other) if one.name == parameter.name), None
    )
    value = format_value(parameter.value)
    options = _options(site, recipe, parameter)
    kind = "number" if not options else "choice" if len(options) <= FEW else "select"
    slider, high = None, parameter.high
    # Whom a person's games are with is no more changed than those; one opponent is no choice.
    taught = recipe.is_met(YOU) and parameter.name in ("vs", recipe.turns)
    if taught or parameter.name == "taught" or len(parameter.choices) == 1:
        kind = "hidden"
    if kind == "number":
        if parameter.name == recipe.turns:
            value, high = str(sum(turns for _, turns in recipe.phases)), _most(recipe)
        slider = _slider(parameter, float(value), high or 0.0)
    return Field(
        name=parameter.name,
        label=_label(parameter),
        symbol=parameter.symbol,
        meaning=MEANINGS.get(parameter.name, parameter.meaning),
        kind=kind,
        value=value,
        was=_told(site, other, was) if was else "",
        low="" if parameter.low is None else format_value(parameter.low),
        high="" if high is None else format_value(high),
        step="1" if parameter.kind is int else "any",
        slider=slider,
        options=options,
        changed=was is None or parameter.value != was.value,
        first=first,
        error="",
    )


def _options(site: SiteData, recipe: Recipe, parameter: Parameter) -> list[Option]:
    """List what a parameter can be, nothing for a number."""
    value = format_value(parameter.value)
    if parameter.choices:
        return [
            Option(choice, CHOICES.get(choice, choice), choice == value)
            for choice in parameter.choices
        ]
    if parameter.kind is not str or parameter.name == "taught":
        return []
    options = [
        Option(one, _opponent(site, one), one == value)
        for one in OPPONENTS
        if _meets(recipe, one)
    ]
    turns = sum(turns for _, turns in recipe.phases)
    if ":" in value:
        several = ", then ".join(
            f"{_opponent(site, one)} {n:,}" for one, n in recipe.phases
        )
        options.append(Option(value, several, True))
    elif turns > 1 and not recipe.is_network:
        two = f"random:{turns // 2}+self:{turns - turns // 2}"
        options.append(Option(two, "Random, then itself", False))
    return options


def _meets(recipe: Recipe, opponent: str) -> bool:
    """Whether the algorithm of a recipe can learn against an opponent."""
    try:
        parse_recipe(f"{recipe.slug},vs={opponent}")
    except RecipeError:
        return False
    return True


def _most(recipe: Recipe) -> int:
    """Return how many turns there can be at most, the other parameters as they are."""
    turns = sum(turns for _, turns in recipe.phases)
    return max(1, MAX_UPDATES * turns // recipe.updates_at_most())


def _tidy(parameter: Parameter, text: str) -> str:
    """Write a whole number as a name has it; a browser may send "2.0"."""
    if parameter.kind is not int or not text.isascii():
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def _wrong(usual: Recipe, parameter: Parameter, text: str) -> str:
    """Say what is wrong with the value of one parameter, "" if nothing is."""
    try:
        parse_recipe(f"{usual.slug},{parameter.name}={text}")
    except RecipeError as error:
        if not str(error).startswith(f"{parameter.name} "):
            return ""  # it is the others that decide
        if parameter.kind is str or parameter.choices:
            return sentence(error)
        high = parameter.high or 0
        most = (
            format_count(_most(usual))
            if parameter.name == usual.turns
            else format_value(high)
        )
        number = "A whole number" if parameter.kind is int else "A number"
        return f"{number} from {format_value(parameter.low or 0)} to {most}."
    return ""


def _slider(parameter: Parameter, value: float, high: float) -> Slider | None:
    """Return the track of a number: in powers of ten where it has several, None where none helps.

    A seed, a number that may be 0 or very large, and one below the steps of a track are only typed.
    """
    low = parameter.low or 0.0
    if low > 0:
        ends = (round(log10(number), 3) for number in (low, max(high, value), value))
        start, end, at = ends
        return Slider(start, end, STEP, at, logarithmic=True)
    if low < 0:
        end = next(end for end in REWARDS if abs(value) <= end)
        step = end / 40 if parameter.kind is float else 1.0
        return Slider(-end, end, step, value, logarithmic=False)
    if parameter.name == "seed" or high > 1 or 0 < value < STEP:
        return None
    return Slider(low, high, STEP, value, logarithmic=False)


def _rescaled(slug: str, vs: str, turns: str) -> str:
    """Return opponents with as many turns together as a form has; as they are if that is none."""
    try:
        recipe = parse_recipe(f"{slug},vs={vs}")
        wanted = sum(
            number
            for _, number in parse_recipe(f"{slug},{recipe.turns}={turns}").phases
        )
    except RecipeError:
        return vs
    phases = recipe.phases
    total = sum(number for _, number in phases)
    if total == wanted or wanted < len(phases):
        return vs
    shares = [max(1, number * wanted // total) for _, number in phases[:-1]]
    shares.append(max(1, wanted - sum(shares)))
    return "+".join(
        f"{one}:{share}" for (one, _), share in zip(phases, shares, strict=True)
    )
