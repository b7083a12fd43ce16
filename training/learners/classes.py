"""What has a value up to symmetry: a move in its position, or the board that it makes.

Pairs that a rotation or reflection turns into one another share one value, so 16,167 need 2,096.
Pairs that make the same board, up to symmetry, may share one as well, so that 764 are enough: those
are the afterstates of Sutton & Barto (2018), section 6.8.  Who made an afterstate shows in its
stones, so one table serves both sides; its values are the view of that player.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game
from training.learners.pairs import Indices, Values, Visits
from training.learners.phases import Progress


class Classes(NamedTuple):
    """Which of K classes each of P pairs belongs to."""

    of: Indices  # [P]
    number: int  # K


@lru_cache(maxsize=2)
def pair_classes(game: Game) -> Classes:
    """Put the pairs together that are one and the same move up to symmetry."""
    standing, of = np.unique(game.pair_class, return_inverse=True)
    return Classes(of.astype(np.int32), len(standing))


@lru_cache(maxsize=2)
def afterstate_classes(game: Game, symmetric: bool = True) -> Classes:
    """Put the pairs together that make the same board, up to symmetry or just as it is.

    The empty board is class 0, which no move makes; the others follow in the order of positions,
    unfinished first.
    """
    boards = game.symmetry_class if symmetric else np.arange(game.positions)
    standing, number = np.unique(boards, return_inverse=True)
    return Classes(number[game.pair_after].astype(np.int32), len(standing))


def class_progress(
    game: Game, classes: Classes, counts: tuple[float, int, int], values: Values, visits: Visits
) -> Progress:
    """Show what is known of the classes, `values` and `visits` [K], as tables of all pairs.

    `counts` are the share that is over, the games and the updates.  A pair's visits are those of
    its class: how often it was updated, through whichever pair.
    """

    def table(known: NDArray[Any], illegal: float) -> NDArray[Any]:
        return game.spread(known.take(classes.of), illegal)

    return Progress(*counts, table(values.astype(np.float32), np.nan), table(visits, 0))


@njit(cache=True)
def refresh(first, of, values, q, s):  # type: ignore[no-untyped-def]
    """Bring the pairs of decision `s` in q [P] up to date with the values of classes, [K]."""
    for p in range(first[s], first[s + 1]):
        q[p] = values[of[p]]
