"""Expected Sarsa.

Source: van Seijen et al. (2009), "A theoretical and empirical analysis of expected Sarsa"; Sutton &
Barto (2018), section 6.6.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.table import Values
from app.textbook.td_game import play_td_game


class ExpectedSarsa:
    """A table of Q(s, a): s is a board, a the cell that its player fills."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)
        self.epsilon = 0.0  # the exploration rate of this game

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma E[Q(s_next, .)] (Sutton & Barto, eq. 6.9).

        `s_next` is the board after the opponent's answer; `a_next`, the next move, is not used.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        old = q[s, a]
        expected_next = 0.0 if self.game.is_over(s_next) else self.expect(s_next)
        target = reward + gamma * expected_next
        q[s, a] += alpha * (target - q[s, a])
        return Update(
            s, a, old, q[s, a], reward, s_next, None, expected_next, target, alpha
        )

    def expect(self, board):
        """Return the expected Q(s, .) of the next move, chosen epsilon-greedily."""
        epsilon, values = self.epsilon, list(self.values(board).values())
        total = 0.0
        for (
            value
        ) in values:  # one after the other: `sum` rounds differently since Python 3.12
            total += value
        return (1 - epsilon) * max(values) + epsilon * total / len(values)

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
