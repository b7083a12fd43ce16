"""Double Q-learning that updates a finished game, last move first; symmetric moves share a value.

Source: van Hasselt (2010), "Double Q-learning", algorithm 1; Lin (1992), "Self-improving reactive
agents based on reinforcement learning, planning and teaching", for backward replay.
"""

from app.textbook.backward_learner import BackwardLearner
from app.textbook.loop import Update
from app.textbook.table import Values


class DoubleQ(BackwardLearner):
    """A learner with two tables of Q(s, a), in which symmetric moves share one entry."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.tables = Values(parameters.initial), Values(parameters.initial)
        self.epsilon = 0.0
        self.rng = None

    def update(self, s, a, reward, s_next, a_next=None):
        """Update one table: it selects the best next move, and the other table gives the move's value.

        A random number selects the table. With `last=both` the last move of a game updates both
        tables. `s_next` is the board at the same player's next move, or the last board of the game.
        """
        alpha, gamma = self.parameters.alpha, self.parameters.gamma
        over, sa = self.game.is_over(s_next), self.key(s, a)
        old = self.value(s, a)
        if over and self.parameters.last == "both":
            for q in self.tables:
                self.move_towards(q, sa, reward)
            return Update(
                s, a, old, self.value(s, a), reward, s_next, None, 0.0, reward, alpha
            )
        first, second = self.tables if self.rng.random() < 1 / 2 else self.tables[::-1]
        a_best, q_next = None, 0.0
        if not over:
            keys = {
                a_next: self.key(s_next, a_next)
                for a_next in self.game.legal_moves(s_next)
            }
            a_best = max(keys, key=lambda a_next: first[keys[a_next]])
            q_next = second[keys[a_best]]
        target = reward + gamma * q_next
        old_in_first = first[sa]
        self.move_towards(first, sa, target)
        return Update(
            s,
            a,
            old,
            self.value(s, a),
            reward,
            s_next,
            a_best,
            q_next,
            target,
            alpha,
            in_table=(old_in_first, first[sa]),
        )

    def play(self, turn, rng):
        self.rng = rng
        return super().play(turn, rng)

    def value(self, board, cell):
        """Return the value of a move for its player: the mean of both tables."""
        first, second = self.tables
        key = self.key(board, cell)
        return (first[key] + second[key]) / 2
