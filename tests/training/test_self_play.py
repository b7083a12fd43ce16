"""Q-learning in self-play: one table, X maximises and O minimises."""

import numpy as np

from app.recipes import SHIPPED, parse
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders, losing_game
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import common_scale, movers_view
from training.learners import learn


def test_everything_begins_well_for_x(game: Game) -> None:
    start = next(learn(game, parse("self-play"), lambda updates: updates))
    assert (movers_view(game, start.q)[game.legal] == 1).all()


def test_the_end_of_a_game_is_worth_to_each_seat_what_the_card_says(game: Game) -> None:
    recipe = parse("self-play,alpha=1,games=20000")
    *_, end = learn(game, recipe, lambda updates: 10**9)
    after = game.successor.clip(0)
    over = game.legal & (after >= game.decisions) & (end.visits > 0)
    outcome = movers_view(game, game.outcome[(after - game.decisions).clip(0)])
    mover = np.repeat(game.to_move, np.diff(game.pair_start))
    worth = recipe.worth()
    assert worth
    scaled = game.spread(common_scale(mover, end.q[game.legal], worth))
    np.testing.assert_array_equal(scaled[over], outcome[over])


def test_a_board_on_which_o_makes_the_last_draw() -> None:
    row = connect(1, 4, 3)
    assert not row.outcome.any()
    *_, end = learn(row, parse("self-play,alpha=1,games=500"), lambda updates: 10**9)
    last = row.legal & (row.legal.sum(axis=1) == 1)[:, None]
    assert (end.q[last] == -0.5).all()


def test_what_it_learned_is_the_discounted_truth(game: Game) -> None:
    """Where it was often enough every value is what optimal play is worth, discounted."""
    *_, end = learn(game, SHIPPED["self-play"].recipe, lambda updates: 10**9)
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
