"""Whether a policy can be beaten: exact as `losing_game` is, but fast enough for every game."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy
from training.learners.pairs import LOST, WON, Indices, Values, legal_pairs


def unbeatable(game: Game, policy: Policy, seat: int) -> bool:
    """Whether a policy, [D, cells], never loses in a seat (+1 X, -1 O).

    Whichever of its moves it draws, and whatever the other side does.
    """
    first, after = legal_pairs(game)
    return not _can_lose(first, after, game.to_move, policy[game.pair_from, game.pair_cell], seat)


@njit(cache=True)
def _can_lose(
    first: Indices, after: Indices, to_move: NDArray[np.int8], chances: Values, seat: int
) -> bool:
    """Whether some game from the empty board is lost by the seat that plays by chances [P].

    Backward over the decisions, which are numbered by ply.
    """
    lost = np.zeros(len(to_move), np.bool_)
    for s in range(len(to_move) - 1, -1, -1):
        own = to_move[s] == seat
        for p in range(first[s], first[s + 1]):
            if not own or chances[p] > 0:
                to = after[p]
                beaten = lost[to] if to >= 0 else to == (LOST if own else WON)
                lost[s] |= beaten
    answer: bool = lost[0]
    return answer
