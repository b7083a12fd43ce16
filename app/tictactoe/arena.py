"""Every player against every player, exactly, and where their moves part."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy, best_moves, is_maximum, optimal_q
from app.tictactoe.report import DECIMALS
from app.tictactoe.values import LineUp, join_line_ups, line_up, meet

Chances = NDArray[np.float64]


class League(NamedTuple):
    """How each of N players does on average over N opponents, itself among them; its own side."""

    as_x: Chances  # [N, 3] win, draw, loss
    as_o: Chances  # [N, 3]
    beaten_by: NDArray[np.intp]  # [N] opponents to whom it can lose, in one seat at least

    @property
    def score(self) -> Chances:
        """[N] the mean of both seats, -1 to +1."""
        return (score(self.as_x) + score(self.as_o)) / 2

    @property
    def rank(self) -> NDArray[np.intp]:
        """[N] the place by the score, the best is 1; equals share one."""
        ranks: NDArray[np.intp] = 1 + (self.score > self.score[:, None]).sum(axis=1)
        return ranks


def round_robin(game: Game, policies: Sequence[Policy]) -> Chances:
    """Let each of N policies play X against each as O: [N, N, 3], `[x, o]` is X's view.

    What comes back is the chance of X winning, a draw and O winning, rounded like a card's
    figures.
    """
    players = len(policies)
    x, o = np.divmod(np.arange(players * players), players)
    chances = meet(game, line_up(game, np.stack(policies)[:, game.legal]), x, o)
    return np.round(chances, DECIMALS).reshape(players, players, 3)


def join(game: Game, chances: Chances, policies: LineUp, newcomer: Policy) -> Chances:
    """Let one more policy meet all N of a round robin, [N, N, 3], and itself: [N + 1, N + 1, 3]."""
    size = len(chances)
    others, last = np.arange(size), np.full(size, size)
    x, o = np.concatenate([others, last, [size]]), np.concatenate([last, others, [size]])
    players = join_line_ups(policies, line_up(game, newcomer[None, game.legal]))
    new = meet(game, players, x, o)
    joined = np.pad(chances, ((0, 1), (0, 1), (0, 0)))
    joined[x, o] = np.round(new, DECIMALS)
    return joined


def league(chances: Chances) -> League:
    """Sum up a round robin, [N, N, 3] as X sees it, from each player's own side."""
    own_as_o = chances[..., ::-1].swapaxes(0, 1)
    beaten = (chances[..., 2] > 0) | (own_as_o[..., 2] > 0)
    return League(chances.mean(axis=1), own_as_o.mean(axis=1), beaten.sum(axis=1))


def score(chances: Chances) -> Chances:
    """Return win less loss for chances of win, draw and loss, [..., 3]: -1 to +1, a draw is 0."""
    return chances[..., 0] - chances[..., 2]


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
