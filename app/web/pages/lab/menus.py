"""The menus of the lab's question: a click on one of its phrases opens a menu.

The links and fields of a menu change a setting of both recipes. If the recipes differ in this
setting, they change only recipe B.
"""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, NamedTuple

from app.recipes import (
    ALGORITHMS,
    SHIPPED,
    Parameter,
    Recipe,
    RecipeError,
    list_parameters,
    name_recipe,
)
from app.recipes.parameters import (
    BOTH_OPPONENT,
    OPPONENTS,
    PERSON_OPPONENT,
    SELF_OPPONENT,
    format_value,
)
from app.web.algorithms import ALGORITHM_PAGES
from app.web.formatting import capitalize_first_letter
from app.web.links.lab import lab_url
from app.web.pages.lab.change import (
    ALGORITHM_FIELD,
    change_recipe,
    change_recipe_pair,
    count_turns,
    get_max_turns,
    list_parameter_texts,
    shorten_training,
)
from app.web.pages.lab.question import (
    CHANGE_MENU,
    MEASURE_MENU,
    RECIPE_B_PREFIX,
    SETTINGS_MENU,
    describe_changed_parameter,
    find_changed_parameters,
)
from app.web.pages.lab.verdict import LabMeasure
from app.web.pages.lab.wording import WORDINGS, name_learner
from app.web.rendering import Variables
from app.web.routes import Destination
from app.web.site_data import SiteData
from app.web.wording import build_player_profile

# The menu below the question, whose menu adds a second difference between A and B.
SECOND_MENU = "second"
SUGGESTIONS_HEADING = "Compare something else"
SHIPPED_HEADING = "Agents on this site"
# Students ask about these first. "" stands for the length of the training.
PARAMETER_ORDER = ["epsilon", "alpha", "step_size", "", "gamma", "initial", "seat"]
# A slider for rewards ends at the smallest limit that includes the reward.
REWARD_SLIDER_LIMITS = (2.0, 10.0, 100.0)
SLIDER_STEP = 0.01
CHOICE_LABELS = {
    "x": "X",
    "o": "O",
    "pair": "a state and an action",
    "afterstate": "an afterstate",
}


class RecipePair(NamedTuple):
    """The recipes A and B of a comparison; a single recipe is both A and B."""

    site: SiteData
    recipe_a: Recipe
    recipe_b: Recipe
    measure_key: str
    axis_key: str

    def build_url(
        self, recipe_a: Recipe, recipe_b: Recipe, measure_key: str = ""
    ) -> str:
        """Return the URL of other recipes, compared by the same measure unless another is named."""
        return lab_url(
            find_recipe_name(self.site, recipe_b),
            find_recipe_name(self.site, recipe_a),
            measure_key or self.measure_key,
            axis_key=self.axis_key,
        )

    @property
    def with_trainable_turns(self) -> "RecipePair":
        """The same recipes with fewer games, if this server cannot train them all."""
        return self._replace(
            recipe_a=shorten_training(self.recipe_a),
            recipe_b=shorten_training(self.recipe_b),
        )

    def build_changed_url(self, changes: Mapping[str, str]) -> str:
        """Return the URL after a change, "" if it is invalid or takes too long to train."""
        base = self.with_trainable_turns
        try:
            return self.build_url(
                *change_recipe_pair(base.recipe_a, base.recipe_b, changes)
            )
        except RecipeError:
            return ""


def find_recipe_name(site: SiteData, recipe: Recipe) -> str:
    """Return the id of the site's agent with this recipe, or else the recipe's full name."""
    return site.on_demand.find_canonical_name(name_recipe(recipe))


