"""Q-learning with one of ten classic faults, each in the line in which students often make it.

`app/doctor.py` finds these faults in a trace of updates; the page /faults shows their effects.
"""

from app.textbook.loop import Update
from app.textbook.q_learning import QLearning


class QLearningWithFaults(QLearning):
    """Q-learning with a fault in one line, which the parameter `fault` names."""

    def update(self, s, a, reward, s_next, a_next):
        """Move Q(s, a) towards a target, with the fault; return None if no value is updated."""
        parameters, fault = self.parameters, self.parameters.fault
        is_over = self.game.is_over(s_next)
        is_lost = is_over and self.game.result(s_next, self.game.player_to_move(s)) < 0
        if fault == "loser" and is_lost:
            # The update runs only after the learner's own move, so losses are missed.
            return None
        if fault == "reward" and is_lost:
            # Whoever wins, the learner gets the reward of a win.
            reward = parameters.win
        if fault == "sides" and self.game.player_to_move(s) == "O":
            # O gets the reward of X, and still maximises it.
            reward = -reward
        if fault in ("answer", "sign"):
            # The next board is taken too early, before the opponent's reply.
            s_next = self.game.make_move(s, a)
        old = self.q[s, a]
        key = (self.game.make_move(s, a), a) if fault == "in-place" else (s, a)
        alpha, best_next = parameters.alpha, self.best_next(s_next, is_over)
        target = reward + parameters.gamma * best_next
        self.q[key] += alpha * (target - self.q[key])
        if fault == "step":
            # A table of whole numbers loses the fraction.
            self.q[key] = float(round(self.q[key]))
        if fault in ("in-place", "step"):
            # These values did not move towards a target by a step of size alpha, so the Update has
            # neither.
            return Update(s, a, old, self.q[s, a])
        return Update(
            s, a, old, self.q[s, a], reward, s_next, None, best_next, target, alpha
        )

    def best_next(self, s_next, is_over):
        fault = self.parameters.fault
        if is_over and fault != "terminal":
            return 0.0
        if fault in ("occupied", "terminal"):
            return max(self.q[s_next, cell] for cell in range(self.game.cells))
        return max(self.q[s_next, cell] for cell in self.game.legal_moves(s_next))

    def play(self, turn, rng):
        return (event for event in super().play(turn, rng) if event is not None)

    def values(self, board):
        """Return the values of all legal moves; with the fault "exploration" only the best move's."""
        values = super().values(board)
        if self.parameters.fault != "exploration":
            return values
        best = max(values, key=values.get)
        return {best: values[best]}
