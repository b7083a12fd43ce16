"""The legal (decision, cell) pairs in one row: what a compiled learner reads and writes.

Pair `p` of decision `s` lies in `first[s]:first[s + 1]`, its cells in reading order, so nothing
asks whether a move is legal, and a row's maximum is that of a slice.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import TAUGHT, Menace, QTable, TdAfterstates
from app.tictactoe.game import Game
from training.learners.randomness import uniform

Values = NDArray[np.float64]  # [P] a number for every pair
Visits = NDArray[np.uint32]
Indices = NDArray[np.int32]

LOST, DRAWN, WON = -3, -2, -1  # instead of the next decision, where the game has ended


class Pairs(NamedTuple):
    """P pairs of D decisions; all of it is the same for either player to move."""

    first: Indices  # [D + 1]
    after: Indices  # [P] the decision after the move, else how the game ended for the mover


@lru_cache(maxsize=2)
def legal_pairs(game: Game) -> Pairs:
    """List the pairs of a game, once a process; who learns reads them only."""
    after = game.pair_after.copy()
    over = after >= game.decisions
    mover = game.to_move[game.pair_from[over]]
    after[over] = DRAWN + mover * game.outcome[after[over] - game.decisions]
    return Pairs(game.pair_start.astype(np.int32), after)


def answered(after: Indices) -> Indices:
    """Turn positions after moves, as `Pairs` has them, to the view of who is answered by these."""
    return np.where(after < 0, 2 * DRAWN - after, after)


def seats_in_turn(recipe: QTable | TdAfterstates | Menace) -> Indices:
    """List the seats of a recipe's games in turn, [n]: 0 as X, 1 as O."""
    return np.array(["xo".index(seat) for seat in TAUGHT[recipe.seat]], np.int32)


@njit(cache=True)
def reward(ending, loss, draw, win):  # type: ignore[no-untyped-def]
    """Return what LOST, DRAWN or WON is worth."""
    return win if ending == WON else draw if ending == DRAWN else loss


@njit(cache=True)
def value(first, q, s, gamma, loss, draw, win):  # type: ignore[no-untyped-def]
    """Return what it is worth to have come to `s`, by q [P], or by the reward where that ended."""
    if s < 0:
        return reward(s, loss, draw, win)
    highest = q[first[s]]
    for p in range(first[s] + 1, first[s + 1]):
        highest = q[p] if q[p] > highest else highest
    return gamma * highest


@njit(cache=True)
def expected(first, q, s, epsilon):  # type: ignore[no-untyped-def]
    """Return what decision `s` is worth on average to who moves epsilon-greedily by q [P]."""
    start, end = first[s], first[s + 1]
    highest, total = q[start], q[start]
    for p in range(start + 1, end):
        highest, total = max(highest, q[p]), total + q[p]
    return (1 - epsilon) * highest + epsilon * total / (end - start)


@njit(cache=True)
def epsilon_greedy(first, q, s, epsilon, first_best, stream):  # type: ignore[no-untyped-def]
    """Draw a pair of decision `s`: any with chance epsilon, else one with the highest q [P].

    Among several of these the first if `first_best`, else any with equal chances.  One random
    number decides everything: within the part that it falls into it is uniform again.
    The scan has no branch to guess wrong, which makes it twice as fast.
    """
    start, end = first[s], first[s + 1]
    u = uniform(stream)
    if u < epsilon:
        return start + min(int(u / epsilon * (end - start)), end - start - 1)
    highest, leader, equals = q[start], start, 1
    for p in range(start + 1, end):
        higher = q[p] > highest
        equals = 1 if higher else equals + (q[p] == highest)
        leader = p if higher else leader
        highest = q[p] if higher else highest
    if equals > 1 and not first_best:
        skip = min(int((u - epsilon) / (1 - epsilon) * equals), equals - 1)
        while skip > 0:
            leader += 1
            skip -= q[leader] == highest
    return leader


@njit(cache=True)
def lowered(epsilon, drop, turns, length):  # type: ignore[no-untyped-def]
    """Return epsilon after so many turns of `length`: it falls by `drop` after every tenth."""
    if drop == 0:  # a division takes as long as a move
        return epsilon
    return max(0.0, epsilon - drop * (10 * turns // length))
