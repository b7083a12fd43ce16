"""A proof, short enough to check by hand, that no opponent beats a policy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import Choice
from app.tictactoe.report import losing_game


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
