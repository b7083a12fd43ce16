"""Find the boards on which a policy blunders, and the chance of each blunder."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import Policy, find_best_moves
from app.tictactoe.reachable_play import ReachablePlay

# Less likely blunders are not listed.
NEGLIGIBLE_CHANCE = 0.0005


class BlunderChance(NamedTuple):
    """The chance that a policy blunders on a board: when the game is there, and in a whole game.

    The games are against random moves, and the policy plays in the seat that moves on this board.
    """

    chance_on_board: float
    chance_in_game: float


def find_blunder_chances(
    game: Game, policy: Policy, seats: Sequence[str] = tuple(SEATS)
) -> dict[int, BlunderChance]:
    """Return {board: chance of a blunder} for the boards on which a policy can blunder.

    The board is the lowest number among its symmetric positions. Only games count in which the
    policy, [D, cells], plays in one of these `seats`, "x" or "o".
    """
    games = ReachablePlay(game, policy).games_by_player
    is_blunder = ~find_best_moves(game)[game.legal]
    mover = game.to_move[game.pair_decision]
    board_of_pair = game.symmetry_class[game.pair_decision]
    chance = np.zeros(game.pairs)
    for seat in seats:
        is_own = mover == SEATS[seat]
        chance += np.where(is_own, games[SEATS[seat]].move_chances, 0.0)
    reached = np.bincount(board_of_pair, chance)
    blundered = np.bincount(board_of_pair, chance * is_blunder)
    boards = np.flatnonzero(blundered > NEGLIGIBLE_CHANCE * reached)
    return {
        int(board): BlunderChance(
            round(float(blundered[board] / reached[board]), 4),
            round(float(blundered[board]), 4),
        )
        for board in boards
    }
