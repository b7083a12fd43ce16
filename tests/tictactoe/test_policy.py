"""Policies: the baselines compared with the reference, and `greedy_policy`."""

from functools import partial
from itertools import product
from math import isnan
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.tictactoe.encodings import (
    encode_flat,
    encode_one_hot,
)
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import (
    BASELINES,
    PlayRule,
    epsilon_greedy_policy,
    find_best_moves,
    greedy_policy,
    mix_policies,
    policy_from_values,
)
from tests.tictactoe.both import Both
from tests.tictactoe.reference import PLAYERS, equally

NAN = np.nan
WAYS: tuple[PlayRule, ...] = get_args(PlayRule)
ROWS = arrays(
    np.float32,
    st.integers(1, 9),
    elements=st.sampled_from([NAN, -1, -0.0, 0, 0.1, 0.5, 1]) | st.floats(width=32),
).filter(lambda row: not np.isnan(row).all())


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_plays_as_the_reference_does(both: Both, name: str):
    policy = BASELINES[name].build_policy(both.game)
    assert policy.dtype == np.float64
    np.testing.assert_array_equal(policy, both.policy(PLAYERS[name](both.rules)))


def test_best_moves(both: Both):
    best = {board: dict.fromkeys(both.rules.best_cells(board), 1) for board in both.decisions}
    np.testing.assert_array_equal(find_best_moves(both.game), both.pairs(best, otherwise=0))


@given(ROWS)
def test_greedy_plays_the_highest_with_equal_chances_and_never_nan(row):
    known = [(value, cell) for cell, value in enumerate(row.tolist()) if not isnan(value)]
    highest = max(value for value, _ in known)
    expected = equally(cell for value, cell in known if value == highest)
    assert greedy_policy(row).tolist() == [float(expected.get(cell, 0)) for cell in range(len(row))]


@pytest.mark.parametrize("plays", WAYS)
@pytest.mark.parametrize("name", ["optimal", "zero", "lucky", "noisy", "first"])
def test_how_a_table_is_played(tictactoe: Both, tables, name: str, plays: PlayRule):
    """Numbers of beads are at least 0; moves are drawn in proportion to them."""
    q = np.abs(tables[name]) if plays == "proportional" else tables[name]
    expected = tictactoe.policy(tictactoe.policy_of(q, plays))
    found = policy_from_values(q, plays)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    if plays != "proportional":
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("row", "plays", "expected"),
    [
        ([1, NAN, 0, 1], "greedy", [0.5, 0, 0, 0.5]),
        ([0, NAN, 1, 1], "first", [0, 0, 1, 0]),
        ([NAN, -2, -2], "first", [0, 1, 0]),
        ([3, NAN, 0, 1], "proportional", [0.75, 0, 0, 0.25]),
        ([0, NAN, 0, 0], "proportional", [1 / 3, 0, 1 / 3, 1 / 3]),
        ([1e-40, NAN, 0, 3e-40], "proportional", [0.25, 0, 0, 0.75]),
    ],
)
def test_the_ways_to_play(row: list[float], plays, expected: list[float]):
    assert policy_from_values(np.array(row), plays) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "act",
    [
        greedy_policy,
        partial(epsilon_greedy_policy, epsilon=0.1),
        *(partial(policy_from_values, play_rule=p) for p in WAYS),
    ],
)
def test_a_row_without_a_legal_cell_is_refused(act):
    for q in ([NAN, NAN], [[0, 1], [NAN, NAN]]):
        with pytest.raises(ValueError, match="a row of q has no legal cell"):
            act(np.array(q))


def test_epsilon_greedy_is_greedy_but_for_epsilon():
    q = np.array([1, NAN, 0, 1, 0])
    assert epsilon_greedy_policy(q, 0.0).tolist() == [0.5, 0, 0, 0.5, 0]
    assert epsilon_greedy_policy(q, 1.0).tolist() == [0.25, 0, 0.25, 0.25, 0.25]
    assert epsilon_greedy_policy(q, 0.5).tolist() == [0.375, 0, 0.125, 0.375, 0.125]


@pytest.mark.parametrize("chance", [-0.1, 1.1, NAN, np.inf, -np.inf])
def test_a_mix_by_no_chance_is_refused(chance: float):
    row = np.array([0.5, 0.5])
    with pytest.raises(ValueError, match="a chance lies between 0 and 1"):
        mix_policies(row, row, chance)
    with pytest.raises(ValueError, match="a chance lies between 0 and 1"):
        epsilon_greedy_policy(row, chance)


# One position in several encodings, each checked from its text.


def test_a_network_reads_three_numbers_a_cell_and_who_is_to_move(game: Game) -> None:
    read = encode_one_hot(game)
    assert read.shape == (game.decisions, 30)
    for s, row in enumerate(read.tolist()):
        text = format_position(game, s)
        cells = [float(mark == held) for mark, held in product(text, ".XO")]
        mover = [0.0, 1.0] if text.count("X") > text.count("O") else [1.0, 0.0]
        assert row == [*cells, *mover, 0.0]


def test_the_flat_board_is_the_base_3_number_digit_by_digit_and_who_is_to_move(game: Game) -> None:
    for s, (*row, moving) in enumerate(encode_flat(game).tolist()):
        text = format_position(game, s)
        assert [".XO"[digit] for digit in row] == list(text)
        assert int("".join(map(str, row)), 3) == game.code[s]
        to_move = 2 if text.count("X") > text.count("O") else 1
        assert moving == (0 if game.is_over(s) else to_move)
