"""Where a policy blunders, one position for each symmetry class, the most serious first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.own_play import move_chances
from app.tictactoe.policy import Choice, Policy, best_moves, optimal_q
from app.tictactoe.report import blunders

CHANCE_DECIMALS = 12  # by which chances are ordered: images differ in the last digits


class Mistakes(NamedTuple):
    """Every decision in which a policy can blunder, by number; mover's view."""

    position: NDArray[np.intp]  # [M]
    wrong: Choice  # [M, cells] its blunders
    right: Choice  # [M, cells] the moves that keep it
    before: NDArray[np.int8]  # [M] the value of the game: +1 a win, 0 a draw
    after: NDArray[np.int8]  # [M] what its worst move leaves of it: 0 or -1
    chance: NDArray[np.float64]  # [M] of erring there in a game against `uniform`


class Atlas(NamedTuple):
    """One mistake for each symmetry class, the most serious class first, [N]."""

    row: NDArray[np.intp]  # which of the mistakes stands for the class: its likeliest
    erring: NDArray[np.intp]  # in how many images of the position the policy errs
    images: NDArray[np.intp]  # how many images there are
    chance: NDArray[np.float64]  # of erring in one of them in a game against `uniform`


def mistakes(game: Game, policy: Policy) -> Mistakes:
    """Find where a policy, [D, cells], can blunder, and what that costs."""
    values = optimal_q(game)
    right = best_moves(game)
    wrong = (policy > 0) & ~right
    position = np.flatnonzero(blunders(game, policy))
    as_x, as_o = move_chances(game, policy, X), move_chances(game, policy, O)
    chance = np.where((game.to_move == X)[:, None], as_x, as_o)
    return Mistakes(
        position=position,
        wrong=wrong[position],
        right=right[position],
        before=np.fmax.reduce(values[position], axis=1).astype(np.int8),
        after=np.where(wrong, values, 1)[position].min(axis=1).astype(np.int8),
        chance=(chance * wrong)[position].sum(axis=1),
    )


def atlas(game: Game, found: Mistakes) -> Atlas:
    """Put images of one position together, and order them by how much they matter.

    First those that happen most often in games against `uniform`; then those that lose most; then
    those that come first in a game.
    """
    kind = game.symmetry_class[: game.decisions]
    of = kind[found.position]
    chance = np.bincount(of, found.chance, game.decisions).astype(np.float64)
    lost = found.after - found.before
    likeliest = np.lexsort((found.position, lost, -found.chance.round(CHANCE_DECIMALS)))
    _, first = np.unique(of[likeliest], return_index=True)
    row = likeliest[first]
    order = np.lexsort((found.position[row], lost[row], -chance[of[row]].round(CHANCE_DECIMALS)))
    row = row[order]
    return Atlas(
        row=row,
        erring=np.bincount(of, minlength=game.decisions)[of[row]],
        images=np.bincount(kind)[of[row]],
        chance=chance[of[row]],
    )
