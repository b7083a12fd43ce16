"""Compute exact values by backward induction over the plies; all values are in X's view.

Every move leads to the next ply, so the values of a ply follow from the values of the ply after it.
From the last ply backward, all positions of a ply are computed at once.

Policies are tables, [..., D, cells], of which only the P legal moves are used. The moves in a
position are neighbours in memory, so one call of `reduceat` computes the sums or the maxima over
the moves in all positions of a ply.

Sources: von Neumann (1928), "Zur Theorie der Gesellschaftsspiele", for the optimal values; Bellman
(1957), "Dynamic Programming", for the values of given policies.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, X
from app.tictactoe.notation import DIGITS

Values = NDArray[np.float64]
Numbers = NDArray[np.intp]
# Chances that differ by less than this are equal but for rounding errors.
TIE_TOLERANCE = 1e-12


class Solution(NamedTuple):
    """The result and the length of optimal play from each position."""

    # [S] the result of optimal play: +1 X wins, 0 draw, -1 O wins
    values: NDArray[np.int8]
    # [S] the number of moves to the end, if the winner hurries and the loser delays it
    plies_to_end: NDArray[np.int8]


class BestResponse(NamedTuple):
    """The best response to a policy, and the chances of the results against this policy."""

    # [..., D, cells] 1 for the moves that the responder plays, 0 for others
    policy: Values
    # [..., S, 3] the chances that X wins, of a draw, and that O wins
    outcome_chances: Values


class PlyArrays(NamedTuple):
    """The d unfinished positions of one ply and the n legal moves in them."""

    decisions: slice
    pairs: slice
    # [d] the index of each position's first move among the n moves
    pair_starts: Numbers
    # [d] how many moves each position has
    move_counts: Numbers
    # [n] the position after each move
    next_positions: NDArray[np.int32]
    # the player to move, +1 for X and -1 for O
    mover: int


@lru_cache(maxsize=2)
def solve_game(game: Game) -> Solution:
    # The sign of a score tells the winner. A shorter game has a higher absolute value. So the
    # maximum for X is the fastest win or, if X must lose, the slowest loss.
    score = np.zeros(game.positions, np.int8)
    score[game.decisions :] = game.outcome * np.int8(game.cells + 1)
    empty_cells = np.zeros(game.positions, np.int8)
    for ply in list_plies_backward(game):
        best = np.maximum if ply.mover == X else np.minimum
        chosen = best.reduceat(score[ply.next_positions], ply.pair_starts)
        # A position is one ply further from the end than its best successor.
        score[ply.decisions] = chosen - np.sign(chosen)
        empty_cells[ply.decisions] = ply.move_counts
    value = np.sign(score)
    # A draw with optimal play takes until the board is full.
    plies_to_win = game.cells + 1 - np.abs(score)
    plies = np.where(value == 0, empty_cells, plies_to_win)
    for array in (value, plies):
        array.flags.writeable = False
    return Solution(value, plies)


def compute_outcome_chances(game: Game, x_policy: Values, o_policy: Values) -> Values:
    """Return the chances that X wins, of a draw, and that O wins from each position, [..., S, 3].

    `x_policy` and `o_policy` are the policies of the two players, [..., D, cells]. Raises
    ValueError if one of them is not a policy of this game.
    """
    as_x = _get_move_chances(game, x_policy)
    as_o = _get_move_chances(game, o_policy)
    shape = np.broadcast_shapes(as_x.shape[:-1], as_o.shape[:-1])
    chances = _init_outcome_chances(game, shape)
    for ply in list_plies_backward(game):
        policy = as_x if ply.mover == X else as_o
        _average_chances(chances, ply, policy[..., ply.pairs])
    return np.moveaxis(chances, 0, -1)


def find_best_response(
    game: Game, policy: Values, responder: int, loss_reward: float = -1.0
) -> BestResponse:
    """Return the best response of `responder` (+1 X, -1 O) to each policy, [..., D, cells].

    The responder's reward is 1 for a win, 0 for a draw and `loss_reward` for a loss. With 0 the
    responder wins as often as possible. With `-inf` it takes no avoidable risk of a loss. Of
    equally good moves it plays one with the fewest losses, then the first. Raises ValueError if
    `policy` is not a policy of this game.
    """
    response, chances = compute_best_responses(
        game, _get_move_chances(game, policy), responder, loss_reward
    )
    return BestResponse(game.spread_pairs(response, 0.0), np.moveaxis(chances, 0, -1))


def compute_best_responses(
    game: Game, policy: Values, responder: int, loss_reward: float = -1.0
) -> tuple[Values, Values]:
    """Return the best responses to policies, both [..., P], and the chances of the results.

    The chances that X wins, of a draw, and that O wins from each position are [3, ..., S].
    `find_best_response` explains `loss_reward`, and checks the policies.
    """
    own, theirs = (0, 2) if responder == X else (2, 0)
    chances = _init_outcome_chances(game, policy.shape[:-1])
    response = np.zeros_like(policy)
    for ply in list_plies_backward(game):
        if ply.mover == responder:
            # The chances of the three outcomes after each of the ply's n moves, [3, ..., n].
            options = chances.take(ply.next_positions, axis=-1)
            win = options[own]
            lose = options[theirs]
            # If a loss is infinitely bad, the chance of a loss is compared first, because -inf * 0
            # would be NaN.
            key = -lose if np.isinf(loss_reward) else win + loss_reward * lose
            tie_key = win if np.isinf(loss_reward) else -lose
            best = _find_first_best(ply, [key, tie_key])
            np.put_along_axis(response[..., ply.pairs], best, 1.0, axis=-1)
            chances[..., ply.decisions] = np.take_along_axis(
                options, best[None], axis=-1
            )
        else:
            _average_chances(chances, ply, policy[..., ply.pairs])
    return response, chances


class PolicyMoves(NamedTuple):
    """The N moves that L policies play with a chance above 0, sorted by policy and position."""

    move_chances: Values
    # [N] the position after each move
    next_positions: NDArray[np.int32]
    # [L, D] the index of each position's first move among the N moves
    move_starts: Numbers
    # [L, D] how many moves the policy may play in each position
    move_counts: Numbers


def collect_policy_moves(game: Game, policies: Values) -> PolicyMoves:
    moves = policies > 0
    # The index of move p of policy l is l * P + p.
    played = np.flatnonzero(moves)
    sizes = np.add.reduceat(moves, game.first_pair[:-1], axis=1, dtype=np.intp)
    starts = sizes.cumsum().reshape(sizes.shape) - sizes
    chance = policies.ravel()[played]
    after = game.pair_successor[played % game.pairs]
    return PolicyMoves(chance, after, starts, sizes)


def join_policy_moves(
    first_moves: PolicyMoves, second_moves: PolicyMoves
) -> PolicyMoves:
    return PolicyMoves(
        np.concatenate([first_moves.move_chances, second_moves.move_chances]),
        np.concatenate([first_moves.next_positions, second_moves.next_positions]),
        np.concatenate(
            [
                first_moves.move_starts,
                second_moves.move_starts + len(first_moves.move_chances),
            ]
        ),
        np.concatenate([first_moves.move_counts, second_moves.move_counts]),
    )


def iterate_matches(
    game: Game, policies: PolicyMoves, x_indices: Numbers, o_indices: Numbers
) -> Iterator[tuple[slice, Values]]:
    """Yield the positions of each ply, and the chance that each of M matches reaches them.

    In match m, policy number `x_indices[m]` plays X and number `o_indices[m]` plays O. For each ply
    the function yields the slice of its unfinished positions, and their chances, [M, d]. At last it
    yields the slice of the finished positions, and the chances that X wins, of a draw, and that O
    wins, [M, 3].
    """
    chance, after, starts, sizes = policies
    ends = np.zeros((len(x_indices), 3))
    # The chance of each position of this ply in each match, [M, d].
    here = np.ones((len(x_indices), 1))
    bounds = game.ply_start.tolist()
    # After the last ply no game goes on, so its next ply is empty.
    next_bounds = [*bounds[2:], bounds[-1]]
    for start, stop, next_stop in zip(bounds, bounds[1:], next_bounds, strict=False):
        yield slice(start, stop), here
        match, decision = np.divmod(np.flatnonzero(here), stop - start)
        mover = x_indices if game.to_move[start] == X else o_indices
        node = mover[match], start + decision
        # A node is a position that a match reaches. The moves of all nodes are joined in one array,
        # in which the moves of node i begin at row_start[i].
        size = sizes[node]
        row_start = size.cumsum() - size
        # `offset` turns an index in the joined array into the index of the same move in `policies`.
        offset = starts[node] - row_start
        move = np.arange(size.sum()) + offset.repeat(size)
        weight_of_node = here[match, decision]
        weight = weight_of_node.repeat(size) * chance[move]
        reached = after[move]
        match = match.repeat(size)
        over = reached >= game.decisions
        outcome = game.outcome[reached[over] - game.decisions]
        # The columns are the chances that X wins, of a draw, and that O wins.
        _add_weights(ends, match[over], 1 - outcome, weight[over])
        here = np.zeros((len(x_indices), next_stop - stop))
        _add_weights(here, match[~over], reached[~over] - stop, weight[~over])
    yield slice(game.decisions, game.positions), ends


def compute_match_results(
    game: Game, policies: PolicyMoves, x_indices: Numbers, o_indices: Numbers
) -> Values:
    """Return the chances that X wins, of a draw, and that O wins in each of M matches, [M, 3].

    In match m, policy number `x_indices[m]` plays X and number `o_indices[m]` plays O.
    """
    *_, (_, ends) = iterate_matches(game, policies, x_indices, o_indices)
    return ends


def find_likeliest_game(
    game: Game, x_policy: Values, o_policy: Values, outcome: int
) -> str | None:
    """Return the record of the likeliest game with an outcome (+1 X wins, 0 draw, -1 O wins).

    The result is None if there is no such game. `x_policy` and `o_policy`, [D, cells], are the
    policies of the two players. If all entries of a policy are 1, this player may play anything,
    and only the other player's chances count. Of equally likely games, the one with the first cells
    is returned.
    """
    as_x = x_policy[game.legal]
    as_o = o_policy[game.legal]
    # [S] the probability of the likeliest moves from each position to this outcome
    chance = np.zeros(game.positions)
    chance[game.decisions :] = game.outcome == outcome
    for ply in list_plies_backward(game):
        policy = (as_x if ply.mover == X else as_o)[ply.pairs]
        chance[ply.decisions] = np.maximum.reduceat(
            policy * chance[ply.next_positions], ply.pair_starts
        )
    if chance[0] == 0:
        return None
    position, record = 0, ""
    while position < game.decisions:
        policy = x_policy if game.to_move[position] == X else o_policy
        # The successor of an illegal move is -1; its chance is 0, so any valid index can replace it.
        after = np.maximum(game.successor[position], 0)
        cell = int(np.argmax(policy[position] * chance[after]))
        position = int(after[cell])
        record += DIGITS[cell]
    return record


def compute_successor_values(
    game: Game, position_values: NDArray[np.generic]
) -> Values:
    """Return the value of the position after each move, [D, cells], NaN for illegal moves.

    `position_values`, [S], are the values of all positions; the result has the same view.
    """
    table: Values = game.spread_pairs(
        position_values[game.pair_successor].astype(np.float64)
    )
    return table


def list_plies_backward(game: Game) -> Iterator[PlyArrays]:
    yield from list_plies(game)[::-1]


@lru_cache(maxsize=2)
def list_plies(game: Game) -> tuple[PlyArrays, ...]:
    listed = []
    for start, stop in pairwise(game.ply_start.tolist()):
        first = game.first_pair[start : stop + 1]
        pairs = slice(int(first[0]), int(first[-1]))
        starts = first[:-1] - first[0]
        sizes = np.diff(first)
        for array in (starts, sizes):
            array.flags.writeable = False
        mover = int(game.to_move[start])
        ply = PlyArrays(
            slice(start, stop), pairs, starts, sizes, game.pair_successor[pairs], mover
        )
        listed.append(ply)
    return tuple(listed)


def _average_chances(chances: Values, ply: PlyArrays, policy: Values) -> None:
    """Set the chances in a ply's positions to their mean over the policy's moves, in place.

    `chances` is [3, ..., S]. `policy`, [..., n], has the chance of each move.
    """
    after = chances.take(ply.next_positions, axis=-1)
    after *= policy
    chances[..., ply.decisions] = np.add.reduceat(after, ply.pair_starts, axis=-1)


def _find_first_best(ply: PlyArrays, keys: list[Values]) -> Numbers:
    """Return the best move in each position, [..., d], as its index in the ply.

    Moves are compared by the first key, then by the second, then by their order. The keys,
    [..., n], are changed in place.
    """
    best = np.ones(keys[0].shape, np.bool_)
    for key in keys:
        key[~best] = -np.inf
        highest = np.maximum.reduceat(key, ply.pair_starts, axis=-1) - TIE_TOLERANCE
        best = key >= highest.repeat(ply.move_counts, axis=-1)
    # A move that is not among the best gets an index above all others, so it is never the lowest.
    pair_count = len(ply.next_positions)
    indices = np.where(best, np.arange(pair_count), pair_count)
    return np.minimum.reduceat(indices, ply.pair_starts, axis=-1)


def _add_weights(
    table: Values, rows: Numbers, columns: Numbers, weights: Values
) -> None:
    """Add weights to entries of a table, in place; weights of a repeated entry add up."""
    # `table[rows, columns] += weights` would add only the last weight of a repeated entry.
    cell = rows * table.shape[1] + columns
    sums = np.bincount(cell, weights, table.size)
    table += sums.reshape(table.shape)


def _init_outcome_chances(game: Game, shape: tuple[int, ...]) -> Values:
    """Return the chances of the outcomes X wins, draw and O wins, [3, *shape, S].

    A finished position has the chance 1 of its own outcome. All other chances are 0.
    """
    chances = np.zeros((3, *shape, game.positions))
    for outcome, winner in enumerate((1, 0, -1)):
        chances[outcome, ..., game.decisions :] = game.outcome == winner
    return chances


def _get_move_chances(game: Game, policy: Values) -> Values:
    if policy.shape[-2:] != game.legal.shape:
        raise ValueError(
            f"a policy of this game is {game.legal.shape}, not {policy.shape}"
        )
    on_illegal = policy[..., ~game.legal]
    if not (np.all(policy >= 0) and np.all(on_illegal == 0)):
        raise ValueError("a policy gives no chance below 0 and none to an illegal move")
    if not np.allclose(policy.sum(axis=-1), 1):
        raise ValueError("the chances of a policy add up to 1 in each row")
    chances: Values = policy[..., game.legal]
    return chances
