"""The compiled learners, one algorithm a file, and what they share."""

from collections.abc import Iterator
from importlib import import_module
from types import MappingProxyType

from app.recipes import Recipe
from app.tictactoe.game import Game
from training.learners.phases import NextStop, Progress

# The module of each algorithm has a function `learn`.  It is imported where it is needed: nobody
# who trains a table waits for JAX, or compiles the loop of another learner.
MODULES = MappingProxyType(
    {
        "q-iteration": "training.learners.q_iteration",
        "q-learning": "training.learners.q_learning",
        "q-table": "training.learners.q_table",
        "double-q": "training.learners.q_table",
        "self-play": "training.learners.self_play",
        "league": "training.learners.league",
        "champion": "training.learners.champion",
        "dqn": "training.networks.dqn",
        "sarsa": "training.learners.q_learning",
        "expected-sarsa": "training.learners.q_learning",
        "monte-carlo": "training.learners.monte_carlo",
        "td-afterstates": "training.learners.td_afterstates",
        "menace": "training.learners.menace",
    }
)


def learn(game: Game, recipe: Recipe, next_stop: NextStop) -> Iterator[Progress]:
    """Run the algorithm of a recipe, showing the table at the start and at every stop.

    `next_stop` says, from how many updates there were, after how many to show it again.
    """
    progress: Iterator[Progress] = import_module(MODULES[recipe.slug]).learn(
        game, recipe, next_stop
    )
    return progress
