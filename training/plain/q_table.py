"""Q-learning backward over finished games in plain Python: see `training.learners.q_table`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import DoubleQ, QTable
from training.plain.boards import (
    EMPTY,
    Pair,
    Update,
    answer,
    epsilon_greedy,
    has_line,
    is_over,
    legal_cells,
    lowered,
    move,
    standing,
    standing_pair,
    to_move,
)
from training.plain.randomness import Random

Key = str | Pair
Values = dict[Key, float]


def q_table(recipe: QTable, rng: Random) -> Iterator[Update]:
    """Play game after game and go back over each, with one table or two."""
    tables: list[Values] = [
        defaultdict(lambda: recipe.initial) for _ in range(2 if isinstance(recipe, DoubleQ) else 1)
    ]
    average: Values = defaultdict(lambda: recipe.initial)
    keep = 1 if recipe.update == "average" else 0
    seats = {"both": "XO", "x": "X", "o": "O"}[recipe.seat]
    for opponent, games in recipe.phases:
        for game in range(games):
            turn = game - game % len(seats)
            epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, games)
            seat = seats[game % len(seats)]
            trail, end = played_game(recipe, average, epsilon, seat, opponent, rng)
            later = None
            for board, cell in reversed(trail):
                key = key_of(recipe, board, cell)
                learning, aim = tables, reward(recipe, end, seat)
                if later is not None:
                    learner, other = coin(tables, rng)
                    options = [key_of(recipe, later, cell) for cell in legal_cells(later)]
                    aim = recipe.gamma * other[max(options, key=learner.__getitem__)]
                    learning = [learner]
                for table in learning:
                    table[key] += recipe.alpha * (aim - keep * table[key])
                average[key] = sum(table[key] for table in tables) / len(tables)
                yield (board, cell), average[key]
                later = board


def coin(tables: list[Values], rng: Random) -> tuple[Values, Values]:
    """Choose the table that learns, and the one that says what a move is worth."""
    if len(tables) == 1:
        return tables[0], tables[0]
    return (tables[0], tables[1]) if rng.random() < 1 / 2 else (tables[1], tables[0])


def played_game(
    recipe: QTable, values: Values, epsilon: float, seat: str, opponent: str, rng: Random
) -> tuple[list[Pair], str]:
    """Play a game: the boards on which the learner moved and its moves, and the final board."""

    def choose(board: str, epsilon: float) -> int:
        worth = {cell: values[key_of(recipe, board, cell)] for cell in legal_cells(board)}
        return epsilon_greedy(board, worth, epsilon, rng, recipe.ties)

    board, trail = EMPTY, []
    while not is_over(board):
        if to_move(board) == seat:
            trail.append((board, choose(board, epsilon)))
            board = move(*trail[-1])
        else:
            board = answer(opponent, board, rng, lambda board: choose(board, 0.0))
    return trail, board


def key_of(recipe: QTable, board: str, cell: int) -> Key:
    """Return what has a value."""
    return standing_pair(board, cell) if recipe.key == "pair" else standing(move(board, cell))


def reward(recipe: QTable, end: str, seat: str) -> float:
    """Return what a game was worth in a seat."""
    if not has_line(end):
        return recipe.draw
    return recipe.loss if to_move(end) == seat else recipe.win
