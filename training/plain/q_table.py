"""Q-learning backward over finished games in plain Python: see `training.learners.q_table`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import DoubleQ, QTable
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update
from training.plain.randomness import Random

Key = str | Pair
Values = dict[Key, float]


class Learner:
    """One table or two, and their average, by which it plays."""

    def __init__(self, game: Game, recipe: QTable) -> None:
        self.game, self.recipe = game, recipe
        number = 2 if isinstance(recipe, DoubleQ) else 1
        self.tables: list[Values] = [defaultdict(lambda: recipe.initial) for _ in range(number)]
        self.average: Values = defaultdict(lambda: recipe.initial)

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game and go back over it."""
        game, recipe, tables = self.game, self.recipe, self.tables
        keep = 1 if recipe.update == "average" else 0
        coin_to_the_end = isinstance(recipe, DoubleQ) and recipe.last == "coin"
        trail, end = self.played_game(turn, rng)
        later: dict[str, str] = {}  # the next board on which each player moved
        for board, cell in reversed(trail):
            key, player = key_of(game, recipe, board, cell), boards.to_move(board)
            if player not in later and not coin_to_the_end:
                learning, aim = tables, boards.reward(game, recipe, end, player)
            else:
                learner, other = self.coin(rng)
                learning = [learner]
                aim = self.target(learner, other, later.get(player, end), player)
            for table in learning:
                table[key] += recipe.alpha * (aim - keep * table[key])
            self.average[key] = sum(table[key] for table in tables) / len(tables)
            yield (board, cell), self.average[key]
            later[player] = board

    def target(self, learner: Values, other: Values, board: str, player: str) -> float:
        """Return what it is worth to have come to a board: by one table its best move is chosen."""
        if boards.is_over(self.game, board):
            return boards.reward(self.game, self.recipe, board, player)
        options = [
            key_of(self.game, self.recipe, board, cell) for cell in boards.legal_cells(board)
        ]
        return self.recipe.gamma * other[max(options, key=learner.__getitem__)]

    def coin(self, rng: Random) -> tuple[Values, Values]:
        """Choose the table that learns, and the one that says what a move is worth."""
        tables = self.tables
        if len(tables) == 1:
            return tables[0], tables[0]
        return (tables[0], tables[1]) if rng.random() < 1 / 2 else (tables[1], tables[0])

    def played_game(self, turn: Turn, rng: Random) -> tuple[list[Pair], str]:
        """Play a game: the boards on which it moved and its moves, and the final board."""
        game, recipe = self.game, self.recipe
        together = 2 if recipe.seat == "both" else 1
        epsilon = boards.lowered(recipe.epsilon, recipe.epsilon_drop, turn, together)
        seat = turn.seat(recipe, turn.number)
        board, trail = boards.empty(game), list[Pair]()
        while not boards.is_over(game, board):
            if boards.to_move(board) in boards.learners(turn.opponent, seat):
                trail.append((board, self.choose(board, epsilon, rng)))
                board = boards.move(*trail[-1])
            else:
                board = boards.answer(
                    game, turn, board, rng, lambda board: self.choose(board, 0.0, rng)
                )
        return trail, board

    def choose(self, board: str, epsilon: float, rng: Random) -> int:
        """Choose a cell by the average of the tables."""
        worth = {
            cell: self.average[key_of(self.game, self.recipe, board, cell)]
            for cell in boards.legal_cells(board)
        }
        return boards.epsilon_greedy(board, worth, epsilon, rng, self.recipe.ties)


def key_of(game: Game, recipe: QTable, board: str, cell: int) -> Key:
    """Return what has a value."""
    if recipe.key == "pair":
        return boards.standing_pair(game, board, cell)
    return boards.standing(game, boards.move(board, cell))
