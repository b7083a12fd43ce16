"""MENACE: for each board a matchbox of beads; to move, it draws a bead at random.

Source: Michie (1961), "Trial and error", and (1963), "Experiments on the mechanization of
game-learning".
"""

from itertools import accumulate
from types import SimpleNamespace

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.symmetry import canonical_move
from app.textbook.table import get_reward
from app.textbook.whole_game import play_whole_game


class Menace:
    """A number of beads for each move; symmetric moves have the same beads.

    There is no step size and no bootstrapping: every move of a game gets the final reward, as in
    Monte Carlo learning. `changed` has the beads of moves updated since their box was filled.
    """

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.changed = {}
        self.refills = 0

    def update(self, s, a, reward):
        """Add `reward` beads to a move, or remove beads; fill the box again if it becomes empty.

        `new` in the returned Update is the number of beads before the box is filled again.
        """
        old = self.beads(s, a)
        new = max(0, old + reward)
        self.changed[self.key(s, a)] = new
        moves = self.game.legal_moves(s)
        if not any(self.beads(s, cell) for cell in moves):
            for cell in moves:
                self.changed.pop(self.key(s, cell), None)
            self.refills += 1
        return Update(s, a, old, new, reward)

    def play(self, turn, rng):
        """Play a game, then give each of its moves the reward of the result."""
        game, parameters = self.game, self.parameters
        learning_seats = turn.learning_seats(turn.seat(parameters.seat, turn.number))
        # In self-play both players draw beads, even if the trained agent will play greedily.
        opponent = turn.player or SimpleNamespace(choose=self.draw_bead)
        mover = self
        if parameters.paper and turn.opponent == "you":
            # A person drew MENACE's beads from paper boxes, so the recipe contains MENACE's moves, too.
            mover = SimpleNamespace(
                game=game, explore=lambda s, rng: (opponent.choose(s, rng), True)
            )
        trail, end = yield from play_whole_game(
            mover, game.empty, learning_seats, opponent, rng
        )
        for s, a in trail:
            reward = get_reward(game, parameters, end, game.player_to_move(s))
            yield self.update(s, a, int(reward))

    def beads(self, board, cell):
        """Return the number of beads of a move.

        Boxes for later moves of a game start with fewer beads. The box of the empty board may have
        beads for a single opening only.
        """
        if board == self.game.empty and not self.is_opening(cell):
            return 0
        own_moves = (self.game.cells - board.count(".")) // 2
        first = max(1, self.parameters.beads - self.parameters.beads_drop * own_moves)
        return self.changed.get(self.key(board, cell), first)

    def is_opening(self, cell):
        """Return whether a game may begin with a move on this cell."""
        opening = self.parameters.opening
        if opening == "any":
            return True
        first = {"corner": 0, "edge": 1, "centre": self.game.cells // 2}[opening]
        return self.key(self.game.empty, cell) == self.key(self.game.empty, first)

    def key(self, board, cell):
        return canonical_move(self.game, board, cell)

    def draw_bead(self, board, rng):
        cells = self.game.legal_moves(board)
        left = (
            rng.random() * [*accumulate(self.share(board, cell) for cell in cells)][-1]
        )
        for cell in cells:
            left -= self.share(board, cell)
            if left < 0:
                break
        return cell

    def share(self, board, cell):
        """Return the beads of a move, divided equally among the cells that are symmetric to its cell."""
        keys = [self.key(board, other) for other in self.game.legal_moves(board)]
        return self.beads(board, cell) / keys.count(self.key(board, cell))

    def explore(self, board, rng):
        return self.draw_bead(board, rng), True

    def choose(self, board, rng):
        """Return the trained agent's move: by drawing a bead, or the move with the most beads."""
        if self.parameters.plays == "proportional":
            return self.draw_bead(board, rng)
        beads = {
            cell: float(self.beads(board, cell))
            for cell in self.game.legal_moves(board)
        }
        return epsilon_greedy(beads, 0.0, rng)[0]

    def value(self, board, cell):
        """Return the beads of a move, or the cell's share of them if the agent draws beads."""
        if self.parameters.plays == "proportional":
            return self.share(board, cell)
        return self.beads(board, cell)
