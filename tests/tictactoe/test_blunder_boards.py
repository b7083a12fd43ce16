"""Boards with blunders, compared with a walk over boards as text."""

from collections import defaultdict

import numpy as np
import pytest

from app.tictactoe.blunder_boards import find_blunder_chances
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position, parse_position
from app.tictactoe.policy import Policy
from tests.tictactoe.checker import images
from tests.tictactoe.reference import Rules, mover


def walk(game: Game, rules: Rules, policy: Policy, seat: str) -> dict[str, tuple[float, float]]:
    """Return the chance of each board, and of a blunder on it, in games of a seat."""
    chance = defaultdict[str, float](float, {rules.boards[0]: 1.0})
    found = defaultdict[str, tuple[float, float]](lambda: (0.0, 0.0))
    for board in rules.decisions:  # the emptiest first
        row = policy[parse_position(game, board)]
        for cell, after in rules.children[board].items():
            share = row[cell] if mover(board) == seat else 1 / len(rules.children[board])
            chance[after] += chance[board] * share
            if mover(board) == seat:
                reached, blundered = found[key := min(images(rules, board))]
                reached += chance[board] * share
                if rules.solved[after][0] != rules.solved[board][0]:
                    blundered += chance[board] * share
                found[key] = reached, blundered
    return found


@pytest.mark.parametrize("seats", ["xo", "x"])
def test_blunders_are_counted_as_a_walk_over_all_games_counts_them(
    game: Game, rules: Rules, seats: str
) -> None:
    weights = np.where(game.legal, np.random.default_rng(7).random(game.legal.shape) ** 3, 0.0)
    weights[weights < 0.1] = 0.0  # some boards cannot be reached
    weights[weights.sum(axis=1) == 0] = game.legal[weights.sum(axis=1) == 0]
    policy = weights / weights.sum(axis=1, keepdims=True)
    expected = {}
    for seat in seats:
        for board, (reached, blundered) in walk(game, rules, policy, seat.upper()).items():
            if blundered > 0.0005 * reached:
                expected[board] = (blundered / reached, blundered)
    found = {
        min(images(rules, format_position(game, board))): chances
        for board, chances in find_blunder_chances(game, policy, seats).items()
    }
    assert found.keys() == expected.keys()
    for board, chances in found.items():
        assert chances == pytest.approx(expected[board], abs=6e-5)
