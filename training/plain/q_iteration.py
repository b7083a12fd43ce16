"""Q-iteration in plain Python: see `training.learners.q_iteration`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Turn, Update
from training.plain.q_learning import Q, own, worth
from training.plain.randomness import Random


class Learner:
    """The value of every move."""

    def __init__(self, game: Game, recipe: QIteration) -> None:
        self.game, self.recipe = game, recipe
        self.q: Q = defaultdict(lambda: recipe.initial)

    def target(self, board: str, cell: int, turn: Turn, rng: Random) -> float:
        """Move and be answered: what that comes to is worth to the mover."""
        game, q = self.game, self.q
        mover, board = boards.to_move(board), boards.move(board, cell)
        if not boards.is_over(game, board):
            board = boards.answer(game, turn, board, rng, lambda board: own(q, board, rng))
        if boards.is_over(game, board):
            return boards.reward(game, self.recipe, board, mover)
        return self.recipe.gamma * max(worth(q, board).values())

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Sweep over every board and cell."""
        q, sticky = self.q, self.recipe.sticky
        for board in boards.unfinished_boards(self.game):
            for cell in boards.legal_cells(board):
                if not (sticky and q[board, cell] == self.recipe.loss):
                    q[board, cell] = self.target(board, cell, turn, rng)
                    yield (board, cell), q[board, cell]