def build_menus(
    recipe_pair: RecipePair, measures: Mapping[str, LabMeasure]
) -> dict[str, Variables]:
    """Return the menus that open from the question, by their ids."""
    changed_parameters = find_changed_parameters(
        recipe_pair.recipe_a, recipe_pair.recipe_b
    )
    menus = {
        ALGORITHM_FIELD: _build_algorithm_menu(recipe_pair),
        SETTINGS_MENU: _build_settings_menu(recipe_pair, changed_parameters),
        MEASURE_MENU: _build_measure_menu(recipe_pair, measures),
    }
    menus |= _build_shared_menus(recipe_pair, changed_parameters)
    if recipe_pair.recipe_a.slug != recipe_pair.recipe_b.slug:
        menus[RECIPE_B_PREFIX + ALGORITHM_FIELD] = _build_other_algorithm_menu(
            recipe_pair
        )
    for changed_parameter in changed_parameters:
        menus[RECIPE_B_PREFIX + changed_parameter.name] = _build_changed_parameter_menu(
            recipe_pair, changed_parameter, changed_parameters
        )
    if not changed_parameters or len(changed_parameters) > 1:
        menus[CHANGE_MENU] = _build_change_menu(recipe_pair, changed_parameters)
    menus[SECOND_MENU] = _build_second_menu(recipe_pair, changed_parameters)
    return {
        key: {"id": f"slot-{key}".replace(".", "-"), **menu}
        for key, menu in menus.items()
    }


def _build_menu(
    title: str,
    links_by_heading: Sequence[tuple[str, Sequence[Destination]]],
    fields: Sequence[Mapping[str, Any]] = (),
    is_difference: bool = False,
) -> Variables:
    return {
        "title": title,
        "links_by_heading": links_by_heading,
        "fields": fields,
        "is_difference": is_difference,
    }


def _build_algorithm_menu(recipe_pair: RecipePair) -> Variables:
    key = (
        ALGORITHM_FIELD
        if recipe_pair.recipe_a.slug == recipe_pair.recipe_b.slug
        else f"a.{ALGORITHM_FIELD}"
    )
    shipped = [
        Destination(
            agent.title,
            lab_url(id),
            build_player_profile(recipe_pair.site, id).description,
            f"shipped-{id}",
            is_current=agent.recipe == recipe_pair.recipe_a == recipe_pair.recipe_b,
        )
        for id, agent in SHIPPED.items()
        if id in recipe_pair.site.agents
    ]
    links = _list_algorithms(recipe_pair, key, recipe_pair.recipe_a.slug)
    return _build_menu("Algorithm", [("", links), (SHIPPED_HEADING, shipped)])


def _build_other_algorithm_menu(recipe_pair: RecipePair) -> Variables:
    key = RECIPE_B_PREFIX + ALGORITHM_FIELD
    links = _list_algorithms(recipe_pair, key, recipe_pair.recipe_b.slug)
    return _build_menu("Compared algorithm", [("", links)], is_difference=True)


def _list_algorithms(
    recipe_pair: RecipePair, field_name: str, main_recipe: str, skipped_slug: str = ""
) -> list[Destination]:
    links = (
        Destination(
            name_learner(recipe_pair.site, kind()),
            recipe_pair.build_changed_url({field_name: slug}),
            describe_algorithm(kind),
            f"{field_name.replace('.', '-')}-{slug}",
            is_current=slug == main_recipe,
        )
        for slug, kind in ALGORITHMS.items()
        if slug != skipped_slug
    )
    return [link for link in links if link.href]


def describe_algorithm(algorithm: type[Recipe]) -> str:
    """Describe an algorithm by the first line of its recipe's docstring, without its name."""
    line = (algorithm.__doc__ or "").splitlines()[0]
    name, _, sentence = line.partition(": ")
    if sentence and name in ALGORITHM_PAGES[algorithm.slug].name:
        return capitalize_first_letter(sentence)
    return line


def _build_measure_menu(
    recipe_pair: RecipePair, measures: Mapping[str, LabMeasure]
) -> Variables:
    links = [
        Destination(
            capitalize_first_letter(measure.noun),
            recipe_pair.build_url(recipe_pair.recipe_a, recipe_pair.recipe_b, key),
            id=f"by-{key}",
            is_current=key == recipe_pair.measure_key,
        )
        for key, measure in measures.items()
    ]
    return _build_menu("Compare A and B by", [("", links)])


