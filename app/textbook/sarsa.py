"""Sarsa.

Source: Rummery & Niranjan (1994), "On-line Q-learning using connectionist systems"; Sutton & Barto
(2018), section 6.4.
"""

from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.td_game import play_td_game


class Sarsa(Learner):
    """A learner with a table of Q(s, a): s is a board, a the cell that its player fills."""

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards reward + gamma Q(s_next, a_next) (Sutton & Barto, eq. 6.7).

        `s_next` is the board after the opponent's reply. `a_next` is the move chosen there, None if
        the game is over.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        old = q[s, a]
        q_next = 0.0 if a_next is None else q[s_next, a_next]
        target = reward + gamma * q_next
        q[s, a] += alpha * (target - q[s, a])
        return Update(s, a, old, q[s, a], reward, s_next, a_next, q_next, target, alpha)

    def play(self, turn, rng):
        return play_td_game(self, turn, rng)
