"""Monte Carlo tree search by its table alone: what a rollout does to a row of it."""

from itertools import pairwise

import numpy as np

from app.recipes import parse
from app.tictactoe.game import Game
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import movers_view
from training.learners import learn
from training.learners.phases import Progress


def sweeps(game: Game, name: str) -> list[Progress]:
    """The table after each rollout of every position."""
    return list(learn(game, parse(name), lambda updates: updates + 1))


def test_a_rollout_begins_with_the_highest_bound_and_brings_one_result(game: Game) -> None:
    c = 0.7
    for before, after in pairwise(sweeps(game, f"mcts,rollouts=40,c={c}")):
        began = after.visits != before.visits
        assert (began.sum(axis=1) == 1).all()
        n, rollouts = before.visits.astype(float), before.visits.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, before.q + c * np.sqrt(np.log(rollouts) / n), np.inf)
        bound[~game.legal] = -np.inf
        assert (bound[began] >= bound.max(axis=1) - 1e-6).all()
        result = (after.q * after.visits.astype(float) - before.q * n)[began]
        assert set(np.round(result, 3)) == {-1, 0, 1}


def test_a_longer_plan_begins_as_a_shorter_one(game: Game) -> None:
    shorter, longer = sweeps(game, "mcts,rollouts=7"), sweeps(game, "mcts,rollouts=15")
    np.testing.assert_array_equal(shorter[-1].q, longer[7].q)


def test_the_mean_of_a_move_that_ends_the_game_is_its_result(game: Game) -> None:
    end = sweeps(game, "mcts,rollouts=20")[-1]
    ends = game.legal & (game.successor >= game.decisions)
    exact = movers_view(game, successor_values(game, optimal(game).value))
    np.testing.assert_array_equal(end.q[ends], exact[ends])


def test_planning_deeper_errs_less(game: Game) -> None:
    made = []
    for rollouts in (10, 100, 1000):
        *_, end = learn(game, parse(f"mcts,rollouts={rollouts}"), lambda updates: 10**9)
        made.append(int(blunders(game, greedy(end.q)).sum()))
    assert made[0] > 3 * made[1] > 9 * made[2]
