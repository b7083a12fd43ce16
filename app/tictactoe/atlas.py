"""The blunders of a policy, or the proof that it cannot be beaten.

Blunders in symmetric positions are grouped, and the likeliest group comes first. The proof is short
enough to check by hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import CellMask, compute_optimal_q, find_best_moves
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_blunders, find_lost_game

# Chances are rounded before sorting, because those of symmetric positions differ by rounding errors.
CHANCE_DECIMALS = 12


class BlunderDecisions(NamedTuple):
    """The M positions in which a policy can blunder; values are in the view of the player to move."""

    positions: NDArray[np.intp]
    blunders: (
        CellMask  # [M, cells] the moves that are blunders, if the policy may play them
    )
    correct_moves: CellMask  # [M, cells] the moves that keep the value of the game
    # [M] the value with optimal play: +1 or 0, because no move is a blunder in a lost position
    value_before: NDArray[np.int8]
    # [M] the value after the worst move of the policy: 0 or -1
    value_after: NDArray[np.int8]
    # [M] the chance that a game against random moves has a blunder in this position
    chances: NDArray[np.float64]


class BlunderClasses(NamedTuple):
    """The blunders of a policy in N classes of symmetric positions, the likeliest class first."""

    # [N] index of the class's likeliest position in the arrays of `BlunderDecisions`
    example_rows: NDArray[np.intp]
    # [N] in how many positions of the class the policy can blunder
    blundering_counts: NDArray[np.intp]
    # [N] how many symmetric positions the class has
    symmetric_counts: NDArray[np.intp]
    # [N] the chance that a game against random moves has a blunder in the class
    chances: NDArray[np.float64]


def list_blunder_decisions(reachable_play: ReachablePlay) -> BlunderDecisions:
    """Return the positions in which a policy can blunder, with the values before and after it."""
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
    """Return the positions with blunders, grouped by symmetry.

    The classes are sorted by the chance of the blunder in games against random moves; then by the
    value that it loses; then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    blunder_class = decision_class[decisions.positions]
    chance = np.bincount(blunder_class, decisions.chances, game.decisions).astype(
        np.float64
    )
    # The worst blunders have the lowest numbers.
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
        blundering_counts=np.bincount(blunder_class, minlength=game.decisions)[
            row_class
        ],
        symmetric_counts=np.bincount(decision_class)[row_class],
        chances=chance[row_class],
    )


class Certificate(NamedTuple):
    """A proof that a policy is unbeatable as X or as O: it lists positions and the policy's moves there.

    To check it, see that the first positions in which the policy moves are listed. Then see, for
    each listed move, that it ends the game without a loss, or that every reply to it does so or
    leads to a listed position. One position stands for all symmetric ones in which the policy plays
    the same moves up to symmetry.
    """

    # [N] positions that the policy's games can reach, one of each group of symmetric positions
    positions: NDArray[np.intp]
    moves: CellMask  # [N, cells] the moves that the policy may play there
    # the number of all reachable positions, symmetric ones included
    reachable_count: int


def prove_unbeatable(reachable_play: ReachablePlay, player: int) -> Certificate:
    """Return the proof that nobody can beat a policy that plays as `player` (+1 X, -1 O).

    Raises ValueError if somebody can.
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
    """Return a number for each of N positions with its chosen moves, [N]; symmetric ones share a number.

    `chosen_moves` is [N, cells]. A position and its moves, one bit for each cell, make a number.
    The result is the lowest of these numbers among all symmetric positions.
    """
    bits = 1 << np.arange(game.cells)
    # The inverse of each of the G symmetries, [G, cells].
    image_of_cell = np.argsort(game.symmetries, axis=1)
    moves = (chosen_moves @ bits[image_of_cell].T).T
    symmetric_pairs = game.symmetric_positions[:, decisions].astype(np.int64)
    symmetric_pairs = (symmetric_pairs << game.cells) + moves
    classes: NDArray[np.int64] = symmetric_pairs.min(axis=0)
    return classes
