"""Where a policy blunders, one position for each symmetry class, the most serious first.

And where none loses the game: a proof, short enough to check by hand, that no opponent beats it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import Choice, best_moves, optimal_q
from app.tictactoe.report import blunders, losing_game

CHANCE_DECIMALS = 12  # by which chances are ordered: images differ in the last digits


class Mistakes(NamedTuple):
    """Every decision in which a policy can blunder, by number; mover's view."""

    position: NDArray[np.intp]  # [M]
    wrong: Choice  # [M, cells] its blunders
    right: Choice  # [M, cells] the moves that keep it
    before: NDArray[np.int8]  # [M] the value of the game: +1 a win, 0 a draw
    after: NDArray[np.int8]  # [M] what its worst move leaves of it: 0 or -1
    chance: NDArray[np.float64]  # [M] of erring there in a game against `uniform`


class Atlas(NamedTuple):
    """One mistake for each symmetry class, the most serious class first, [N]."""

    row: NDArray[np.intp]  # which of the mistakes stands for the class: its likeliest
    erring: NDArray[np.intp]  # in how many images of the position the policy errs
    images: NDArray[np.intp]  # how many images there are
    chance: NDArray[np.float64]  # of erring in one of them in a game against `uniform`


def mistakes(play: OwnPlay) -> Mistakes:
    """Find where a policy can blunder, and what that costs."""
    game = play.game
    position = np.flatnonzero(blunders(game, play.policy))
    values, right = optimal_q(game)[position], best_moves(game)[position]
    wrong = (play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_from] == X
    chance = game.spread(np.where(by_x, play.games[X].chance, play.games[O].chance), 0.0)
    return Mistakes(
        position=position,
        wrong=wrong,
        right=right,
        before=np.fmax.reduce(values, axis=1).astype(np.int8),
        after=np.where(wrong, values, 1).min(axis=1).astype(np.int8),
        chance=(chance[position] * wrong).sum(axis=1),
    )


def atlas(game: Game, found: Mistakes) -> Atlas:
    """Put images of one position together, and order them by how much they matter.

    First those that happen most often in games against `uniform`; then those that lose most; then
    those that come first in a game.
    """
    kind = game.symmetry_class[: game.decisions]
    of = kind[found.position]
    chance = np.bincount(of, found.chance, game.decisions).astype(np.float64)
    lost = found.after - found.before
    likeliest = np.lexsort((found.position, lost, -found.chance.round(CHANCE_DECIMALS)))
    _, first = np.unique(of[likeliest], return_index=True)
    row = likeliest[first]
    order = np.lexsort((found.position[row], lost[row], -chance[of[row]].round(CHANCE_DECIMALS)))
    row = row[order]
    return Atlas(
        row=row,
        erring=np.bincount(of, minlength=game.decisions)[of[row]],
        images=np.bincount(kind)[of[row]],
        chance=chance[of[row]],
    )


class Certificate(NamedTuple):
    """What a policy can meet in a seat, by any opponent, and its moves there, up to symmetry.

    After each of these moves every answer leads to an image of a listed position or ends the
    game, and no end is a loss.  A position is listed once for every choice of moves that the
    policy makes in its images.
    """

    position: NDArray[np.intp]  # [N] by number, each one that the policy itself can meet
    moves: Choice  # [N, cells] what it may play there
    met: int  # how many positions they are, all images counted that it can meet


def certificate(play: OwnPlay, seat: int) -> Certificate:
    """List all that proves a policy unbeatable in this seat (+1 X, -1 O).

    Raises ValueError if it can be beaten there.
    """
    game = play.game
    record = losing_game(game, play.policy, seat)
    if record is not None:
        raise ValueError(f"nothing proves what is not so: it loses the game {record}")
    met = np.flatnonzero(play.games[seat].met)
    choice = play.policy[met] > 0
    _, first = np.unique(_classes(game, met, choice), return_index=True)
    first = np.sort(first)
    return Certificate(met[first], choice[first], len(met))


def _classes(game: Game, position: NDArray[np.intp], choice: Choice) -> NDArray[np.int64]:
    """Return one number for each of N decisions and its moves, [N, cells]; the same for images."""
    bits = 1 << np.arange(game.cells)
    moves = (choice @ bits[np.argsort(game.symmetry, axis=1)].T).T
    images = (game.image[:, position].astype(np.int64) << game.cells) + moves
    classes: NDArray[np.int64] = images.min(axis=0)
    return classes
