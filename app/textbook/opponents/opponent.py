"""Opponents, which never learn."""

from app.textbook.exploration import pick


class Opponent:
    """A player that plays each of the moves of `list_moves` with equal probability, and never learns."""

    def __init__(self, game, list_moves):
        self.game, self.list_moves = game, list_moves

    def choose(self, board, rng):
        return pick(self.list_moves(self.game, board), rng.random())
