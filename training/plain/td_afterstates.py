"""Temporal differences of afterstates in plain Python: see `training.learners.td_afterstates`."""

from collections.abc import Iterator

from app.recipes.algorithms import TdAfterstates
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update
from training.plain.randomness import Random


class Learner:
    """What afterstates are worth to the player who made them; what ends the game is known."""

    def __init__(self, game: Game, recipe: TdAfterstates) -> None:
        self.game, self.recipe = game, recipe
        self.learned: dict[str, float] = {}

    def value(self, board: str) -> float:
        """Return what a board is worth."""
        if boards.is_over(self.game, board):
            return boards.reward(self.game, self.recipe, board, boards.made_by(board))
        return self.learned.get(key_of(self.game, self.recipe, board), self.recipe.initial)

    def worth(self, board: str) -> dict[int, float]:
        """Return what each move is worth: what the board is that it makes."""
        return {cell: self.value(boards.move(board, cell)) for cell in boards.legal_cells(board)}

    def learn(self, pair: Pair, alpha: float, target: float) -> Update:
        """Draw what a move made to a target."""
        made = boards.move(*pair)
        value = self.value(made)
        value += alpha * (target - value)
        self.learned[key_of(self.game, self.recipe, made)] = value
        return pair, value

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game, learning from each move what the one before it was worth."""
        game, recipe = self.game, self.recipe
        together = 2 if recipe.seat == "both" else 1
        alpha = boards.lowered(recipe.alpha, recipe.alpha_drop, turn, together)
        epsilon = boards.lowered(recipe.epsilon, recipe.epsilon_drop, turn, together)
        seat = turn.seat(recipe, turn.number)
        board = boards.empty(game)
        before: dict[str, Pair] = {}  # the last move of each player that learns
        while not boards.is_over(game, board):
            player = boards.to_move(board)
            if player not in boards.learners(turn.opponent, seat):
                board = boards.answer(game, turn, board, rng, lambda board: self.own(board, rng))
                continue
            explored = rng.random() < epsilon
            pair = board, boards.epsilon_greedy(board, self.worth(board), float(explored), rng)
            if player in before and (recipe.learn_from == "all" or not explored):
                yield self.learn(before[player], alpha, self.value(boards.move(*pair)))
            board, before[player] = boards.move(*pair), pair
        other = boards.to_move(board)
        if other in before:
            yield self.learn(before[other], alpha, boards.reward(game, recipe, board, other))

    def own(self, board: str, rng: Random) -> int:
        """Play greedily, as the opponent that is the learner itself."""
        return boards.epsilon_greedy(board, self.worth(board), 0.0, rng)


def key_of(game: Game, recipe: TdAfterstates, made: str) -> str:
    """Return the board that has the value of this one."""
    return boards.standing(game, made) if recipe.symmetric else made
