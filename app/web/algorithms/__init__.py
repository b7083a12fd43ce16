"""The algorithms, a file each: what the pages say of the values that they make.

To add one is to add its file and its line below; `app.recipes` has its parameters, `training` its
loop.
"""

from app.recipes import Recipe
from app.web.algorithms.algorithm import Algorithm, Rule, Section
from app.web.algorithms.champion import CHAMPION
from app.web.algorithms.double_q import DOUBLE_Q
from app.web.algorithms.dqn import DQN
from app.web.algorithms.expected_sarsa import EXPECTED_SARSA
from app.web.algorithms.league import LEAGUE
from app.web.algorithms.menace import MENACE
from app.web.algorithms.minimax import MINIMAX, TASK_AFTER_ANSWER, TASK_BEFORE_ANSWER
from app.web.algorithms.monte_carlo import MONTE_CARLO
from app.web.algorithms.q_iteration import Q_ITERATION
from app.web.algorithms.q_learning import Q_LEARNING
from app.web.algorithms.q_table import Q_TABLE
from app.web.algorithms.sarsa import SARSA
from app.web.algorithms.self_play import SELF_PLAY
from app.web.algorithms.story import Story
from app.web.algorithms.targets import Pair
from app.web.algorithms.td_afterstates import TD_AFTERSTATES
from app.web.numbers import count
from app.web.world import World

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Rule",
    "Section",
    "Story",
    "explainable",
    "opponent_name",
    "phases",
    "rule_of",
    "section_of",
]

MINIMAX_SECTION = "minimax"  # what explains exact values: best play has no agent
ALGORITHMS = {  # by slug, in the order in which they are explained
    MINIMAX_SECTION: MINIMAX,
    "q-iteration": Q_ITERATION,
    "q-learning": Q_LEARNING,
    "q-table": Q_TABLE,
    "double-q": DOUBLE_Q,
    "self-play": SELF_PLAY,
    "league": LEAGUE,
    "dqn": DQN,
    "champion": CHAMPION,
    "sarsa": SARSA,
    "expected-sarsa": EXPECTED_SARSA,
    "monte-carlo": MONTE_CARLO,
    "td-afterstates": TD_AFTERSTATES,
    "menace": MENACE,
}


def section_of(pair: Pair) -> str:
    """Name the section of /how that explains a value: also the key of its algorithm."""
    return pair.agent.card.algorithm if pair.is_learned else MINIMAX_SECTION


def rule_of(pair: Pair) -> Rule:
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
    """Name whom a recipe's learner meets, to go on after "against"."""
    others = {"self": "itself", "league": "the league"}
    return others.get(opponent) or world.titles.get(opponent, opponent)
