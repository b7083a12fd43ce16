"""Q-learning, Sarsa and expected Sarsa in plain Python: see `training.learners.q_learning`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import ExpectedSarsa, MonteCarlo, QIteration, QLearning, Sarsa
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    answer,
    boards_of,
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

Q = dict[Pair, float]


def q_learning(game: Game, recipe: QLearning, rng: Random) -> Iterator[Update]:
    """Play game after game, updating after every move."""
    q: Q = defaultdict(lambda: recipe.initial)
    played = 0
    for opponent, games in recipe.phases:
        for turn in range(games):
            epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, games)
            board = first_board(game, recipe, q, opponent, played, rng)
            cell = epsilon_greedy(board, worth(q, board), epsilon, rng)
            while not is_over(game, board):
                after, aim = step(game, recipe, q, board, cell, opponent, rng)
                following = cell
                if not is_over(game, after):
                    following = epsilon_greedy(after, worth(q, after), epsilon, rng)
                    aim = recipe.gamma * found(recipe, q, after, following, epsilon)
                q[board, cell] += recipe.alpha * (aim - q[board, cell])
                yield (board, cell), q[board, cell]
                board, cell = after, following
            played += 1


def found(recipe: QLearning, q: Q, board: str, cell: int, epsilon: float) -> float:
    """Return what an update finds on the next board, where this cell will be played."""
    values = worth(q, board)
    if isinstance(recipe, ExpectedSarsa):
        best, mean = max(values.values()), epsilon * sum(values.values()) / len(values)
        return (1 - epsilon) * best + mean
    return values[cell] if isinstance(recipe, Sarsa) else max(values.values())


def first_board(
    game: Game, recipe: QLearning | MonteCarlo, q: Q, opponent: str, played: int, rng: Random
) -> str:
    """Return the board on which the learner makes its first move of a game."""
    if recipe.start == "empty":
        seat = {"both": "xo"[played % 2], "x": "x", "o": "o"}[recipe.seat]
        if seat == "x":
            return empty(game)
        return answer(game, opponent, empty(game), rng, lambda board: own(q, board, rng))
    boards = boards_of(game, recipe.seat)
    if recipe.start == "every":
        return boards[played % len(boards)]
    return boards[int(rng.random() * len(boards))]


def step(
    game: Game,
    recipe: QLearning | QIteration | MonteCarlo,
    q: Q,
    board: str,
    cell: int,
    opponent: str,
    rng: Random,
) -> tuple[str, float]:
    """Move and be answered: the board that comes of it and the mover's reward."""
    mover, board = to_move(board), move(board, cell)
    if not is_over(game, board):
        board = answer(game, opponent, board, rng, lambda board: own(q, board, rng))
    return board, reward(game, recipe, board, mover) if is_over(game, board) else 0.0


def worth(q: Q, board: str) -> dict[int, float]:
    """Return what each move is worth."""
    return {cell: q[board, cell] for cell in legal_cells(board)}


def own(q: Q, board: str, rng: Random) -> int:
    """Play greedily, as the opponent that is the learner itself."""
    return epsilon_greedy(board, worth(q, board), 0.0, rng)
