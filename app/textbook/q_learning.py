"""Q-learning.

Source: Watkins (1989), "Learning from delayed rewards"; Sutton & Barto (2018), section 6.5.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.table import Values
from app.textbook.td_game import play_td_game


class QLearning:
    """A table of Q(s, a): s is a board, a the cell that its player fills."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma max Q(s_next, .) (Sutton & Barto, eq. 6.8).

        `s_next` is the board after the opponent's answer; Q of a finished board is 0. `a_next`,
        the next move, is what Sarsa would use.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        old = q[s, a]
        best_next = (
            0.0 if self.game.is_over(s_next) else max(self.values(s_next).values())
        )
        target = reward + gamma * best_next
        q[s, a] += alpha * (target - q[s, a])
        return Update(
            s, a, old, q[s, a], reward, s_next, None, best_next, target, alpha
        )

    def play(self, turn, rng):
        """Play a game and learn from it; yield each Move and each Update."""
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
