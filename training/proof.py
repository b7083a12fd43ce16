"""Whether greedy play can be beaten: exact as `losing_game` is, but fast enough for every game."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import O, X
from training.pairs import WON, Indices, Pairs


def unbeatable(pairs: Pairs, to_move: NDArray[np.int8], q: NDArray[np.float32]) -> bool:
    """Whether greedy play by `q`, [D, cells] in the mover's view, never loses in either seat.

    Whichever of its best moves it draws, and whatever the other side does.
    """
    values = q[pairs.legal]
    return not any(_can_lose(pairs.first, pairs.after, to_move, values, seat) for seat in (X, O))


@njit(cache=True)
def _can_lose(
    first: Indices, after: Indices, to_move: NDArray[np.int8], q: NDArray[np.float32], seat: int
) -> bool:
    """Whether some game from the empty board is lost by the seat (+1 X, -1 O) that plays by q [P].

    Backward over the decisions, which are numbered by ply.
    """
    lost = np.zeros(len(to_move), np.bool_)
    for s in range(len(to_move) - 1, -1, -1):
        own = to_move[s] == seat
        highest = -np.inf
        for p in range(first[s], first[s + 1]):
            highest = max(highest, q[p]) if own else highest
        for p in range(first[s], first[s + 1]):
            if q[p] >= highest:  # any move of the other side is
                beaten = not own if after[p] == WON else after[p] >= 0 and lost[after[p]]
                lost[s] |= beaten
    answer: bool = lost[0]
    return answer
