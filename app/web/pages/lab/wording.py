"""What differs between two trainings, in words that fit into a sentence."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.recipes import Parameter, Recipe, list_parameters
from app.recipes import name_recipe as written_name
from app.recipes.parameters import BOTH, Phases, format_value
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.algorithms import opponent_name
from app.web.formatting import format_count, join_words
from app.web.site_data import SiteData

LABEL_LENGTH = 28  # characters of the name of a line in a chart
PHRASE_LENGTH = 90  # characters of what a headline says of a recipe
TEXT_LENGTH = 24  # characters of the games of a person
NUMERALS = (
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
)  # from 2 on
START_OF_DECAY = {"epsilon_drop": "epsilon", "alpha_drop": "alpha"}
SEATS = {"both": "as both X and O", "x": "as X", "o": "as O"}


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How sentences name a parameter and its values."""

    noun: str  # "the learning rate"
    value: str = ""  # "α {}"
    values: dict[
        str, str
    ] = {}  # other words for some values, by what a recipe's name has


WORDINGS = msgspec.toml.decode(
    Path(__file__).with_name("wording.toml").read_bytes(), type=dict[str, Wording]
)


class Description(NamedTuple):
    """The values that tell a training from another one."""

    circumstances: list[str]  # "against Random", "as X"
    values: list[str]  # "α 0.8", "200 games"

    @property
    def label(self) -> str:
        """The description as the name of a line, "" if there is nothing to tell."""
        return ", ".join([*self.circumstances, *self.values])

    @property
    def after_title(self) -> str:
        """The description as it goes on after the title of an algorithm."""
        values = [f"with {join_words(self.values)}"] if self.values else []
        return " ".join([*self.circumstances, *values])

    @property
    def phrase(self) -> str:
        """The description as the end of a sentence: "when trained as X with α 0.8"."""
        return (
            f"when trained {self.after_title}"
            if self.circumstances
            else self.after_title
        )


class Names(NamedTuple):
    """How a recipe is called beside another one."""

    label: str  # in a chart: "α 0.8"
    phrase: str  # at the end of a sentence: "with α 0.8"


def find_differences(recipe: Recipe, other: Recipe) -> list[Parameter]:
    """Return the parameters of a recipe by which its training differs from another one.

    Of another algorithm's parameters only those count that mean the same in both.
    """
    others = {one.name: one for one in list_parameters(other)}
    return [
        one
        for one in list_parameters(recipe)
        if one.name in others
        and _mean_the_same(one, others[one.name], recipe, other)
        and _differ_in(one, others[one.name], recipe, other)
    ]


def name_causes(recipe: Recipe, other: Recipe) -> list[str]:
    """Name each thing that may cause a difference between two trainings with the same seeds."""
    algorithm = ["the algorithm"] if recipe.slug != other.slug else []
    nouns = [
        word_parameter(recipe, one).noun
        for one in find_differences(recipe, other)
        if one.name != "seed"
    ]
    return [*algorithm, *nouns]


def warn_of_causes(causes: list[str]) -> str:
    """Return the sentence with which the verdict on several causes begins, "" for one cause."""
    if len(causes) < 2:
        return ""
    at = len(causes) - 2
    number = NUMERALS[at] if at < len(NUMERALS) else str(len(causes))
    none = "neither" if len(causes) == 2 else "none"
    return f"{number} things differ, so {none} is the cause alone."


def describe_recipe(site: SiteData, recipe: Recipe) -> str:
    """Return the title of a recipe and its values that are not the usual ones."""
    title, description = _describe(site, recipe)
    return f"{title} {description.after_title}".rstrip()


def name_sides(site: SiteData, a: Recipe, b: Recipe) -> tuple[Names, Names]:
    """Name two recipes by what tells one from the other; by A and B where that is too long."""
    if a.slug == b.slug:
        descriptions = [
            describe_values(site, recipe, _find_differences_to_tell(recipe, other))
            for recipe, other in ((a, b), (b, a))
        ]
        labels = [description.label for description in descriptions]
        phrases = [description.phrase for description in descriptions]
    else:
        labels = [describe_recipe(site, recipe) for recipe in (a, b)]
        phrases = [_name_after_with(site, recipe) for recipe in (a, b)]
    differ = labels[0] != labels[1]
    if not differ or max(map(len, labels)) > LABEL_LENGTH:
        labels = ["A", "B"]
    if not differ or max(map(len, phrases)) > PHRASE_LENGTH:
        phrases = ["with recipe A", "with recipe B"]
    name_a, name_b = map(Names, labels, phrases)
    return name_a, name_b


