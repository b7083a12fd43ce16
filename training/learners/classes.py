"""Classes of pairs that share a value: symmetric moves, or moves that make the same board.

Pairs that a rotation or reflection maps to each other share a value, so 16,167 pairs need
2,096 values. Pairs that make the same board, up to symmetry, may share a value as well, and
then 764 are enough: these are the afterstates of Sutton & Barto (2018), section 6.8. The
stones of an afterstate show which player made it, so a single table serves both sides; its
values are in the view of that player.
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
    """The partition of P pairs into K classes."""

    of_pair: Indices  # [P] the class of each pair
    number: int  # K


@lru_cache(maxsize=2)
def list_pair_classes(game: Game) -> Classes:
    """Return the classes of pairs that are the same move by symmetry."""
    representatives, of_pair = np.unique(game.pair_class, return_inverse=True)
    return Classes(of_pair.astype(np.int32), len(representatives))


@lru_cache(maxsize=2)
def list_afterstate_classes(game: Game, symmetric: bool = True) -> Classes:
    """Return the classes of pairs that make the same board, up to symmetry if `symmetric`.

    The empty board is class 0, which no move makes; the others follow in the order of
    positions, non-terminal positions first.
    """
    boards = game.symmetry_class if symmetric else np.arange(game.positions)
    representatives, of_board = np.unique(boards, return_inverse=True)
    return Classes(of_board[game.pair_after].astype(np.int32), len(representatives))


def report_classes(
    game: Game,
    classes: Classes,
    counts: tuple[float, int, int],
    values: Values,
    visits: Visits,
) -> Progress:
    """Return the progress of a learner with `values` and `visits` [K] of classes.

    `counts` are the finished share, the games and the updates. The visits of a pair are the
    visits of its class.
    """

    def table(of_class: NDArray[Any], illegal: float) -> NDArray[Any]:
        return game.spread_pairs(of_class.take(classes.of_pair), illegal)

    return Progress(*counts, table(values.astype(np.float32), np.nan), table(visits, 0))


@njit(cache=True)
def refresh_row(row_start, class_of_pair, values, q, s):  # type: ignore[no-untyped-def]
    """Copy the values of classes [K] into the pairs of state `s` in q [P].

    Move selection reads q, so learning K values needs no loop over all P pairs.
    """
    for p in range(row_start[s], row_start[s + 1]):
        q[p] = values[class_of_pair[p]]
