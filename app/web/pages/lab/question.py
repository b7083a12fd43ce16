"""The question of a comparison: a sentence in which a click on a phrase changes a setting.

"Does [a larger step size α (0.4 → 0.8)] help [Q-learning] when trained against [Random] for [14,000
games], measured by [blunders]?" The first phrase tells how recipe B differs from A. The others name
settings that A and B share.
"""

from collections.abc import Sequence

from app.recipes import Parameter, Recipe, list_parameters
from app.recipes.parameters import format_value
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
    name_learner,
    name_opponents,
    spell_number,
)
from app.web.site_data import SiteData

CHANGE_MENU, SETTINGS_MENU, MEASURE_MENU = (
    "change",
    "settings",
    "by",
)
# A form field with this prefix changes only recipe B.
RECIPE_B_PREFIX = "b."
# A question about more changes gives only their number.
MAX_NAMED_CHANGES = 3


# (text, id of the menu that a click opens); the id is "" for words that cannot be clicked
QuestionPhrase = tuple[str, str]


def build_question_phrases(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, measure_noun: str
) -> list[QuestionPhrase]:
    """Return the phrases of "Does ... help ...?", from recipe A to recipe B."""
    changed_parameters = find_changed_parameters(recipe_a, recipe_b)
    if recipe_a.slug == recipe_b.slug:
        head = _build_parameter_question(site, recipe_a, recipe_b, changed_parameters)
    else:
        head = _build_algorithm_question(site, recipe_a, recipe_b, changed_parameters)
    settings = _describe_settings(site, recipe_a, changed_parameters)
    if settings:
        head += [(" ", ""), (settings, SETTINGS_MENU)]
    return [
        *head,
        *_describe_training(site, recipe_a, recipe_b, changed_parameters),
        (", measured by ", ""),
        (measure_noun, MEASURE_MENU),
        ("?", ""),
    ]


def find_changed_parameters(recipe_a: Recipe, recipe_b: Recipe) -> list[Parameter]:
    """Return the parameters, apart from the algorithm, in which recipe B differs from A.

    Those that cannot change the results are left out, unless there are no others.
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


def find_yes_variant(recipe_a: Recipe, recipe_b: Recipe) -> str:
    """Return "A" or "B": the one that is better if the answer to the question is Yes."""
    changed = find_changed_parameters(recipe_a, recipe_b)
    return "A" if asks_about_harm(changed) else "B"


def asks_about_harm(changed_parameters: Sequence[Parameter]) -> bool:
    """Return whether recipe B differs from A only by a fault."""
    changed = [one.name for one in changed_parameters if one.value != "none"]
    return changed == ["fault"]


def describe_changed_parameter(
    site: SiteData, recipe_a: Recipe, recipe_b: Recipe, changed_parameter: Parameter
) -> str:
    """Describe how recipe B differs from A, such as "a larger step size α (0.4 → 0.8)"."""
    name = changed_parameter.name
    words = get_wording(recipe_b, changed_parameter)
    if name == "vs":
        opponents = [
            name_opponents(site, recipe, are_introduced=True)
            for recipe in (recipe_b, recipe_a)
        ]
        return f"training against {' instead of against '.join(opponents)}"
    if name == "taught":
        return "other games with a person"
    before = getattr(recipe_a, changed_parameter.field_name)
    after = getattr(recipe_b, changed_parameter.field_name)
    if changed_parameter.choices:
        asked = words.question_phrases[format_value(after)]
        # The alternative is clear if there is only one, or if it is code without a fault.
        if len(changed_parameter.choices) == 2 or "none" in (before, after):
            return asked
        return f"{asked} instead of {words.question_phrases[format_value(before)]}"
    if name == recipe_b.length_parameter:
        before = count_turns(recipe_a.phases)
        after = count_turns(recipe_b.phases)
    side = words.more_phrase if after > before else words.less_phrase
    return f"{side} ({_format_value(before)} → {_format_value(after)})"


def _format_value(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else format_value(value)


def _build_parameter_question(
    site: SiteData,
    recipe_a: Recipe,
    recipe_b: Recipe,
    changed_parameters: Sequence[Parameter],
) -> list[QuestionPhrase]:
    phrases = _list_recipe_differences(
        site, recipe_a, recipe_b, changed_parameters
    ) or [("one change", CHANGE_MENU)]
    starts, helps = "Does ", " help "
    if len(phrases) > 1:
        starts, helps = "Do ", " together help "
    elif asks_about_harm(changed_parameters):
        helps = " harm "
    algorithm = (_quote_learner(site, recipe_a), ALGORITHM_FIELD)
    return [(starts, ""), *phrases, (helps, ""), algorithm]


def _build_algorithm_question(
    site: SiteData,
    recipe_a: Recipe,
    recipe_b: Recipe,
    changed_parameters: Sequence[Parameter],
) -> list[QuestionPhrase]:
    shared = [one.name for one in find_shared_parameters(recipe_b, recipe_a)]
    own = [
        one
        for one in find_differing_parameters(recipe_b, type(recipe_b)())
        if one.name not in (*shared, recipe_b.length_parameter)
    ]
    described = describe_values(site, recipe_b, own).text_after_title
    title = f"{_quote_learner(site, recipe_b)} {described}".rstrip()
    phrases = [("Is ", ""), (title, RECIPE_B_PREFIX + ALGORITHM_FIELD)]
    if changed_parameters:
        phrases += [
            (" with ", ""),
            *_list_recipe_differences(site, recipe_a, recipe_b, changed_parameters),
        ]
    return [
        *phrases,
        (" better than ", ""),
        (_quote_learner(site, recipe_a), ALGORITHM_FIELD),
    ]


def _quote_learner(site: SiteData, recipe: Recipe) -> str:
    title = name_learner(site, recipe)
    return title if title.count(" ") < 2 else f"“{title}”"


def _list_recipe_differences(
    site: SiteData,
    recipe_a: Recipe,
    recipe_b: Recipe,
    changed_parameters: Sequence[Parameter],
) -> list[QuestionPhrase]:
    number = len(changed_parameters)
    if number > MAX_NAMED_CHANGES:
        words = spell_number(number)
        return [(f"a change of {words} settings", CHANGE_MENU)]
    phrases: list[QuestionPhrase] = []
    for position, one in enumerate(changed_parameters, 1):
        if phrases:
            phrases.append((" and " if position == number else ", ", ""))
        phrases.append(
            (
                describe_changed_parameter(site, recipe_a, recipe_b, one),
                RECIPE_B_PREFIX + one.name,
            )
        )
    return phrases


def _describe_settings(
    site: SiteData, recipe_a: Recipe, changed_parameters: Sequence[Parameter]
) -> str:
    """Describe the shared settings that are not defaults, such as "as X with γ 0.9"."""
    elsewhere = {
        "vs",
        "seed",
        "taught",
        recipe_a.length_parameter,
        *(one.name for one in changed_parameters),
    }
    differences = find_differing_parameters(recipe_a, type(recipe_a)())
    shown = [one for one in differences if one.name not in elsewhere]
    return describe_values(site, recipe_a, shown).text_after_title


def _describe_training(
    site: SiteData,
    recipe_a: Recipe,
    recipe_b: Recipe,
    changed_parameters: Sequence[Parameter],
) -> list[QuestionPhrase]:
    names = {one.name for one in changed_parameters}
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
