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

# Decimals of the chances that order positions: those of symmetric ones differ in the last digits.
CHANCE_DECIMALS = 12


class Mistakes(NamedTuple):
    """The M decisions in which a policy can blunder, in their order; values in the mover's view."""

    position: NDArray[np.intp]  # [M]
    wrong: Choice  # [M, cells] its blunders
    right: Choice  # [M, cells] the moves that keep the value of the game
    before: NDArray[np.int8]  # [M] the value of the game: +1 a win, 0 a draw
    after: NDArray[np.int8]  # [M] its value after the policy's worst move: 0 or -1
    chance: NDArray[np.float64]  # [M] of this blunder in a game against `uniform`


class Atlas(NamedTuple):
    """A mistake for each symmetry class, the most serious class first, [N]."""

    # the mistake that stands for the class, its likeliest: a row of Mistakes
    row: NDArray[np.intp]
    erring: NDArray[np.intp]  # the number of images in which the policy errs
    images: NDArray[np.intp]  # the number of all images
    # chance of erring in an image in a game against `uniform`
    chance: NDArray[np.float64]


def list_mistakes(play: ReachablePlay) -> Mistakes:
    """Return the decisions in which a policy can blunder, and the cost of each."""
    game = play.game
    position = np.flatnonzero(find_blunders(game, play.policy))
    values, right = compute_optimal_q(game)[position], find_best_moves(game)[position]
    wrong = (play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_from] == X
    pair_chance = np.where(by_x, play.games[X].chance, play.games[O].chance)
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
    """Return a mistake for each symmetry class, the most important class first.

    The order is: first by the chance of the blunder in games against random moves; then by
    the value lost; then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    mistake_class = decision_class[mistakes.position]
    chance = np.bincount(mistake_class, mistakes.chance, game.decisions).astype(
        np.float64
    )
    lost = mistakes.after - mistakes.before  # the more negative, the worse
    # The likeliest mistake of each class: `unique` returns the first row of each in this order.
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
        erring=np.bincount(mistake_class, minlength=game.decisions)[row_class],
        images=np.bincount(decision_class)[row_class],
        chance=chance[row_class],
    )


class Certificate(NamedTuple):
    """The positions that a policy can reach in a seat, and its moves there, up to symmetry.

    After each of these moves every reply leads to an image of a listed position or ends the
    game, and no ending is a loss. A position is listed once for every set of moves that the
    policy has in its images.
    """

    # [N] each one that the policy itself can meet, in their order
    position: NDArray[np.intp]
    moves: Choice  # [N, cells] the moves that it may play there
    reachable: int  # the number of positions that it can meet, every image counted


def prove_unbeatable(play: ReachablePlay, seat: int) -> Certificate:
    """Return the proof that a policy cannot be beaten in a seat (+1 X, -1 O).

    Raises ValueError if the policy can be beaten there.
    """
    game = play.game
    record = find_lost_game(game, play.policy, seat)
    if record is not None:
        raise ValueError(f"nothing proves what is not so: it loses the game {record}")
    reachable = np.flatnonzero(play.games[seat].reachable)
    choice = play.policy[reachable] > 0
    _, first = np.unique(_number_classes(game, reachable, choice), return_index=True)
    listed = np.sort(first)
    return Certificate(reachable[listed], choice[listed], len(reachable))


def _number_classes(
    game: Game, position: NDArray[np.intp], choice: Choice
) -> NDArray[np.int64]:
    """Return a class number for each of N decisions and its moves, [N, cells]; images share a number.

    A decision and its moves, one bit a cell, make one number; the class is the lowest
    number of all images.
    """
    bits = 1 << np.arange(game.cells)
    image_of_cell = np.argsort(game.symmetry, axis=1)  # [G, cells]
    moves = (choice @ bits[image_of_cell].T).T  # [G, N]
    images = (game.image[:, position].astype(np.int64) << game.cells) + moves
    classes: NDArray[np.int64] = images.min(axis=0)
    return classes
