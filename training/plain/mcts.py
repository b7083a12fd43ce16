"""Monte Carlo tree search in plain Python: see `training.learners.mcts`."""

from collections import Counter
from collections.abc import Iterator
from math import inf, log, sqrt

from app.recipes.algorithms import Mcts
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Turn, Update
from training.plain.randomness import Random


class Tree:
    """What the games that were simulated from one board came to.

    A node is the moves that lead to it from there, so `()` is the root.
    """

    def __init__(self, game: Game, c: float, board: str, rng: Random) -> None:
        self.game, self.c, self.board, self.rng = game, c, board, rng
        self.tries: Counter[tuple[int, ...]] = Counter()
        self.total: Counter[tuple[int, ...]] = Counter()  # for the player of the last of the moves

    def mean(self, node: tuple[int, ...]) -> float:
        """Return what the games through a node brought on average, 0 where there was none."""
        return self.total[node] / max(self.tries[node], 1)

    def bound(self, node: tuple[int, ...], cell: int) -> float:
        """Return the upper confidence bound on the mean of a move."""
        child = (*node, cell)
        if not self.tries[child]:
            return inf
        chance = self.c * sqrt(log(self.tries[node]) / self.tries[child])
        return self.mean(child) + chance

    def simulate(self) -> int:
        """Play one game and count its result; return the move that it began with."""
        board, node = self.board, tuple[int, ...]()
        makers = {node: ""}  # who made the move to each node of the game
        while not boards.is_over(self.game, board) and (not node or self.tries[node]):
            bounds = {cell: self.bound(node, cell) for cell in boards.legal_cells(board)}
            cell = boards.epsilon_greedy(board, bounds, 0.0, self.rng)
            board, node = boards.move(board, cell), (*node, cell)
            makers[node] = boards.made_by(board)
        while not boards.is_over(self.game, board):
            chances = dict.fromkeys(boards.legal_cells(board), 0.0)
            board = boards.move(board, boards.epsilon_greedy(board, chances, 1.0, self.rng))
        for met, maker in makers.items():
            self.tries[met] += 1
            if maker:
                self.total[met] += boards.result(self.game, board, maker)
        return node[0]


class Learner:
    """A tree for every board; each draws its own random numbers."""

    def __init__(self, game: Game, recipe: Mcts) -> None:
        self.trees = {
            board: Tree(game, recipe.c, board, Random(recipe.seed, number))
            for number, board in enumerate(boards.unfinished_boards(game))
        }

    def play(self, _turn: Turn, _rng: Random) -> Iterator[Update]:
        """Simulate one game from every board."""
        for board, tree in self.trees.items():
            cell = tree.simulate()
            yield (board, cell), tree.mean((cell,))
