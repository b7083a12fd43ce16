"""The beads of an agent that draws its moves from boxes, like MENACE.

A box belongs to a position and all symmetric positions, and holds beads for each move;
symmetric moves count as a single move. In the agent's table the beads of a move are divided
among its cells, so playing cells in proportion to a row of the table is playing like the box.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import PlayRule

ALL_PAIRS = slice(None)


@lru_cache(maxsize=2)
def count_symmetric_cells(game: Game) -> NDArray[np.int64]:
    """Return, for each legal pair, the number of cells that are symmetric to its cell, [P].

    On the empty board the four corners are one move, the four edges another.
    """
    moves = np.stack([game.pair_decision, game.pair_class])
    _, move, squares = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    number: NDArray[np.int64] = squares[move]
    return number


def count_beads(
    game: Game,
    values: NDArray[np.floating],
    play_rule: PlayRule,
    pairs: slice = ALL_PAIRS,
) -> NDArray[np.float64]:
    """Return the number of beads of each pair's move, [..., P], from a table's `values`, [..., P].

    P counts all legal pairs, or the pairs of a slice.
    """
    squares = count_symmetric_cells(game)[pairs] if play_rule == "proportional" else 1
    held: NDArray[np.float64] = values.astype(np.float64) * squares
    return held


def compute_preferences(
    game: Game, beads: NDArray[np.float64], decision: int | None = None
) -> NDArray[np.float64]:
    """Return the preference of a box for each move, [..., P], from -1 (never) to +1 (always).

    It is 0 for an equal share of the beads, and piecewise linear in the share in between. `beads`
    are the beads of all legal pairs, or of the pairs of a decision, [..., P]. A preference is a
    chance of being drawn, not an expected result.
    """
    # `part` is 1 / (number of symmetric cells).  The sum of `part` over a row is the number of moves,
    # and the sum of beads times `part` is the number of beads of the box.
    starts = game.pair_start[:-1]
    part = 1 / count_symmetric_cells(game)
    if decision is not None:
        start, end = game.pair_start[decision : decision + 2]
        starts = np.zeros(1, np.intp)
        part = part[start:end]
    sizes = np.diff(starts, append=len(part))
    total = np.add.reduceat(beads * part, starts, axis=-1).repeat(sizes, axis=-1)
    moves = np.add.reduceat(part, starts).repeat(sizes)
    even = 1 / moves
    is_filled = total > 0
    share = np.where(is_filled, beads / np.where(is_filled, total, 1), even)
    # With a single move, even == 1 and share <= 1, so its preference is never above 0.
    above = (share - even) / np.where(even < 1, 1 - even, 1)
    preference: NDArray[np.float64] = np.where(share < even, share / even - 1, above)
    return preference
