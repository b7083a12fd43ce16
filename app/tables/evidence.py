"""Count what speaks for and against each way of reading an ambiguous table."""

import numpy as np

from app.tictactoe.game import GAME, FloatArray
from app.tictactoe.policy import CellMask

MIN_SUPPORT_RATIO = 2
# The counts of two equally good ways of reading hardly ever differ by more than this.
MIN_STANDARD_DEVIATIONS = 3


def is_clearly_supported(supporting: int, opposing: int) -> bool:
    """Return whether far more entries support an assumption than oppose it."""
    difference = supporting - opposing
    is_significant = difference**2 >= MIN_STANDARD_DEVIATIONS**2 * (
        supporting + opposing
    )
    return supporting > MIN_SUPPORT_RATIO * opposing and is_significant


def is_contradicted(opposing: int, opposing_alternative: int) -> bool:
    """Return whether far more entries oppose an assumption than oppose the alternative."""
    return opposing > MIN_SUPPORT_RATIO * opposing_alternative


def find_most_common(numbers: FloatArray) -> float:
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    return float(values[counts.argmax()]) if len(values) else np.nan


def find_winning_moves() -> CellMask:
    ends = GAME.successor >= GAME.decisions
    wins = np.zeros(GAME.legal.shape, np.bool_)
    wins[ends] = GAME.outcome[GAME.successor[ends] - GAME.decisions] != 0
    return wins


def find_losing_moves() -> CellMask:
    can_win = np.zeros(GAME.positions, np.bool_)
    can_win[: GAME.decisions] = find_winning_moves().any(axis=1)
    return GAME.legal & can_win[np.where(GAME.legal, GAME.successor, 0)]


def could_be_probabilities(q: FloatArray) -> bool:
    known = q[~np.isnan(q)]
    if not len(known) or known.min() < 0:
        return False
    is_open = (~np.isnan(q)).sum(axis=1) > 1
    add_up = np.isclose(np.nansum(q[is_open], axis=1), 1, atol=1e-3)
    are_beads = (known == known.round()).all() and known.max() > 1
    return bool(are_beads or (is_open.any() and add_up.mean() > 0.9))
