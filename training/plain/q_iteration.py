"""Q-iteration in plain Python: see `training.learners.q_iteration`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.plain.boards import Pair, Update, is_over, legal_cells, unfinished_boards
from training.plain.q_learning import step, worth
from training.plain.randomness import Random


def q_iteration(game: Game, recipe: QIteration, rng: Random) -> Iterator[Update]:
    """Sweep over every board and cell."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    for opponent, sweeps in recipe.phases:
        for _ in range(sweeps):
            for board in unfinished_boards(game):
                for cell in legal_cells(board):
                    if not (recipe.sticky and q[board, cell] == recipe.loss):
                        after, aim = step(game, recipe, q, board, cell, opponent, rng)
                        if not is_over(game, after):
                            aim = recipe.gamma * max(worth(q, after).values())
                        q[board, cell] = aim
                        yield (board, cell), q[board, cell]
