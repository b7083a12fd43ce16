"""The base class of learners with a table of Q(s, a), where s is a board and a the cell to fill."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.table import Values


class Learner:
    """A learner with a table of Q(s, a), by which it chooses its moves."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)
        self.epsilon = 0.0

    def choose(self, board, rng):
        return epsilon_greedy(self.values(board), 0.0, rng)[0]

    def values(self, board):
        """Return the values of all legal moves, by cell, for the player who moves."""
        return {cell: self.value(board, cell) for cell in self.game.legal_moves(board)}

    def value(self, board, cell):
        """Return the value of a move for the player who makes it."""
        return self.q[board, cell]
