"""Words for recipes and for their differences, as parts of sentences."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.recipes import Parameter, Recipe, name_recipe
from app.recipes.parameters import BOTH_OPPONENT, format_value
from app.web.algorithms import ALGORITHM_PAGES, get_opponent_name
from app.web.formatting import format_count, join_words
from app.web.pages.lab.change import (
    count_turns,
    find_differing_parameters,
    find_possible_causes,
)
from app.web.site_data import SiteData

MAX_LABEL_LENGTH = 28
MAX_PHRASE_LENGTH = 90
# A list of a person's games is cut to this many characters.
MAX_VALUE_LENGTH = 24
NUMBER_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine"]
# The names of these players do not show that they are players.
UNFAMILIAR_OPPONENTS = ("fixed", "t-hand", "minimax-random", "strongest")
SEAT_PHRASES = {"both": "as both X and O", "x": "as X", "o": "as O"}


class Wording(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """The words for a parameter and its values, from `wording.toml`."""

    noun: str
    label: str = ""
    value_phrase: str = ""
    value_phrases: dict[str, str] = {}
    more_phrase: str = ""
    less_phrase: str = ""
    question_phrases: dict[str, str] = {}


WORDINGS = msgspec.toml.decode(
    Path(__file__).with_name("wording.toml").read_bytes(), type=dict[str, Wording]
)


class Description(NamedTuple):
    # such as "against Random" and "as X"
    circumstances: list[str]
    # such as "α 0.8" and "200 games"
    value_texts: list[str]

    @property
    def label(self) -> str:
        """A label for a chart, such as "as X, α 0.8"."""
        return ", ".join([*self.circumstances, *self.value_texts])

    @property
    def text_after_title(self) -> str:
        """The text after the name of an algorithm, such as "as X with α 0.8"."""
        values = [f"with {join_words(self.value_texts)}"] if self.value_texts else []
        return " ".join([*self.circumstances, *values])

    @property
    def sentence_end(self) -> str:
        """The end of a sentence, such as "when trained as X with α 0.8"."""
        return (
            f"when trained {self.text_after_title}"
            if self.circumstances
            else self.text_after_title
        )


def name_causes(recipe: Recipe, other_recipe: Recipe) -> list[str]:
    """Return the names of the differences that can explain different results."""
    algorithm = ["the algorithm"] if recipe.slug != other_recipe.slug else []
    causes = find_possible_causes(recipe, other_recipe)
    return [*algorithm, *(get_wording(recipe, one).noun for one in causes)]


def warn_of_causes(causes: list[str]) -> str:
    """Warn that several differences may explain a verdict; "" for a single difference."""
    if len(causes) < 2:
        return ""
    number = spell_number(len(causes))
    none = "neither" if len(causes) == 2 else "none"
    return (
        f"{number.capitalize()} settings differ, so {none} of them alone is the cause."
    )


def spell_number(number: int) -> str:
    return NUMBER_WORDS[number - 2] if number - 2 < len(NUMBER_WORDS) else str(number)


def describe_recipe(site: SiteData, recipe: Recipe) -> str:
    """Return the title of the algorithm, and all values that are not defaults."""
    title, description = _describe_training(site, recipe)
    return f"{title} {description.text_after_title}".rstrip()


def name_variants(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe
) -> list[tuple[str, str]]:
    """Return a label and an end of a sentence for each recipe: ("α 0.8", "with α 0.8").

    They name the differences, or are "A" and "B" if that would be too long.
    """
    if recipe_a.slug == recipe_b.slug:
        descriptions = [
            describe_values(
                site, recipe, _find_distinguishing_parameters(recipe, other)
            )
            for recipe, other in ((recipe_a, recipe_b), (recipe_b, recipe_a))
        ]
        labels = [description.label for description in descriptions]
        phrases = [description.sentence_end for description in descriptions]
    else:
        labels = [describe_recipe(site, recipe) for recipe in (recipe_a, recipe_b)]
        phrases = [
            _join_title_and_values(site, recipe) for recipe in (recipe_a, recipe_b)
        ]
    differ = labels[0] != labels[1]
    if not differ or max(map(len, labels)) > MAX_LABEL_LENGTH:
        labels = ["A", "B"]
    if not differ or max(map(len, phrases)) > MAX_PHRASE_LENGTH:
        phrases = ["with recipe A", "with recipe B"]
    return [*zip(labels, phrases, strict=True)]


def describe_values(
    site: SiteData, recipe: Recipe, parameters: Iterable[Parameter]
) -> Description:
    named = {one.name: one for one in parameters}
    if "vs" in named and len(recipe.phases) > 1:
        # The name of each opponent already says the number of turns.
        named.pop(recipe.length_parameter, None)
    description = Description([], [])
    for one in named.values():
        if one.name == "vs":
            description.circumstances.append(f"against {name_opponents(site, recipe)}")
        elif one.name == "seat":
            description.circumstances.append(SEAT_PHRASES[str(one.value)])
        else:
            description.value_texts.append(describe_value(recipe, one))
    return description


def get_wording(recipe: Recipe, parameter: Parameter) -> Wording:
    """Return the words for a parameter; without an entry, its name and its symbol."""
    spelled = parameter.name.replace("_", " ")
    return (
        WORDINGS.get(f"{recipe.slug}.{parameter.name}")
        or WORDINGS.get(parameter.name)
        or Wording(f"the {spelled}", f"{parameter.symbol or spelled} {{}}")
    )


def _find_distinguishing_parameters(
    recipe: Recipe, other_recipe: Recipe
) -> list[Parameter]:
    differences = find_differing_parameters(recipe, other_recipe)
    return [one for one in differences if one.name != "seed"] or differences


def name_learner(site: SiteData, recipe: Recipe) -> str:
    """Name a recipe after the agent on the site with the same algorithm and its default values."""
    usual = site.on_demand.find_canonical_name(recipe.slug)
    if usual in site.shipped_agents:
        return site.display_titles[usual].partition(" (")[0]
    return ALGORITHM_PAGES[recipe.slug].name.partition(":")[0]


def _describe_training(site: SiteData, recipe: Recipe) -> tuple[str, Description]:
    named = site.on_demand.find_canonical_name(name_recipe(recipe))
    if named in site.shipped_agents:
        return site.display_titles[named], Description([], [])
    changes = find_differing_parameters(recipe, type(recipe)())
    return name_learner(site, recipe), describe_values(site, recipe, changes)


def _join_title_and_values(site: SiteData, recipe: Recipe) -> str:
    """Return an end of a sentence, such as "with Double Q-learning (as X, α 0.8)"."""
    title, description = _describe_training(site, recipe)
    return f"with {title}" + (f" ({description.label})" if description.label else "")


def name_opponents(site: SiteData, recipe: Recipe, are_introduced: bool = False) -> str:
    """Name the opponents in a training, such as "Random (500) and then itself (300)".

    With `are_introduced`, an unfamiliar name reads like "the player T-hand".
    """
    name_one = introduce_opponent if are_introduced else name_opponent
    names = [name_one(site, opponent) for opponent, _ in recipe.phases]
    if len(names) == 1:
        return names[0]
    turns = (format_count(number) for _, number in recipe.phases)
    return " and then ".join(
        f"{name} ({n})" for name, n in zip(names, turns, strict=True)
    )


def name_opponent(site: SiteData, opponent: str) -> str:
    """Name an opponent, or several joined by "+", for use after "against"."""
    if opponent == BOTH_OPPONENT:
        return "itself on both sides"
    return " and ".join(get_opponent_name(site, one) for one in opponent.split("+"))


def introduce_opponent(site: SiteData, opponent: str) -> str:
    """Return "the player T-hand" for an unfamiliar name, but "Random" for a familiar one."""
    name = name_opponent(site, opponent)
    if opponent not in UNFAMILIAR_OPPONENTS:
        return name
    return f"the player “{name}”" if " " in name else f"the player {name}"


def describe_value(recipe: Recipe, parameter: Parameter) -> str:
    wording = get_wording(recipe, parameter)
    value = (
        count_turns(recipe.phases)
        if parameter.name == recipe.length_parameter
        else parameter.value
    )
    key = format_value(value)
    text = format_count(int(value)) if parameter.value_type is int else key
    if len(text) > MAX_VALUE_LENGTH:
        text = f"{text[:MAX_VALUE_LENGTH]}..."
    return wording.value_phrases.get(key) or wording.value_phrase.format(text)
