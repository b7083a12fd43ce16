"""Training tasks, compared with a slow recursion in fractions and with known figures."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from app.tictactoe.game import Game
from app.tictactoe.policy import (
    BASELINES,
    greedy_policy,
    mix_policies,
    uniform_policy,
)
from app.tictactoe.tasks import TrainingTask, evaluate_policy, find_reachable_moves, solve_task
from app.tictactoe.values import compute_outcome_chances
from app.tictactoe.views import RewardScale
from tests.tictactoe.both import Both
from tests.tictactoe.conftest import BOARDS
from tests.tictactoe.slow_report import slow_reach, slow_task

ODD = RewardScale(x=(-2, 0.3, 1), o=(-1, 0.25, 3))  # not zero-sum
DRAWN = RewardScale(x=(-1, 0.5, 1), o=(-1, -0.5, 1))  # a draw is worth to X what it costs O

TASKS = [
    *(TrainingTask(opponent, 0.9) for opponent in BASELINES),
    TrainingTask("random", 0.5, ODD, step_reward=-0.1),
    TrainingTask("t-hand", 0.0, ODD, step_reward=0.25),
    TrainingTask("minimax-random", 0.7, RewardScale(x=(-1, 1, 1), o=(0, 0, 1)), step_reward=-0.05),
    TrainingTask(None, 0.9),
    TrainingTask(None, 0.9, discounted_plies=1),
    TrainingTask(None, 0.0, discounted_plies=1),
    TrainingTask(None, 0.75, DRAWN, discounted_plies=1),
    TrainingTask(None, 0.7, DRAWN, step_reward=-0.1),
    TrainingTask("random", 0.9, epsilon=0.1),
    TrainingTask("t-hand", 0.7, ODD, step_reward=-0.05, epsilon=0.7),
    TrainingTask(None, 0.9, epsilon=0.25),
    TrainingTask(None, 1.0, RewardScale((0, 0.5, 1), (0, 0.5, 1)), epsilon=1.0),
    TrainingTask(
        None, 0.9, RewardScale(x=(-0.5, 0.25, 3), o=(-2, -2, 2)), step_reward=-0.1
    ),  # floats break its ties
]


def ident(task: TrainingTask) -> str:
    start = "every" if task.starts_everywhere else "empty"
    asked = (
        f"{task.opponent}-{task.gamma}-{task.step_reward}-{task.discounted_plies}-"
        f"{task.seats}-{start}"
    )
    return f"{asked}-{task.epsilon}" if task.epsilon else asked


@pytest.mark.long
@pytest.mark.parametrize("task", TASKS, ids=ident)
def test_the_exact_values_of_a_task(game: Game, slow_tasks, task: TrainingTask):
    np.testing.assert_allclose(solve_task(game, task), slow_tasks(task).q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("both", BOARDS[1:], indirect=True, ids=str)
@pytest.mark.parametrize(("opponent", "plies"), [("t-hand", 2), (None, 2), (None, 1)])
def test_tasks_on_other_boards(both: Both, opponent: str | None, plies: int):
    players = {"t-hand": both.rules.t_hand()}
    task = TrainingTask(opponent, 0.9, DRAWN, step_reward=-0.01, discounted_plies=plies)
    expected = slow_task(both, task, players).q
    np.testing.assert_allclose(solve_task(both.game, task), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("task", [task for task in TASKS if task.discounted_plies == 2], ids=ident)
def test_who_goes_on_as_well_as_can_be_has_the_values_of_the_task(game: Game, task: TrainingTask):
    exact = solve_task(game, task)
    found = evaluate_policy(game, task, greedy_policy(exact.round(9)))
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_what_a_way_to_play_brings_is_what_its_games_end_in(game: Game, tables, epsilon: float):
    """Without discount the value is the chance to win plus half the chance of a draw."""
    policy, rival = greedy_policy(tables["noisy"]), BASELINES["t-hand"].build_policy(game)
    halves = RewardScale((0, 0.5, 1), (0, 0.5, 1))
    task = TrainingTask("t-hand", reward_scale=halves, epsilon=epsilon)
    own = mix_policies(policy, uniform_policy(game), epsilon)
    brings = np.nansum(own * evaluate_policy(game, task, policy), axis=1)
    win, draw, _ = compute_outcome_chances(game, own, rival)[0]
    assert brings[0] == pytest.approx(win + draw / 2)
    _, draw, win = compute_outcome_chances(game, rival, own)[0]
    answered = rival[0] @ brings[game.successor[0]]
    assert answered == pytest.approx(win + draw / 2)


REACHES = [
    TrainingTask(opponent, seats=seats, starts_everywhere=everywhere)
    for opponent, seats, everywhere in product([*BASELINES, None], ["xo", "x", "o"], [False, True])
]


@pytest.mark.parametrize("task", REACHES, ids=ident)
def test_which_pairs_the_learner_can_come_to_play(tictactoe: Both, players, task: TrainingTask):
    found = find_reachable_moves(tictactoe.game, task)
    reach = slow_reach(tictactoe, task, players)
    met = np.array([board in reach for board in tictactoe.decisions])
    np.testing.assert_array_equal(found, tictactoe.game.legal & met[:, None])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"opponent": "nobody"}, "no opponent 'nobody': there are random, fixed, t-hand"),
        ({"opponent": ""}, "no opponent ''"),
        ({"gamma": -0.1}, "gamma lies within 0 and 1, not -0.1"),
        ({"gamma": 1.1}, "gamma lies within 0 and 1"),
        ({"gamma": np.nan}, "gamma lies within 0 and 1, not nan"),
        ({"discounted_plies": 0}, "gamma counts once in 2 plies, or against itself in 1"),
        ({"discounted_plies": 3}, "gamma counts once in 2 plies"),
        ({"opponent": "random", "discounted_plies": 1}, "gamma counts once in 2 plies"),
        ({"epsilon": -0.1}, "epsilon lies within 0 and 1, and is 0 in 1 ply, not -0.1"),
        ({"epsilon": 1.1}, "epsilon lies within 0 and 1"),
        ({"epsilon": 0.1, "discounted_plies": 1}, "epsilon lies within 0 and 1, and is 0 in 1 ply"),
    ],
)
def test_what_is_no_task_is_refused(wrong: dict[str, Any], sentence: str):
    with pytest.raises(ValueError, match=sentence):
        TrainingTask(**wrong)
