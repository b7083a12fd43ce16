"""Temporal differences of afterstates in plain Python: see `training.learners.td_afterstates`."""

from collections.abc import Iterator

from app.recipes.algorithms import TdAfterstates
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Turn,
    Update,
    answer,
    empty,
    epsilon_greedy,
    is_over,
    learners,
    legal_cells,
    lowered,
    made_by,
    move,
    reward,
    standing,
    to_move,
)
from training.plain.randomness import Random


class Learner:
    """What afterstates are worth to the player who made them; what ends the game is known."""

    def __init__(self, game: Game, recipe: TdAfterstates) -> None:
        self.game, self.recipe = game, recipe
        self.learned: dict[str, float] = {}

    def value(self, board: str) -> float:
        """Return what a board is worth."""
        if is_over(self.game, board):
            return reward(self.game, self.recipe, board, made_by(board))
        return self.learned.get(key_of(self.game, self.recipe, board), self.recipe.initial)

    def worth(self, board: str) -> dict[int, float]:
        """Return what each move is worth: what the board is that it makes."""
        return {cell: self.value(move(board, cell)) for cell in legal_cells(board)}

    def learn(self, pair: Pair, alpha: float, target: float) -> Update:
        """Draw what a move made to a target."""
        made = move(*pair)
        value = self.value(made)
        value += alpha * (target - value)
        self.learned[key_of(self.game, self.recipe, made)] = value
        return pair, value

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game, learning from each move what the one before it was worth."""
        game, recipe = self.game, self.recipe
        together = 2 if recipe.seat == "both" else 1
        alpha = lowered(recipe.alpha, recipe.alpha_drop, turn, together)
        epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, together)
        seat = turn.seat(recipe, turn.number)
        board = empty(game)
        before: dict[str, Pair] = {}  # the last move of each player that learns
        while not is_over(game, board):
            player = to_move(board)
            if player not in learners(turn.opponent, seat):
                board = answer(game, turn, board, rng, lambda board: self.own(board, rng))
                continue
            explored = rng.random() < epsilon
            pair = board, epsilon_greedy(board, self.worth(board), float(explored), rng)
            if player in before and (recipe.learn_from == "all" or not explored):
                yield self.learn(before[player], alpha, self.value(move(*pair)))
            board, before[player] = move(*pair), pair
        other = to_move(board)
        if other in before:
            yield self.learn(before[other], alpha, reward(game, recipe, board, other))

    def own(self, board: str, rng: Random) -> int:
        """Play greedily, as the opponent that is the learner itself."""
        return epsilon_greedy(board, self.worth(board), 0.0, rng)


def key_of(game: Game, recipe: TdAfterstates, made: str) -> str:
    """Return the board that has the value of this one."""
    return standing(game, made) if recipe.symmetric else made
