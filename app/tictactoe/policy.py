"""Policies as arrays: `policy[position, cell]` is the chance of playing that cell.

Every policy is float64 [D, cells] for the D positions with a player to move. The chances in a row
add up to 1, and an illegal move has chance 0.
"""

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import FloatArray, Game, O, X
from app.tictactoe.values import (
    compute_successor_values,
    find_best_response,
    solve_game,
)
from app.tictactoe.views import convert_view

Policy = NDArray[np.float64]
CellMask = NDArray[np.bool_]
# How an agent chooses its moves by their values; `policy_from_values` explains the rules.
PlayRule = Literal["greedy", "first", "proportional"]


def uniform_policy(game: Game) -> Policy:
    return _normalize_rows(game.legal)


def first_empty_policy(game: Game) -> Policy:
    return policy_from_first_moves(game.legal)


def t_hand_policy(game: Game) -> Policy:
    """Return the policy that wins if possible, else blocks a win, else plays at random.

    Several wins, blocks or other moves have equal probabilities.

    Source: Boyan (1992), "Modular neural networks for learning context-dependent game
    strategies", where this player is the hand-written opponent.
    """
    board = game.board[: game.decisions]
    stones = board == game.to_move[:, None]
    choice = game.legal.copy()
    # Winning moves come second, so that they replace blocking moves.
    for own in (
        board == -game.to_move[:, None],
        stones,
    ):
        ends = find_completing_cells(game, own)
        choice = np.where(ends.any(axis=1, keepdims=True), ends, choice)
    return _normalize_rows(choice)


def minimax_policy(game: Game) -> Policy:
    """Return the policy that plays the first cell, in reading order, that is no blunder."""
    return policy_from_first_moves(find_best_moves(game))


def minimax_random_policy(game: Game) -> Policy:
    """Return the policy that plays all cells that are no blunders with equal chances."""
    return _normalize_rows(find_best_moves(game))


def strongest_policy(game: Game) -> Policy:
    """Return the policy that never loses, and otherwise wins most often against random moves.

    It plays the first of several equally good cells. It is the best response to `uniform_policy` if
    no win is worth the risk of a loss.
    """
    responses = [
        find_best_response(game, uniform_policy(game), seat, loss_reward=-np.inf)
        for seat in (X, O)
    ]
    return responses[0].policy + responses[1].policy


@lru_cache(maxsize=2)
def find_best_moves(game: Game) -> CellMask:
    """Return a mask of the moves that are no blunders, [D, cells].

    Such a move keeps the value that the position has with optimal play.
    """
    right = find_row_maxima(compute_optimal_q(game))
    right.flags.writeable = False
    return right


@lru_cache(maxsize=2)
def compute_optimal_q(game: Game) -> FloatArray:
    """Return the action values of optimal play, [D, cells], in the view of the player to move."""
    values: FloatArray = convert_view(
        game, compute_successor_values(game, solve_game(game).values)
    )
    # This turns -0.0 into 0.0.
    values += 0.0
    values.flags.writeable = False
    return values


def policy_from_values(q: NDArray[np.floating], play_rule: PlayRule) -> Policy:
    """Return the policy of an agent that chooses its moves by these action values.

    `q` is [..., cells] in the mover's view, with NaN for illegal moves; the policy has the same
    shape. The rule *greedy* plays one of the best moves at random, and *first* plays the first best
    move in reading order. With *proportional* the chance of a move is proportional to its value, as
    in MENACE; if no value is above 0, all chances are equal. Raises ValueError if all values in a
    row are NaN, or if *proportional* has a value below 0.
    """
    if play_rule == "first":
        return policy_from_first_moves(_find_best_cells(q))
    if play_rule == "greedy":
        return greedy_policy(q)
    # This call only checks: it raises ValueError if a row has no legal cell.
    _find_best_cells(q)
    beads = np.nan_to_num(q.astype(np.float64))
    if (beads < 0).any():
        raise ValueError("no policy plays in proportion to a value below 0")
    is_empty = beads.sum(axis=-1, keepdims=True) == 0
    return _normalize_rows(np.where(is_empty, ~np.isnan(q), beads))


