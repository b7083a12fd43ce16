"""Find the positions and games that a policy can reach against any opponent."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import BoolArray, Game, O, X
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy
from app.tictactoe.values import Values, list_plies, list_plies_backward

# This stands for the move to a position to which no move leads.
NO_MOVE = -1


@dataclass(frozen=True, eq=False)
class ReachableGames:
    """The games that a policy can play against any opponent, all as X or all as O."""

    game: Game
    # [D] whether the games reach the position and the policy is to move there
    is_reachable: BoolArray
    # [P] the chance that a game against random moves contains the move
    move_chances: Values

    @cached_property
    def _first_move_by_position(self) -> NDArray[np.int32]:
        """The index of the first move that leads to each position, [S], or NO_MOVE."""
        pair_to = np.full(self.game.positions, NO_MOVE, np.int32)
        # If several pairs lead to a position, numpy keeps the last assignment, which in reverse
        # order is that of the lowest pair.
        backward = np.flatnonzero(self.move_chances)[::-1]
        pair_to[self.game.pair_successor[backward]] = backward
        return pair_to

    def find_record(self, position: int) -> str | None:
        record = ""
        # Position 0 is the empty board, where every game begins.
        while position:
            pair = self._first_move_by_position.item(position)
            if pair == NO_MOVE:
                return None
            record = DIGITS[self.game.pair_cell[pair]] + record
            position = int(self.game.pair_decision[pair])
        return record


@dataclass(frozen=True, eq=False)
class ReachablePlay:
    """A policy and the games that it can play as X and as O."""

    game: Game
    policy: Policy

    @cached_property
    def games_by_player(self) -> dict[int, ReachableGames]:
        pairs = self.policy[self.game.legal]
        return {seat: find_reachable_games(self.game, pairs, seat) for seat in (X, O)}

    @cached_property
    def is_reachable(self) -> BoolArray:
        return (
            self.games_by_player[X].is_reachable | self.games_by_player[O].is_reachable
        )


def find_reachable_games(game: Game, policy: Values, player: int) -> ReachableGames:
    """Return the games that a policy can play as `player` (+1 X, -1 O).

    `policy` has the chances of the legal moves, [P].
    """
    chance = np.empty(game.pairs)
    reached = np.zeros(game.positions)
    reached[0] = 1
    for ply in list_plies(game):
        # Random moves include every move, so no opponent can reach a position with chance 0.
        uniform_chance = (1 / ply.move_counts).repeat(ply.move_counts)
        move_chance = policy[ply.pairs] if ply.mover == player else uniform_chance
        chance[ply.pairs] = move_chance * reached[ply.decisions].repeat(ply.move_counts)
        reached += np.bincount(ply.next_positions, chance[ply.pairs], game.positions)
    reachable = (reached[: game.decisions] > 0) & (game.to_move == player)
    return ReachableGames(game, reachable, chance)


def find_likeliest_games(
    game: Game, policy: Policy, position: int
) -> dict[int, tuple[list[int], float]]:
    """Return {result: likeliest game from a position}: +1 for a win of X, 0 a draw, -1 a win of O.

    A game is a list of cells, with its probability. `policy` has the moves of both sides, [D,
    cells]. Of equally likely games, the one with the first cells is returned.
    """
    results = np.array([1, 0, -1])
    best = np.zeros((game.positions, len(results)))
    best[game.decisions :] = game.outcome[:, None] == results
    chances = policy[game.legal]
    for ply in list_plies_backward(game):
        through = chances[ply.pairs, None] * best[ply.next_positions]
        best[ply.decisions] = np.maximum.reduceat(through, ply.pair_starts)
    lines = {}
    for column in np.flatnonzero(best[position]).tolist():
        at = position
        cells = []
        while not game.is_over(at):
            after = game.successor[at]
            chance = policy[at] * best[after, column]
            through = np.where(after >= 0, chance, -1.0)
            cells.append(int(np.nanargmax(through)))
            at = int(after[cells[-1]])
        lines[int(results[column])] = cells, float(best[position, column])
    return lines
