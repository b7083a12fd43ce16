"""Q-learning against itself, with one table for both players.

Source: Watkins (1989), "Learning from delayed rewards", for the update; Littman (1994), "Markov
games as a framework for multi-agent reinforcement learning", for two players with opposite aims.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.learner import Learner
from app.textbook.loop import Move, Update
from app.textbook.schedule import decay
from app.textbook.table import get_reward


class SelfPlay(Learner):
    """A learner with a table of Q(s, a), each value in the view of the player to move in s."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = {}

    def update(self, s, a, reward, s_next, a_next=None):
        """Move Q(s, a) towards reward - gamma max Q(s_next, .) (Sutton & Barto, eq. 6.8).

        `s_next` is the board right after the move. There the opponent moves, and the game is
        zero-sum, hence the minus. Q of a finished board is 0.
        """
        q, alpha, gamma = self.q, self.parameters.alpha, self.parameters.gamma
        old = q[s, a] = self.value(s, a)
        best_next = (
            0.0 if self.game.is_over(s_next) else max(self.values(s_next).values())
        )
        target = reward - gamma * best_next
        q[s, a] += alpha * (target - q[s, a])
        return Update(
            s, a, old, q[s, a], reward, s_next, None, best_next, target, alpha
        )

    def play(self, turn, rng):
        """Play a game for both players, or against a person, and learn from every move."""
        game, parameters = self.game, self.parameters
        epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn)
        seat = turn.seat("both", turn.number)
        board = game.empty
        while not game.is_over(board):
            if turn.player and game.player_to_move(board) != seat:
                cell, explored = turn.player.choose(board, rng), False
            else:
                cell, explored = epsilon_greedy(self.values(board), epsilon, rng)
            yield Move(board, cell, explored)
            after = game.make_move(board, cell)
            reward = self.get_reward(after, game.player_to_move(board))
            yield self.update(board, cell, reward, after)
            board = after

    def get_reward(self, board, player):
        """Return a player's reward for the board after a move; what X gains, O loses."""
        reward = get_reward(self.game, self.parameters, board, "X")
        return reward if player == "X" or not self.game.is_over(board) else -reward

    def value(self, board, cell):
        """Return Q(s, a) for the player who moves; it starts at `initial` for X, at -`initial` for O."""
        initial = self.parameters.initial
        first = initial if self.game.player_to_move(board) == "X" else -initial
        return self.q.get((board, cell), first)
