"""Q-learning.

Source: Watkins (1989), "Learning from delayed rewards"; Sutton & Barto (2018), section 6.5.
"""

from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.td_game import play_td_game


class QLearning(Learner):
    """A learner with a table of Q(s, a): s is a board, a the cell that its player fills."""

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma max Q(s_next, .) (Sutton & Barto, eq. 6.8).

        `s_next` is the board after the opponent's reply; Q of a finished board is 0. The next move
        `a_next` is not used, as it would be in Sarsa.
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
