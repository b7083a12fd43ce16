"""Q-learning that updates a finished game, the last move first; symmetric moves share a value.

Source: Watkins (1989), "Learning from delayed rewards"; Lin (1992), "Self-improving reactive agents
based on reinforcement learning, planning and teaching", for backward replay.
"""

from app.textbook.backward_learner import BackwardLearner
from app.textbook.loop import Update
from app.textbook.table import Values


class QTable(BackwardLearner):
    """A learner with a table of Q(s, a), in which symmetric moves share one entry."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)
        self.epsilon = 0.0

    def update(self, s, a, reward, s_next, a_next=None):
        """Move Q(s, a) towards reward + gamma max Q(s_next, .) (Sutton & Barto, eq. 6.8).

        `s_next` is the board at the same player's next move, or the last board of the game.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        sa = self.key(s, a)
        old = q[sa]
        best_next = (
            0.0 if self.game.is_over(s_next) else max(self.values(s_next).values())
        )
        target = reward + gamma * best_next
        self.move_towards(q, sa, target)
        return Update(s, a, old, q[sa], reward, s_next, None, best_next, target, alpha)

    def value(self, board, cell):
        return self.q[self.key(board, cell)]
