"""The agents that a network makes, as data; `make train` leaves them alone, they take minutes."""

from app.tictactoe.views import Worth
from training.dqn import dqn
from training.dqn_games import LOSS, OTHERWISE, WIN
from training.recipe import Recipe

ORIGIN = "Deep Q-network behind a web service"
NAME = "Deep Q-learning with guard rails"
PACKAGES = ("numpy", "jax", "jaxlib", "optax")
# Stated by the source: the network and its rewards, the epochs, their games, gamma, the step size.
STATED = {"games_per_seat": 100, "gamma": 0.9, "step_size": 5e-5}
CHOSEN = {"epsilon_last": 0.02, "memory": 10_000, "batch": 32}
# What the last move of a game brings; a move before it costs 0.1 and a tenth of what follows, so a
# draw at the fifth move is worth -0.41, a win 0.31 and a loss -1.66.
WORTH = Worth(x=(LOSS, OTHERWISE, WIN), o=(LOSS, OTHERWISE, WIN))

NETWORKS = {
    recipe.id: recipe
    for recipe in [
        Recipe(
            id="dqn-vs-random",
            title="DQN, against random",
            origin=ORIGIN,
            reported="in training, X strong from the start; O 30% won, about 70% by epoch 400. "
            "Here 95% and 83% in the last 20 epochs",
            algorithm=dqn,
            algorithm_name=NAME,
            parameters=STATED | CHOSEN | {"epsilon_first": 0.4, "steps": 200},
            opponents={"random": 400},
            worth=WORTH,
            packages=PACKAGES,
        ),
        Recipe(
            id="dqn-vs-heuristic",
            title="DQN, against T-hand",
            origin=ORIGIN,
            reported="in training, X just over 10% won, about 70% by epoch 400; O stays near 20%. "
            "Here 81% and 21% in the last 20 epochs; O could win 26% without risk, 47% with it",
            algorithm=dqn,
            algorithm_name=NAME,
            parameters=STATED | CHOSEN | {"epsilon_first": 0.3, "steps": 600},
            opponents={"t-hand": 400},
            worth=WORTH,
            packages=PACKAGES,
        ),
    ]
}
