"""Where players part: the positions in which they would not make the same move."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy, best_moves, optimal_q


def disagreements(game: Game, policies: Sequence[Policy]) -> NDArray[np.intp]:
    """List the decisions in which two of the policies share no likeliest move, most telling first.

    It tells most where most pairs of them share no move; then where more of the game hangs on whose
    move is made; then what comes early in the game; then where they choose between fewer moves.  Of
    those that are the same up to symmetry only the first of this order is listed.  A single policy
    is set against best play.
    """
    choices = [(policy == policy.max(axis=1, keepdims=True)) & game.legal for policy in policies]
    chosen = np.stack(
        choices if len(choices) > 1 else [*choices, best_moves(game)]
    )  # [V, D, cells]
    shared = np.einsum("vdc,wdc->dvw", chosen.astype(np.int8), chosen.astype(np.int8)) > 0
    apart = (~shared).sum(axis=(1, 2)) // 2
    kept = np.where(chosen, optimal_q(game), np.inf).min(axis=2)  # [V, D] what is left at worst
    hangs = kept.max(axis=0) - kept.min(axis=0)
    decisions = np.arange(game.decisions)
    plies = np.searchsorted(game.ply_start, decisions, side="right")
    order = np.lexsort((decisions, chosen.sum(axis=(0, 2)), plies, -hangs, -apart))
    parted = order[apart[order] > 0]
    _, first = np.unique(game.symmetry_class[parted], return_index=True)
    listed: NDArray[np.intp] = parted[np.sort(first)]
    return listed
