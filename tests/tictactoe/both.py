"""The game twice, for comparison: the arrays of the app and the reference implementation."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, build_game
from tests.tictactoe.reference import Policy, Rules, code, equally, highest


class Both:
    """A board size as arrays (`game`) and as text (`rules`), with the number of each board."""

    def __init__(self, rows: int = 3, columns: int = 3, in_a_row: int = 3):
        self.rules = Rules(rows, columns, in_a_row)
        self.game = build_game(rows, columns, in_a_row)
        board_of = {code(board): board for board in self.rules.boards}
        # in the order of positions
        self.boards = [board_of[number] for number in self.game.code.tolist()]
        self.decisions = self.boards[: self.game.decisions]
        self.number = {board: position for position, board in enumerate(self.boards)}

    def column(self, told: Mapping[str, Any]) -> NDArray[Any]:
        """Return a value of the reference for each position."""
        return np.array([told[board] for board in self.boards], float)

    def pairs(self, told: Mapping[str, Mapping[int, Any]], otherwise: float) -> NDArray[Any]:
        """Return a value of the reference for each cell of each decision, [D, cells]."""
        array = np.full((len(self.decisions), self.game.cells), otherwise)
        for row, board in zip(array, self.decisions, strict=True):
            for cell, value in told[board].items():
                row[cell] = value
        return array

    def policy(self, policy: Policy) -> NDArray[np.float64]:
        return self.pairs(policy, 0.0)

    def policy_of(self, q: NDArray[np.floating], plays: str) -> Policy:
        """Return the reference's policy for a table."""
        play = {"greedy": highest, "first": first, "proportional": in_proportion}[plays]
        return {
            board: play({cell: row[cell] for cell in self.rules.children[board]})
            for board, row in zip(self.decisions, q.tolist(), strict=True)
        }

    def greedy(self, q: NDArray[np.floating]) -> Policy:
        """Return the reference's greedy policy for a table, with equal chances for ties."""
        return self.policy_of(q, "greedy")


def first(row: Mapping[int, float]) -> dict[int, Fraction]:
    return {next(iter(highest(row))): Fraction(1)}


def in_proportion(row: Mapping[int, float]) -> dict[int, Fraction]:
    beads = {cell: Fraction(value) for cell, value in row.items() if value}
    total = sum(beads.values())
    return {cell: number / total for cell, number in beads.items()} or equally(row)


def assert_symmetric(game: Game) -> None:
    """Check that values commute with symmetries: map then move, or move then map."""
    for image, cells in zip(game.symmetric_positions, game.symmetries, strict=True):
        moved = game.successor[:, cells]
        seen_then_moved = game.successor[image[: game.decisions]]
        moved_then_seen = np.where(moved == -1, -1, image[moved])
        np.testing.assert_array_equal(moved_then_seen, seen_then_moved)
