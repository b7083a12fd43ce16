"""Afterstates up to symmetry: a move is worth what it makes, whichever way the board is turned.

All moves that make the same board, or one that a rotation or reflection turns into it, share one
value, so 16,167 pairs need 764.  Who made an afterstate shows in its stones, so one table serves
both sides; its values are the view of whoever made it.

Source: Sutton & Barto (2018), section 6.8.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game
from training.environment import Progress
from training.pairs import Indices, Pairs, Values, legal_pairs

AFTER, MADE = 0, 1  # columns of `leads`
Counts = tuple[float, int, int]  # share of the training that is over, games, updates
Visits = NDArray[np.uint32]


class Afterstates(NamedTuple):
    """P pairs of D decisions, and K classes of positions; no move makes class 0, the empty board.

    Class K does not exist: it is what a move makes that nobody may play.
    """

    pairs: Pairs
    leads: Indices  # [P, 2] AFTER as in Pairs, and the class MADE by the move
    made: NDArray[np.intp]  # [D, cells] the same class, K where illegal
    decision: Indices  # [K] one of the class, which stands for it; -1 if it is finished


def afterstates(game: Game) -> Afterstates:
    """List the afterstates of a game; unfinished classes come first, and by ply."""
    pairs = legal_pairs(game)
    standing, number = np.unique(game.symmetry_class, return_inverse=True)
    made = np.full(game.legal.shape, len(standing))
    made[game.legal] = number[game.successor[game.legal]]
    return Afterstates(
        pairs=pairs,
        leads=np.stack([pairs.after, made[game.legal]], axis=1).astype(np.int32),
        made=made,
        decision=np.where(standing < game.decisions, standing, -1).astype(np.int32),
    )


def progress(states: Afterstates, counts: Counts, values: Values, visits: Visits) -> Progress:
    """Show what is known of the classes, `values` and `visits` [K], as tables of all pairs.

    A pair's visits are those of its class: how often it was updated, through whichever pair.
    """
    q = np.append(values, np.nan).astype(np.float32)
    return Progress(*counts, q.take(states.made), np.append(visits, np.uint32(0)).take(states.made))


@njit(cache=True)
def refresh(first: Indices, leads: Indices, values: Values, q: Values, s: int) -> None:
    """Bring the pairs of decision `s` in q [P] up to date with the values of classes, [K]."""
    for p in range(first[s], first[s + 1]):
        q[p] = values[leads[p, MADE]]
