"""The agents that can be trained, as data; a new agent is a new entry here."""

from dataclasses import asdict

from app.tictactoe.views import Worth
from training.champion import champion
from training.double_q import double_q
from training.league import league
from training.members import DRAW, LEARNERS, LOSS, MEMBERS, WIN
from training.q_iteration import q_iteration
from training.q_learning import from_every_state, from_random_states
from training.q_table import q_table
from training.recipe import Recipe
from training.self_play import self_play

HEATMAP = "Web page that paints Q-values on the squares"
RATES = {"alpha": 0.2, "gamma": 0.9, "epsilon": 0.1}
RANDOM_STATES = "Q-learning, games from random states"
EVERY_STATE = "Q-learning, games from every state"

DOUBLE = "Articles on tabular and double Q-learning"
BACKWARD = {"alpha": 0.4, "gamma": 1.0, "epsilon": 0.7, "epsilon_drop": 0.1}
REWARDS = {"loss": -1.0, "draw": 0.0, "win": 1.0}
AFTERSTATES = "Q-learning on afterstates up to symmetry, backward over each game"

# In one league all four learners play, and everyone is trained from the same seed.  It is the first
# after which each beats `fixed` in every game as X; after 68 of the seeds 1 to 100 all of them do.
LEAGUE_SEED = 2
LEAGUE_ROUNDS = 100 * 100  # a hundred leagues of a hundred rounds
LEAGUE = {
    "q-learning-player": (
        "Q-learning player",
        "beats `fixed` every game after a while; starting k at 0.1 hurts. "
        "Of 100 seeds here 99 do as X; 0.1 makes no difference",
    ),
    "observing": (
        "Observing",
        "beats `fixed` every game after a while; improves for some 8,000 moves. Of 100 seeds here "
        "all do as X; against random 70% won as X after 7,000 moves, 92% after 560,000",
    ),
    "symmetric": (
        "Symmetric",
        "beats `fixed` every game after a while; learns faster at first and is overtaken by the "
        "plain learner. Of 100 seeds here 69 do as X; overtaken after some 150,000 updates",
    ),
    "observing-symmetric": (
        "Observing, symmetric",
        "beats `fixed` every game after a while. Of 100 seeds here 99 do as X",
    ),
}

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
        Recipe(
            id="q-table",
            title="Q-table",
            origin=DOUBLE,
            reported="93.1% won as X and 61.0% as O against random, no loss; all drawn against "
            "minimax; some runs lose 40% as O to minimax at random. Of 100 seeds here 55 can lose "
            "as O, 18 of them 44% or more to minimax at random; 96-99% won as X, 83-93% as O",
            algorithm=q_table,
            algorithm_name=AFTERSTATES,
            parameters=BACKWARD | REWARDS,
            opponents={"random": 7_000},
            seed=1,
        ),
        Recipe(
            id="q-table-draw-1",
            title="Q-table, draw = win",
            origin=DOUBLE,
            reported="about 95% won as X and 70% as O against random, and no bad runs. "
            "100 seeds here win 73-97% and 42-77%; one of them can lose as X, 6 as O",
            algorithm=q_table,
            algorithm_name=AFTERSTATES,
            parameters=BACKWARD | {"loss": 0.0, "draw": 1.0, "win": 1.0},
            opponents={"random": 7_000},
            seed=1,
            worth=Worth(x=(0.0, 1.0, 1.0), o=(0.0, 1.0, 1.0)),
        ),
        Recipe(
            id="double-q",
            title="Double Q",
            origin=DOUBLE,
            reported="no improvement. None here: of 100 seeds 40 are unbeatable in both seats, of "
            "Q-table 42; as O 42 lose 44% or more to minimax at random, of Q-table 18",
            algorithm=double_q,
            algorithm_name="Double " + AFTERSTATES,
            parameters=BACKWARD | REWARDS,
            opponents={"random": 7_000},
            seed=1,
        ),
        Recipe(
            id="q-table-vs-minimax",
            title="Q-table, against minimax",
            origin=DOUBLE,
            reported="as O 50% won and 22.7% lost against random; 355 of 627 positions seen. "
            "100 seeds here win 57%, lose 4.2-4.5%, and see 436-439",
            algorithm=q_table,
            algorithm_name=AFTERSTATES,
            parameters=BACKWARD | REWARDS,
            opponents={"minimax-random": 7_000},
            seed=1,
        ),
        Recipe(
            id="self-play",
            title="Self-play",
            origin="Study of self-play with one shared table",
            reported="practically unbeatable. Proved, as for 100 seeds of 100. Left open there: "
            "Boyan's 58% won and 42% drawn against T-hand; here 37.9% and 62.1%, "
            "without risk at most 59.4%",
            algorithm=self_play,
            algorithm_name="Q-learning in self-play, one table for both sides",
            parameters={"alpha": 0.3, "gamma": 0.9, "epsilon": 0.9, "initial": 1.0, "draw": 0.5},
            opponents={"self": 200_000},
            seed=1,
            # A draw is worth +0.5 in X's view, so -0.5 to O.
            worth=Worth(x=(-1.0, 0.5, 1.0), o=(-1.0, -0.5, 1.0)),
        ),
        Recipe(
            id="champion",
            title="Champion",
            origin="This project",
            reported="unbeatable, first proved after a median of 170 games over 1,000 seeds, "
            "after 196 at most; without a blunder after 272 at most",
            algorithm=champion,
            algorithm_name="Self-play on afterstates up to symmetry, values from below and above",
            parameters={},
            opponents={"self": 1_000},
            seed=1,
        ),
        *(
            Recipe(
                id=learner,
                title=title,
                origin="League of learners",
                reported=reported,
                algorithm=league,
                algorithm_name="Q-learning for uncertain worlds, in a league",
                parameters={"learner": learner, **asdict(LEARNERS[learner])},
                opponents={other: LEAGUE_ROUNDS for other in MEMBERS if other != learner},
                seed=LEAGUE_SEED,
                worth=Worth(x=(LOSS, DRAW, WIN), o=(LOSS, DRAW, WIN)),
            )
            for learner, (title, reported) in LEAGUE.items()
        ),
    ]
}
