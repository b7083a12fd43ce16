"""Opponents: players that never learn."""

from training.textbook.exploration import pick


class Opponent:
    """A player that never learns and plays any of some moves with equal chances."""

    def __init__(self, game, list_moves):
        self.game, self.list_moves = game, list_moves

    def choose(self, board, rng):
        """Choose a move."""
        return pick(self.list_moves(self.game, board), rng.random())
