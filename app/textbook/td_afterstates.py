"""TD(0) on afterstates: it values boards after a player's moves, not the moves themselves.

Source: Sutton & Barto (2018), section 1.5, "An extended example: tic-tac-toe", and section 6.8.
"""

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Move, Update
from app.textbook.schedule import decay
from app.textbook.symmetry import canonical_board
from app.textbook.table import Values, get_reward


class TdAfterstates:
    """A learner with a table of V(z), the value of a board for the player of the last move."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.v = Values(parameters.initial)
        self.alpha = 0.0

    def update(self, s, a, reward, s_next, a_next):
        """Move V(z) of the board z after a move towards reward + V(z') (Sutton & Barto, section 1.5).

        z' is the board that the same player makes next, by the move `a_next` on `s_next`; if the
        game is over, `a_next` is None and the target is the reward.
        """
        v, alpha = self.v, self.alpha
        z = self.key(s, a)
        old = v[z]
        v_next = 0.0 if a_next is None else self.value(s_next, a_next)
        target = reward + v_next
        v[z] += alpha * (target - v[z])
        return Update(s, a, old, v[z], reward, s_next, a_next, v_next, target, alpha)

    def play(self, turn, rng):
        """Play a game; when a player moves again, update the board that its last move made."""
        game, parameters, opponent = self.game, self.parameters, turn.player or self
        together = 2 if parameters.seat == "both" else 1
        self.alpha = decay(parameters.alpha, parameters.alpha_drop, turn, together)
        epsilon = decay(parameters.epsilon, parameters.epsilon_drop, turn, together)
        learning_seats = turn.learning_seats(turn.seat(parameters.seat, turn.number))
        board = game.empty
        # The last (s, a) of each learning player waits for the player's next move.
        last = {}
        while not game.is_over(board):
            player = game.player_to_move(board)
            if player in learning_seats:
                explored = rng.random() < epsilon
                cell, _ = epsilon_greedy(
                    self.values(board), 1.0 if explored else 0.0, rng
                )
                yield Move(board, cell, explored)
                if player in last and (parameters.learn_from == "all" or not explored):
                    yield self.update(*last[player], 0.0, board, cell)
                last[player] = board, cell
            else:
                cell = opponent.choose(board, rng)
                yield Move(board, cell, None)
            board = game.make_move(board, cell)
        # The last move makes a finished board, whose value is known.  So only the other player learns.
        player = game.player_to_move(board)
        if player in last:
            reward = get_reward(game, parameters, board, player)
            yield self.update(*last[player], reward, board, None)

    def choose(self, board, rng):
        return epsilon_greedy(self.values(board), 0.0, rng)[0]

    def values(self, board):
        """Return the values of all legal moves, which are the values of the boards after them."""
        return {cell: self.value(board, cell) for cell in self.game.legal_moves(board)}

    def value(self, board, cell):
        made = self.game.make_move(board, cell)
        if self.game.is_over(made):
            return get_reward(
                self.game, self.parameters, made, self.game.player_to_move(board)
            )
        return self.v[self.key(board, cell)]

    def key(self, board, cell):
        """Return the board after a move; if `symmetric`, symmetric boards have the same key."""
        made = self.game.make_move(board, cell)
        return canonical_board(self.game, made) if self.parameters.symmetric else made
