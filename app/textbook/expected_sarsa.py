"""Expected Sarsa.

Source: van Seijen et al. (2009), "A theoretical and empirical analysis of expected Sarsa"; Sutton &
Barto (2018), section 6.6.
"""

from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.td_game import play_td_game


class ExpectedSarsa(Learner):
    """A learner with a table of Q(s, a): s is a board, a the cell that its player fills."""

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma E[Q(s_next, .)] (Sutton & Barto, eq. 6.9).

        `s_next` is the board after the opponent's reply. The next move `a_next` is not used.
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
        """Return the expected value of Q(s, .) if the next move is chosen epsilon-greedily."""
        epsilon, values = self.epsilon, list(self.values(board).values())
        total = 0.0
        # `sum` rounds differently since Python 3.12, so values are added one by one.
        for value in values:
            total += value
        return (1 - epsilon) * max(values) + epsilon * total / len(values)

    def play(self, turn, rng):
        return play_td_game(self, turn, rng)
