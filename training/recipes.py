"""The agents that can be trained, as data; a new agent is a new entry here."""

from training.q_iteration import q_iteration
from training.q_learning import from_every_state, from_random_states
from training.recipe import Recipe

HEATMAP = "Web page that paints Q-values on the squares"
RATES = {"alpha": 0.2, "gamma": 0.9, "epsilon": 0.1}
RANDOM_STATES = "Q-learning, games from random states"
EVERY_STATE = "Q-learning, games from every state"

RECIPES = {
    recipe.id: recipe
    for recipe in [
        Recipe(
            id="q-iteration",
            title="Q-iteration",
            origin=HEATMAP,
            reported="surprisingly good; 0 blunders",
            algorithm=q_iteration,
            algorithm_name="Q-iteration, sticky losses",
            parameters={"gamma": 1.0},
            opponents={"random": 50, "self": 200},
        ),
        Recipe(
            id="q-learning-1",
            title="Q-learning 1",
            origin=HEATMAP,
            reported="occasional mistakes; 200 blunders, beatable in both seats",
            algorithm=from_random_states,
            algorithm_name=RANDOM_STATES,
            parameters=RATES,
            opponents={"random": 1_000_000},
        ),
        Recipe(
            id="q-learning-2",
            title="Q-learning 2",
            origin=HEATMAP,
            reported="occasional mistakes; 44 blunders, beatable in both seats",
            algorithm=from_random_states,
            algorithm_name=RANDOM_STATES,
            parameters=RATES,
            opponents={"random": 5_000_000},
        ),
        Recipe(
            id="q-learning-3",
            title="Q-learning 3",
            origin=HEATMAP,
            reported="occasional mistakes; 128 blunders, unbeatable as X only",
            algorithm=from_every_state,
            algorithm_name=EVERY_STATE,
            parameters=RATES,
            opponents={"random": 250},
        ),
        Recipe(
            id="q-learning-4",
            title="Q-learning 4",
            origin=HEATMAP,
            reported="0 blunders, unbeatable in both seats",
            algorithm=from_every_state,
            algorithm_name=EVERY_STATE,
            parameters=RATES,
            opponents={"random": 50, "self": 200},
        ),
    ]
}
