"""Compiled versions of functions in `app.tictactoe.report`, which return equal results.

Experiments evaluate hundreds of thousands of tables, and some check after every game whether a
table is unbeatable. The compiled functions add the chances in the same order as the others, so
the results are equal bit for bit.
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
RANDOM_BASELINE_INDEX = list(BASELINES).index("random")


def evaluate_policies_fast(game: Game, policies: Values) -> PolicyResults:
    """Return the exact results of T policies, [T, P], in compiled code."""
    tree = (game.ply_start, game.first_pair, game.pair_successor, game.outcome)
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
    """Return the exact results (figures) of a training at T snapshots.

    `tables`, [T, P], has the value of each legal move at each snapshot, and `updates` the number of
    updates before it.
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
    ply_start, first_pair, pair_successor, outcome, to_move, seats, policies, opponents
):
    """Return the arrays of `PolicyResults`; each policy plays every baseline as X and as O."""
    policy_count = len(policies)
    outcome_chances_by_baseline = np.empty((2, len(opponents), policy_count, 3))
    best_response_chances = np.empty((2, policy_count, 3))
    is_reachable = np.empty((2, policy_count, len(to_move)), np.bool_)
    for seat_index, seat in enumerate(seats):
        is_own_decision = to_move == seat
        for policy_index in range(policy_count):
            for rival in range(len(opponents)):
                outcome_chances_by_baseline[seat_index, rival, policy_index], chance = (
                    _compute_forward_chances(
                        ply_start,
                        first_pair,
                        pair_successor,
                        outcome,
                        is_own_decision,
                        policies[policy_index],
                        opponents[rival],
                    )
                )
                # Random moves reach every position that any opponent can reach.
                if rival == RANDOM_BASELINE_INDEX:
                    is_possible = chance > 0
            is_reachable[seat_index, policy_index] = is_own_decision & is_possible
            best_response_chances[seat_index, policy_index] = (
                _compute_best_response_chances(
                    first_pair,
                    pair_successor,
                    outcome,
                    is_own_decision,
                    policies[policy_index],
                    seat,
                    is_possible,
                )
            )
    return outcome_chances_by_baseline, best_response_chances, is_reachable


def is_unbeatable(game: Game, policy: Policy, player: int) -> bool:
    """Return whether a policy, [D, cells], can never lose as `player` (+1 X, -1 O).

    Every move with a chance above 0 and every reply of the opponent count.
    """
    tree = (game.first_pair, game.pair_successor, game.outcome)
    chances = policy[game.pair_decision, game.pair_cell]
    return not _can_lose(*tree, game.to_move == player, chances, player)


@njit(cache=True)
def _compute_forward_chances(  # type: ignore[no-untyped-def]
    ply_start, first_pair, pair_successor, outcome, is_own_decision, policy, opponent
):
    """Return the chances that X wins, draws and loses, [3], and of reaching each position, [D].

    `policy` moves where `is_own_decision`, and `opponent` elsewhere.
    """
    decisions = len(is_own_decision)
    chance = np.zeros(decisions)
    ends = np.zeros(3)
    chance[0] = 1.0
    for ply in range(len(ply_start) - 1):
        # `report` first adds up the games that end at the same ply. Another order would round
        # differently.
        over = np.zeros(3)
        for decision in range(ply_start[ply], ply_start[ply + 1]):
            if chance[decision] == 0:
                continue
            moves = policy if is_own_decision[decision] else opponent
            for pair in range(first_pair[decision], first_pair[decision + 1]):
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
    first_pair,
    pair_successor,
    outcome,
    is_own_decision,
    policy,
    policy_player,
    is_possible,
):
    """Return the chances that X wins, draws and loses, [3], against a policy's best responder.

    The responder takes the move with the highest win minus loss, of equal moves the one with the
    smallest loss, then the first. Only positions that `is_possible`, [D], are computed.
    """
    decisions = len(is_own_decision)
    chances = np.zeros((decisions + len(outcome), 3))
    for end in range(len(outcome)):
        chances[decisions + end, 1 - outcome[end]] = 1.0
    # The columns of `chances` are X wins, draw, O wins; these two are the responder's win and loss.
    win = 1 + policy_player
    lose = 1 - policy_player
    for decision in range(decisions - 1, -1, -1):
        if not is_possible[decision]:
            continue
        start = first_pair[decision]
        stop = first_pair[decision + 1]
        if is_own_decision[decision]:
            for pair in range(start, stop):
                next_position = pair_successor[pair]
                if policy[pair] > 0:
                    for column in range(3):
                        chances[decision, column] += (
                            chances[next_position, column] * policy[pair]
                        )
            continue
        highest = -np.inf
        for pair in range(start, stop):
            next_position = pair_successor[pair]
            highest = max(
                highest, chances[next_position, win] - chances[next_position, lose]
            )
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
def _can_lose(first_pair, pair_successor, outcome, is_own_decision, policy, player):  # type: ignore[no-untyped-def]
    """Return whether a policy, [P], can lose a game from the empty board as `player`."""
    decisions = len(is_own_decision)
    lost = np.zeros(decisions + len(outcome), np.bool_)
    lost[decisions:] = outcome == -player
    # Going backward, a position is lost if a possible move leads to a lost position.
    for decision in range(decisions - 1, -1, -1):
        for pair in range(first_pair[decision], first_pair[decision + 1]):
            if not is_own_decision[decision] or policy[pair] > 0:
                lost[decision] |= lost[pair_successor[pair]]
    return lost[0]
