"""The algorithms, a file each: what the pages say of the values that they make.

To add one is to add its file, which is named as the algorithm is, and its prose in
templates/how/sections; `app.recipes` has its parameters, `training` its loop.
"""

from importlib import import_module

from app.recipes import ALGORITHMS as RECIPES
from app.recipes import Recipe
from app.recipes.parameters import BOTH, SELF
from app.web.algorithms.algorithm import Algorithm, UpdateRule
from app.web.algorithms.minimax import TASK_AFTER_ANSWER, TASK_BEFORE_ANSWER
from app.web.algorithms.targets import Pair
from app.web.language import gettext, marked
from app.web.numbers import count
from app.web.world import World

OTHERS = {
    SELF: marked("itself"),
    BOTH: marked("itself, both sides learning"),
    "league": marked("the league"),
}  # opponents that no policy is the name of
MINIMAX = "minimax"  # what explains exact values: optimal play has no agent


def _explained() -> list[str]:
    """List the algorithms as they are explained: as the recipes do, the champion after networks."""
    slugs = [MINIMAX, *RECIPES]
    slugs.remove("champion")
    slugs.insert(slugs.index("dqn") + 1, "champion")
    return slugs


def _algorithm(slug: str) -> Algorithm:
    """Return what the file of an algorithm says of it."""
    found: Algorithm = import_module(f"{__name__}.{slug.replace('-', '_')}").ALGORITHM
    return found


ALGORITHMS = {slug: _algorithm(slug) for slug in _explained()}


def section_of(pair: Pair) -> str:
    """Name the section of /how that explains a value: also the key of its algorithm."""
    return pair.agent.card.algorithm if pair.is_learned else MINIMAX


def rule_of(pair: Pair) -> UpdateRule:
    """Return how the value that is asked for is updated, or where it follows from."""
    if pair.task is None or pair.is_learned:
        return ALGORITHMS[section_of(pair)].rule
    return TASK_BEFORE_ANSWER if pair.task.plies == 1 else TASK_AFTER_ANSWER


def phases(world: World, recipe: Recipe) -> list[str]:
    """Say what a training consists of, opponent by opponent."""
    turns = ALGORITHMS[recipe.slug].turns(recipe)
    return [
        f"{count(number)} {turns} against {opponent_name(world, opponent)}"
        for opponent, number in recipe.phases
    ]


def explainable(world: World, lens: str, step: int | None) -> bool:
    """Whether a lens's values can be explained at a snapshot: its opponent was always the same."""
    return step is None or len(world.recipe(lens).phases) == 1


def opponent_name(world: World, opponent: str) -> str:
    """Name an opponent of a recipe's phases, to go on after "against"."""
    if opponent in OTHERS:
        return gettext(OTHERS[opponent])
    return world.titles.find(opponent) or opponent
