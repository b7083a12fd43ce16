"""Boards with blunders, compared with a walk over boards as text."""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from app.tictactoe.blunder_boards import find_blunder_chances
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position, parse_position
from app.tictactoe.policy import Policy
from tests.tictactoe.test_boxes import images, is_won, moves


@cache
def value(board: str) -> int:
    """Return the result for X with optimal play."""
    for player, result in (("X", 1), ("O", -1)):
        if is_won(board, player):
            return result
    if "." not in board:
        return 0
    player = "XO"[board.count("X") > board.count("O")]
    return (max if player == "X" else min)(value(after) for after in moves(board, player))


def walk(game: Game, policy: Policy, seat: str) -> dict[str, tuple[float, float]]:
    """Return the chance of each board, and of a blunder on it, in games of a seat."""
    chance, found = {"." * 9: 1.0}, defaultdict[str, tuple[float, float]](lambda: (0.0, 0.0))
    for ply in range(9):
        player, after = "XO"[ply % 2], defaultdict[str, float](float)
        for board, reached in chance.items():
            if is_won(board, "X") or is_won(board, "O"):
                continue
            row = policy[parse_position(game, board)]
            cells = [cell for cell in range(9) if board[cell] == "."]
            for cell, next_board in zip(cells, moves(board, player), strict=True):
                share = row[cell] if player == seat else 1 / len(cells)
                after[next_board] += reached * share
                if player == seat:
                    key = min(images(board))
                    blunder = reached * share * (value(next_board) != value(board))
                    found[key] = (found[key][0] + reached * share, found[key][1] + blunder)
        chance = after
    return found


@pytest.mark.parametrize("seats", ["xo", "x"])
def test_blunders_are_counted_as_a_walk_over_all_games_counts_them(game: Game, seats: str) -> None:
    weights = np.where(game.legal, np.random.default_rng(7).random(game.legal.shape) ** 3, 0.0)
    weights[weights < 0.1] = 0.0  # some boards cannot be reached
    weights[weights.sum(axis=1) == 0] = game.legal[weights.sum(axis=1) == 0]
    policy = weights / weights.sum(axis=1, keepdims=True)
    expected = {}
    for seat in seats:
        for board, (reached, blundered) in walk(game, policy, seat.upper()).items():
            if blundered > 0.0005 * reached:
                expected[board] = (blundered / reached, blundered)
    found = {
        min(images(format_position(game, board))): chances
        for board, chances in find_blunder_chances(game, policy, seats).items()
    }
    assert found.keys() == expected.keys()
    for board, chances in found.items():
        assert chances == pytest.approx(expected[board], abs=6e-5)
