"""Q-learning in self-play: one table, X maximises and O minimises."""

from itertools import islice

import numpy as np
import pytest

from app.tictactoe.game import Game, connect
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders, losing_game
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import common_scale, movers_view
from training.recipes import RECIPES
from training.reference import self_play as reference
from training.self_play import self_play

SETTINGS = {"alpha": 0.3, "gamma": 0.9, "epsilon": 0.9, "initial": 1.0, "draw": 0.5}
ONCE = {"alpha": 1.0}
GREEDY = {"alpha": 1.0, "gamma": 1.0, "epsilon": 0.0, "initial": 0.0, "draw": 0.0}
OTHER = {"alpha": 0.25, "gamma": 0.5, "epsilon": 0.2, "initial": -0.5, "draw": -0.75}


@pytest.mark.parametrize("settings", [SETTINGS, GREEDY, OTHER])
def test_the_compiled_learner_is_the_plain_one_in_the_movers_view(game: Game, settings) -> None:
    """The plain one is told in X's view."""
    settings = {"opponents": {"self": 150}, **settings}
    plain = reference.self_play(np.random.default_rng(7), **settings)
    compiled = self_play(game, np.random.default_rng(7), lambda updates: updates + 1, **settings)
    q = np.where(game.legal, settings["initial"], np.nan)
    visits, done = np.zeros(game.legal.shape), 0
    for progress in compiled:
        for (board, cell), value in islice(plain, progress.updates - done):
            pair = int(game.find(int("".join(str(".XO".index(s)) for s in board), 3))), cell
            q[pair] = value
            visits[pair] += 1
        done = progress.updates
        np.testing.assert_array_equal(progress.q, movers_view(game, q).astype(np.float32))
        np.testing.assert_array_equal(movers_view(game, progress.q), q.astype(np.float32))
        np.testing.assert_array_equal(progress.visits, visits)
    assert next(plain, None) is None
    assert progress.games == 150


def test_everything_begins_well_for_x(game: Game) -> None:
    start = next(
        self_play(game, np.random.default_rng(0), lambda n: n, opponents={"self": 1}, **SETTINGS)
    )
    assert (movers_view(game, start.q)[game.legal] == 1).all()


def test_the_end_of_a_game_is_worth_to_each_seat_what_the_card_says(game: Game) -> None:
    recipe = RECIPES["self-play"]
    settings = {**recipe.parameters, "alpha": 1.0}
    *_, end = recipe.algorithm(
        game, np.random.default_rng(0), lambda n: 10**9, opponents={"self": 20_000}, **settings
    )
    after = game.successor.clip(0)
    over = game.legal & (after >= game.decisions) & (end.visits > 0)
    outcome = movers_view(game, game.outcome[(after - game.decisions).clip(0)])
    np.testing.assert_array_equal(common_scale(game, end.q, recipe.worth)[over], outcome[over])


def test_a_board_on_which_o_makes_the_last_draw() -> None:
    row = connect(1, 4, 3)
    assert not row.outcome.any()
    *_, end = self_play(
        row, np.random.default_rng(0), lambda n: 10**9, opponents={"self": 500}, **SETTINGS | ONCE
    )
    last = row.legal & (row.legal.sum(axis=1) == 1)[:, None]
    assert (end.q[last] == -0.5).all()


def test_what_it_learned_is_the_discounted_truth(game: Game) -> None:
    """Where it was often enough every value is what optimal play is worth, discounted."""
    recipe = RECIPES["self-play"]
    *_, end = recipe.algorithm(
        game,
        np.random.default_rng(recipe.seed),
        lambda n: 10**9,
        opponents=recipe.opponents,
        **recipe.parameters,
    )
    often = game.legal & (end.visits > 100)
    truth = movers_view(game, successor_values(game, optimal(game).value))
    assert often.sum() > 2_000
    won = often & (truth == 1)
    lost = often & (truth == -1)
    assert (end.q[won] > 0.9**8 - 0.05).all()
    assert (end.q[lost] < -(0.9**8) + 0.05).all()
    policy = greedy(end.q)
    assert not blunders(game, policy).any()
    assert losing_game(game, policy, 1) is losing_game(game, policy, -1) is None


@pytest.mark.parametrize("opponents", [{"random": 5}, {"self": 5, "random": 5}])
def test_there_is_nobody_else_to_play_against(game: Game, opponents) -> None:
    with pytest.raises(ValueError, match=r"^this learner plays against 'self', not .*random$"):
        next(self_play(game, np.random.default_rng(0), lambda n: n, opponents=opponents, **GREEDY))
