"""The algorithms: a module for each, with its formula and the explanation of its values.

The module of an algorithm is named by its slug and defines the value ALGORITHM.  The text of its
page is in templates/how/sections, its parameters are in `app.recipes`, its loop is in `training`.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

import msgspec

from app.recipes import ALGORITHMS as RECIPES
from app.recipes import Recipe
from app.recipes.parameters import BOTH, SELF
from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule
from app.web.algorithms.minimax import TASK_AFTER_ANSWER, TASK_BEFORE_ANSWER
from app.web.algorithms.targets import ValueQuery
from app.web.formatting import format_count
from app.web.site_data import SiteData
from app.web.translation import gettext, gettext_noop

# opponents that are no named policy
OTHERS = {
    SELF: gettext_noop("itself"),
    BOTH: gettext_noop("itself, both sides learning"),
    "league": gettext_noop("the league"),
}
MINIMAX = "minimax"  # slug of the algorithm of exact values, which have no agent


def load_algorithm(slug: str) -> Algorithm:
    """Return the value ALGORITHM of an algorithm's module."""
    module = import_module(f"{__name__}.{slug.replace('-', '_')}")
    algorithm: Algorithm = module.ALGORITHM
    return algorithm


ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {slug: load_algorithm(slug) for slug in (MINIMAX, *RECIPES)}
)
# The sections of /how by slug; sections.toml has those that are not about an algorithm.
SECTIONS: Mapping[str, Section] = MappingProxyType(
    {slug: algorithm.section for slug, algorithm in ALGORITHMS.items()}
    | msgspec.toml.decode(
        Path(__file__).with_name("sections.toml").read_bytes(), type=dict[str, Section]
    )
)


def find_section(pair: ValueQuery) -> str:
    """Return the slug of the algorithm of a value, which is also its section of /how."""
    return pair.agent.card.algorithm if pair.is_learned else MINIMAX


def find_rule(pair: ValueQuery) -> UpdateRule:
    """Return the update rule of a learned value, or the formula of an exact value."""
    if pair.task is None or pair.is_learned:
        return ALGORITHMS[find_section(pair)].rule
    return TASK_BEFORE_ANSWER if pair.task.discounted_plies == 1 else TASK_AFTER_ANSWER


def describe_phases(site: SiteData, recipe: Recipe) -> list[str]:
    """Return a text for each phase of a training: its length and its opponent."""
    turns = ALGORITHMS[recipe.slug].turns(recipe)
    return [
        f"{format_count(number)} {turns} against {opponent_name(site, opponent)}"
        for opponent, number in recipe.phases
    ]


def is_explainable(site: SiteData, lens: str, step: int | None) -> bool:
    """Return whether values at a snapshot can be explained: the whole training had one opponent."""
    return step is None or len(site.get_recipe(lens).phases) == 1


def opponent_name(site: SiteData, opponent: str) -> str:
    """Return the name of an opponent in a recipe's phases, to follow "against"."""
    if opponent in OTHERS:
        return gettext(OTHERS[opponent])
    return site.display_titles.find(opponent) or opponent
