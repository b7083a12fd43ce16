"""Sarsa(lambda) with accumulating traces.

Source: Sutton & Barto (2018), section 12.7; the first edition (1998), section 7.5, has a table;
Rummery & Niranjan (1994), "On-line Q-learning using connectionist systems".
"""

from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.td_game import play_td_game


class SarsaLambda(Learner):
    """A learner with a table of Q(s, a): s is a board, a the cell that its player fills.

    `z` has the traces of each player's moves in this game.
    """

    def __init__(self, game, parameters):
        super().__init__(game, parameters)
        self.z = {"X": {}, "O": {}}
        self.earlier_updates = []

    def update(self, s, a, reward, s_next, a_next):
        """Add alpha delta z to the value of every move of this game (Sutton & Barto, section 12.7).

        delta is the TD error of the last move, (s, a), and z is the trace of a move. First all
        traces are multiplied by gamma lambda, then the trace of the last move grows by 1. `s_next`
        is the board after the opponent's reply, and `a_next` is the move chosen there, None if the
        game is over. Returns the Update of the last move, and stores the Updates of the
        earlier moves in `earlier_updates`.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        z = self.z[self.game.player_to_move(s)]
        for move in z:
            z[move] *= gamma * self.parameters.lambda_
        z[s, a] = z.get((s, a), 0.0) + 1.0
        q_next = 0.0 if a_next is None else q[s_next, a_next]
        old, target = q[s, a], reward + gamma * q_next
        delta = target - q[s, a]
        for move in reversed(z):
            if z[move] > 0:
                before = q[move]
                q[move] += alpha * delta * z[move]
                step = alpha * z[move]
                self.earlier_updates.append(
                    Update(
                        *move, before, q[move], target=before + delta, step_size=step
                    )
                )
        # The first of these Updates is that of the last move, and it is returned instead.
        del self.earlier_updates[0]
        return Update(s, a, old, q[s, a], reward, s_next, a_next, q_next, target, alpha)

    def play(self, turn, rng):
        self.z = {"X": {}, "O": {}}
        for event in play_td_game(self, turn, rng):
            yield event
            yield from self.earlier_updates
            self.earlier_updates = []
