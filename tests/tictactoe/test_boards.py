"""Boards other than tic-tac-toe's.  Those of 4 x 4 take their time: the benchmark checks them."""

import numpy as np
import pytest

from app.tictactoe.game import Game, connect
from app.tictactoe.values import optimal
from tests.tictactoe.both import assert_symmetric


@pytest.fixture(scope="module", params=[3, 4])
def three_by_four(request: pytest.FixtureRequest) -> Game:
    return connect(3, 4, request.param)


def test_three_by_four(three_by_four: Game):
    game = three_by_four
    expected = {3: (111_973, 79_563, +1), 4: (142_231, 139_339, 0)}  # X wins; a draw
    value = optimal(game).value[0]
    assert (game.positions, game.decisions, value) == expected[game.in_a_row]


def test_three_by_four_looks_the_same_through_its_four_symmetries(three_by_four: Game):
    game = three_by_four
    assert len(game.symmetry) == 4
    assert_symmetric(game)
    solution = optimal(game)
    for image in game.image:
        np.testing.assert_array_equal(solution.value[image], solution.value)
        np.testing.assert_array_equal(solution.plies[image], solution.plies)


def test_one_cell_is_won_by_playing_it():
    game = connect(1, 1, 1)
    assert game.successor.tolist() == [[1]]
    assert game.outcome.tolist() == [1]
    assert game.symmetry.tolist() == [[0]]


@pytest.mark.parametrize("columns", range(1, 17))
def test_one_in_a_row_is_won_by_the_first_stone(columns: int):
    game = connect(1, columns, 1)
    assert (game.decisions, game.positions) == (1, 1 + columns)
    assert set(game.outcome.tolist()) == {1}


def test_two_cells_in_a_row_of_two_end_in_a_draw():
    game = connect(1, 2, 2)
    assert (game.decisions, game.positions) == (3, 5)
    assert game.outcome.tolist() == [0, 0]


def test_two_by_two_is_won_with_the_third_stone():
    game = connect(2, 2, 2)
    solution = optimal(game)
    assert (game.decisions, game.positions) == (1 + 4 + 12, 1 + 4 + 12 + 12)
    assert (solution.value[0], solution.plies[0]) == (1, 3)


@pytest.mark.parametrize(
    ("rows", "columns", "in_a_row", "sentence"),
    [
        (0, 3, 3, "a board has 1 to 16 cells .* not 0 x 3"),
        (3, 0, 3, "a board has 1 to 16 cells .* not 3 x 0"),
        (-1, -3, 3, "a board has 1 to 16 cells"),
        (3, 3, 0, "a line at least one, .* 0 in a row"),
        (5, 5, 3, "a board has 1 to 16 cells .* not 5 x 5"),
        (1, 17, 3, "a board has 1 to 16 cells .* not 1 x 17"),
        (3, 3, 4, "4 in a row do not fit on a board of 3 x 3"),
        (1, 2, 3, "3 in a row do not fit on a board of 1 x 2"),
    ],
)
def test_a_board_that_makes_no_game_is_refused(
    rows: int, columns: int, in_a_row: int, sentence: str
):
    with pytest.raises(ValueError, match=sentence):
        connect(rows, columns, in_a_row)
