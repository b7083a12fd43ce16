"""The blunders of a policy, grouped by symmetry, and the proof that a policy cannot be beaten.

The likeliest blunder comes first. The proof is short enough to check by hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import Choice, compute_optimal_q, find_best_moves
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_blunders, find_lost_game

# Chances are rounded before positions are sorted by them, because the chances of symmetric
# positions differ in the last digits.
CHANCE_DECIMALS = 12


class Mistakes(NamedTuple):
    """The M decisions where a policy can blunder; values are for the player to move."""

    positions: NDArray[np.intp]  # [M] index of the decision
    blunders: Choice  # [M, cells] the blunders of the policy
    correct_moves: Choice  # [M, cells] the moves that keep the value of the game
    # [M] the value with optimal play: +1 a win, 0 a draw (in a lost position no move is a blunder)
    value_before: NDArray[np.int8]
    # [M] the value after the worst move of the policy: 0 or -1
    value_after: NDArray[np.int8]
    # [M] the chance that a game against random moves has a blunder in this position
    chances: NDArray[np.float64]


class BlunderClasses(NamedTuple):
    """The mistakes of a policy in N classes of symmetric positions, the likeliest class first."""

    # [N] the likeliest mistake of the class, as an index of `Mistakes`
    example_rows: NDArray[np.intp]
    # [N] the number of symmetric positions where the policy errs
    erring_counts: NDArray[np.intp]
    # [N] the number of all symmetric positions of the class
    symmetric_counts: NDArray[np.intp]
    # [N] the chance of a mistake of the class in a game against random moves
    chances: NDArray[np.float64]


def list_mistakes(reachable_play: ReachablePlay) -> Mistakes:
    """Return the decisions where a policy can blunder, with the values before and after."""
    game = reachable_play.game
    position = np.flatnonzero(find_blunders(game, reachable_play.policy))
    values = compute_optimal_q(game)[position]
    right = find_best_moves(game)[position]
    wrong = (reachable_play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_decision] == X
    pair_chance = np.where(
        by_x,
        reachable_play.games_by_seat[X].move_chances,
        reachable_play.games_by_seat[O].move_chances,
    )
    chance = game.spread_pairs(pair_chance, 0.0)[position]
    return Mistakes(
        positions=position,
        blunders=wrong,
        correct_moves=right,
        value_before=np.fmax.reduce(values, axis=1).astype(np.int8),
        value_after=np.where(wrong, values, 1).min(axis=1).astype(np.int8),
        chances=(chance * wrong).sum(axis=1),
    )


def group_mistakes(game: Game, mistakes: Mistakes) -> BlunderClasses:
    """Return the mistakes grouped by symmetry, the likeliest class first.

    The order is: first by the chance of the blunder in games against random moves; then by
    the value lost; then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    mistake_class = decision_class[mistakes.positions]
    chance = np.bincount(mistake_class, mistakes.chances, game.decisions).astype(
        np.float64
    )
    lost = mistakes.value_after - mistakes.value_before  # the more negative, the worse
    # `unique` returns the first row of each class, which is the likeliest mistake in this order.
    likeliest = np.lexsort(
        (mistakes.positions, lost, -mistakes.chances.round(CHANCE_DECIMALS))
    )
    _, first = np.unique(mistake_class[likeliest], return_index=True)
    row = likeliest[first]
    class_chance = chance[mistake_class[row]]
    order = np.lexsort(
        (mistakes.positions[row], lost[row], -class_chance.round(CHANCE_DECIMALS))
    )
    row = row[order]
    row_class = mistake_class[row]
    return BlunderClasses(
        example_rows=row,
        erring_counts=np.bincount(mistake_class, minlength=game.decisions)[row_class],
        symmetric_counts=np.bincount(decision_class)[row_class],
        chances=chance[row_class],
    )


class Certificate(NamedTuple):
    """The positions that a policy can reach in a seat, and its moves there, up to symmetry.

    The first positions of the policy are listed. It proves that the policy is unbeatable: each of
    these moves ends the game without a loss, or every reply does so or leads to a position symmetric
    to a listed one. If the policy has
    different moves in symmetric positions, the position is listed once for each set of moves.
    """

    # [N] reachable positions, by number; of symmetric positions the first one
    positions: NDArray[np.intp]
    moves: Choice  # [N, cells] the moves that the policy may play there
    # the number of reachable positions; symmetric positions count separately
    reachable_count: int


def prove_unbeatable(reachable_play: ReachablePlay, seat: int) -> Certificate:
    """Return the proof that a policy cannot be beaten in a seat (+1 X, -1 O).

    Raises ValueError if the policy can be beaten there.
    """
    game = reachable_play.game
    record = find_lost_game(game, reachable_play.policy, seat)
    if record is not None:
        raise ValueError(
            f"there is no proof, because the policy loses the game {record}"
        )
    reachable = np.flatnonzero(reachable_play.games_by_seat[seat].is_reachable)
    choice = reachable_play.policy[reachable] > 0
    _, first = np.unique(_number_classes(game, reachable, choice), return_index=True)
    listed = np.sort(first)
    return Certificate(reachable[listed], choice[listed], len(reachable))


def _number_classes(
    game: Game, position: NDArray[np.intp], choice: Choice
) -> NDArray[np.int64]:
    """Return a class number for N decisions with their moves `choice`, [N, cells], as [N].

    Symmetric decisions with symmetric moves get the same number: decision and moves (one bit for
    each cell) make a number, and the class is the lowest number of all symmetric pairs.
    """
    bits = 1 << np.arange(game.cells)
    # [G, cells] the inverse of each of the G symmetries
    image_of_cell = np.argsort(game.symmetries, axis=1)
    moves = (choice @ bits[image_of_cell].T).T  # [G, N] mapped moves as bits
    images = game.images[:, position].astype(np.int64)
    images = (images << game.cells) + moves
    classes: NDArray[np.int64] = images.min(axis=0)
    return classes
