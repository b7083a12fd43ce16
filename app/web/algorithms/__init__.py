"""The algorithms, each in one place: what the pages say of the values that they make.

To add one is to add it to ALGORITHMS, from a file of its own or from that of its kin, its formula
to sections.toml and its prose to templates/how/sections; `app.recipes` has its parameters,
`training` its loop.
"""

from app.recipes import Recipe
from app.recipes.parameters import BOTH, SELF
from app.web.algorithms import (
    champion,
    dqn,
    league,
    mcts,
    menace,
    minimax,
    monte_carlo,
    q_iteration,
    q_learning,
    q_table,
    self_play,
    td_afterstates,
)
from app.web.algorithms.algorithm import Algorithm, UpdateRule
from app.web.algorithms.targets import Pair
from app.web.formatting import format_count
from app.web.site_data import SiteData
from app.web.translation import gettext, gettext_noop

OTHERS = {
    SELF: gettext_noop("itself"),
    BOTH: gettext_noop("itself, both sides learning"),
    "league": gettext_noop("the league"),
}  # opponents that no policy is the name of
MINIMAX = "minimax"  # what explains exact values: optimal play has no agent
ALGORITHMS: dict[str, Algorithm] = {
    MINIMAX: minimax.ALGORITHM,
    "q-iteration": q_iteration.ALGORITHM,
    "q-learning": q_learning.Q_LEARNING,
    "q-table": q_table.Q_TABLE,
    "double-q": q_table.DOUBLE_Q,
    "self-play": self_play.ALGORITHM,
    "league": league.ALGORITHM,
    "dqn": dqn.ALGORITHM,
    "champion": champion.ALGORITHM,
    "sarsa": q_learning.SARSA,
    "expected-sarsa": q_learning.EXPECTED_SARSA,
    "monte-carlo": monte_carlo.ALGORITHM,
    "td-afterstates": td_afterstates.ALGORITHM,
    "menace": menace.ALGORITHM,
    "mcts": mcts.ALGORITHM,
}  # in the order in which they are explained


def section_of(pair: Pair) -> str:
    """Name the section of /how that explains a value: also the key of its algorithm."""
    return pair.agent.card.algorithm if pair.is_learned else MINIMAX


def rule_of(pair: Pair) -> UpdateRule:
    """Return how the value that is asked for is updated, or where it follows from."""
    if pair.task is None or pair.is_learned:
        return ALGORITHMS[section_of(pair)].rule
    return (
        minimax.TASK_BEFORE_ANSWER
        if pair.task.plies == 1
        else minimax.TASK_AFTER_ANSWER
    )


def phases(site: SiteData, recipe: Recipe) -> list[str]:
    """Say what a training consists of, opponent by opponent."""
    turns = ALGORITHMS[recipe.slug].turns(recipe)
    return [
        f"{format_count(number)} {turns} against {opponent_name(site, opponent)}"
        for opponent, number in recipe.phases
    ]


def explainable(site: SiteData, lens: str, step: int | None) -> bool:
    """Whether a lens's values can be explained at a snapshot: its opponent was always the same."""
    return step is None or len(site.recipe(lens).phases) == 1


def opponent_name(site: SiteData, opponent: str) -> str:
    """Name an opponent of a recipe's phases, to go on after "against"."""
    if opponent in OTHERS:
        return gettext(OTHERS[opponent])
    return site.titles.find(opponent) or opponent
