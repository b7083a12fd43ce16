"""Sarsa.

Source: Rummery & Niranjan (1994), "On-line Q-learning using connectionist systems"; Sutton & Barto
(2018), section 6.4.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.table import Values
from app.textbook.td_game import play_td_game


class Sarsa:
    """A table of Q(s, a): s is a board, a the cell that its player fills."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma Q(s_next, a_next) (Sutton & Barto, eq. 6.7).

        `s_next` is the board after the opponent's answer, `a_next` the move chosen there; None if
        the game is over.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        old = q[s, a]
        q_next = 0.0 if a_next is None else q[s_next, a_next]
        target = reward + gamma * q_next
        q[s, a] += alpha * (target - q[s, a])
        return Update(s, a, old, q[s, a], reward, s_next, a_next, q_next, target, alpha)

    def play(self, turn, rng):
        """Play a game and learn from it."""
        return play_td_game(self, turn, rng)

    def choose(self, board, rng):
        """Return a greedy move."""
        return epsilon_greedy(self.values(board), 0.0, rng)[0]

    def values(self, board):
        """Return the value of each move."""
        return {cell: self.q[board, cell] for cell in self.game.legal_moves(board)}

    def value(self, board, cell):
        """Return the value of one move to its player."""
        return self.q[board, cell]
