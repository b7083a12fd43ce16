"""Monte Carlo control.

Source: Sutton & Barto (2018), sections 5.3, "Monte Carlo control", for exploring starts, and 5.4
for control without them; section 2.4 for incremental averages.
"""

from collections import Counter

from app.textbook.exploration import epsilon_greedy
from app.textbook.learner import Learner
from app.textbook.loop import Update
from app.textbook.schedule import decay
from app.textbook.start import start_game
from app.textbook.table import get_reward
from app.textbook.whole_game import play_whole_game


class MonteCarlo(Learner):
    """A learner with a table of Q(s, a), the mean return after move a (the cell to fill) on board s."""

    def __init__(self, game, parameters):
        super().__init__(game, parameters)
        self.visits = Counter()
        self.next_epsilon = 0.0

    def update(self, s, a, episode_return):
        """Move Q(s, a) so that it is the mean of its returns (Sutton & Barto, eq. 2.3)."""
        q, visits = self.q, self.visits
        old = q[s, a]
        visits[s, a] += 1
        q[s, a] += (episode_return - q[s, a]) / visits[s, a]
        step_size = 1 / visits[s, a]
        return Update(s, a, old, q[s, a], target=episode_return, step_size=step_size)

    def compute_return(self, reward, next_return):
        """Return the reward plus gamma times the return from the next move on (eq. 3.9)."""
        return reward + self.parameters.gamma * next_return

    def play(self, turn, rng):
        """Play a game, then update its moves, the last one first; the only reward is at the end."""
        game, parameters = self.game, self.parameters
        self.epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn)
        self.next_epsilon = 1.0 if parameters.exploring_starts else self.epsilon
        board, learning_seats = start_game(game, parameters, turn, rng)
        trail, end = yield from play_whole_game(
            self, board, learning_seats, turn.player or self, rng
        )
        returns = {player: get_reward(game, parameters, end, player) for player in "XO"}
        for s, a in reversed(trail):
            player = game.player_to_move(s)
            yield self.update(s, a, returns[player])
            returns[player] = self.compute_return(0.0, returns[player])

    def explore(self, board, rng):
        """Return an epsilon-greedy move; with exploring starts the first move is random."""
        epsilon, self.next_epsilon = self.next_epsilon, self.epsilon
        return epsilon_greedy(self.values(board), epsilon, rng)
