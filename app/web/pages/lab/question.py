"""The question of a comparison: a sentence in which a click on a phrase changes a setting.

"Does [a larger step size α (0.4 → 0.8)] help [Q-learning] when trained against [Random] for
[14,000 games], measured by [blunders]?" Such a phrase is called a slot. The first slot is the
contrast: the setting in which recipe B differs from A. The other slots are settings that both
recipes share.
"""

from collections.abc import Sequence

from app.recipes import Parameter, Recipe, list_parameters
from app.recipes.parameters import format_value
from app.web.algorithms import ALGORITHM_PAGES
from app.web.pages.lab.change import (
    ALGORITHM_FIELD,
    count_turns,
    find_differing_parameters,
    find_possible_causes,
    find_shared_parameters,
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
)
# A form field with this prefix changes only recipe B.
RECIPE_B_PREFIX = "b."
# A question about more changes gives only their number.
MAX_NAMED_CONTRASTS = 3


# (text, id of the menu that a click opens); the id is "" for words that cannot be clicked
QuestionPhrase = tuple[str, str]


def build_question_phrases(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, measure_noun: str
) -> list[QuestionPhrase]:
    """Return the phrases of the question whether recipe B is better than recipe A by a measure."""
    contrasts = find_contrasts(recipe_a, recipe_b)
    if recipe_a.slug == recipe_b.slug:
        head = _build_parameter_question(site, recipe_a, recipe_b, contrasts)
    else:
        head = _build_algorithm_question(site, recipe_a, recipe_b, contrasts)
    settings = _describe_settings(site, recipe_a, contrasts)
    if settings:
        head += [(" ", ""), (settings, SETTINGS_SLOT)]
    return [
        *head,
        *_describe_training(site, recipe_a, recipe_b, contrasts),
        (", measured by ", ""),
        (measure_noun, MEASURE_SLOT),
        ("?", ""),
    ]


def find_contrasts(recipe_a: Recipe, recipe_b: Recipe) -> list[Parameter]:
    """Return the parameters, apart from the algorithm, in which recipe B differs from A.

    A difference that cannot change the results counts only if there is no other difference.
    """
    if recipe_a == recipe_b:
        return []
    causes = find_possible_causes(recipe_b, recipe_a)
    if causes or recipe_a.slug != recipe_b.slug:
        return causes
    return [
        one
        for one in list_parameters(recipe_b)
        if getattr(recipe_a, one.field_name) != one.value
    ]


def describe_contrast(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, contrast: Parameter
) -> str:
    """Describe a difference as a noun phrase, such as "a larger step size α (0.4 → 0.8)"."""
    name = contrast.name
    words = get_wording(recipe_b, contrast)
    if name == "vs":
        opponents = [
            name_opponents(site, recipe, are_introduced=True)
            for recipe in (recipe_b, recipe_a)
        ]
        return f"training against {' instead of against '.join(opponents)}"
    if name == "taught":
        return "other games with a person"
    before = getattr(recipe_a, contrast.field_name)
    after = getattr(recipe_b, contrast.field_name)
    if contrast.choices:
        asked = words.question_phrases[format_value(after)]
        is_switch = len(contrast.choices) == 2
        return (
            asked
            if is_switch
            else f"{asked} instead of {words.question_phrases[format_value(before)]}"
        )
    if name == recipe_b.length_parameter:
        before = count_turns(recipe_a.phases)
        after = count_turns(recipe_b.phases)
    side = words.more_phrase if after > before else words.less_phrase
    return f"{side} ({_format_value(before)} → {_format_value(after)})"


def _format_value(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else format_value(value)


def _build_parameter_question(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, contrasts: Sequence[Parameter]
) -> list[QuestionPhrase]:
    phrases = _list_recipe_differences(site, recipe_a, recipe_b, contrasts) or [
        ("one change", CHANGE_SLOT)
    ]
    starts, helps = (
        ("Do ", " together help ") if len(phrases) > 1 else ("Does ", " help ")
    )
    algorithm = (_name_algorithm(recipe_a), ALGORITHM_FIELD)
    return [(starts, ""), *phrases, (helps, ""), algorithm]


def _build_algorithm_question(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, contrasts: Sequence[Parameter]
) -> list[QuestionPhrase]:
    shared = [one.name for one in find_shared_parameters(recipe_b, recipe_a)]
    own = [
        one
        for one in find_differing_parameters(recipe_b, type(recipe_b)())
        if one.name not in (*shared, recipe_b.length_parameter)
    ]
    described = describe_values(site, recipe_b, own).text_after_title
    title = f"{_name_algorithm(recipe_b)} {described}".rstrip()
    phrases = [("Is ", ""), (title, RECIPE_B_PREFIX + ALGORITHM_FIELD)]
    if contrasts:
        phrases += [
            (" with ", ""),
            *_list_recipe_differences(site, recipe_a, recipe_b, contrasts),
        ]
    return [
        *phrases,
        (" better than ", ""),
        (_name_algorithm(recipe_a), ALGORITHM_FIELD),
    ]


def _name_algorithm(recipe: Recipe) -> str:
    title = ALGORITHM_PAGES[recipe.slug].name.partition(":")[0]
    return title if title.count(" ") < 2 else f"“{title}”"


def _list_recipe_differences(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, contrasts: Sequence[Parameter]
) -> list[QuestionPhrase]:
    """Return a phrase for each difference between A and B; of too many, return only their number."""
    number = len(contrasts)
    if number > MAX_NAMED_CONTRASTS:
        words = spell_number(number)
        return [(f"a change of {words} settings", CHANGE_SLOT)]
    phrases: list[QuestionPhrase] = []
    for position, one in enumerate(contrasts, 1):
        if phrases:
            phrases.append((" and " if position == number else ", ", ""))
        phrases.append(
            (
                describe_contrast(site, recipe_a, recipe_b, one),
                RECIPE_B_PREFIX + one.name,
            )
        )
    return phrases


def _describe_settings(
    site: SiteData, recipe_a: Recipe, contrasts: Sequence[Parameter]
) -> str:
    """Describe the settings that A shares with B, without defaults, such as "as X with γ 0.9"."""
    elsewhere = {
        "vs",
        "seed",
        "taught",
        recipe_a.length_parameter,
        *(one.name for one in contrasts),
    }
    differences = find_differing_parameters(recipe_a, type(recipe_a)())
    shown = [one for one in differences if one.name not in elsewhere]
    return describe_values(site, recipe_a, shown).text_after_title


def _describe_training(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, contrasts: Sequence[Parameter]
) -> list[QuestionPhrase]:
    names = {one.name for one in contrasts}
    shared = {one.name: one for one in find_shared_parameters(recipe_a, recipe_b)}
    is_shared = recipe_a.slug == recipe_b.slug
    trained = " when trained" if is_shared else " when both are trained"
    phrases: list[QuestionPhrase] = []
    if "vs" in shared and "vs" not in names and len(shared["vs"].choices) != 1:
        phrases += [
            (f"{trained} against ", ""),
            (name_opponents(site, recipe_a, are_introduced=True), "vs"),
        ]
    turns = shared.get(recipe_a.length_parameter)
    if turns and recipe_a.length_parameter not in names:
        phrases += [
            (" for " if phrases else f"{trained} for ", ""),
            (describe_value(recipe_a, turns), recipe_a.length_parameter),
        ]
    return phrases
