"""What is kept of a training is what was learned, bit for bit, and much smaller."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.tictactoe.agents import load
from app.tictactoe.game import Game
from app.tictactoe.history import History

FEW = [0.0, -0.0, 1.0, -1.0, 0.25]  # of so few, many stay as they are; 0 and -0 are not the same

Tables = tuple[NDArray[np.float32], NDArray[np.bool_]]


@st.composite
def tables(draw: st.DrawFn) -> Tables:
    """Values, and whether they had been updated, at some snapshots of some pairs."""
    moments, pairs = draw(st.integers(1, 24)), draw(st.integers(1, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = random.choice(np.array(FEW, np.float32), (moments, pairs))
    met = random.integers(0, moments + 1, pairs)
    return values, met <= np.arange(moments)[:, None]


def assert_same_bits(values: NDArray[np.float32], others: NDArray[np.float32]) -> None:
    assert values.dtype == others.dtype == np.float32
    np.testing.assert_array_equal(values.view(np.uint32), others.view(np.uint32))


@given(tables(), st.data())
def test_everything_comes_back(made: Tables, data: st.DataObject) -> None:
    values, updated = made
    moments, pairs = values.shape
    history = History.of(values, updated)
    assert history.moments == moments
    assert_same_bits(history.all_values(), values)
    np.testing.assert_array_equal(history.all_updated(), updated)
    step = data.draw(st.integers(-moments, moments - 1))
    begin = data.draw(st.integers(0, pairs - 1))
    some = slice(begin, data.draw(st.integers(begin + 1, pairs)))
    assert_same_bits(history.values(step), values[step])
    assert_same_bits(history.values(step, some), values[step, some])
    np.testing.assert_array_equal(history.updated(step), updated[step])
    np.testing.assert_array_equal(history.updated(step, some), updated[step, some])


def test_of_a_table_a_quarter_is_kept(game: Game) -> None:
    history = load(Path("models"), game, "q-table").history
    kept = sum(array.nbytes for array in (history.first, history.since, history.value, history.met))
    assert kept < (history.all_values().nbytes + history.all_updated().nbytes) / 3
