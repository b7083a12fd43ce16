"""The optimal values according to open_spiel, a second, independent program."""

import numpy as np
import pytest

from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import movers_view
from tests.tictactoe.both import Both

REASON = "open_spiel is not installed"
pytest.importorskip("pyspiel", reason=REASON)
solver = pytest.importorskip("open_spiel.python.algorithms.minimax_solver", reason=REASON)


@pytest.fixture(scope="module")
def action_values() -> dict[str, np.ndarray]:
    """Of each board, for the player to move; a number below -1 where illegal."""
    table = solver.MinimaxSolver("tic_tac_toe").solve()
    return {shown.replace("\n", "").upper(): entry.action_values for shown, entry in table.items()}


def test_every_action_has_open_spiel_s_value(tictactoe: Both, action_values):
    assert set(action_values) == set(tictactoe.decisions)
    expected = np.array([action_values[board] for board in tictactoe.decisions])
    expected[expected < -1] = np.nan
    values = successor_values(tictactoe.game, optimal(tictactoe.game).value)
    np.testing.assert_array_equal(movers_view(tictactoe.game, values), expected)
