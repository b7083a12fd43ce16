"""Views of values, and the common scale for learned values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tictactoe.game import Game, O, X
from app.tictactoe.views import RewardScale, convert_view, scale_values, scale_values_of_movers

REWARDS = st.floats(-100, 100).map(lambda number: round(number, 3))
WORTHS = st.tuples(REWARDS, REWARDS, REWARDS).map(sorted).filter(lambda worth: worth[0] < worth[2])
FALLING = [(1, 0, -1), (-1, 2, 1), (0, -1, 1), (1, 1, 1)]
ENDLESS = [(np.nan, 0, 1), (-1, np.nan, 1), (-1, 0, np.inf), (-np.inf, 0, 1), (-1, 0, np.nan)]
NUMBERS = st.floats(-200, 200, width=32)


def shown(value: float, worth: tuple[float, float, float], player: int = X) -> float:
    """Return a value on the common scale, for a seat with these rewards."""
    other = (-50.0, 0.0, 50.0)
    both = RewardScale(worth, other) if player == X else RewardScale(other, worth)
    scaled = scale_values_of_movers(
        np.array([-player, player], np.int8), np.array([3, value]), both
    )
    alone = scale_values(np.array([value]), both, player)
    assert scaled.tolist() == [3 / 50, alone[0]]
    return float(scaled[1])


def test_movers_view_changes_the_sign_where_o_is_to_move(game: Game):
    values = np.ones(game.decisions)
    np.testing.assert_array_equal(convert_view(game, values), game.to_move)


@given(WORTHS, st.sampled_from([X, O]))
def test_a_draw_is_the_middle_unless_it_is_worth_as_much_as_an_end(worth, player: int):
    loss, draw, win = worth
    if loss < draw < win:
        assert shown(draw, worth, player) == 0
    else:
        assert shown((loss + win) / 2, worth, player) == pytest.approx(0, abs=1e-12)


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


def test_illegal_cells_stay_nan_and_a_history_keeps_its_shape(game: Game):
    history = np.where(game.legal.T, np.random.default_rng(4).normal(size=(3, 9, 4520)), np.nan)
    scaled = scale_values_of_movers(game.to_move, history, RewardScale())
    assert scaled.shape == history.shape
    np.testing.assert_array_equal(np.isnan(scaled), np.isnan(history))
    np.testing.assert_array_equal(
        scaled[2], scale_values_of_movers(game.to_move, history[2], RewardScale())
    )


@pytest.mark.parametrize("seat", ["x", "o"])
@pytest.mark.parametrize(
    ("worth", "sentence"),
    [
        *((falls, "rises from loss to draw to win") for falls in FALLING),
        *((no_number, "is made of numbers") for no_number in ENDLESS),
    ],
)
def test_worth_that_does_not_rise_is_refused(seat: str, worth, sentence: str):
    with pytest.raises(ValueError, match=f"worth in seat {seat} {sentence}"):
        RewardScale(**{seat: worth})
