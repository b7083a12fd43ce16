"""The champion: it plays against itself until it has proved the value of the empty board.

For every board it knows a lower and an upper bound of the value. A board is proved if it is
finished or if all its replies are proved; then both bounds are equal.

Source: our own combination of known parts. Bounds of action values: Even-Dar, Mannor & Mansour
(2006), "Action elimination and stopping conditions". Planning, here by updating all visited boards
after each game: Sutton (1990), "Integrated architectures for learning, planning, and reacting".
"""

from collections import Counter

from app.textbook.exploration import epsilon_greedy, pick
from app.textbook.loop import Move, Update
from app.textbook.symmetry import canonical_board


class Champion:
    """The bounds of the value of each board, in the view of the player who moved last: 1 is a win."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.lower = {}
        self.upper = {}
        self.visits = Counter()
        self.proved = set()

    def update(self, board):
        """Set the bounds of a board: its result, or the negated bounds of its replies.

        The lower bound is minus the highest upper bound of a reply, and the upper bound is minus
        the highest lower bound.
        """
        game = self.game
        if game.is_over(board):
            self.lower[board] = self.upper[board] = game.result(
                board, game.last_player(board)
            )
            self.proved.add(board)
            return
        answers = self.list_boards_after(board)
        self.lower[board] = -max(self.upper.get(answer, 1) for answer in answers)
        self.upper[board] = -max(self.lower.get(answer, -1) for answer in answers)
        if self.proved.issuperset(answers):
            self.proved.add(board)

    def play(self, turn, rng):
        """Play a game for both players and update its boards, unless the empty board is proved."""
        board, trail = self.game.empty, []
        if board in self.proved:
            return
        self.visits[board] += 1
        while not self.game.is_over(board):
            cell, unseen = self.explore(board, rng)
            yield Move(board, cell, unseen)
            trail.append((board, cell))
            board = self.game.make_move(board, cell)
            self.visits[canonical_board(self.game, board)] += 1
        old = [self.value(*move) for move in trail]
        # A board needs the new bounds of its replies, so the fullest boards are updated first.
        for met in sorted(self.visits, key=lambda met: met.count(".")):
            self.update(met)
        for move, before in zip(trail, old):
            made = self.game.make_move(*move)
            yield Update(*move, before, self.value(*move), next_board=made)

    def explore(self, board, rng):
        """Return (move, True) for a move to a board that is not proved, or (any move, False).

        Of several moves, one with the highest upper bound is chosen, then one with the fewest
        visits.
        """
        cells = self.game.legal_moves(board)
        appeal = {
            cell: (self.upper.get(after, 1), -self.visits[after])
            for cell, after in zip(cells, self.list_boards_after(board))
            if after not in self.proved
        }
        best = [cell for cell in appeal if appeal[cell] == max(appeal.values())]
        return pick(best or cells, rng.random()), bool(best)

    def choose(self, board, rng):
        values = {
            cell: self.value(board, cell) for cell in self.game.legal_moves(board)
        }
        return epsilon_greedy(values, 0.0, rng)[0]

    def value(self, board, cell):
        """Return the value of a move for the player who makes it."""
        after = self.key(board, cell)
        return estimate_value(self.lower.get(after, -1), self.upper.get(after, 1))

    def key(self, board, cell):
        """Return the board after a move; symmetric boards after moves have the same key."""
        return canonical_board(self.game, self.game.make_move(board, cell))

    def list_boards_after(self, board):
        """Return the board after each legal move, in the order of the cells."""
        return [self.key(board, cell) for cell in self.game.legal_moves(board)]


def estimate_value(lower_bound, upper_bound):
    """Return the value a quarter of the way from the lower bound to the upper one."""
    return lower_bound + (upper_bound - lower_bound) / 4
