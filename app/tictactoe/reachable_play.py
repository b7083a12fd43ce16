"""The positions and games that a policy can reach against any opponent."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy
from app.tictactoe.values import Values, list_plies, list_plies_backward

NO_PAIR = -1  # the number of the pair that leads to an unreachable position


@dataclass(frozen=True, eq=False)
class ReachableGames:
    """All games in which a policy, as X or as O, makes only moves that it can play."""

    game: Game
    # [D] whether a game reaches the decision with the policy to move
    is_reachable: NDArray[np.bool_]
    move_chances: Values  # [P] chance of each move, of either side, in a game against random moves

    @cached_property
    def _first_pair_to(self) -> NDArray[np.int32]:
        """The first reachable pair that leads to each position, [S]; NO_PAIR if there is none."""
        pair_to = np.full(self.game.positions, NO_PAIR, np.int32)
        # Numpy keeps the last of several assignments; going backward, it is the first pair.
        backward = np.flatnonzero(self.move_chances)[::-1]
        pair_to[self.game.pair_successor[backward]] = backward
        return pair_to

    def find_record(self, position: int) -> str | None:
        """Return the record of a game that leads to a position, None if there is none."""
        record = ""
        while position:  # 0 is the empty board
            pair = self._first_pair_to.item(position)
            if pair == NO_PAIR:
                return None
            record = DIGITS[self.game.pair_cell[pair]] + record
            position = int(self.game.pair_decision[pair])
        return record


@dataclass(frozen=True, eq=False)
class ReachablePlay:
    """A policy and all games that it can play."""

    game: Game
    policy: Policy  # [D, cells] chances of the moves

    @cached_property
    def games_by_player(self) -> dict[int, ReachableGames]:
        """The games of the policy as each player, +1 X and -1 O."""
        pairs = self.policy[self.game.legal]
        return {seat: find_reachable_games(self.game, pairs, seat) for seat in (X, O)}

    @cached_property
    def is_reachable(self) -> NDArray[np.bool_]:
        """Whether the policy's own games reach each decision with the policy to move, [D]."""
        return (
            self.games_by_player[X].is_reachable | self.games_by_player[O].is_reachable
        )


def find_reachable_games(game: Game, policy: Values, player: int) -> ReachableGames:
    """Return the games of a policy, [P] chances of the legal pairs, as a player (+1 X, -1 O).

    Chances are computed forward from the empty board, ply by ply, against random moves.  Random
    moves include every move, so a position with chance 0 cannot occur against any opponent.
    """
    chance = np.empty(game.pairs)
    reached = np.zeros(game.positions)
    reached[0] = 1
    for ply in list_plies(game):
        uniform_chance = (1 / ply.move_counts).repeat(ply.move_counts)
        move_chance = policy[ply.pairs] if ply.mover == player else uniform_chance
        chance[ply.pairs] = move_chance * reached[ply.decisions].repeat(ply.move_counts)
        reached += np.bincount(ply.next_positions, chance[ply.pairs], game.positions)
    reachable = (reached[: game.decisions] > 0) & (game.to_move == player)
    return ReachableGames(game, reachable, chance)


class LikeliestGame(NamedTuple):
    """The rest of a game: the cells in the order of the moves, and its chance."""

    cells: tuple[int, ...]
    game_chance: float


def find_likeliest_games(
    game: Game, policy: Policy, position: int
) -> dict[int, LikeliestGame]:
    """Return, for each possible result, the likeliest rest of the game from a position.

    `policy` has the moves of both sides, [D, cells]. The keys are +1 X won, 0 draw, -1 O won.
    If several games are equally likely, the one with the first cells is returned.
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
        lines[int(results[column])] = LikeliestGame(
            tuple(cells), float(best[position, column])
        )
    return lines
