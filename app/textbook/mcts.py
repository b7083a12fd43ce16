"""Monte Carlo tree search (UCT) from every board.

Sources: Kocsis & Szepesvari (2006), "Bandit based Monte-Carlo planning"; Auer, Cesa-Bianchi & Fischer
(2002) for the bounds, UCB1.  Their returns are between 0 and 1, ours between -1 and 1.
"""

from collections import Counter
from math import inf, log, sqrt

from app.textbook.exploration import epsilon_greedy
from app.textbook.loop import Update
from app.textbook.rng import Random


class Tree:
    """The results of all games that were simulated from one board, the root.

    A node is the tuple of moves that lead to it from the root, which is (). `total` adds up the
    results of a node's games for the player who moved to it.
    """

    def __init__(self, game, c, root, rng):
        self.game, self.c, self.root, self.rng = game, c, root, rng
        self.visits = Counter()
        self.total = Counter()
        self.last_path = []
        self.last_moves = []

    def upper_bound(self, node, cell):
        """Return the upper confidence bound of a move: its mean + c sqrt(ln N / n)."""
        child = (*node, cell)
        if not self.visits[child]:
            return inf
        return self.mean(child) + self.c * sqrt(
            log(self.visits[node]) / self.visits[child]
        )

    def mean(self, node):
        """Return the mean result of the games through a node, 0 if there are none."""
        return self.total[node] / max(self.visits[node], 1)

    def simulate(self):
        """Play one game, and add its result to the tree."""
        game, board, node = self.game, self.root, ()
        path = []
        moves = []
        # Selection and expansion follow the highest bounds up to the first new node.
        while not game.is_over(board) and (not path or self.visits[node]):
            bounds = {
                cell: self.upper_bound(node, cell) for cell in game.legal_moves(board)
            }
            cell, _ = epsilon_greedy(bounds, 0.0, self.rng)
            node = (*node, cell)
            path.append((node, game.player_to_move(board)))
            moves.append(cell)
            board = game.make_move(board, cell)
        # The rollout plays random moves to the end.
        while not game.is_over(board):
            equal = dict.fromkeys(game.legal_moves(board), 0.0)
            cell, _ = epsilon_greedy(equal, 1.0, self.rng)
            moves.append(cell)
            board = game.make_move(board, cell)
        self.last_path, self.last_moves = path, moves
        return self.back_up(path, board)

    def back_up(self, path, board):
        """Add a game's result to each node that it visited, and return the Update of its first move.

        The path has these nodes, each with the player who moved to it.
        """
        first, player = path[0]
        old, result = self.mean(first), self.game.result(board, player)
        self.visits[()] += 1
        for node, player in path:
            self.visits[node] += 1
            self.total[node] += self.game.result(board, player)
        new, step_size = self.mean(first), 1 / self.visits[first]
        return Update(
            self.root,
            first[0],
            old,
            new,
            reward=float(result),
            target=float(result),
            step_size=step_size,
        )


class Mcts:
    """A search tree for every board; each tree has its own random numbers."""

    def __init__(self, game, parameters):
        self.game, self.parameters = game, parameters
        self.trees = {
            board: Tree(game, parameters.c, board, Random(parameters.seed, number))
            for number, board in enumerate(game.unfinished_boards())
        }

    def play(self, turn, rng):
        """Simulate one game from every board."""
        return (tree.simulate() for tree in self.trees.values())

    def choose(self, board, rng):
        values = {
            cell: self.value(board, cell) for cell in self.game.legal_moves(board)
        }
        return epsilon_greedy(values, 0.0, rng)[0]

    def value(self, board, cell):
        """Return the value of a move for the player who makes it: its mean result."""
        return self.trees[board].mean((cell,))
