"""A proof, short enough to check by hand, that nobody beats a policy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Choice, Policy
from app.tictactoe.report import losing_game, reachable


class Certificate(NamedTuple):
    """What a policy can meet in a seat, whoever it plays, and its moves there, up to symmetry.

    After each of these moves every answer leads to an image of a listed position or ends the
    game, and no end is a loss.  A position is listed once for every choice of moves that the
    policy makes in its images.
    """

    position: NDArray[np.intp]  # [N] by number, each one that the policy itself can meet
    moves: Choice  # [N, cells] what it may play there
    met: int  # how many positions they are, all images counted that it can meet


def certificate(game: Game, policy: Policy, seat: int) -> Certificate:
    """List all that proves `policy`, [D, cells], unbeatable in this seat (+1 X, -1 O).

    Raises ValueError if it can be beaten there.
    """
    record = losing_game(game, policy, seat)
    if record is not None:
        raise ValueError(f"nothing proves what is not so: it loses the game {record}")
    met = np.flatnonzero(reachable(game, policy, seat))
    choice = policy > 0
    _, first = np.unique(_classes(game, choice)[met], return_index=True)
    position = met[np.sort(first)]
    return Certificate(position, choice[position], len(met))


def _classes(game: Game, choice: Choice) -> NDArray[np.int64]:
    """Return one number for each decision and the moves chosen there, the same for images, [D]."""
    bits = 1 << np.arange(game.cells)
    images = [
        (image[: game.decisions].astype(np.int64) << game.cells) + choice[:, cells] @ bits
        for image, cells in zip(game.image, game.symmetry, strict=True)
    ]
    classes: NDArray[np.int64] = np.min(images, axis=0)
    return classes
