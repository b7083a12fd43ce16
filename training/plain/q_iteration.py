"""Q-iteration in plain Python: see `training.learners.q_iteration`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import QIteration
from training.plain.boards import Pair, Update, legal_cells, unfinished_boards
from training.plain.q_learning import step, target
from training.plain.randomness import Random


def q_iteration(recipe: QIteration, rng: Random) -> Iterator[Update]:
    """Sweep over every board and cell."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    for opponent, sweeps in recipe.phases:
        for _ in range(sweeps):
            for board in unfinished_boards():
                for cell in legal_cells(board):
                    if not (recipe.sticky and q[board, cell] == recipe.loss):
                        after, reward = step(recipe, q, board, cell, opponent, rng)
                        q[board, cell] = target(recipe, q, after, reward)
                        yield (board, cell), q[board, cell]
