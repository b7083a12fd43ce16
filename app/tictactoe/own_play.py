"""What comes about while a policy plays a seat: how often, and by which games."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy, uniform


def move_chances(game: Game, policy: Policy, seat: int) -> NDArray[np.float64]:
    """Chance of each move of either side to be made in a game against `uniform`, [D, cells].

    `policy`, [D, cells], plays in this seat (+1 X, -1 O).  What has chance 0 never comes about
    there, whoever it plays.
    """
    chances = np.where((game.to_move == seat)[:, None], policy, uniform(game))
    met = np.zeros(game.positions)
    met[0] = 1
    for start, stop in pairwise(game.ply_start):
        here, legal = chances[start:stop], game.legal[start:stop]
        here *= met[start:stop, None]
        met += np.bincount(game.successor[start:stop][legal], here[legal], game.positions)
    return chances


def own_records(game: Game, policy: Policy, seat: int) -> dict[int, str]:
    """Return the record of a game to every position that the policy can meet in this seat.

    Each is a game that it can really have.
    """
    records = {0: ""}
    made = np.argwhere(move_chances(game, policy, seat) > 0)
    after = game.successor[tuple(made.T)]
    for (position, cell), reached in zip(made.tolist(), after.tolist(), strict=True):
        records.setdefault(reached, records[position] + DIGITS[cell])
    return records
