"""The shipped agents, which are trained in advance and come with the site, in `models/`.

This is the list of their ids, titles and recipes. An agent's card, the JSON file beside its values,
tells its origin, the results that its source reports, and our results.
"""

from types import MappingProxyType
from typing import NamedTuple

from app.recipes.names import name_recipe, parse_recipe
from app.recipes.parameters import Recipe

# Hernandez's league, which is our source, has these values for its learners with symmetry.
SYMMETRIC_SETTINGS = "gamma=0.65,k_start=0.01,k_step=0.01,k_limit=10"


class ShippedAgent(NamedTuple):
    id: str
    title: str
    recipe: Recipe


SHIPPED = MappingProxyType(
    {
        id: ShippedAgent(id, title, parse_recipe(recipe))
        for id, title, recipe in (
            ("q-iteration", "Q-iteration", "q-iteration"),
            ("q-learning-1", "Q-learning 1", "q-learning,games=1000000"),
            ("q-learning-2", "Q-learning 2", "q-learning,games=5000000"),
            ("q-learning-3", "Q-learning 3", "q-learning,start=every,games=1130000"),
            (
                "q-learning-4",
                "Q-learning 4",
                "q-learning,vs=random:226000+self:904000,start=every",
            ),
            # Games 1 to 1,000,000 of this agent are the games of Q-learning 1, so the lesson shows a
            # single learner.
            (
                "q-learning-continued",
                "Q-learning 1 (continued)",
                "q-learning,vs=random:1000000+self:1000000",
            ),
            ("q-table", "Q-table", "q-table"),
            ("q-table-draw-1", "Q-table (draw = win)", "q-table,draw=1"),
            ("double-q", "Double Q", "double-q"),
            (
                "q-table-vs-minimax",
                "Q-table (against minimax)",
                "q-table,vs=minimax-random",
            ),
            ("self-play", "Self-play", "self-play"),
            ("q-learning-player", "Q-learning player", "league,seed=2"),
            ("observing", "Observing", "league,observing=yes,seed=2"),
            (
                "symmetric",
                "Symmetric",
                f"league,symmetric=yes,{SYMMETRIC_SETTINGS},seed=2",
            ),
            (
                "observing-symmetric",
                "Observing (symmetric)",
                f"league,observing=yes,symmetric=yes,{SYMMETRIC_SETTINGS},seed=2",
            ),
            ("champion", "Champion", "champion"),
            ("dqn-vs-random", "DQN (against random)", "dqn"),
            (
                "dqn-vs-heuristic",
                "DQN (against T-hand)",
                "dqn,vs=t-hand,epsilon=0.3,steps=600",
            ),
            ("sarsa", "Sarsa", "sarsa"),
            ("expected-sarsa", "Expected Sarsa", "expected-sarsa"),
            ("sarsa-lambda", "Sarsa(λ)", "sarsa-lambda"),
            ("monte-carlo", "Monte Carlo", "monte-carlo"),
            ("td-afterstates", "TD afterstates", "td-afterstates"),
            ("menace", "MENACE", "menace"),
            ("mcts", "MCTS", "mcts"),
        )
    }
)

AGENT_IDS_BY_RECIPE = MappingProxyType(
    {name_recipe(agent.recipe): agent.id for agent in SHIPPED.values()}
)
