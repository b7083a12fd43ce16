"""Whose view a number is, and the one scale on which learned values are shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tictactoe.game import Game, connect
from app.tictactoe.views import Worth, common_scale, movers_view

GAME = connect(2, 2, 2)  # 17 decisions of 4 cells
FIRST_OF_X, FIRST_OF_O = 0, 1
REWARDS = st.floats(-100, 100).map(lambda number: round(number, 3))
WORTHS = st.tuples(REWARDS, REWARDS, REWARDS).map(sorted).filter(lambda worth: worth[0] < worth[2])
NUMBERS = st.floats(-200, 200, width=32)


def shown(value: float, worth: tuple[float, float, float], row: int = FIRST_OF_X) -> float:
    """Where one value comes to lie, in a seat of this worth beside one with another."""
    other = (-50.0, 0.0, 50.0)
    q = np.full((17, 4), np.nan)
    q[row, 0] = value
    both = Worth(worth, other) if row == FIRST_OF_X else Worth(other, worth)
    return float(common_scale(GAME, q, both)[row, 0])


def test_movers_view_changes_the_sign_where_o_is_to_move(game: Game):
    values = np.ones(game.decisions)
    np.testing.assert_array_equal(movers_view(game, values), game.to_move)


@pytest.mark.parametrize("shape", [(), (9,), (9, 2)])
def test_movers_view_is_its_own_inverse(game: Game, shape: tuple[int, ...]):
    values = np.random.default_rng(2).normal(size=(game.decisions, *shape))
    once = movers_view(game, values)
    assert once.shape == values.shape
    assert (once != values).any()
    np.testing.assert_array_equal(movers_view(game, once), values)


def test_movers_view_leaves_nan_where_it_is(game: Game):
    values = np.where(game.legal, 1.0, np.nan)
    np.testing.assert_array_equal(np.isnan(movers_view(game, values)), ~game.legal)


@given(WORTHS, st.sampled_from([FIRST_OF_X, FIRST_OF_O]))
def test_loss_and_win_are_the_ends(worth, row: int):
    loss, _, win = worth
    assert shown(loss, worth, row) == -1
    assert shown(win, worth, row) == 1


@given(WORTHS, st.sampled_from([FIRST_OF_X, FIRST_OF_O]))
def test_a_draw_is_the_middle_unless_it_is_worth_as_much_as_an_end(worth, row: int):
    loss, draw, win = worth
    if loss < draw < win:
        assert shown(draw, worth, row) == 0
    else:
        assert shown((loss + win) / 2, worth, row) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("worth", "value", "expected"),
    [
        ((-1, 0, 1), 0.25, 0.25),
        ((-10, 0.5, 10), 5.25, 0.5),
        ((-10, 0.5, 10), -4.75, -0.5),
        ((0, 1, 1), 1, 1),
        ((0, 1, 1), 0.5, 0),
        ((0, 1, 1), 0.75, 0.5),
        ((0, 0, 1), 0, -1),
        ((0, 0, 1), 0.5, 0),
        ((0, 0, 1), 0.25, -0.5),
    ],
)
def test_straight_lines_lie_between(worth, value: float, expected: float):
    assert shown(value, worth) == pytest.approx(expected)


@given(WORTHS, NUMBERS, NUMBERS)
def test_a_higher_value_is_never_shown_lower(worth, value: float, other: float):
    low, high = sorted([value, other])
    assert -1 <= shown(low, worth) <= shown(high, worth) <= 1


@given(WORTHS, st.floats(0, 100))
def test_beyond_the_ends_it_is_clipped(worth, beyond: float):
    assert shown(worth[0] - beyond, worth) == -1
    assert shown(worth[2] + beyond, worth) == 1


def test_each_seat_has_its_own_scale(game: Game):
    q = np.where(game.legal, np.float32(0.5), np.nan)
    scaled = common_scale(game, q, Worth(x=(0, 0.5, 1), o=(-1, -0.5, 0.5)))
    assert set(scaled[game.legal & (game.to_move == 1)[:, None]]) == {0}
    assert set(scaled[game.legal & (game.to_move == -1)[:, None]]) == {1}


def test_a_value_is_shown_the_same_in_every_position(game: Game):
    """No position is rescaled to its own best and worst move."""
    q = np.where(game.legal, np.random.default_rng(3).choice([-0.5, 0.1, 0.3], (4520, 9)), np.nan)
    scaled = common_scale(game, q, Worth())
    for value in (-0.5, 0.1, 0.3):
        assert set(scaled[q == value]) == {value}


def test_illegal_cells_stay_nan_and_a_history_keeps_its_shape(game: Game):
    history = np.where(game.legal, np.random.default_rng(4).normal(size=(3, 4520, 9)), np.nan)
    scaled = common_scale(game, history, Worth())
    assert scaled.shape == history.shape
    np.testing.assert_array_equal(np.isnan(scaled), np.isnan(history))
    np.testing.assert_array_equal(scaled[2], common_scale(game, history[2], Worth()))


@pytest.mark.parametrize("seat", ["x", "o"])
@pytest.mark.parametrize(
    "worth", [(1, 0, -1), (-1, 2, 1), (0, -1, 1), (1, 1, 1), (np.nan, 0, 1), (-1, np.nan, 1)]
)
def test_worth_that_does_not_rise_is_refused(seat: str, worth):
    with pytest.raises(ValueError, match=f"worth in seat {seat} rises from loss to draw to win"):
        Worth(**{seat: worth})
