"""The question of a comparison, as a sentence whose slots are its settings.

"Does [a larger learning rate: 0.4 → 0.8] help [Q-learning] trained against [Random] for [14,000
games], measured by [blunders]?"  The first slot is the contrast, all others are what both recipes share.
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.recipes import Parameter, Recipe, list_parameters
from app.recipes.parameters import format_value
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.pages.lab.change import ALGORITHM
from app.web.pages.lab.differences import (
    count_turns,
    find_causes,
    find_differences,
    find_shared,
)
from app.web.pages.lab.wording import (
    describe_value,
    describe_values,
    get_wording,
    name_opponents,
    spell_number,
)
from app.web.site_data import SiteData

CHANGE_SLOT, SETTINGS_SLOT, MEASURE_SLOT = (
    "change",
    "settings",
    "by",
)  # slots that change several parameters, or how a rate falls
B_PREFIX = "b."  # before the name of a parameter that differs between A and B
MAX_NAMED_CONTRASTS = 3  # contrasts that a sentence names one by one


class Phrase(NamedTuple):
    """Some words of a question, and the slot that they fill."""

    text: str
    slot_id: str = ""  # "" for words between two slots


def build_question_phrases(
    site: SiteData, a: Recipe, b: Recipe, measure_noun: str
) -> list[Phrase]:
    """Return the question whether the recipe `b` is better than `a` by a measure."""
    contrasts = find_contrasts(a, b)
    if a.slug == b.slug:
        head = _ask_about_parameters(site, a, b, contrasts)
    else:
        head = _ask_about_algorithms(site, a, b, contrasts)
    settings = _describe_settings(site, a, contrasts)
    if settings:
        head += [Phrase(" "), Phrase(settings, SETTINGS_SLOT)]
    return [
        *head,
        *_describe_training(site, a, b, contrasts),
        Phrase(", measured by "),
        Phrase(measure_noun, MEASURE_SLOT),
        Phrase("?"),
    ]


def find_contrasts(a: Recipe, b: Recipe) -> list[Parameter]:
    """Return the parameters of `b` that are the contrast, without the algorithm.

    If no difference can have an effect, they are all parameters that differ.
    """
    if a == b:
        return []
    causes = find_causes(b, a)
    if causes or a.slug != b.slug:
        return causes
    return [one for one in list_parameters(b) if getattr(a, one.field) != one.value]


def describe_contrast(site: SiteData, a: Recipe, b: Recipe, contrast: Parameter) -> str:
    """Return a contrast as a noun phrase: "a larger learning rate: 0.4 → 0.8"."""
    name = contrast.name
    words = get_wording(b, contrast)
    if name == "vs":
        opponents = [name_opponents(site, recipe) for recipe in (b, a)]
        return f"training against {' instead of '.join(opponents)}"
    if name == "taught":
        return "other games with a person"
    before = getattr(a, contrast.field)
    after = getattr(b, contrast.field)
    if contrast.choices:
        asked = words.question_phrases[format_value(after)]
        is_switch = len(contrast.choices) == 2
        return (
            asked
            if is_switch
            else f"{asked} instead of {words.question_phrases[format_value(before)]}"
        )
    if name == b.length_parameter:
        before = count_turns(a.phases)
        after = count_turns(b.phases)
    side = words.more_phrase if after > before else words.less_phrase
    return f"{side}: {_format_value(before)} → {_format_value(after)}"


def _format_value(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else format_value(value)


def _ask_about_parameters(
    site: SiteData, a: Recipe, b: Recipe, contrasts: Sequence[Parameter]
) -> list[Phrase]:
    """Return the question up to the algorithm, which both recipes have."""
    phrases = _list_contrasts(site, a, b, contrasts) or [
        Phrase("one change", CHANGE_SLOT)
    ]
    starts, helps = (
        ("Do ", " together help ") if len(phrases) > 1 else ("Does ", " help ")
    )
    algorithm = Phrase(_name_algorithm(a), ALGORITHM)
    return [Phrase(starts), *phrases, Phrase(helps), algorithm]


def _ask_about_algorithms(
    site: SiteData, a: Recipe, b: Recipe, contrasts: Sequence[Parameter]
) -> list[Phrase]:
    """Return the beginning of the question "Is B better than A?", to the name of A's algorithm."""
    shared = [one.name for one in find_shared(b, a)]
    own = [
        one
        for one in find_differences(b, type(b)())
        if one.name not in (*shared, b.length_parameter)
    ]
    described = describe_values(site, b, own).after_title
    title = f"{_name_algorithm(b)} {described}".rstrip()
    phrases = [Phrase("Is "), Phrase(title, B_PREFIX + ALGORITHM)]
    if contrasts:
        phrases += [Phrase(" with "), *_list_contrasts(site, a, b, contrasts)]
    return [*phrases, Phrase(" better than "), Phrase(_name_algorithm(a), ALGORITHM)]


def _name_algorithm(recipe: Recipe) -> str:
    """Return the title of an algorithm without what follows a colon: "MENACE"."""
    return KNOWN[recipe.slug].title.partition(":")[0]


def _list_contrasts(
    site: SiteData, a: Recipe, b: Recipe, contrasts: Sequence[Parameter]
) -> list[Phrase]:
    """Return a slot for each contrast, with commas and "and", or one slot for all of them."""
    number = len(contrasts)
    if number > MAX_NAMED_CONTRASTS:
        words = spell_number(number)
        return [Phrase(f"a change of {words} settings", CHANGE_SLOT)]
    phrases: list[Phrase] = []
    for position, one in enumerate(contrasts, 1):
        if phrases:
            phrases.append(Phrase(" and " if position == number else ", "))
        phrases.append(Phrase(describe_contrast(site, a, b, one), B_PREFIX + one.name))
    return phrases


def _describe_settings(
    site: SiteData, a: Recipe, contrasts: Sequence[Parameter]
) -> str:
    """Return the shared values that are not the algorithm's defaults: "as X with γ 0.9"."""
    elsewhere = {
        "vs",
        "seed",
        "taught",
        a.length_parameter,
        *(one.name for one in contrasts),
    }
    differences = find_differences(a, type(a)())
    shown = [one for one in differences if one.name not in elsewhere]
    return describe_values(site, a, shown).after_title


def _describe_training(
    site: SiteData, a: Recipe, b: Recipe, contrasts: Sequence[Parameter]
) -> list[Phrase]:
    """Return the opponent and the length of the training, as far as both recipes share them."""
    names = {one.name for one in contrasts}
    shared = {one.name: one for one in find_shared(a, b)}
    trained = " trained" if a.slug == b.slug else ", both trained"
    phrases: list[Phrase] = []
    if "vs" in shared and "vs" not in names and len(shared["vs"].choices) != 1:
        phrases += [
            Phrase(f"{trained} against "),
            Phrase(name_opponents(site, a), "vs"),
        ]
    turns = shared.get(a.length_parameter)
    if turns and a.length_parameter not in names:
        phrases += [
            Phrase(" for " if phrases else f"{trained} for "),
            Phrase(describe_value(a, turns), a.length_parameter),
        ]
    return phrases