def greedy_policy(q: NDArray[np.floating]) -> Policy:
    """Return the policy that plays any of the cells with the highest value, with equal chances.

    `q` is [..., cells] in the mover's view, NaN for illegal moves; the policy has the same shape.
    Raises ValueError if all values in a row are NaN.
    """
    return _normalize_rows(_find_best_cells(q))


def epsilon_greedy_policy(q: NDArray[np.floating], epsilon: float) -> Policy:
    """Return the policy that plays a random legal move with chance `epsilon`, else a greedy move.

    `q` is [..., cells] in the mover's view, NaN for illegal moves. Raises ValueError if all values
    in a row are NaN, or if `epsilon` is not between 0 and 1.
    """
    return mix_policies(greedy_policy(q), _normalize_rows(~np.isnan(q)), epsilon)


def mix_policies(policy: Policy, other_policy: Policy, other_chance: float) -> Policy:
    """Return the policy that plays by `other_policy` with chance `other_chance`, else by `policy`.

    Raises ValueError if the chance is not between 0 and 1.
    """
    if not 0 <= other_chance <= 1:
        raise ValueError(f"a chance lies between 0 and 1, not {other_chance}")
    return (1 - other_chance) * policy + other_chance * other_policy


class Baseline(NamedTuple):
    """A player with a fixed rule, against which agents are evaluated."""

    title: str
    description: str
    build_policy: Callable[[Game], Policy]


BASELINES = {
    "random": Baseline("Random", "Plays any empty square at random.", uniform_policy),
    "fixed": Baseline(
        "First empty cell", "Always plays the first empty square.", first_empty_policy
    ),
    "t-hand": Baseline(
        "T-hand", "Wins or blocks if it can, otherwise plays at random.", t_hand_policy
    ),
    "minimax": Baseline(
        "Minimax",
        "Knows the result of every position; plays the first of the best moves.",
        minimax_policy,
    ),
    "minimax-random": Baseline(
        "Minimax (randomised)",
        "Knows the result of every position; plays one of the best moves at random.",
        minimax_random_policy,
    ),
    "strongest": Baseline(
        "Strongest",
        "Never loses, and wins most often against random moves.",
        strongest_policy,
    ),
}


def find_completing_cells(game: Game, stones: CellMask) -> CellMask:
    """Return a mask of the empty cells that complete a line of `stones`; both are [D, cells]."""
    ends = np.zeros_like(stones)
    for line in game.lines:
        for cell in line:
            others = line[line != cell]
            ends[:, cell] |= stones[:, others].all(axis=1)
    return ends & game.legal


def _find_best_cells(q: NDArray[np.floating]) -> CellMask:
    highest = _compute_row_maxima(q)
    if np.isnan(highest).any():
        raise ValueError("a row of q has no legal cell: it is NaN everywhere")
    best_cells: CellMask = q == highest[..., None]
    return best_cells


def find_row_maxima(action_values: NDArray[np.floating]) -> CellMask:
    """Return a mask of the cells with the highest value of their row, [..., cells].

    NaN is never the highest value.
    """
    is_maximum: CellMask = (
        action_values == _compute_row_maxima(action_values)[..., None]
    )
    return is_maximum


def _compute_row_maxima(action_values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the highest value of each row, [...], and NaN if all values of a row are NaN."""
    # A loop over the cells takes a tenth of the time of a reduction over such a short axis.
    highest: NDArray[np.floating] = reduce(np.fmax, np.moveaxis(action_values, -1, 0))
    return highest


def _normalize_rows(weights: NDArray[Any]) -> Policy:
    # A loop over the cells is faster than numpy's sum, as in `_compute_row_maxima`.
    cells = np.moveaxis(weights, -1, 0)
    row_totals: FloatArray = reduce(np.add, cells, np.zeros(cells.shape[1:]))
    policy: Policy = weights / row_totals[..., None]
    return policy


def policy_from_first_moves(chosen_moves: CellMask) -> Policy:
    policy: Policy = np.eye(chosen_moves.shape[-1])[chosen_moves.argmax(axis=-1)]
    return policy