def describe_values(
    site: SiteData, recipe: Recipe, chosen: Iterable[Parameter]
) -> Description:
    """Describe a recipe by the values of some of its parameters."""
    named = {one.name: one for one in chosen}
    if "vs" in named and len(recipe.phases) > 1:
        named.pop(recipe.turns, None)  # the opponents come with their turns
    description = Description([], [])
    for one in named.values():
        if one.name == "vs":
            description.circumstances.append(f"against {_name_opponents(site, recipe)}")
        elif one.name == "seat":
            description.circumstances.append(SEATS[str(one.value)])
        else:
            description.values.append(_word_value(recipe, one))
    return description


def word_parameter(recipe: Recipe, parameter: Parameter) -> Wording:
    """Return the words for a parameter of a recipe, its symbol if there are no others."""
    spelled = parameter.name.replace("_", " ")
    return (
        WORDINGS.get(f"{recipe.slug}.{parameter.name}")
        or WORDINGS.get(parameter.name)
        or Wording(f"the {spelled}", f"{parameter.symbol or spelled} {{}}")
    )


def _find_differences_to_tell(recipe: Recipe, other: Recipe) -> list[Parameter]:
    """Return what tells a recipe from another one: its seed only if nothing else does."""
    differences = find_differences(recipe, other)
    return [one for one in differences if one.name != "seed"] or differences


def _describe(site: SiteData, recipe: Recipe) -> tuple[str, Description]:
    """Return the title of a recipe, and how it differs from the recipe with that title."""
    named = site.lab.called(written_name(recipe))
    if named in site.always:
        return site.titles[named], Description([], [])
    usual = type(recipe)()
    base = site.lab.called(usual.slug)
    title = site.titles[base] if base in site.always else KNOWN[recipe.slug].title
    return title, describe_values(site, recipe, find_differences(recipe, usual))


def _name_after_with(site: SiteData, recipe: Recipe) -> str:
    """Return "with Double Q-learning (as X, α 0.8)"."""
    title, description = _describe(site, recipe)
    return f"with {title}" + (f" ({description.label})" if description.label else "")


def _mean_the_same(
    one: Parameter, other: Parameter, recipe: Recipe, than: Recipe
) -> bool:
    """Whether two parameters of the same name mean the same, each in its recipe."""
    is_turns, is_turns_of_other = one.name == recipe.turns, other.name == than.turns
    looks = (one.symbol, one.kind, is_turns)
    return looks == (other.symbol, other.kind, is_turns_of_other)


def _differ_in(
    one: Parameter, other_one: Parameter, recipe: Recipe, other: Recipe
) -> bool:
    """Whether two trainings differ by a parameter, which both have."""
    name = one.name
    if name == "vs":
        return not _have_same_shares(recipe.phases, other.phases)
    if name == recipe.turns:
        return _total(recipe.phases) != _total(other.phases)
    start = START_OF_DECAY.get(name)
    if start and 0 in (getattr(recipe, start), getattr(other, start)):
        return False  # what is 0 stays 0, whatever it falls by
    return one.value != other_one.value


def _have_same_shares(phases: Phases, others: Phases) -> bool:
    """Whether two trainings have the same opponents, each for the same share of the turns.

    Turns are whole: in trainings of different length a share may differ by a turn, the last by
    one for each opponent before it.
    """
    if [opponent for opponent, _ in phases] != [opponent for opponent, _ in others]:
        return False
    total, other_total = _total(phases), _total(others)
    if total == other_total:
        return phases == others
    tolerance = len(phases) * max(total, other_total)
    return all(
        abs(turns * other_total - other_turns * total) < tolerance
        for (_, turns), (_, other_turns) in zip(phases, others, strict=True)
    )


def _total(phases: Phases) -> int:
    return sum(turns for _, turns in phases)


def _name_opponents(site: SiteData, recipe: Recipe) -> str:
    """Name the opponents of a recipe; several come with their turns."""
    names = [_name_opponent(site, opponent) for opponent, _ in recipe.phases]
    if len(names) == 1:
        return names[0]
    turns = (format_count(number) for _, number in recipe.phases)
    return " and then ".join(
        f"{name} ({n})" for name, n in zip(names, turns, strict=True)
    )


def _name_opponent(site: SiteData, opponent: str) -> str:
    if opponent == BOTH:
        return "itself in both seats"
    return " and ".join(opponent_name(site, one) for one in opponent.split("+"))


def _word_value(recipe: Recipe, parameter: Parameter) -> str:
    """Return the words for the value of a parameter."""
    wording = word_parameter(recipe, parameter)
    value = _total(recipe.phases) if parameter.name == recipe.turns else parameter.value
    key = format_value(value)
    text = format_count(int(value)) if parameter.kind is int else key
    if len(text) > TEXT_LENGTH:
        text = f"{text[:TEXT_LENGTH]}..."
    return wording.values.get(key) or wording.value.format(text)
