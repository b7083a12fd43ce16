"""Q-learning in self-play in plain Python, in X's view: see `training.learners.self_play`."""

from collections import defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import SelfPlay
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update
from training.plain.randomness import Random


class Learner:
    """The value of every move, to X."""

    def __init__(self, game: Game, recipe: SelfPlay) -> None:
        self.game, self.recipe = game, recipe
        self.q: dict[Pair, float] = defaultdict(lambda: recipe.initial)

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game in which X maximises and O minimises.

        A person plays one seat.  It learns from their moves as from its own: its target is the
        best answer to a move of either side.
        """
        game, recipe, q = self.game, self.recipe, self.q
        epsilon = boards.lowered(recipe.epsilon, recipe.epsilon_drop, turn)
        person, seat, board = turn.person, turn.seat(recipe, 0), boards.empty(game)
        while not boards.is_over(game, board):
            x_moves = boards.to_move(board) == "X"
            if person and boards.to_move(board) != seat:
                cell = person.choose(board)
                rng.moved(board, cell, explored=False)
            else:
                sign = 1 if x_moves else -1
                worth = {cell: sign * q[board, cell] for cell in boards.legal_cells(board)}
                cell = boards.epsilon_greedy(board, worth, epsilon, rng)
            after = boards.move(board, cell)
            if boards.is_over(game, after):
                target = boards.reward(game, recipe, after, "X")
            else:
                answers = [q[after, answer] for answer in boards.legal_cells(after)]
                target = recipe.gamma * (min(answers) if x_moves else max(answers))
            q[board, cell] += recipe.alpha * (target - q[board, cell])
            yield (board, cell), q[board, cell]
            board = after
