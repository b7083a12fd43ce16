"""The base class of learners with a table of Q(s, a): s is a board, a the cell that is filled."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.table import Values


class Learner:
    """A table of Q(s, a) that chooses moves by its values."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)
        self.epsilon = 0.0  # the exploration rate of this game

    def choose(self, board, rng):
        """Return a greedy move."""
        return epsilon_greedy(self.values(board), 0.0, rng)[0]

    def values(self, board):
        """Return the value of each move to the player who moves."""
        return {cell: self.value(board, cell) for cell in self.game.legal_moves(board)}

    def value(self, board, cell):
        """Return the value of one move to its player."""
        return self.q[board, cell]
