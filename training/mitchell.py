"""Q-learning for worlds that are not deterministic, with actions drawn by powers of k.

Source: Mitchell (1997), "Machine Learning": eq. 13.10 and 13.11, and section 13.3.5.
"""

from math import exp, log

import numpy as np
from numba import njit
from numpy.typing import NDArray

Values = NDArray[np.float64]


@njit(cache=True)
def grown(start: float, step: float, limit: float, updates: int) -> float:
    """Return k after so many updates: it grows by `step` at every one, up to `limit`."""
    return min(start + step * updates, limit)


@njit(cache=True)
def proportional(u: float, q: Values, k: float, entries: NDArray[np.int32], scratch: Values) -> int:
    """Choose one of the entries [n] of q, each with a chance proportional to k ** q.

    `u` is a random number below 1, `scratch` has room for n numbers.  The powers are taken
    relative to the largest: none overflows, and not all vanish.  exp and log are the platform's
    own; those of another one may differ in the last bit, and so, very rarely, in a choice.
    """
    rate, highest, total, choice = log(k), -np.inf, 0.0, 0
    for i in range(len(entries)):
        scratch[i] = rate * q[entries[i]]
        highest = max(highest, scratch[i])
    for i in range(len(entries)):
        total += exp(scratch[i] - highest)
        scratch[i] = total
    for i in range(len(entries) - 1):
        choice += u * total >= scratch[i]
    return choice


@njit(cache=True)
def update(
    q: Values, visits: NDArray[np.uint32], i: int, reward: float, gamma: float, row: int, cells: int
) -> None:
    """Move entry `i` of q towards reward + gamma max(0, max Q(s', .)), s' beginning at `row`.

    alpha is 1 / (1 + visits) with this visit counted: the first one goes half of the way.
    """
    highest = 0.0
    for j in range(row, row + cells):
        highest = max(highest, q[j])
    visits[i] += 1
    alpha = 1 / (1 + visits[i])
    q[i] = (1 - alpha) * q[i] + alpha * (reward + gamma * highest)
