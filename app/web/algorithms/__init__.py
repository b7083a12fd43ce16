"""The algorithms: a module for each, with its formula and the explanation of its values.

The module of an algorithm is named by its slug and defines the value ALGORITHM.  The text of its
page is in templates/how/sections, its parameters are in `app.recipes`, its loop is in `training`.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

import msgspec

from app.recipes import ALGORITHMS, Recipe
from app.recipes.parameters import BOTH, SELF
from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule
from app.web.algorithms.minimax import TASK_RULE_AFTER_REPLY, TASK_RULE_BEFORE_REPLY
from app.web.algorithms.targets import ValueQuery
from app.web.formatting import format_count
from app.web.site_data import SiteData
from app.web.translation import gettext, gettext_noop

# opponents in recipes that are learners, not policies with a name of their own
SPECIAL_OPPONENT_NAMES = {
    SELF: gettext_noop("itself"),
    BOTH: gettext_noop("itself, both sides learning"),
    "league": gettext_noop("the league"),
}
MINIMAX = "minimax"  # slug of the algorithm of exact values, which have no agent


def load_algorithm(slug: str) -> Algorithm:
    """Return the `Algorithm` with a slug, from the constant ALGORITHM of its module."""
    module = import_module(f"{__name__}.{slug.replace('-', '_')}")
    algorithm: Algorithm = module.ALGORITHM
    return algorithm


ALGORITHM_PAGES: Mapping[str, Algorithm] = MappingProxyType(
    {slug: load_algorithm(slug) for slug in (MINIMAX, *ALGORITHMS)}
)
# The sections of /how by slug; sections.toml has those that are not about an algorithm.
SECTIONS: Mapping[str, Section] = MappingProxyType(
    {slug: algorithm.section for slug, algorithm in ALGORITHM_PAGES.items()}
    | msgspec.toml.decode(
        Path(__file__).with_name("sections.toml").read_bytes(), type=dict[str, Section]
    )
)


def find_algorithm_slug(query: ValueQuery) -> str:
    """Return the slug of the algorithm that made a value; /how has a section with this slug."""
    return query.agent.card.algorithm if query.is_learned else MINIMAX


def find_update_rule(query: ValueQuery) -> UpdateRule:
    """Return the functions that explain a value: of its algorithm, or of an exact training task."""
    if query.task is None or query.is_learned:
        return ALGORITHM_PAGES[find_algorithm_slug(query)].update_rule
    return (
        TASK_RULE_BEFORE_REPLY
        if query.task.discounted_plies == 1
        else TASK_RULE_AFTER_REPLY
    )


def describe_phases(site: SiteData, recipe: Recipe) -> list[str]:
    """Return a text for each phase of a training, such as "20,000 games against Random"."""
    turns = ALGORITHM_PAGES[recipe.slug].name_training_unit(recipe)
    return [
        f"{format_count(number)} {turns} against {get_opponent_name(site, opponent)}"
        for opponent, number in recipe.phases
    ]


def is_explainable(site: SiteData, value_source: str, snapshot: int | None) -> bool:
    """Return whether the site can explain the values of a source at a snapshot.

    Earlier snapshots can be explained only if the whole training had one opponent.
    """
    return snapshot is None or len(site.get_recipe(value_source).phases) == 1


def get_opponent_name(site: SiteData, opponent: str) -> str:
    """Return the title of an opponent in a recipe, to stand after the word "against"."""
    if opponent in SPECIAL_OPPONENT_NAMES:
        return gettext(SPECIAL_OPPONENT_NAMES[opponent])
    return site.display_titles.find(opponent) or opponent
