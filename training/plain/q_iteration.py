"""Q-iteration in plain Python: see `training.learners.q_iteration`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.plain.boards import (
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


def target(
    game: Game, recipe: QIteration, q: Q, board: str, cell: int, opponent: str, rng: Random
) -> float:
    """Move and be answered: what that comes to is worth to the mover."""
    mover, board = to_move(board), move(board, cell)
    if not is_over(game, board):
        board = answer(game, opponent, board, rng, lambda board: own(q, board, rng))
    if is_over(game, board):
        return reward(game, recipe, board, mover)
    return recipe.gamma * max(worth(q, board).values())


def q_iteration(game: Game, recipe: QIteration, rng: Random) -> Iterator[Update]:
    """Sweep over every board and cell."""
    q: Q = defaultdict(lambda: recipe.initial)
    for opponent, sweeps in recipe.phases:
        for _ in range(sweeps):
            for board in unfinished_boards(game):
                for cell in legal_cells(board):
                    if not (recipe.sticky and q[board, cell] == recipe.loss):
                        q[board, cell] = target(game, recipe, q, board, cell, opponent, rng)
                        yield (board, cell), q[board, cell]
