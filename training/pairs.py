"""The legal (decision, cell) pairs in one row: what a compiled learner reads and writes.

Pair `p` of decision `s` lies in `first[s]:first[s + 1]`, its cells in reading order, so nothing
asks whether a move is legal, and a row's maximum is that of a slice.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game

Values = NDArray[np.float64]  # [P] a number for every pair
Indices = NDArray[np.int32]

DRAWN, WON = -1, -2  # instead of the next decision, where a move ends the game


class Pairs(NamedTuple):
    """P pairs of D decisions; all of it is the same for whoever is to move."""

    legal: NDArray[np.bool_]  # [D, cells]
    first: Indices  # [D + 1]
    after: Indices  # [P] the decision after the move, else DRAWN, or WON by the mover

    def table(self, values: NDArray[Any], illegal: float) -> NDArray[Any]:
        """Spread values [P] over a table [D, cells] that holds `illegal` elsewhere."""
        table = np.full(self.legal.shape, illegal, values.dtype)
        table[self.legal] = values
        return table


def legal_pairs(game: Game) -> Pairs:
    """List the pairs of a game."""
    after = game.successor[game.legal]
    # Who moves last is never the loser.
    ending = np.where(game.outcome == 0, DRAWN, WON).astype(np.int32)
    over = after >= game.decisions
    after[over] = ending[after[over] - game.decisions]
    first = np.cumsum(np.concatenate([[0], game.legal.sum(axis=1)]), dtype=np.int32)
    return Pairs(game.legal, first, after)


@njit(cache=True)
def value(first: Indices, q: Values, s: int, gamma: float, won: float) -> float:
    """Return what it is worth to have come to `s`, by q [P]: `won` if that is WON, 0 if DRAWN."""
    if s < 0:
        return won if s == WON else 0.0
    highest: float = q[first[s]]
    for p in range(first[s] + 1, first[s + 1]):
        highest = q[p] if q[p] > highest else highest
    return gamma * highest


@njit(cache=True)
def epsilon_greedy(
    first: Indices, q: Values, s: int, epsilon: float, rng: np.random.Generator
) -> int:
    """Draw a pair of decision `s`: any with chance epsilon, else one with the highest q [P].

    One random number decides both: within the part that it falls into it is uniform again.
    The scan has no branch to guess wrong, which makes it twice as fast.
    """
    start: int = first[s]
    end: int = first[s + 1]
    u = rng.random()
    if u < epsilon:
        return start + min(int(u / epsilon * (end - start)), end - start - 1)
    highest, leader, equals = q[start], start, 1
    for p in range(start + 1, end):
        higher = q[p] > highest
        equals = 1 if higher else equals + (q[p] == highest)
        leader = p if higher else leader
        highest = q[p] if higher else highest
    if equals == 1:
        return leader
    skip = min(int((u - epsilon) / (1 - epsilon) * equals), equals - 1)
    while skip > 0:
        leader += 1
        skip -= q[leader] == highest
    return leader