def _build_shared_menus(
    recipe_pair: RecipePair, changed_parameters: Sequence[Parameter]
) -> dict[str, Variables]:
    varied = {one.name for one in changed_parameters}
    recipe = recipe_pair.recipe_a
    menus = {}
    for one in list_parameters(recipe):
        if one.name in varied or one.name not in ("vs", recipe.length_parameter):
            continue
        links = [("", _list_choices(recipe_pair, one, ""))]
        if one.name == "vs":
            menus["vs"] = _build_menu("Opponent in training", links)
        elif not recipe.has_opponent(PERSON_OPPONENT):
            fields = [_build_field(recipe, one, "")]
            menus[one.name] = _build_menu(label_parameter(one), links, fields)
    return menus


def _build_settings_menu(
    recipe_pair: RecipePair, changed_parameters: Sequence[Parameter]
) -> Variables:
    elsewhere = {
        "vs",
        "taught",
        recipe_pair.recipe_a.length_parameter,
        *(one.name for one in changed_parameters),
    }
    shown = [
        one
        for one in list_parameters(recipe_pair.recipe_a)
        if one.name not in elsewhere
    ]
    fields = [
        _build_field(recipe_pair.recipe_a, one, "") for one in shown if not one.choices
    ]
    groups = [
        (label_parameter(one), _list_choices(recipe_pair, one, ""))
        for one in shown
        if one.choices
    ]
    return _build_menu("More parameters, for both A and B", groups, fields)


def _build_changed_parameter_menu(
    recipe_pair: RecipePair,
    changed_parameter: Parameter,
    changed_parameters: Sequence[Parameter],
) -> Variables:
    fields = []
    groups = []
    if _is_number(changed_parameter):
        in_a = next(
            one
            for one in list_parameters(recipe_pair.recipe_a)
            if one.name == changed_parameter.name
        )
        fields = [
            _build_field(recipe_pair.recipe_a, in_a, "a."),
            _build_field(recipe_pair.recipe_b, changed_parameter, "b."),
        ]
    else:
        groups = [
            ("Compare", _list_choices(recipe_pair, changed_parameter, "b.")),
            ("With", _list_choices(recipe_pair, changed_parameter, "a.")),
        ]
    if (
        len(changed_parameters) == 1
        and recipe_pair.recipe_a.slug == recipe_pair.recipe_b.slug
    ):
        groups += _list_suggestions(
            recipe_pair, recipe_pair.recipe_a, {changed_parameter.name}
        )
    else:
        groups.append(
            ("Remove a difference", [_build_undo_link(recipe_pair, changed_parameter)])
        )
    title = f"The difference between A and B: {label_parameter(changed_parameter)}"
    return _build_menu(title, groups, fields, is_difference=True)


def _build_undo_link(
    recipe_pair: RecipePair, changed_parameter: Parameter
) -> Destination:
    value = list_parameter_texts(recipe_pair.recipe_a)[changed_parameter.name]
    to = recipe_pair.build_changed_url({f"b.{changed_parameter.name}": value})
    name = label_parameter(changed_parameter)
    return Destination(
        f"{name}: use the value of A for both", to, id=f"undo-{changed_parameter.name}"
    )


def _build_change_menu(
    recipe_pair: RecipePair, changed_parameters: Sequence[Parameter]
) -> Variables:
    if changed_parameters:
        undo = [
            _build_undo_link(recipe_pair, changed_parameter)
            for changed_parameter in changed_parameters
        ]
        title, groups = (
            "The differences between A and B",
            [("Remove a difference", undo)],
        )
    else:
        title = "What do you want to compare?"
        groups = _list_suggestions(recipe_pair, recipe_pair.recipe_a, set())
    return _build_menu(title, groups, is_difference=True)


def _build_second_menu(
    recipe_pair: RecipePair, changed_parameters: Sequence[Parameter]
) -> Variables:
    varied = {one.name for one in changed_parameters}
    groups = _list_suggestions(
        recipe_pair, recipe_pair.recipe_b, varied, includes_algorithms=False
    )
    return _build_menu("Change a second setting of B too", groups, is_difference=True)


