"""Moves that are drawn like beads from a box: how many there are, and what they lean to.

A box stands for a position and all its images, and holds beads for each move that is not the same
as another by symmetry.  In a table that is played in proportion every square holds its part of the
beads of its move, so that a row, played in proportion, plays as the box does.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Plays

EVERY = slice(None)


@lru_cache(maxsize=2)
def alike(game: Game) -> NDArray[np.int64]:
    """Return of how many squares each legal pair is one and the same move by symmetry, [P].

    On the empty board the four corners are one move, the four edges another.
    """
    moves = np.stack([game.pair_from, game.pair_class])
    _, move, squares = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    number: NDArray[np.int64] = squares[move]
    return number


def beads(
    game: Game, values: NDArray[np.floating], plays: Plays, pairs: slice = EVERY
) -> NDArray[np.float64]:
    """Return how many beads there are for each move, [..., P], of a table's `values`, [..., P].

    P are all legal pairs, or those of a slice of them.
    """
    squares = alike(game)[pairs] if plays == "proportional" else 1
    held: NDArray[np.float64] = values.astype(np.float64) * squares
    return held


def leanings(
    game: Game, held: NDArray[np.float64], decision: int | None = None
) -> NDArray[np.float64]:
    """Say how a box leans to each of its moves: -1 never, 0 as to any other, +1 always.

    `held` are the `beads` of all legal pairs, or of those of one decision, [..., P], and so is what
    comes back.  Between the three the share of the beads is mapped piecewise linearly.  It says
    what is drawn, and nothing of how a game would end.
    """
    starts, part = game.pair_start[:-1], 1 / alike(game)
    if decision is not None:
        begin, end = game.pair_start[decision : decision + 2]
        starts, part = np.zeros(1, np.intp), part[begin:end]
    sizes = np.diff(starts, append=len(part))
    total = np.add.reduceat(held * part, starts, axis=-1).repeat(sizes, axis=-1)
    even = 1 / np.add.reduceat(part, starts).repeat(sizes)
    share = np.where(total > 0, held / np.where(total > 0, total, 1), even)
    above = (share - even) / np.where(even < 1, 1 - even, 1)
    leaning: NDArray[np.float64] = np.where(share < even, share / even - 1, above)
    return leaning
