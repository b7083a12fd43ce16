"""The arrays of a game on several boards, compared with the reference."""

import dataclasses
import hashlib
import struct

import numpy as np
import pytest

from app.tictactoe.card import compute_numbering_digest
from app.tictactoe.game import Game, build_game
from tests.tictactoe.both import Both, assert_symmetric
from tests.tictactoe.reference import code, mover


def test_decisions_come_first_and_both_parts_go_by_ply_then_code(both: Both):
    def order(board: str) -> tuple[int, int]:
        return -board.count("."), code(board)

    expected = sorted(both.rules.decisions, key=order) + sorted(both.rules.finished, key=order)
    assert both.boards == expected


def test_board_is_the_stones(both: Both):
    expected = [[{"X": 1, "O": -1, ".": 0}[mark] for mark in board] for board in both.boards]
    np.testing.assert_array_equal(both.game.board, expected)


def test_successor_is_the_position_after_the_move_and_minus_one_where_illegal(both: Both):
    told = {
        board: {cell: both.number[after] for cell, after in both.rules.children[board].items()}
        for board in both.decisions
    }
    np.testing.assert_array_equal(both.game.successor, both.pairs(told, otherwise=-1))
    np.testing.assert_array_equal(both.game.legal, both.game.successor != -1)


def test_to_move(both: Both):
    expected = [1 if mover(board) == "X" else -1 for board in both.decisions]
    np.testing.assert_array_equal(both.game.to_move, expected)


def test_outcome(both: Both):
    expected = [both.rules.result(board) for board in both.boards[both.game.decisions :]]
    np.testing.assert_array_equal(both.game.outcome, expected)


def test_symmetry_is_every_rotation_and_reflection_once_the_identity_first(both: Both):
    maps = [tuple(cells) for cells in both.game.symmetries.tolist()]
    assert maps[0] == tuple(range(both.game.cells))
    assert set(maps) == both.rules.symmetries()
    assert len(maps) == len(set(maps))


def test_image_is_the_position_seen_through_a_symmetry(both: Both):
    for g, cells in enumerate(both.game.symmetries.tolist()):
        seen = ["".join(board[cell] for cell in cells) for board in both.boards]
        assert both.game.symmetric_positions[g].tolist() == [both.number[board] for board in seen]


def test_image_commutes_with_moving(both: Both):
    assert_symmetric(both.game)


def test_find_is_the_inverse_of_code(both: Both):
    positions = np.arange(both.game.positions)
    np.testing.assert_array_equal(both.game.find_positions(both.game.code), positions)
    backwards = both.game.code[::-1].reshape(-1, 1)
    np.testing.assert_array_equal(
        both.game.find_positions(backwards), positions[::-1].reshape(-1, 1)
    )


@pytest.mark.parametrize("unreachable", [-1, 2, 3**9 - 1, 3**9, 2**31 - 1])
def test_find_refuses_a_code_that_no_game_reaches(game: Game, unreachable: int):
    with pytest.raises(ValueError, match="no game reaches"):
        game.find_positions(unreachable)
    with pytest.raises(ValueError, match="no game reaches"):
        game.find_positions(np.array([0, unreachable]))


def test_nothing_of_a_game_can_be_changed(both: Both):
    fields = [field.name for field in dataclasses.fields(both.game)]
    for name in [
        *fields,
        "board",
        "legal",
        "to_move",
        "symmetric_positions",
        "symmetry_class",
        "first_pair",
        "pair_successor",
    ]:
        value = getattr(both.game, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0
        if name in fields:
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(both.game, name, value)


def test_numbering_is_the_digest_of_boards_moves_and_results(both: Both):
    rules, cells = both.rules, range(both.game.cells)
    numbers = [rules.rows, rules.columns, *(code(board) for board in both.boards)]
    for board in both.decisions:
        after = [rules.children[board].get(cell) for cell in cells]
        numbers += [-1 if child is None else both.number[child] for child in after]
    numbers += [rules.result(board) or 0 for board in both.boards[len(both.decisions) :]]
    little_endian = b"".join(struct.pack("<i", number) for number in numbers)
    assert compute_numbering_digest(both.game) == hashlib.sha256(little_endian).hexdigest()


# Boards other than tic-tac-toe's.  Those of 4 x 4 take their time: the benchmark checks them.


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
        build_game(rows, columns, in_a_row)
