"""The blunders of a policy, or the proof that it cannot be beaten.

Blunders in symmetric positions are grouped; the likeliest comes first. The proof is short enough to
check by hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import CellMask, compute_optimal_q, find_best_moves
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_blunders, find_lost_game

# Chances are rounded before sorting: in symmetric positions they differ only by rounding errors.
CHANCE_DECIMALS = 12


class BlunderDecisions(NamedTuple):
    """The M decisions where a policy can blunder; values are for the player to move."""

    positions: NDArray[np.intp]  # [M] index of the decision
    blunders: CellMask  # [M, cells] the blunders of the policy
    correct_moves: CellMask  # [M, cells] the moves that keep the value of the game
    # [M] the value with optimal play: +1 a win, 0 a draw (in a lost position no move is a blunder)
    value_before: NDArray[np.int8]
    # [M] the value after the worst move of the policy: 0 or -1
    value_after: NDArray[np.int8]
    # [M] the chance that a game against random moves has a blunder in this position
    chances: NDArray[np.float64]


class BlunderClasses(NamedTuple):
    """The blunders of a policy in N classes of symmetric positions, the likeliest class first."""

    # [N] index in `BlunderDecisions` of the likeliest decision of the class
    example_rows: NDArray[np.intp]
    # [N] the number of positions of the class in which the policy can blunder
    erring_counts: NDArray[np.intp]
    # [N] the number of all positions of the class
    symmetric_counts: NDArray[np.intp]
    # [N] the chance that a game against random moves has a blunder of the class
    chances: NDArray[np.float64]


def list_blunder_decisions(reachable_play: ReachablePlay) -> BlunderDecisions:
    """Return the decisions where a policy can blunder, with the values before and after."""
    game = reachable_play.game
    position = np.flatnonzero(find_blunders(game, reachable_play.policy))
    values = compute_optimal_q(game)[position]
    right = find_best_moves(game)[position]
    wrong = (reachable_play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_decision] == X
    pair_chance = np.where(
        by_x,
        reachable_play.games_by_player[X].move_chances,
        reachable_play.games_by_player[O].move_chances,
    )
    chance = game.spread_pairs(pair_chance, 0.0)[position]
    return BlunderDecisions(
        positions=position,
        blunders=wrong,
        correct_moves=right,
        value_before=np.fmax.reduce(values, axis=1).astype(np.int8),
        value_after=np.where(wrong, values, 1).min(axis=1).astype(np.int8),
        chances=(chance * wrong).sum(axis=1),
    )


def group_blunder_decisions(game: Game, decisions: BlunderDecisions) -> BlunderClasses:
    """Return the decisions with blunders grouped by symmetry, the likeliest class first.

    The order is: first by the chance of the blunder in games against random moves; then by
    the value lost; then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    blunder_class = decision_class[decisions.positions]
    chance = np.bincount(blunder_class, decisions.chances, game.decisions).astype(
        np.float64
    )
    # the lower, the worse the blunder
    value_change = decisions.value_after - decisions.value_before
    # `unique` returns the first row of each class, which is the likeliest one in this order.
    likeliest = np.lexsort(
        (decisions.positions, value_change, -decisions.chances.round(CHANCE_DECIMALS))
    )
    _, first = np.unique(blunder_class[likeliest], return_index=True)
    row = likeliest[first]
    class_chance = chance[blunder_class[row]]
    order = np.lexsort(
        (
            decisions.positions[row],
            value_change[row],
            -class_chance.round(CHANCE_DECIMALS),
        )
    )
    row = row[order]
    row_class = blunder_class[row]
    return BlunderClasses(
        example_rows=row,
        erring_counts=np.bincount(blunder_class, minlength=game.decisions)[row_class],
        symmetric_counts=np.bincount(decision_class)[row_class],
        chances=chance[row_class],
    )


class Certificate(NamedTuple):
    """A proof that a policy is unbeatable as X or as O: its positions and its moves there.

    To check it, see that the first positions in which the policy moves are listed. Then, for each
    listed move, see that it ends the game without a loss, or that every reply to it does so or leads
    to a listed position. Of symmetric positions only one is listed; if the policy plays differently
    in symmetric positions, one for each set of moves.
    """

    # [N] reachable positions, by number; of symmetric positions the first one
    positions: NDArray[np.intp]
    moves: CellMask  # [N, cells] the moves that the policy may play there
    # the number of reachable positions; symmetric positions count separately
    reachable_count: int


def prove_unbeatable(reachable_play: ReachablePlay, player: int) -> Certificate:
    """Return the proof that a policy cannot be beaten as a player (+1 X, -1 O).

    Raises ValueError if the policy can be beaten as this player.
    """
    game = reachable_play.game
    record = find_lost_game(game, reachable_play.policy, player)
    if record is not None:
        raise ValueError(
            f"there is no proof, because the policy loses the game {record}"
        )
    reachable = np.flatnonzero(reachable_play.games_by_player[player].is_reachable)
    possible_moves = reachable_play.policy[reachable] > 0
    _, first = np.unique(
        _number_pair_classes(game, reachable, possible_moves), return_index=True
    )
    listed = np.sort(first)
    return Certificate(reachable[listed], possible_moves[listed], len(reachable))


def _number_pair_classes(
    game: Game, decisions: NDArray[np.intp], chosen_moves: CellMask
) -> NDArray[np.int64]:
    """Return a number, [N], for each of N decisions with its moves `chosen_moves`, [N, cells].

    It is equal for symmetric decisions with symmetric moves. A decision and its moves (one bit for
    each cell) make a number, and the result is the lowest such number among the symmetric ones.
    """
    bits = 1 << np.arange(game.cells)
    # [G, cells] the inverse of each of the G symmetries
    image_of_cell = np.argsort(game.symmetries, axis=1)
    moves = (chosen_moves @ bits[image_of_cell].T).T  # [G, N] mapped moves as bits
    symmetric_pairs = game.symmetric_positions[:, decisions].astype(np.int64)
    symmetric_pairs = (symmetric_pairs << game.cells) + moves
    classes: NDArray[np.int64] = symmetric_pairs.min(axis=0)
    return classes
