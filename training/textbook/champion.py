"""The champion: self-play with bounds on the value of every board, until all are proved.

Source: our own, of known parts: lower and upper estimates of action values are those of Even-Dar,
Mannor & Mansour (2006), "Action elimination and stopping conditions"; going back over everything
met after each game is planning as in Sutton (1990), "Integrated architectures for learning,
planning, and reacting".
"""

from collections import Counter

from training.textbook.exploration import epsilon_greedy, pick
from training.textbook.loop import Move, Update
from training.textbook.symmetry import canonical_board


class Champion:
    """Lower and upper bounds on what a board is worth to who made it: 1 is won, -1 lost."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.lower = {}
        self.upper = {}
        self.visits = Counter()
        self.proved = set()  # boards after which nothing is unseen

    def update(self, board):
        """Set the bounds of a board: by its result, or by the best answer of the other side.

        What the answer is worth at most to the other side, the board is worth at least, negated.
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
        """Play a game for both sides if anything is unseen, then update all boards met so far."""
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
        # the last boards first
        for met in sorted(self.visits, key=lambda met: met.count(".")):
            self.update(met)
        for move, before in zip(trail, old):
            made = self.game.make_move(*move)
            yield Update(*move, before, self.value(*move), next_board=made)

    def explore(self, board, rng):
        """Choose where something is unseen: highest upper bound, then fewest visits, then any."""
        cells = self.game.legal_moves(board)
        appeal = {
            cell: (self.upper.get(after, 1), -self.visits[after])
            for cell, after in zip(cells, self.list_boards_after(board))
            if after not in self.proved
        }
        best = [cell for cell in appeal if appeal[cell] == max(appeal.values())]
        return pick(best or cells, rng.random()), bool(best)

    def choose(self, board, rng):
        """Return a greedy move."""
        values = {
            cell: self.value(board, cell) for cell in self.game.legal_moves(board)
        }
        return epsilon_greedy(values, 0.0, rng)[0]

    def value(self, board, cell):
        """Return the value of a move to its player: nearer to the lower bound of its board."""
        after = self.key(board, cell)
        lower, upper = self.lower.get(after, -1), self.upper.get(after, 1)
        return lower + (upper - lower) / 4

    def key(self, board, cell):
        """Return the board that a move makes, one for all that are the same by symmetry."""
        return canonical_board(self.game, self.game.make_move(board, cell))

    def list_boards_after(self, board):
        """List what can be made of a board, in the order of the cells."""
        return [self.key(board, cell) for cell in self.game.legal_moves(board)]
