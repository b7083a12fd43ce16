"""How to read an ambiguous table: count what speaks for each possible way of reading it."""

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import CellMask

# One way of reading is clearly right if its count is more than MARGIN times the other count, and
# if tossed coins would differ as much only beyond SIGMAS standard deviations.
MARGIN = 2
SIGMAS = 3


def is_clear(for_it: int, against: int) -> bool:
    """Return whether counts for and against a way of reading show more than chance."""
    difference = for_it - against
    is_significant = difference**2 >= SIGMAS**2 * (for_it + against)
    return for_it > MARGIN * against and is_significant


def is_contradicted(against: int, against_other: int) -> bool:
    """Return whether a way of reading is wrong, by the number of impossible entries.

    `against` counts the entries that it makes impossible, `against_other` those of the other way.
    """
    return against > MARGIN * against_other


def find_most_common(numbers: NDArray[np.float64]) -> float:
    """Return the most common number other than NaN; NaN if there is none."""
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    return float(values[counts.argmax()]) if len(values) else np.nan


def find_winning_moves(game: Game) -> CellMask:
    """Return whether each move wins at once, [D, cells]."""
    ends = game.successor >= game.decisions
    wins = np.zeros(game.legal.shape, np.bool_)
    wins[ends] = game.outcome[game.successor[ends] - game.decisions] != 0
    return wins


def find_losing_moves(game: Game) -> CellMask:
    """Return whether the opponent can win at once after each move, [D, cells]."""
    can_win = np.zeros(game.positions, np.bool_)
    can_win[: game.decisions] = find_winning_moves(game).any(axis=1)
    return game.legal & can_win[np.where(game.legal, game.successor, 0)]


def are_chances(q: NDArray[np.float64]) -> bool:
    """Return whether values, [D, cells], could be numbers of beads or probabilities of moves."""
    known = q[~np.isnan(q)]
    if not len(known) or known.min() < 0:
        return False
    is_open = (~np.isnan(q)).sum(axis=1) > 1
    add_up = np.isclose(np.nansum(q[is_open], axis=1), 1, atol=1e-3)
    are_beads = (known == known.round()).all() and known.max() > 1
    return bool(are_beads or (is_open.any() and add_up.mean() > 0.9))
