"""The champion: what it is sure of is true, and in the end it is sure of everything."""

import numpy as np
import pytest

from app.recipes import parse
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import movers_view
from training.learners import learn

SURE = [-1, 0, 1]


def after_every_game(updates: int) -> int:
    return updates + 1


@pytest.fixture(scope="module")
def truth(game: Game) -> np.ndarray:
    return movers_view(game, successor_values(game, optimal(game).value))


@pytest.mark.parametrize("seed", range(2))
def test_what_it_is_sure_of_is_true(game: Game, truth, seed: int) -> None:
    sure = np.zeros(game.legal.shape, np.bool_)
    for progress in learn(game, parse(f"champion,seed={seed}"), after_every_game):
        now = np.isin(progress.q, SURE)
        assert (progress.q[now] == truth[now]).all()
        assert now[sure].all()
        at_most = np.select([progress.q == -0.75, progress.q == -0.5], [0, 1], 1)
        at_least = np.where(progress.q == 0.25, 0, -1)
        rest = game.legal & ~now
        assert ((at_least <= truth) & (truth <= at_most))[rest].all()
        sure = now


@pytest.mark.parametrize("seed", range(10))
def test_in_the_end_it_knows_everything(game: Game, truth, seed: int) -> None:
    *_, end = learn(game, parse(f"champion,seed={seed}"), lambda updates: 10**9)
    np.testing.assert_array_equal(end.q, truth)
    assert end.visits[game.legal].all()
    assert not blunders(game, greedy(end.q)).any()
    assert end.games < 300
    assert end.done == 1


@pytest.mark.parametrize("board", [(2, 4, 3), (3, 3, 2)])
def test_it_learns_other_boards(board: tuple[int, int, int]) -> None:
    other = connect(*board)
    *_, end = learn(other, parse("champion,games=1000000"), lambda updates: updates + 10**6)
    truth = movers_view(other, successor_values(other, optimal(other).value))
    np.testing.assert_array_equal(end.q, truth)


def test_it_stops_where_it_is_told_to(game: Game) -> None:
    *_, end = learn(game, parse("champion,games=40"), lambda updates: 10**9)
    assert end.games == 40
    assert (end.q[game.legal & (end.visits == 0)] == -0.5).all()
