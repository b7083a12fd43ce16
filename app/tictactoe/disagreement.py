"""Where players part: the positions in which they would not make the same move."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy, best_moves, is_maximum, optimal_q


def disagreements(game: Game, policies: Sequence[Policy]) -> NDArray[np.intp]:
    """List the decisions in which two of the policies share no likeliest move, most telling first.

    It tells most where most pairs of them share no move; then where more of the game hangs on whose
    move is made; then what comes early in the game; then where they choose between fewer moves.  Of
    those that are the same up to symmetry only the first of this order is listed.  A single policy
    is set against best play.
    """
    choices = [is_maximum(policy) for policy in policies]
    if len(choices) == 1:
        choices.append(best_moves(game))
    apart = np.sum([~(one & other).any(axis=1) for one, other in combinations(choices, 2)], axis=0)
    decisions = np.flatnonzero(apart)
    chosen = np.stack(choices)[:, decisions]  # [V, d, cells]
    kept = np.where(chosen, optimal_q(game)[decisions], np.inf).min(axis=2)  # what is left at worst
    hangs = kept.max(axis=0) - kept.min(axis=0)
    moves, plies = chosen.sum(axis=(0, 2)), game.ply[decisions]
    parted = decisions[np.lexsort((decisions, moves, plies, -hangs, -apart[decisions]))]
    _, first = np.unique(game.symmetry_class[parted], return_index=True)
    listed: NDArray[np.intp] = parted[np.sort(first)]
    return listed
