"""Q-learning in self-play in plain Python, in X's view: see `training.learners.self_play`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import SelfPlay
from training.plain.boards import (
    EMPTY,
    Pair,
    Update,
    epsilon_greedy,
    has_line,
    is_over,
    legal_cells,
    lowered,
    move,
    to_move,
)
from training.plain.randomness import Random


def self_play(recipe: SelfPlay, rng: Random) -> Iterator[Update]:
    """Play game after game; X maximises and O minimises."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    for game in range(recipe.games):
        epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, game, recipe.games)
        board = EMPTY
        while not is_over(board):
            x_moves = to_move(board) == "X"
            sign = 1 if x_moves else -1
            worth = {cell: sign * q[board, cell] for cell in legal_cells(board)}
            cell = epsilon_greedy(board, worth, epsilon, rng)
            after = move(board, cell)
            if has_line(after):
                target = recipe.win if x_moves else recipe.loss
            elif is_over(after):
                target = recipe.draw
            else:
                answers = [q[after, answer] for answer in legal_cells(after)]
                target = recipe.gamma * (min(answers) if x_moves else max(answers))
            q[board, cell] += recipe.alpha * (target - q[board, cell])
            yield (board, cell), q[board, cell]
            board = after
