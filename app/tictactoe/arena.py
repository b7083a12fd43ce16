"""Exact results of matches between all players, and the positions in which their moves differ."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, IndexArray
from app.tictactoe.policy import (
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_row_maxima,
)
from app.tictactoe.report import FIGURE_DECIMALS
from app.tictactoe.values import (
    PolicyMoves,
    collect_policy_moves,
    compute_match_results,
    join_policy_moves,
)

Chances = NDArray[np.float64]


class RoundRobinSummary(NamedTuple):
    """The mean results of N players, each against all N players, itself included.

    `results_as_x` and `results_as_o`, [N, 3], have the chances that the player wins, draws and
    loses in this seat. `beaten_by_count`, [N], counts the opponents that can beat the player in
    some seat.
    """

    results_as_x: Chances
    results_as_o: Chances
    beaten_by_count: IndexArray

    @property
    def mean_score(self) -> Chances:
        """The mean of each player's scores as X and as O, [N]: from -1 (loses all) to +1 (wins all)."""
        return (compute_score(self.results_as_x) + compute_score(self.results_as_o)) / 2

    @property
    def ranks(self) -> IndexArray:
        """The rank of each player by mean score, [N]: 1 is the best, equal scores share a rank."""
        ranks: IndexArray = 1 + (self.mean_score > self.mean_score[:, None]).sum(axis=1)
        return ranks


def compute_round_robin(game: Game, policies: Sequence[Policy]) -> Chances:
    """Return the results of N policies that all play against each other, [N, N, 3].

    Entry `[x, o]` has the chances that X wins, that the game is drawn, and that O wins. They are
    rounded like all stored results.
    """
    players = len(policies)
    # The matches are in the order of the flattened [x, o] table, so that a reshape restores it.
    x, o = np.divmod(np.arange(players * players), players)
    chances = compute_match_results(
        game, collect_policy_moves(game, np.stack(policies)[:, game.legal]), x, o
    )
    return np.round(chances, FIGURE_DECIMALS).reshape(players, players, 3)


def add_player(
    game: Game, chances: Chances, policies: PolicyMoves, new_player: Policy
) -> Chances:
    """Return the results of a round robin with one more player, [N + 1, N + 1, 3].

    `chances`, [N, N, 3], has the results of the N old players, and `policies` has their policies.
    Only the matches of the new player are computed. It is the last one.
    """
    size = len(chances)
    others = np.arange(size)
    last = np.full(size, size)
    # The new player first plays as O, then as X, and at last against itself.
    x = np.concatenate([others, last, [size]])
    o = np.concatenate([last, others, [size]])
    players = join_policy_moves(
        policies, collect_policy_moves(game, new_player[None, game.legal])
    )
    new = compute_match_results(game, players, x, o)
    joined = np.pad(chances, ((0, 1), (0, 1), (0, 0)))
    joined[x, o] = np.round(new, FIGURE_DECIMALS)
    return joined


def summarize_round_robin(chances: Chances) -> RoundRobinSummary:
    # The first axis is now the player of O, and the last axis has the chances that O wins first.
    results_as_o = chances[..., ::-1].swapaxes(0, 1)
    can_be_beaten = (chances[..., 2] > 0) | (results_as_o[..., 2] > 0)
    return RoundRobinSummary(
        chances.mean(axis=1), results_as_o.mean(axis=1), can_be_beaten.sum(axis=1)
    )


def compute_score(chances: Chances) -> Chances:
    """Return win minus loss for chances with (win, draw, loss) on the last axis."""
    return chances[..., 0] - chances[..., 2]


def list_disagreements(game: Game, policies: Sequence[Policy]) -> IndexArray:
    """Return the positions in which the policies choose different moves, the clearest cases first.

    Two policies differ in a position if they have no most likely move in common. Positions in which
    most pairs of policies differ come first. Of symmetric positions only one is listed. A single
    policy is compared with optimal play.
    """
    choices = [find_row_maxima(policy) for policy in policies]
    if len(choices) == 1:
        choices.append(find_best_moves(game))
    disagreeing_pairs = np.sum(
        [~(one & other).any(axis=1) for one, other in combinations(choices, 2)], axis=0
    )
    decisions = np.flatnonzero(disagreeing_pairs)
    chosen = np.stack(choices)[:, decisions]
    # A policy may choose between several moves, so the worst of these moves counts.
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
    listed_decisions: IndexArray = ordered[np.sort(first)]
    return listed_decisions