def _list_suggestions(
    recipe_pair: RecipePair,
    recipe: Recipe,
    varied_names: set[str],
    includes_algorithms: bool = True,
) -> list[tuple[str, list[Destination]]]:
    """Return links by heading; each compares recipe A with a recipe that has one change."""
    recipe_pair = recipe_pair.with_trainable_turns
    recipe = shorten_training(recipe)
    links_by_heading: dict[str, list[Destination]] = {
        SUGGESTIONS_HEADING: [],
        "Opponents": [],
    }
    for one in _sort_parameters(recipe):
        if one.name in {*varied_names, "seed", "taught"} or recipe.has_opponent(
            PERSON_OPPONENT
        ):
            continue
        for number, text in enumerate(suggest_values(recipe, one), 1):
            changed = _try_change(recipe, {one.name: text})
            if changed is None or changed == recipe:
                continue
            after = next(
                each for each in list_parameters(changed) if each.name == one.name
            )
            title = describe_changed_parameter(recipe_pair.site, recipe, changed, after)
            heading = "Opponents" if one.name == "vs" else SUGGESTIONS_HEADING
            prefix = "try" if includes_algorithms else "also"
            links_by_heading[heading].append(
                Destination(
                    capitalize_first_letter(title),
                    recipe_pair.build_url(recipe_pair.recipe_a, changed),
                    id=f"{prefix}-{one.name}-{number}",
                )
            )
    if includes_algorithms:
        links_by_heading["Compare with another algorithm"] = _list_algorithms(
            recipe_pair._replace(recipe_b=recipe_pair.recipe_a),
            RECIPE_B_PREFIX + ALGORITHM_FIELD,
            "",
            skipped_slug=recipe_pair.recipe_a.slug,
        )
    return [(heading, links) for heading, links in links_by_heading.items() if links]


def _sort_parameters(recipe: Recipe) -> list[Parameter]:
    by_name = {one.name: one for one in list_parameters(recipe)}
    first = [name or recipe.length_parameter for name in PARAMETER_ORDER]
    asked = [by_name.pop(name) for name in first if name in by_name]
    return asked + list(by_name.values())


def _try_change(recipe: Recipe, changes: Mapping[str, str]) -> Recipe | None:
    try:
        return change_recipe(recipe, changes)
    except RecipeError:
        return None


def suggest_values(recipe: Recipe, parameter: Parameter) -> list[str]:
    """Return other values of a parameter: its options, or a smaller and a larger number."""
    current = list_parameter_texts(recipe)[parameter.name]
    if not _is_number(parameter):
        return [one for one in list_options(recipe, parameter) if one != current]
    low = parameter.minimum or 0.0
    high = parameter.maximum or 0.0
    texts = [
        format_value(parameter.value_type(round(one, 6)))
        for one in _list_nearby_values(parameter, float(current))
        if low <= one <= high
    ]
    return [text for text in texts if text != current]


