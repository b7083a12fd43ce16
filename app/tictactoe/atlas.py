"""The blunders of a policy, grouped by symmetry, and the proof that a policy cannot be beaten.

The most serious blunder comes first. The proof is short enough to check by hand.
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
    """The M decisions where a policy can blunder, by number; values in the mover's view."""

    position: NDArray[np.intp]  # [M] number of the decision
    wrong: Choice  # [M, cells] the blunders of the policy
    right: Choice  # [M, cells] the moves that keep the value of the game
    before: NDArray[np.int8]  # [M] the value of the game: +1 a win, 0 a draw
    after: NDArray[np.int8]  # [M] the value after the policy's worst move: 0 or -1
    chance: NDArray[np.float64]  # [M] of this blunder in a game against random moves


class Atlas(NamedTuple):
    """The mistakes of a policy by symmetry class: N classes, the most serious first."""

    # [N] the likeliest mistake of the class, as an index of `Mistakes`
    row: NDArray[np.intp]
    # [N] the number of symmetric positions where the policy errs
    erring_images: NDArray[np.intp]
    images: NDArray[np.intp]  # [N] the number of all symmetric positions of the class
    # [N] the chance of a mistake of the class in a game against random moves
    chance: NDArray[np.float64]


def list_mistakes(reachable_play: ReachablePlay) -> Mistakes:
    """Return the decisions where a policy can blunder, and the cost of each."""
    game = reachable_play.game
    position = np.flatnonzero(find_blunders(game, reachable_play.policy))
    values = compute_optimal_q(game)[position]
    right = find_best_moves(game)[position]
    wrong = (reachable_play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_from] == X
    pair_chance = np.where(
        by_x, reachable_play.games[X].chance, reachable_play.games[O].chance
    )
    chance = game.spread_pairs(pair_chance, 0.0)[position]
    return Mistakes(
        position=position,
        wrong=wrong,
        right=right,
        before=np.fmax.reduce(values, axis=1).astype(np.int8),
        after=np.where(wrong, values, 1).min(axis=1).astype(np.int8),
        chance=(chance * wrong).sum(axis=1),
    )


def group_mistakes(game: Game, mistakes: Mistakes) -> Atlas:
    """Return the mistakes grouped by symmetry, the most serious class first.

    The order is: first by the chance of the blunder in games against random moves; then by
    the value lost; then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    mistake_class = decision_class[mistakes.position]
    chance = np.bincount(mistake_class, mistakes.chance, game.decisions).astype(
        np.float64
    )
    lost = mistakes.after - mistakes.before  # the more negative, the worse
    # `unique` returns the first row of each class, which is the likeliest mistake in this order.
    likeliest = np.lexsort(
        (mistakes.position, lost, -mistakes.chance.round(CHANCE_DECIMALS))
    )
    _, first = np.unique(mistake_class[likeliest], return_index=True)
    row = likeliest[first]
    class_chance = chance[mistake_class[row]]
    order = np.lexsort(
        (mistakes.position[row], lost[row], -class_chance.round(CHANCE_DECIMALS))
    )
    row = row[order]
    row_class = mistake_class[row]
    return Atlas(
        row=row,
        erring_images=np.bincount(mistake_class, minlength=game.decisions)[row_class],
        images=np.bincount(decision_class)[row_class],
        chance=chance[row_class],
    )


class Certificate(NamedTuple):
    """The positions that a policy can reach in a seat, and its moves there, up to symmetry.

    It proves that the policy is unbeatable: after each of these moves, every reply either leads to
    a position symmetric to a listed position, or ends the game without a loss. If the policy has
    different moves in symmetric positions, the position is listed once for each set of moves.
    """

    # [N] positions that the policy can reach itself, by number
    position: NDArray[np.intp]
    moves: Choice  # [N, cells] the moves that the policy may play there
    # the number of reachable positions; symmetric positions count separately
    reachable: int


def prove_unbeatable(reachable_play: ReachablePlay, seat: int) -> Certificate:
    """Return the proof that a policy cannot be beaten in a seat (+1 X, -1 O).

    Raises ValueError if the policy can be beaten there.
    """
    game = reachable_play.game
    record = find_lost_game(game, reachable_play.policy, seat)
    if record is not None:
        raise ValueError(f"nothing proves what is not so: it loses the game {record}")
    reachable = np.flatnonzero(reachable_play.games[seat].reachable)
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
    image_of_cell = np.argsort(
        game.symmetry, axis=1
    )  # [G, cells] inverse of `symmetry`
    moves = (choice @ bits[image_of_cell].T).T  # [G, N] mapped moves as bits
    images = (game.image[:, position].astype(np.int64) << game.cells) + moves
    classes: NDArray[np.int64] = images.min(axis=0)
    return classes
