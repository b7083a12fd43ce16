"""Q-learning, Sarsa and expected Sarsa in plain Python: see `training.learners.q_learning`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import ExpectedSarsa, MonteCarlo, QLearning, Sarsa
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    answer,
    boards_of,
    empty,
    epsilon_greedy,
    is_over,
    learners,
    legal_cells,
    lowered,
    made_by,
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
            board, seat = beginning(game, recipe, played, rng)
            before: dict[str, Pair] = {}  # the last move of each player that learns
            while not is_over(game, board):
                player = to_move(board)
                if player not in learners(opponent, seat):
                    board = answer(game, opponent, board, rng, lambda board: own(q, board, rng))
                    continue
                cell = epsilon_greedy(board, worth(q, board), epsilon, rng)
                if player in before:
                    aim = recipe.gamma * found(recipe, q, board, cell, epsilon)
                    yield update(recipe, q, before[player], aim)
                board, before[player] = move(board, cell), (board, cell)
            for player in (to_move(board), made_by(board)):
                if player in before:
                    ended = reward(game, recipe, board, player)
                    yield update(recipe, q, before[player], ended)
            played += 1


def update(recipe: QLearning, q: Q, pair: Pair, target: float) -> Update:
    """Draw the value of a move to its target."""
    q[pair] += recipe.alpha * (target - q[pair])
    return pair, q[pair]


def found(recipe: QLearning, q: Q, board: str, cell: int, epsilon: float) -> float:
    """Return what an update finds on the next board, where this cell will be played."""
    values = worth(q, board)
    if isinstance(recipe, ExpectedSarsa):
        best, mean = max(values.values()), epsilon * sum(values.values()) / len(values)
        return (1 - epsilon) * best + mean
    return values[cell] if isinstance(recipe, Sarsa) else max(values.values())


def beginning(
    game: Game, recipe: QLearning | MonteCarlo, played: int, rng: Random
) -> tuple[str, str]:
    """Return the board with which a game begins, and the learner's seat: "X" or "O"."""
    if recipe.start == "empty":
        return empty(game), {"both": "XO"[played % 2], "x": "X", "o": "O"}[recipe.seat]
    boards = boards_of(game, recipe.seat)
    number = played % len(boards) if recipe.start == "every" else int(rng.random() * len(boards))
    return boards[number], to_move(boards[number])


def worth(q: Q, board: str) -> dict[int, float]:
    """Return what each move is worth."""
    return {cell: q[board, cell] for cell in legal_cells(board)}


def own(q: Q, board: str, rng: Random) -> int:
    """Play greedily, as the opponent that is the learner itself."""
    return epsilon_greedy(board, worth(q, board), 0.0, rng)
