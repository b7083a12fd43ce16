"""Likely causes: each cause is found for a policy made to have it, and for no other."""

import numpy as np
import pytest

from app.tictactoe.atlas import group_blunder_decisions, list_blunder_decisions
from app.tictactoe.causes import BlunderCause, list_causes
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import (
    BASELINES,
    CellMask,
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_completing_cells,
    greedy_policy,
    policy_from_values,
)
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_blunders


def named(game: Game, policy: Policy) -> dict[tuple[str, int, str], BlunderCause]:
    play = ReachablePlay(game, policy)
    found = list_blunder_decisions(play)
    listed = list_causes(play, found, group_blunder_decisions(game, found))
    return {(cause.kind, cause.player, cause.rule): cause for cause in listed}


def side(game: Game, seat: int) -> CellMask:
    moves: CellMask = (game.to_move == seat)[:, None]
    return moves


@pytest.mark.parametrize("name", ["minimax", "minimax-random", "strongest"])
def test_who_does_not_err_has_no_cause(game: Game, name: str) -> None:
    assert named(game, BASELINES[name].build_policy(game)) == {}


@pytest.mark.parametrize("seat", [X, O])
@pytest.mark.parametrize(("plays", "rule"), [("greedy", "any"), ("first", "first")])
def test_a_seat_whose_values_are_all_zero_was_never_trained(
    game: Game, seat: int, plays: str, rule: str
) -> None:
    q = np.where(side(game, seat) & game.legal, 0, compute_optimal_q(game))
    policy = policy_from_values(q, plays)  # type: ignore[arg-type]
    cause = named(game, policy)["untrained", seat, rule]
    assert cause.matching_count == cause.possible_count
    assert all(game.to_move[position] == seat for position in cause.example_positions)
    other = side(game, -seat)
    assert not [one for one in named(game, policy).values() if one.player == -seat]
    assert (policy > 0)[other[:, 0]].sum() <= game.legal[other[:, 0]].sum()


@pytest.mark.parametrize("seat", [X, O])
def test_values_in_the_other_sides_view_are_seen(game: Game, seat: int) -> None:
    q = np.where(side(game, seat), -compute_optimal_q(game), compute_optimal_q(game))
    listed = named(game, greedy_policy(q))
    cause = listed["other-side", seat, ""]
    assert cause.matching_count == cause.possible_count > cause.expected_by_chance
    assert ("other-side", -seat, "") not in listed


@pytest.mark.parametrize(("rule", "backwards"), [("first", False), ("last", True)])
def test_a_cell_that_equals_fall_back_on_is_seen(game: Game, rule: str, backwards: bool) -> None:
    """The policy wins or blocks if it can, and otherwise plays the first empty cell."""
    q = np.where(game.legal, 0.0, np.nan)
    t_hand = BASELINES["t-hand"].build_policy(game)
    knows = game.legal & ((t_hand > 0).sum(axis=1) == 1)[:, None]
    q = np.where(knows, t_hand, q)
    turned = q[:, ::-1] if backwards else q
    policy = policy_from_values(turned, "first")
    policy = policy[:, ::-1] if backwards else policy
    cause = named(game, np.ascontiguousarray(policy))["first-cell", 0, rule]
    assert cause.matching_count >= 0.75 * cause.possible_count
    assert cause.matching_count > cause.expected_by_chance


def test_who_wins_but_lets_the_other_side_win_never_learned_to_block(game: Game) -> None:
    board = game.board[: game.decisions]
    wins = find_completing_cells(game, board == game.to_move[:, None])
    choice = np.where(wins.any(axis=1, keepdims=True), wins, game.legal)
    cause = named(game, choice / choice.sum(axis=1, keepdims=True))["no-block", 0, ""]
    assert cause.matching_count == pytest.approx(cause.expected_by_chance, abs=1)
    blocks = BASELINES["t-hand"].build_policy(game)
    assert ("no-block", 0, "") not in named(game, blocks)


def test_blunders_in_some_images_only_are_seen_and_two_images_shown(game: Game) -> None:
    """The policy is perfect except in the lowest-numbered position of each symmetry class."""
    worst = compute_optimal_q(game) == np.fmin.reduce(
        compute_optimal_q(game), axis=1, keepdims=True
    )
    lowest = game.symmetry_class[: game.decisions] == np.arange(game.decisions)
    choice = np.where(lowest[:, None], worst, find_best_moves(game))
    cause = named(game, choice / choice.sum(axis=1, keepdims=True))["images", 0, ""]
    erring, other = cause.example_positions
    assert game.symmetry_class[erring] == game.symmetry_class[other]
    wrong = find_blunders(game, choice / choice.sum(axis=1, keepdims=True))
    assert wrong[erring]
    assert not wrong[other]
