"""Q-iteration: repeated sweeps update every move on every board, each after one sampled reply.

Source: value iteration, Bellman (1957); Sutton & Barto (2018), eq. 4.10. Here it computes action
values, from one sampled successor instead of the expectation over all.
"""

from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.table import get_reward


class QIteration(Learner):
    """A learner with a table of Q(s, a): s is a board, a the cell that its player fills."""

    def update(self, s, a, reward, s_next, a_next=None):
        """Set Q(s, a) to reward + gamma max Q(s_next, .), after one sampled reply."""
        q, gamma = self.q, self.parameters.gamma
        old, best_next, target = q[s, a], 0.0, reward
        if not self.game.is_over(s_next):
            best_next = max(self.values(s_next).values())
            target = gamma * best_next
        q[s, a] = target
        return Update(s, a, old, target, reward, s_next, None, best_next, target, 1.0)

    def play(self, turn, rng):
        """Update every move on every board once; `sticky` leaves out moves that are valued as a loss."""
        game, parameters, opponent = self.game, self.parameters, turn.player or self
        for s in game.unfinished_boards():
            for a in game.legal_moves(s):
                if not (parameters.sticky and self.q[s, a] == parameters.loss):
                    s_next = game.make_move(s, a)
                    if not game.is_over(s_next):
                        s_next = game.make_move(s_next, opponent.choose(s_next, rng))
                    player = game.player_to_move(s)
                    reward = get_reward(game, parameters, s_next, player)
                    yield self.update(s, a, reward, s_next)
