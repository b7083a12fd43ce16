"""Everybody against everybody, exactly."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import Policy
from app.tictactoe.report import DECIMALS

Chances = NDArray[np.float64]


class League(NamedTuple):
    """How each of N players does on average over N opponents, itself among them; its own side."""

    as_x: Chances  # [N, 3] win, draw, loss
    as_o: Chances  # [N, 3]
    beaten_by: NDArray[np.intp]  # [N] opponents to whom it can lose, in one seat at least

    @property
    def score(self) -> Chances:
        """[N] the mean of both seats, -1 to +1."""
        return (score(self.as_x) + score(self.as_o)) / 2


def round_robin(game: Game, policies: Sequence[Policy]) -> Chances:
    """Let each of N policies play X against each as O: [N, N, 3], `[x, o]` is X's view.

    What comes back is the chance of X winning, a draw and O winning, rounded like a card's
    figures.  All games are played at once, forward over the plies: `reached[s, x, o]` is the
    chance that the game of this pair passes through position s.
    """
    players = len(policies)
    chance = np.stack(policies, axis=1)  # [D, N, cells]
    reached = np.zeros((game.positions, players, players))
    reached[0] = 1
    for start, stop in pairwise(game.ply_start):
        axis = 2 if game.to_move[start] == X else 1  # the opponent's, along which a move is equal
        for cell in range(game.cells):
            here = start + np.flatnonzero(game.legal[start:stop, cell])
            moves = np.expand_dims(chance[here, :, cell], axis)
            # A cell leads from different positions to different ones, so none is added to twice.
            reached[game.successor[here, cell]] += reached[here] * moves
    ended = reached[game.decisions :]
    results = [ended[game.outcome == outcome].sum(axis=0) for outcome in (X, 0, O)]
    return np.round(np.stack(results, axis=-1), DECIMALS)


def league(chances: Chances) -> League:
    """Sum up a round robin, [N, N, 3] as X sees it, from each player's own side."""
    own_as_o = chances[..., ::-1].swapaxes(0, 1)
    beaten = (chances[..., 2] > 0) | (own_as_o[..., 2] > 0)
    return League(chances.mean(axis=1), own_as_o.mean(axis=1), beaten.sum(axis=1))


def score(chances: Chances) -> Chances:
    """Return win less loss for chances of win, draw and loss, [..., 3]: -1 to +1, a draw is 0."""
    return chances[..., 0] - chances[..., 2]
