"""Q-learning, Sarsa and expected Sarsa in plain Python: see `training.learners.q_learning`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import ExpectedSarsa, MonteCarlo, QLearning, Sarsa
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update, boards_of, empty, to_move
from training.plain.randomness import Random

Q = dict[Pair, float]


class Learner:
    """The value of every move; what it learns it learns after its next one."""

    def __init__(self, game: Game, recipe: QLearning) -> None:
        self.game, self.recipe = game, recipe
        self.q: Q = defaultdict(lambda: recipe.initial)

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game, updating after every move."""
        game, recipe, q = self.game, self.recipe, self.q
        epsilon = boards.lowered(recipe.epsilon, recipe.epsilon_drop, turn)
        board, seat = beginning(game, recipe, turn, rng)
        before: dict[str, Pair] = {}  # the last move of each player that learns
        while not boards.is_over(game, board):
            player = boards.to_move(board)
            if player not in boards.learners(turn.opponent, seat):
                board = boards.answer(game, turn, board, rng, lambda board: own(q, board, rng))
                continue
            cell = boards.epsilon_greedy(board, worth(q, board), epsilon, rng)
            if player in before:
                yield self.update(before[player], recipe.gamma * self.found(board, cell, epsilon))
            board, before[player] = boards.move(board, cell), (board, cell)
        for player in (boards.to_move(board), boards.made_by(board)):
            if player in before:
                yield self.update(before[player], boards.reward(game, recipe, board, player))

    def update(self, pair: Pair, target: float) -> Update:
        """Draw the value of a move to its target."""
        self.q[pair] += self.recipe.alpha * (target - self.q[pair])
        return pair, self.q[pair]

    def found(self, board: str, cell: int, epsilon: float) -> float:
        """Return what an update finds on the next board, where this cell will be played."""
        values = worth(self.q, board)
        if isinstance(self.recipe, ExpectedSarsa):
            best, mean = max(values.values()), epsilon * sum(values.values()) / len(values)
            return (1 - epsilon) * best + mean
        return values[cell] if isinstance(self.recipe, Sarsa) else max(values.values())


def beginning(
    game: Game, recipe: QLearning | MonteCarlo, turn: Turn, rng: Random
) -> tuple[str, str]:
    """Return the board with which a game begins, and the learner's seat: "X" or "O"."""
    if recipe.start == "empty":
        return empty(game), turn.seat(recipe, turn.played)
    boards = boards_of(game, recipe.seat)
    if recipe.start == "every":
        number = turn.played % len(boards)
    else:
        number = int(rng.random() * len(boards))
    return boards[number], to_move(boards[number])


def worth(q: Q, board: str) -> dict[int, float]:
    """Return what each move is worth."""
    return {cell: q[board, cell] for cell in boards.legal_cells(board)}


def own(q: Q, board: str, rng: Random) -> int:
    """Play greedily, as the opponent that is the learner itself."""
    return boards.epsilon_greedy(board, worth(q, board), 0.0, rng)
