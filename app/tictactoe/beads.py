"""The beads of an agent that draws its moves from boxes of beads, like MENACE.

All symmetric positions share a box. It holds beads for each move, and symmetric moves count as one
move. The agent's table divides the beads of a move among its symmetric cells. So an agent that
plays in proportion to the values in a row of the table plays like the box.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import PlayRule

ALL_PAIRS = slice(None)


@lru_cache(maxsize=2)
def count_symmetric_cells(game: Game) -> NDArray[np.int64]:
    """Return, for each of the P legal moves, the number of cells that are symmetric to its cell, [P].

    On the empty board the four corners are one move, and the four edges another.
    """
    moves = np.stack([game.pair_decision, game.pair_class])
    _, move, squares = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    symmetric_cell_counts: NDArray[np.int64] = squares[move]
    return symmetric_cell_counts


def count_beads(
    game: Game,
    pair_values: NDArray[np.floating],
    play_rule: PlayRule,
    pairs: slice = ALL_PAIRS,
) -> NDArray[np.float64]:
    """Return the number of beads of each legal move, [..., P], from a table's values, [..., P].

    P is the number of all legal moves, or of the slice `pairs` of them.
    """
    squares = count_symmetric_cells(game)[pairs] if play_rule == "proportional" else 1
    bead_counts: NDArray[np.float64] = pair_values.astype(np.float64) * squares
    return bead_counts


def compute_preferences(
    game: Game, beads: NDArray[np.float64], decision: int | None = None
) -> NDArray[np.float64]:
    """Return how much boxes prefer each move, [..., P], from -1 (never plays it) to +1 (always).

    The preference is 0 if all moves have the same share of the beads, and linear on both sides of
    0. `beads` are the beads of all legal moves, or of the moves in one position, [..., P]. A
    preference only tells how likely a move is; it is no expected result.
    """
    starts = game.pair_start[:-1]
    # Symmetric cells are one move. So a cell with three symmetric cells counts as a quarter of a move.
    move_part = 1 / count_symmetric_cells(game)
    if decision is not None:
        start, end = game.pair_start[decision : decision + 2]
        starts = np.zeros(1, np.intp)
        move_part = move_part[start:end]
    sizes = np.diff(starts, append=len(move_part))
    box_beads = np.add.reduceat(beads * move_part, starts, axis=-1)
    box_beads = box_beads.repeat(sizes, axis=-1)
    move_counts = np.add.reduceat(move_part, starts).repeat(sizes)
    equal_share = 1 / move_counts
    is_filled = box_beads > 0
    share = beads / np.where(is_filled, box_beads, 1)
    share = np.where(is_filled, share, equal_share)
    # The share of a box's only move is never above the equal share 1, so its preference is at most 0.
    largest_excess = np.where(equal_share < 1, 1 - equal_share, 1)
    preferences: NDArray[np.float64] = np.where(
        share < equal_share,
        share / equal_share - 1,
        (share - equal_share) / largest_excess,
    )
    return preferences
