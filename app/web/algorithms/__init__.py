"""The sections of the pages /how: each explains an algorithm, a term or a measure.

A section has a slug, its name in URLs. The parameters of an algorithm are in `app.recipes`, its
textbook learner is in `app.textbook`, and its compiled loop is in `training`.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.recipes import ALGORITHMS
from app.recipes.parameters import BOTH_OPPONENT, SELF_OPPONENT
from app.web.algorithms.algorithm import Algorithm, Section
from app.web.algorithms.minimax import build_task_algorithm
from app.web.algorithms.targets import ValueQuery
from app.web.site_data import SiteData
from app.web.translation import gettext, gettext_noop

# Some opponents are learners themselves, so they have no title as players of the site.
SPECIAL_OPPONENT_NAMES = {
    SELF_OPPONENT: gettext_noop("itself"),
    BOTH_OPPONENT: gettext_noop("itself, both sides learning"),
    "league": gettext_noop("the league"),
}
# the slug of the section on exact values, which no agent learned
MINIMAX = "minimax"
# the slugs of the sections on terms and measures
CONCEPT_SLUGS = ("action-values", "exploration", "best-response", "nash-conv", "exact")
# the modules of the algorithms that have a class of their own
MODULE_NAMES = {module.name for module in iter_modules(__path__)}


def find_algorithm_class(slug: str) -> type[Algorithm]:
    """Return the class of an algorithm, such as MonteCarloAlgorithm from monte_carlo.py.

    An algorithm without a module of its own has the class Algorithm.
    """
    module_name = slug.replace("-", "_")
    if module_name not in MODULE_NAMES:
        return Algorithm
    module = import_module(f"{__name__}.{module_name}")
    kind: type[Algorithm] = getattr(module, f"{slug.title().replace('-', '')}Algorithm")
    return kind


ALGORITHM_PAGES: Mapping[str, Algorithm] = MappingProxyType(
    {slug: find_algorithm_class(slug).load(slug) for slug in (MINIMAX, *ALGORITHMS)}
)
SECTIONS: Mapping[str, Section] = MappingProxyType(
    {**ALGORITHM_PAGES, **{slug: Section.load(slug) for slug in CONCEPT_SLUGS}}
)


def find_algorithm_slug(query: ValueQuery) -> str:
    """Return the algorithm that learned a value, or "minimax" for an exact value."""
    return query.agent.card.algorithm if query.is_learned else MINIMAX


def find_explaining_algorithm(query: ValueQuery) -> Algorithm:
    """Return the algorithm that explains a value, learned or exact."""
    algorithm = ALGORITHM_PAGES[find_algorithm_slug(query)]
    if query.task is None or query.is_learned:
        return algorithm
    return build_task_algorithm(algorithm, query.task)


def is_explainable(site: SiteData, value_source: str, snapshot: int | None) -> bool:
    """Return whether the site can explain a source's values at a snapshot, None for the last.

    It cannot explain earlier snapshots of an agent that changed its opponent during the training.
    """
    return snapshot is None or len(site.get_recipe(value_source).phases) == 1


def get_opponent_name(site: SiteData, opponent: str) -> str:
    if opponent in SPECIAL_OPPONENT_NAMES:
        return gettext(SPECIAL_OPPONENT_NAMES[opponent])
    return site.display_titles.find(opponent) or opponent
