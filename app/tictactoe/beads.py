"""The beads of an agent that draws a bead from a box to choose its move, like MENACE.

All symmetric positions share a box, in which symmetric moves have the same beads. In the agent's
table, symmetric cells share the beads of their move equally. So an agent that plays in proportion
to the values in a row of the table plays like the box.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import FloatArray, Game
from app.tictactoe.policy import PlayRule

ALL_MOVES = slice(None)


@lru_cache(maxsize=2)
def count_symmetric_cells(game: Game) -> NDArray[np.int64]:
    """Return for each of the P legal moves how many cells are symmetric to its cell, [P].

    On the empty board the number is 4 for a corner, 4 for an edge and 1 for the centre.
    """
    moves = np.stack([game.pair_decision, game.pair_class])
    _, move, squares = np.unique(moves, axis=1, return_inverse=True, return_counts=True)
    symmetric_cell_counts: NDArray[np.int64] = squares[move]
    return symmetric_cell_counts


def count_beads(
    game: Game,
    pair_values: NDArray[np.floating],
    play_rule: PlayRule,
    pairs: slice = ALL_MOVES,
) -> FloatArray:
    """Return the number of beads of each legal move, [..., P], from a table's values, [..., P].

    P counts all legal moves, or only those in the slice `pairs`.
    """
    squares = count_symmetric_cells(game)[pairs] if play_rule == "proportional" else 1
    bead_counts: FloatArray = pair_values.astype(np.float64) * squares
    return bead_counts


def compute_preferences(
    game: Game, beads: FloatArray, decision: int | None = None
) -> FloatArray:
    """Return how likely boxes make each move, [..., P], from -1 (never drawn) to +1 (always drawn).

    The preference is 0 if all moves of the box are equally likely, and it rises linearly on both
    sides of 0. It is no expected result. `beads`, [..., P], has the beads of all legal moves, or
    of the legal moves in one position.
    """
    starts = game.first_pair[:-1]
    # Symmetric cells are one move, so each of four symmetric cells counts as a quarter of a move.
    move_part = 1 / count_symmetric_cells(game)
    if decision is not None:
        start, end = game.first_pair[decision : decision + 2]
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
    # A box with only one move has the equal share 1, and dividing by 1 - 1 would give NaN.
    largest_excess = np.where(equal_share < 1, 1 - equal_share, 1)
    preferences: FloatArray = np.where(
        share < equal_share,
        share / equal_share - 1,
        (share - equal_share) / largest_excess,
    )
    return preferences
