"""What comes about while a policy plays: how often, in which decisions, and by which games."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy
from app.tictactoe.values import Values, plies


@dataclass(frozen=True, eq=False)
class OwnGames:
    """All games of a policy in one seat; what has chance 0 never comes about, by any opponent."""

    game: Game
    met: NDArray[np.bool_]  # [D] whether the policy comes to move there
    chance: Values  # [P] of each move of either side to be made, in a game against `uniform`

    @cached_property
    def _led_by(self) -> NDArray[np.int32]:
        """The first pair that leads to each position, -1 where none does, [S]."""
        led_by = np.full(self.game.positions, -1, np.int32)
        made = np.flatnonzero(self.chance)[::-1]  # of two that lead there the later written stays
        led_by[self.game.pair_after[made]] = made
        return led_by

    def record(self, position: int) -> str | None:
        """Return the record of a game that comes to a position, None if there is none."""
        record = ""
        while position:
            pair = self._led_by.item(position)
            if pair < 0:
                return None
            record = DIGITS[self.game.pair_cell[pair]] + record
            position = int(self.game.pair_from[pair])
        return record


@dataclass(frozen=True, eq=False)
class OwnPlay:
    """A policy, and what comes about while it plays."""

    game: Game
    policy: Policy  # [D, cells]

    @cached_property
    def games(self) -> dict[int, OwnGames]:
        """Its games in each seat, +1 X and -1 O."""
        pairs = self.policy[self.game.legal]
        return {seat: own_games(self.game, pairs, seat) for seat in (X, O)}

    @cached_property
    def met(self) -> NDArray[np.bool_]:
        """Whether it comes to move in a decision, in the seat that moves there, [D]."""
        return self.games[X].met | self.games[O].met


def own_games(game: Game, policy: Values, seat: int) -> OwnGames:
    """Follow the games of a policy, its chances of the pairs [P], in this seat (+1 X, -1 O)."""
    chance, reached = np.empty(game.pairs), np.zeros(game.positions)
    reached[0] = 1
    for ply in plies(game):
        own = ply.mover == seat
        moves = policy[ply.pairs] if own else (1 / ply.sizes).repeat(ply.sizes)
        chance[ply.pairs] = moves * reached[ply.decisions].repeat(ply.sizes)
        reached += np.bincount(ply.after, chance[ply.pairs], game.positions)
    met = (reached[: game.decisions] > 0) & (game.to_move == seat)
    return OwnGames(game, met, chance)
