"""The controls of a recipe: what a form shows of each parameter, and what it sends back."""

from collections.abc import Mapping
from math import log10
from typing import NamedTuple

from app.recipes import Parameter, Recipe, RecipeError, parameters, parse
from app.recipes.names import algorithm
from app.recipes.on_demand import MOST_UPDATES
from app.recipes.parameters import BOTH, OPPONENTS, SELF, YOU, written
from app.web.world import World

REWARDS = (2.0, 10.0, 100.0)  # ends of a slider for what may be worth -100 to 100
STEP = 0.01  # of a slider for what is 0 to 1
SHORT_LABEL = 28  # characters of the name of a line
FEW = 4  # choices that are seen at once


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
    symbol: str
    meaning: str
    kind: str  # "number", "choice" of a few that are seen at once, "select", or "hidden"
    value: str
    low: str  # of a number
    high: str
    step: str
    slider: Slider | None
    options: list[Option]
    changed: bool  # whether it is not the default


def fields(world: World, recipe: Recipe) -> list[Field]:
    """Return the controls of a recipe, in the order of its parameters."""
    return [_field(world, recipe, parameter) for parameter in parameters(recipe)]


def read(query: Mapping[str, str]) -> Recipe:
    """Return the recipe that a form sends; what it does not send is as usual.

    Raises RecipeError, naming the parameter and what would be right, if it is none.
    """
    slug = query.get("algorithm", "")
    chosen = algorithm(slug)
    usual = {parameter.name: parameter for parameter in parameters(chosen())}
    given = {key: value.strip() for key, value in query.items() if key in usual and value.strip()}
    if ":" in given.get("vs", "") and "taught" not in given:
        given["vs"] = _rescaled(given["vs"], given.pop(chosen.turns, ""))
    differing = (  # all of them would be longer than a name may be
        f"{key}={value}" for key, value in given.items() if value != written(usual[key].default)
    )
    return parse(",".join([slug, *differing]))


def differences(recipe: Recipe, other: Recipe) -> list[str]:
    """Name the parameters of which two recipes of one algorithm have other values."""
    both = zip(parameters(recipe), parameters(other), strict=True)
    return [one.name for one, same in both if one.value != same.value]


def labels(recipe: Recipe, other: Recipe) -> tuple[str, str]:
    """Return short words that tell two recipes apart, those of the first first."""
    if recipe.slug == other.slug:
        keys = differences(recipe, other)
        if 0 < len(keys) <= 2:
            one, two = (
                ", ".join(f"{key} {written(getattr(each, key))}" for key in keys)
                for each in (recipe, other)
            )
            if max(len(one), len(two)) <= SHORT_LABEL:
                return one, two
    return "now", "before"


def _field(world: World, recipe: Recipe, parameter: Parameter) -> Field:
    value = written(parameter.value)
    options = _options(world, recipe, parameter)
    slider, high = None, parameter.high
    # Whom a person's games are with is no more changed than those; one opponent is no choice.
    taught = recipe.is_met(YOU) and parameter.name in ("vs", recipe.turns)
    hidden = taught or parameter.name == "taught" or len(parameter.choices) == 1
    if not options and not hidden:
        if parameter.name == recipe.turns:
            value, high = str(sum(turns for _, turns in recipe.phases)), _most(recipe)
        slider = _slider(parameter, float(value), high or 0.0)
    return Field(
        name=parameter.name,
        symbol=parameter.symbol,
        meaning=parameter.meaning,
        kind="hidden" if hidden else _kind(options),
        value=value,
        low="" if parameter.low is None else written(parameter.low),
        high="" if high is None else written(high),
        step="1" if parameter.kind is int else "any",
        slider=slider,
        options=options,
        changed=parameter.value != parameter.default,
    )


def _kind(options: list[Option]) -> str:
    return "number" if not options else "choice" if len(options) <= FEW else "select"


def _options(world: World, recipe: Recipe, parameter: Parameter) -> list[Option]:
    """List what a parameter can be, nothing for a number."""
    value = written(parameter.value)
    if parameter.choices:
        return [Option(choice, choice, choice == value) for choice in parameter.choices]
    if parameter.kind is not str or parameter.name == "taught":
        return []
    titles = {**world.titles, SELF: "Itself", BOTH: "Itself, both sides learning"}
    options = [
        Option(one, titles.get(one, one), one == value) for one in OPPONENTS if _meets(recipe, one)
    ]
    turns = sum(turns for _, turns in recipe.phases)
    if ":" in value:
        several = ", then ".join(f"{titles.get(one, one)} {n:,}" for one, n in recipe.phases)
        options.append(Option(value, several, True))
    elif turns > 1 and not recipe.is_network:
        two = f"random:{turns // 2}+self:{turns - turns // 2}"
        options.append(Option(two, "Random, then itself", False))
    return options


def _meets(recipe: Recipe, opponent: str) -> bool:
    """Whether the algorithm of a recipe can learn against an opponent."""
    try:
        parse(f"{recipe.slug},vs={opponent}")
    except RecipeError:
        return False
    return True


def _most(recipe: Recipe) -> float:
    """Return how many turns there can be at most, the other parameters as they are."""
    turns = sum(turns for _, turns in recipe.phases)
    return max(1, MOST_UPDATES * turns // recipe.updates_at_most())


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


def _rescaled(vs: str, turns: str) -> str:
    """Return opponents with as many turns together as a form has; as they are if that is none."""
    phases = [phase.split(":") for phase in vs.replace(" ", "+").split("+")]
    counts = [number for _, *rest in phases for number in rest]
    if not (turns.isascii() and turns.isdigit() and len(turns) < 10):
        return vs
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in counts):
        return vs
    total, wanted = sum(map(int, counts)), int(turns)
    if len(counts) != len(phases) or not total or total == wanted or wanted < len(phases):
        return vs
    shares = [max(1, int(number) * wanted // total) for number in counts[:-1]]
    shares.append(max(1, wanted - sum(shares)))
    return "+".join(f"{one}:{share}" for (one, _), share in zip(phases, shares, strict=True))
