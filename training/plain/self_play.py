"""Q-learning in self-play in plain Python, in X's view: see `training.learners.self_play`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import SelfPlay
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    empty,
    epsilon_greedy,
    is_over,
    legal_cells,
    lowered,
    move,
    reward,
    to_move,
)
from training.plain.randomness import Random


def self_play(game: Game, recipe: SelfPlay, rng: Random) -> Iterator[Update]:
    """Play game after game; X maximises and O minimises."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    for played in range(recipe.games):
        epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, played, recipe.games)
        board = empty(game)
        while not is_over(game, board):
            x_moves = to_move(board) == "X"
            sign = 1 if x_moves else -1
            worth = {cell: sign * q[board, cell] for cell in legal_cells(board)}
            cell = epsilon_greedy(board, worth, epsilon, rng)
            after = move(board, cell)
            if is_over(game, after):
                target = reward(game, recipe, after, "X")
            else:
                answers = [q[after, answer] for answer in legal_cells(after)]
                target = recipe.gamma * (min(answers) if x_moves else max(answers))
            q[board, cell] += recipe.alpha * (target - q[board, cell])
            yield (board, cell), q[board, cell]
            board = after
