"""Q-iteration in plain Python: see `training.learners.q_iteration`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.plain.boards import (
    Turn,
    Update,
    answer,
    is_over,
    legal_cells,
    move,
    reward,
    to_move,
    unfinished_boards,
)
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
        mover, board = to_move(board), move(board, cell)
        if not is_over(game, board):
            board = answer(game, turn, board, rng, lambda board: own(q, board, rng))
        if is_over(game, board):
            return reward(game, self.recipe, board, mover)
        return self.recipe.gamma * max(worth(q, board).values())

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Sweep over every board and cell."""
        q, sticky = self.q, self.recipe.sticky
        for board in unfinished_boards(self.game):
            for cell in legal_cells(board):
                if not (sticky and q[board, cell] == self.recipe.loss):
                    q[board, cell] = self.target(board, cell, turn, rng)
                    yield (board, cell), q[board, cell]
