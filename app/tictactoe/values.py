"""Exact values, by backward induction over the plies; everything here is X's view.

Source: von Neumann (1928), "Zur Theorie der Gesellschaftsspiele", for the optimal values;
Bellman (1957), "Dynamic Programming", for those of given policies.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, X
from app.tictactoe.notation import DIGITS

Values = NDArray[np.float64]
TIE = 1e-12  # chances are sums of products of a few fractions: equals differ by less than this


class Solution(NamedTuple):
    """How every position ends when both sides play as well as possible."""

    value: NDArray[np.int8]  # [S] +1 X wins, 0 draw, -1 O wins
    plies: NDArray[np.int8]  # [S] moves to the end: the winner hurries, the loser delays


class Response(NamedTuple):
    """The best reply to a policy, and what comes of it."""

    policy: Values  # [D, cells] one cell where the responder is to move, 0 elsewhere
    chances: Values  # [S, 3] of X winning, a draw, O winning


def optimal(game: Game) -> Solution:
    """Solve the game: who wins from each position, and in how many plies."""
    # One number holds both: its sign is the winner, and it is larger the sooner the win comes.
    score = np.zeros(game.positions, np.int8)
    score[game.decisions :] = game.outcome * np.int8(game.cells + 1)
    empty = np.zeros(game.positions, np.int8)
    for rows, after, legal in _backward(game):
        best = np.max if game.to_move[rows.start] == X else np.min
        worst = np.int8(-game.to_move[rows.start] * (game.cells + 2))
        chosen = best(np.where(legal, score[after], worst), axis=1)
        score[rows] = chosen - np.sign(chosen)
        empty[rows] = legal.sum(axis=1)
    value = np.sign(score)
    return Solution(value, np.where(value == 0, empty, game.cells + 1 - np.abs(score)))


def outcome_chances(game: Game, x: Values, o: Values) -> Values:
    """Chances of X winning, a draw and O winning from every position, [S, 3].

    `x` and `o` are the policies [D, cells] of the two sides.
    Raises ValueError if one of them is no policy of this game.
    """
    for policy in (x, o):
        _check(game, policy)
    chances = _finished_chances(game)
    for rows, after, _ in _backward(game):
        policy = x if game.to_move[rows.start] == X else o
        chances[rows] = np.einsum("sc,sck->sk", policy[rows], chances[after])
    return chances


def best_response(game: Game, policy: Values, seat: int, loss: float = -1.0) -> Response:
    """Find the strongest opponent of `policy`, for the seat (+1 X, -1 O) that it plays in.

    A win is worth 1 to it, a draw 0, and a loss `loss`: 0 makes it win as often as can be, and
    `-inf` never risk a loss that it can avoid.  Among moves of equal worth it takes those with
    the fewest losses, then the first.
    Raises ValueError if `policy` is no policy of this game.
    """
    _check(game, policy)
    own, other = (0, 2) if seat == X else (2, 0)
    chances = _finished_chances(game)
    response = np.zeros_like(policy)
    for rows, after, legal in _backward(game):
        options = chances[after]
        if game.to_move[rows.start] == seat:
            keys = _preferences(options[..., own], options[..., other], loss)
            response[rows] = _first_best(legal, keys)
            chances[rows] = np.einsum("sc,sck->sk", response[rows], options)
        else:
            chances[rows] = np.einsum("sc,sck->sk", policy[rows], options)
    return Response(response, chances)


def likeliest_game(game: Game, x: Values, o: Values, outcome: int) -> str | None:
    """Return the record of the most probable game with this outcome (X's view), if there is one.

    `x` and `o` are the policies [D, cells] of the two sides, or 1 wherever a side is free to move
    as it likes; among equals the first moves count.
    """
    chance = np.zeros(game.positions)
    chance[game.decisions :] = game.outcome == outcome
    for rows, after, _ in _backward(game):
        policy = x if game.to_move[rows.start] == X else o
        chance[rows] = (policy[rows] * chance[after]).max(axis=1)
    if chance[0] == 0:
        return None
    position, record = 0, ""
    while position < game.decisions:
        policy = x if game.to_move[position] == X else o
        after = np.maximum(game.successor[position], 0)
        cell = int(np.argmax(policy[position] * chance[after]))
        position, record = int(after[cell]), record + DIGITS[cell]
    return record


def successor_values(game: Game, values: NDArray[np.generic]) -> Values:
    """Value of the position after each move, [D, cells], NaN where illegal; any view.

    `values` is [S].  These are the action values of whatever the values are of.
    """
    after = values[np.maximum(game.successor, 0)]
    return np.where(game.legal, after, np.nan).astype(np.float64)


def _backward(game: Game) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.bool_]]]:
    """Yield the decisions of each ply, last ply first, their successors and which are legal.

    Where a cell is taken the successor reads position 0: whoever uses it masks it.
    """
    for start, stop in zip(game.ply_start[-2::-1], game.ply_start[:0:-1], strict=True):
        after = game.successor[start:stop]
        yield slice(int(start), int(stop)), np.maximum(after, 0), after >= 0


def _finished_chances(game: Game) -> Values:
    chances = np.zeros((game.positions, 3))
    chances[game.decisions :] = game.outcome[:, None] == np.array([1, 0, -1])
    return chances


def _preferences(win: Values, lose: Values, loss: float) -> list[Values]:
    """Return what a responder looks at in a move, first things first, each the more the better."""
    if np.isinf(loss):
        return [-lose, win]
    return [win + loss * lose, -lose]


def _first_best(legal: NDArray[np.bool_], keys: list[Values]) -> Values:
    """Choose the first cell that is best by the first key, then by the next, as one-hot rows."""
    best = legal.copy()
    for key in keys:
        allowed = np.where(best, key, -np.inf)
        best &= allowed >= allowed.max(axis=1, keepdims=True) - TIE
    one_hot: Values = np.eye(best.shape[1])[best.argmax(axis=1)]
    return one_hot


def _check(game: Game, policy: Values) -> None:
    if policy.shape != game.legal.shape:
        raise ValueError(f"a policy of this game is {game.legal.shape}, not {policy.shape}")
    if not (np.all(policy >= 0) and np.all(policy[~game.legal] == 0)):
        raise ValueError("a policy gives no chance below 0 and none to a taken cell")
    if not np.allclose(policy.sum(axis=1), 1):
        raise ValueError("the chances of a policy add up to 1 in each row")