def _list_nearby_values(parameter: Parameter, current_value: float) -> list[float]:
    low = parameter.minimum or 0.0
    high = parameter.maximum or 0.0
    if low < 0 or (parameter.value_type is int and current_value < 2):
        return [current_value + 1, current_value - 1]
    if parameter.value_type is int:
        return [2 * current_value, current_value // 2]
    if current_value == 0:
        return [0.1]
    return [min(2 * current_value, high), current_value / 2]


def list_options(recipe: Recipe, parameter: Parameter) -> list[str]:
    if parameter.choices:
        return [*parameter.choices]
    options = [*OPPONENTS]
    turns = count_turns(recipe.phases)
    if turns > 1 and not recipe.is_network:
        options.append(f"random:{turns // 2}+{SELF_OPPONENT}:{turns - turns // 2}")
    value = format_value(parameter.value)
    return options if value in options else [*options, value]


def _list_choices(
    recipe_pair: RecipePair, parameter: Parameter, field_prefix: str
) -> list[Destination]:
    """Return a link for each value of a parameter.

    `field_prefix` is "b." to change only recipe B, "a." to change only A, "" to change both.
    """
    recipe = (
        recipe_pair.recipe_b
        if field_prefix == RECIPE_B_PREFIX
        else recipe_pair.recipe_a
    )
    if recipe.has_opponent(PERSON_OPPONENT) and parameter.name in (
        "vs",
        "seat",
        recipe.length_parameter,
    ):
        return []
    current = list_parameter_texts(recipe)[parameter.name]
    values = (
        suggest_values(recipe, parameter)
        if _is_number(parameter)
        else list_options(recipe, parameter)
    )
    links = []
    for number, text in enumerate(values, 1):
        key = field_prefix + parameter.name
        to = recipe_pair.build_changed_url({key: text})
        if to:
            title = _name_value(recipe_pair.site, parameter, text)
            id = f"{key.replace('.', '-')}-{number}"
            links.append(Destination(title, to, id=id, is_current=text == current))
    return links


def _name_value(site: SiteData, parameter: Parameter, value_text: str) -> str:
    if parameter.name == "vs":
        if ":" in value_text:
            names = (phase.partition(":")[0] for phase in value_text.split("+"))
            return ", then ".join(_name_opponent(site, one) for one in names)
        return " and ".join(_name_opponent(site, one) for one in value_text.split("+"))
    if parameter.value_type is int:
        return f"{int(value_text):,}"
    return CHOICE_LABELS.get(value_text, value_text)


def _name_opponent(site: SiteData, opponent: str) -> str:
    itself = {
        SELF_OPPONENT: "Itself",
        BOTH_OPPONENT: "Itself, with both sides learning",
        "league": "The league",
    }
    return itself.get(opponent) or site.display_titles[opponent]


def label_parameter(parameter: Parameter) -> str:
    wording = WORDINGS.get(parameter.name)
    spelled = parameter.name.replace("_", " ").capitalize()
    return (wording and wording.label) or spelled


def _is_number(parameter: Parameter) -> bool:
    return parameter.value_type in (int, float) and not parameter.choices


def _build_field(recipe: Recipe, parameter: Parameter, field_prefix: str) -> Variables:
    value = list_parameter_texts(recipe)[parameter.name]
    is_turns = parameter.name == recipe.length_parameter
    high = float(get_max_turns(recipe)) if is_turns else parameter.maximum or 0.0
    mark = {"": "", "a.": "A: ", "b.": "B: "}[field_prefix]
    name = field_prefix + parameter.name
    return {
        "name": name,
        "id": name.replace(".", "-"),
        "label": mark + label_parameter(parameter),
        "symbol": parameter.symbol,
        "meaning": parameter.meaning,
        "value": value,
        "minimum": format_value(parameter.minimum or 0),
        "maximum": format_value(high).removesuffix(".0"),
        "step": "1" if parameter.value_type is int else "any",
        "slider": _build_slider(parameter, float(value), high),
    }


def _build_slider(
    parameter: Parameter, current_value: float, maximum: float
) -> dict[str, float] | None:
    """Return the slider beside a number field, None if a slider would be of no use.

    A range that begins above 0 is shown as exponents of ten.
    """
    low = parameter.minimum or 0.0
    is_logarithmic = low > 0
    step = SLIDER_STEP
    if is_logarithmic:
        limits = (low, max(maximum, current_value), current_value)
        start, end, current_value = (round(log10(one), 3) for one in limits)
    elif low < 0:
        end = next(end for end in REWARD_SLIDER_LIMITS if abs(current_value) <= end)
        start = -end
        step = end / 40 if parameter.value_type is float else 1.0
    elif parameter.name == "seed" or maximum > 1 or 0 < current_value < SLIDER_STEP:
        return None
    else:
        start, end = low, maximum
    return {
        "minimum": start,
        "maximum": end,
        "step": step,
        "value": current_value,
        "is_logarithmic": is_logarithmic,
    }
