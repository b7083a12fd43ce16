"""The base class of learners that update the moves of a finished game, the last move first."""

from app.textbook.exploration import epsilon_greedy
from app.textbook.schedule import decay
from app.textbook.symmetry import canonical_board, canonical_move
from app.textbook.table import get_reward
from app.textbook.whole_game import play_whole_game


class BackwardLearner:
    """A learner with a table of Q(s, a), in which symmetric moves share one entry."""

    def play(self, turn, rng):
        game, parameters = self.game, self.parameters
        together = 2 if parameters.seat == "both" else 1
        drop = parameters.epsilon_drop
        self.epsilon = decay(parameters.epsilon, drop, turn, together)
        seats = turn.learning_seats(turn.seat(parameters.seat, turn.number))
        opponent = turn.player or self
        trail, end = yield from play_whole_game(self, game.empty, seats, opponent, rng)
        next_board_by_player = {}
        for s, a in reversed(trail):
            player = game.player_to_move(s)
            s_next = next_board_by_player.get(player, end)
            reward = get_reward(game, parameters, s_next, player)
            yield self.update(s, a, reward, s_next)
            next_board_by_player[player] = s

    def key(self, board, cell):
        """Return the key of a move, or with `key=afterstate` of the board after the move."""
        if self.parameters.key == "afterstate":
            return canonical_board(self.game, self.game.make_move(board, cell))
        return canonical_move(self.game, board, cell)

    def explore(self, board, rng):
        ties = self.parameters.ties
        return epsilon_greedy(self.values(board), self.epsilon, rng, ties)

    def choose(self, board, rng):
        return epsilon_greedy(self.values(board), 0.0, rng, self.parameters.ties)[0]

    def values(self, board):
        return {cell: self.value(board, cell) for cell in self.game.legal_moves(board)}

    def move_towards(self, q, key, target):
        if self.parameters.update == "average":
            # Without this line, as with update=sum, targets add up and values do not converge.
            target -= q[key]
        q[key] += self.parameters.alpha * target
