"""Q-learning that goes back over each finished game, on moves up to symmetry.

Source: Watkins (1989), "Learning from delayed rewards"; Lin (1992), "Self-improving reactive agents
based on reinforcement learning, planning and teaching", for backward replay.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.schedule import decay
from app.textbook.symmetry import canonical_board, canonical_pair
from app.textbook.table import Values, get_reward
from app.textbook.whole_game import play_whole_game


class QTable:
    """A table of Q(s, a), in which symmetric moves share one entry."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.q = Values(parameters.initial)
        self.epsilon = 0.0

    def update(self, s, a, reward, s_next):
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
        if self.parameters.update == "average":
            q[sa] += alpha * (target - q[sa])
        else:  # update=sum adds targets up, without converging
            q[sa] += alpha * target
        return Update(s, a, old, q[sa], reward, s_next, None, best_next, target, alpha)

    def play(self, turn, rng):
        """Play a game, then update its moves, the last one first."""
        game, parameters = self.game, self.parameters
        together = 2 if parameters.seat == "both" else 1
        self.epsilon = decay(
            parameters.epsilon, parameters.epsilon_drop, turn, together
        )
        learning_seats = turn.learning_seats(turn.seat(parameters.seat, turn.number))
        trail, end = yield from play_whole_game(
            self, game.empty, learning_seats, turn.player or self, rng
        )
        following = {}  # by player, the board of the player's next move
        for s, a in reversed(trail):
            player = game.player_to_move(s)
            s_next = following.get(player, end)
            yield self.update(
                s, a, get_reward(game, parameters, s_next, player), s_next
            )
            following[player] = s

    def key(self, board, cell):
        """Return the table key of (s, a), equal for symmetric moves: the pair, or its afterstate."""
        if self.parameters.key == "afterstate":
            return canonical_board(self.game, self.game.make_move(board, cell))
        return canonical_pair(self.game, board, cell)

    def explore(self, board, rng):
        """Return an epsilon-greedy move, and whether it was random."""
        return epsilon_greedy(
            self.values(board), self.epsilon, rng, self.parameters.ties
        )

    def choose(self, board, rng):
        """Return a greedy move."""
        return epsilon_greedy(self.values(board), 0.0, rng, self.parameters.ties)[0]

    def values(self, board):
        """Return the value of each move."""
        return {cell: self.value(board, cell) for cell in self.game.legal_moves(board)}

    def value(self, board, cell):
        """Return the value of one move to its player."""
        return self.q[self.key(board, cell)]
