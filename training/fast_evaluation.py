"""Compiled versions of functions in `app.tictactoe.report`, which return equal results.

Experiments evaluate hundreds of thousands of tables, and check after every game whether a table is
unbeatable. Chances are added in the same order, ply by ply, so the figures are equal bit for bit.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes import Recipe
from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import BASELINES, Policy
from app.tictactoe.report import (
    Figures,
    PolicyResults,
    compute_figures,
    list_baseline_policies,
)
from app.tictactoe.values import TIE_TOLERANCE, Values

# The games of the random player reach every position that any opponent can reach.
RANDOM_INDEX = list(BASELINES).index("random")


def evaluate_policies_fast(game: Game, policies: Values) -> PolicyResults:
    """Return the exact results of T policies, [T, P], computed by compiled code.

    They equal the results of the slower `app.tictactoe.report.evaluate_policies`.
    """
    tree = (game.ply_start, game.pair_start, game.pair_successor, game.outcome)
    seats = np.array([*SEATS.values()], np.int8)
    # The loop reads the policies row by row, so they are stored row by row.
    rows = np.ascontiguousarray(policies)
    found = _evaluate_all(
        *tree, game.to_move, seats, rows, list_baseline_policies(game)
    )
    return PolicyResults(*found)


def compute_recipe_figures(
    game: Game, recipe: Recipe, tables: NDArray[np.floating], updates: Sequence[int]
) -> Figures:
    """Return the exact results (figures) of a training at T snapshots, in the order of `updates`.

    `tables`, [T, P], has the value of each legal move at each snapshot.
    """
    return compute_figures(
        game,
        tables,
        updates,
        recipe.get_reward_scale(),
        recipe.plays,
        recipe.build_training_task(),
        evaluate_policies_fast,
    )


@njit(cache=True)
def _evaluate_all(  # type: ignore[no-untyped-def]
    ply_start, pair_start, pair_successor, outcome, to_move, seats, policies, opponents
):
    """Return the three arrays of `PolicyResults`, in the order of its fields.

    Each policy plays every baseline as X and as O. The best response is computed in the positions
    that random moves reach, because these are all positions that any opponent can reach.
    """
    policy_count = len(policies)
    baseline_chances = np.empty((2, len(opponents), policy_count, 3))
    best_response_chances = np.empty((2, policy_count, 3))
    is_reachable = np.empty((2, policy_count, len(to_move)), np.bool_)
    for seat_index, seat in enumerate(seats):
        is_own_decision = to_move == seat
        for policy_index in range(policy_count):
            # These are exact results against each baseline, from the probabilities of all games.
            for rival in range(len(opponents)):
                baseline_chances[seat_index, rival, policy_index], chance = (
                    _compute_forward_chances(
                        ply_start,
                        pair_start,
                        pair_successor,
                        outcome,
                        is_own_decision,
                        policies[policy_index],
                        opponents[rival],
                    )
                )
                # Random moves reach every position that any opponent can reach.
                if rival == RANDOM_INDEX:
                    is_possible = chance > 0
            is_reachable[seat_index, policy_index] = is_own_decision & is_possible
            best_response_chances[seat_index, policy_index] = (
                _compute_best_response_chances(
                    pair_start,
                    pair_successor,
                    outcome,
                    is_own_decision,
                    policies[policy_index],
                    seat,
                    is_possible,
                )
            )
    return baseline_chances, best_response_chances, is_reachable


def is_unbeatable(game: Game, policy: Policy, player: int) -> bool:
    """Return whether a policy, [D, cells], never loses as `player` (+1 X, -1 O).

    All of its moves with a chance above 0 and all replies count, as in `report.find_lost_game`.
    """
    tree = (game.pair_start, game.pair_successor, game.outcome)
    chances = policy[game.pair_decision, game.pair_cell]
    return not _can_lose(*tree, game.to_move == player, chances, player)


@njit(cache=True)
def _compute_forward_chances(  # type: ignore[no-untyped-def]
    ply_start, pair_start, pair_successor, outcome, is_own_decision, policy, opponent
):
    """Return the chances that X wins, of a draw, and that O wins, [3], and of each position, [D].

    `policy` moves in its own positions, `opponent` in the others. Chances flow from each position
    to its successors, which have higher numbers, so a single pass in order is enough.
    """
    decisions = len(is_own_decision)
    chance = np.zeros(decisions)
    ends = np.zeros(3)
    chance[0] = 1.0
    for ply in range(len(ply_start) - 1):
        # The endings of a ply are added up first, as in `report`: the sums are equal bit for bit.
        over = np.zeros(3)
        for decision in range(ply_start[ply], ply_start[ply + 1]):
            if chance[decision] == 0:
                continue
            moves = policy if is_own_decision[decision] else opponent
            for pair in range(pair_start[decision], pair_start[decision + 1]):
                weight = chance[decision] * moves[pair]
                if weight == 0:
                    continue
                next_position = pair_successor[pair]
                if next_position < decisions:
                    chance[next_position] += weight
                else:
                    over[1 - outcome[next_position - decisions]] += weight
        ends += over
    return ends, chance


@njit(cache=True)
def _compute_best_response_chances(  # type: ignore[no-untyped-def]
    pair_start,
    pair_successor,
    outcome,
    is_own_decision,
    policy,
    policy_player,
    is_possible,
):
    """Return the chances that X wins, of a draw, and that O wins, [3], against the best responder.

    This is retrograde analysis: from the last position to the first, the responder takes the
    successor with the highest win minus loss, of equal ones the one with the fewest losses, then
    the first. The policy's own positions get the mean by its probabilities. Only the positions that
    are possible, [D], are computed.
    """
    decisions = len(is_own_decision)
    chances = np.zeros((decisions + len(outcome), 3))
    for end in range(len(outcome)):
        chances[decisions + end, 1 - outcome[end]] = 1.0
    # In `chances` these columns are the responder's win and its loss.
    win = 1 + policy_player
    lose = 1 - policy_player
    for decision in range(decisions - 1, -1, -1):
        if not is_possible[decision]:
            continue
        start = pair_start[decision]
        stop = pair_start[decision + 1]
        # If the policy is to move, the chances are the mean over its moves.
        if is_own_decision[decision]:
            for pair in range(start, stop):
                next_position = pair_successor[pair]
                if policy[pair] > 0:
                    for column in range(3):
                        chances[decision, column] += (
                            chances[next_position, column] * policy[pair]
                        )
            continue
        # If the responder is to move, find the highest win minus loss, then the move that reaches it.
        highest = -np.inf
        for pair in range(start, stop):
            next_position = pair_successor[pair]
            highest = max(
                highest, chances[next_position, win] - chances[next_position, lose]
            )
        # Of equal replies, the one with the fewest losses counts, then the first.
        best = -1
        least = np.inf
        for pair in range(start, stop):
            next_position = pair_successor[pair]
            lead = chances[next_position, win] - chances[next_position, lose]
            if (
                lead >= highest - TIE_TOLERANCE
                and chances[next_position, lose] < least - TIE_TOLERANCE
            ):
                best = next_position
                least = chances[next_position, lose]
        chances[decision] = chances[best]
    return chances[0]


@njit(cache=True)
def _can_lose(pair_start, pair_successor, outcome, is_own_decision, policy, player):  # type: ignore[no-untyped-def]
    """Return whether a policy, [P], can lose a game from the empty board as `player`.

    It goes backward from the last position: a position is lost if any possible move leads to a lost
    one.
    """
    decisions = len(is_own_decision)
    lost = np.zeros(decisions + len(outcome), np.bool_)
    lost[decisions:] = outcome == -player
    for decision in range(decisions - 1, -1, -1):
        for pair in range(pair_start[decision], pair_start[decision + 1]):
            if not is_own_decision[decision] or policy[pair] > 0:
                lost[decision] |= lost[pair_successor[pair]]
    return lost[0]
