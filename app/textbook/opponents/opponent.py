"""Opponents: players that never learn."""

from app.textbook.exploration import pick


class Opponent:
    """A player that never learns and plays each of the moves of `list_moves` with equal probability."""

    def __init__(self, game, list_moves):
        self.game, self.list_moves = game, list_moves

    def choose(self, board, rng):
        """Return a random move of `list_moves`."""
        return pick(self.list_moves(self.game, board), rng.random())
