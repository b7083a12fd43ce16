"""Q-learning backward over finished games in plain Python: see `training.learners.q_table`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import DoubleQ, QTable
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    answer,
    empty,
    epsilon_greedy,
    is_over,
    learners,
    legal_cells,
    lowered,
    move,
    reward,
    standing,
    standing_pair,
    to_move,
)
from training.plain.randomness import Random

Key = str | Pair
Values = dict[Key, float]


def q_table(game: Game, recipe: QTable, rng: Random) -> Iterator[Update]:
    """Play game after game and go back over each, with one table or two."""
    tables: list[Values] = [
        defaultdict(lambda: recipe.initial) for _ in range(2 if isinstance(recipe, DoubleQ) else 1)
    ]
    average: Values = defaultdict(lambda: recipe.initial)
    keep = 1 if recipe.update == "average" else 0
    coin_to_the_end = isinstance(recipe, DoubleQ) and recipe.last == "coin"
    seats = {"both": "XO", "x": "X", "o": "O"}[recipe.seat]
    for opponent, games in recipe.phases:
        for played in range(games):
            turn = played - played % len(seats)
            epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, games)
            seat = seats[played % len(seats)]
            trail, end = played_game(game, recipe, average, epsilon, seat, opponent, rng)
            later: dict[str, str] = {}  # the next board on which each player moved
            for board, cell in reversed(trail):
                key, player = key_of(game, recipe, board, cell), to_move(board)
                if player not in later and not coin_to_the_end:
                    learning, aim = tables, reward(game, recipe, end, player)
                else:
                    learner, other = coin(tables, rng)
                    learning = [learner]
                    aim = target(game, recipe, learner, other, later.get(player, end), player)
                for table in learning:
                    table[key] += recipe.alpha * (aim - keep * table[key])
                average[key] = sum(table[key] for table in tables) / len(tables)
                yield (board, cell), average[key]
                later[player] = board


def target(
    game: Game, recipe: QTable, learner: Values, other: Values, board: str, player: str
) -> float:
    """Return what it is worth to have come to a board: by one table its best move is chosen."""
    if is_over(game, board):
        return reward(game, recipe, board, player)
    options = [key_of(game, recipe, board, cell) for cell in legal_cells(board)]
    return recipe.gamma * other[max(options, key=learner.__getitem__)]


def coin(tables: list[Values], rng: Random) -> tuple[Values, Values]:
    """Choose the table that learns, and the one that says what a move is worth."""
    if len(tables) == 1:
        return tables[0], tables[0]
    return (tables[0], tables[1]) if rng.random() < 1 / 2 else (tables[1], tables[0])


def played_game(
    game: Game,
    recipe: QTable,
    values: Values,
    epsilon: float,
    seat: str,
    opponent: str,
    rng: Random,
) -> tuple[list[Pair], str]:
    """Play a game: the boards on which the learner moved and its moves, and the final board."""

    def choose(board: str, epsilon: float) -> int:
        worth = {cell: values[key_of(game, recipe, board, cell)] for cell in legal_cells(board)}
        return epsilon_greedy(board, worth, epsilon, rng, recipe.ties)

    board, trail = empty(game), []
    while not is_over(game, board):
        if to_move(board) in learners(opponent, seat):
            trail.append((board, choose(board, epsilon)))
            board = move(*trail[-1])
        else:
            board = answer(game, opponent, board, rng, lambda board: choose(board, 0.0))
    return trail, board


def key_of(game: Game, recipe: QTable, board: str, cell: int) -> Key:
    """Return what has a value."""
    if recipe.key == "pair":
        return standing_pair(game, board, cell)
    return standing(game, move(board, cell))
