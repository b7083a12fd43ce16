"""Exact results of every player against every player, and the positions where their moves differ."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import (
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_row_maxima,
)
from app.tictactoe.report import DECIMALS
from app.tictactoe.values import (
    PolicyMoves,
    collect_policy_moves,
    compute_match_results,
    join_policy_moves,
)

Chances = NDArray[np.float64]


class ArenaTable(NamedTuple):
    """The mean results of N players against all N players, in the view of each player."""

    as_x: Chances  # [N, 3] chances of win, draw, loss as X
    as_o: Chances  # [N, 3] chances of win, draw, loss as O
    # [N] the number of opponents that can beat the player in at least one seat
    beaten_by_count: NDArray[np.intp]

    @property
    def mean_score(self) -> Chances:
        """[N] the mean score of both seats, -1 to +1."""
        return (compute_score(self.as_x) + compute_score(self.as_o)) / 2

    @property
    def ranks(self) -> NDArray[np.intp]:
        """[N] the rank by score; 1 is the best, and equal scores share a rank."""
        ranks: NDArray[np.intp] = 1 + (self.mean_score > self.mean_score[:, None]).sum(
            axis=1
        )
        return ranks


def compute_round_robin(game: Game, policies: Sequence[Policy]) -> Chances:
    """Let each of N policies play X against each as O; return the results, [N, N, 3].

    Entry `[x, o]` has the chances that X wins, that the game is drawn, and that O wins, rounded like
    all stored results.
    """
    players = len(policies)
    # All pairings, in the order of a flat [x, o] table.
    x, o = np.divmod(np.arange(players * players), players)
    chances = compute_match_results(
        game, collect_policy_moves(game, np.stack(policies)[:, game.legal]), x, o
    )
    return np.round(chances, DECIMALS).reshape(players, players, 3)


def add_player(
    game: Game, chances: Chances, policies: PolicyMoves, new_player: Policy
) -> Chances:
    """Add a new last player to a round robin, [N, N, 3]; return [N + 1, N + 1, 3].

    `policies` are the N old players. Only the matches of the new player are computed.
    """
    size = len(chances)
    others = np.arange(size)
    last = np.full(size, size)
    # The new player as O against all others, as X against them, and against itself.
    x = np.concatenate([others, last, [size]])
    o = np.concatenate([last, others, [size]])
    players = join_policy_moves(
        policies, collect_policy_moves(game, new_player[None, game.legal])
    )
    new = compute_match_results(game, players, x, o)
    joined = np.pad(chances, ((0, 1), (0, 1), (0, 0)))
    joined[x, o] = np.round(new, DECIMALS)
    return joined


def summarize_round_robin(chances: Chances) -> ArenaTable:
    """Return the mean results of a round robin, [N, N, 3] in X's view."""
    as_o = chances[..., ::-1].swapaxes(0, 1)  # [o, x] in O's view
    can_be_beaten = (chances[..., 2] > 0) | (as_o[..., 2] > 0)
    return ArenaTable(
        chances.mean(axis=1), as_o.mean(axis=1), can_be_beaten.sum(axis=1)
    )


def compute_score(chances: Chances) -> Chances:
    """Return the score of chances of win, draw and loss, [..., 3]: win minus loss, -1 to +1."""
    return chances[..., 0] - chances[..., 2]


def list_disagreements(game: Game, policies: Sequence[Policy]) -> NDArray[np.intp]:
    """Return the decisions in which two policies differ, the clearest differences first.

    Two policies differ if they have no most likely move in common. The decisions are sorted by the
    number of pairs of policies that differ, then by the difference between the values of their
    moves, then by ply, then by the number of legal moves. Of symmetric decisions only the first is
    listed. A single policy is compared with optimal play.
    """
    choices = [find_row_maxima(policy) for policy in policies]
    if len(choices) == 1:
        choices.append(find_best_moves(game))
    disagreeing_pairs = np.sum(
        [~(one & other).any(axis=1) for one, other in combinations(choices, 2)], axis=0
    )
    decisions = np.flatnonzero(disagreeing_pairs)
    chosen = np.stack(choices)[:, decisions]  # [V, d, cells] for V policies
    # [V, d] the lowest value of a policy's moves in each decision
    worst_values = np.where(chosen, compute_optimal_q(game)[decisions], np.inf).min(
        axis=2
    )
    spread = worst_values.max(axis=0) - worst_values.min(axis=0)
    moves = chosen.sum(axis=(0, 2))
    plies = game.ply[decisions]
    order = np.lexsort(
        (decisions, moves, plies, -spread, -disagreeing_pairs[decisions])
    )
    ordered = decisions[order]
    _, first = np.unique(game.symmetry_class[ordered], return_index=True)
    listed_decisions: NDArray[np.intp] = ordered[np.sort(first)]
    return listed_decisions
