"""Monte Carlo control in plain Python: see `training.learners.monte_carlo`."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import MonteCarlo
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update
from training.plain.q_learning import beginning, own, worth
from training.plain.randomness import Random


class Learner:
    """What each move brought on average."""

    def __init__(self, game: Game, recipe: MonteCarlo) -> None:
        self.game, self.recipe = game, recipe
        self.q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
        self.visits: Counter[Pair] = Counter()

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game and average what it brought."""
        game, recipe, q = self.game, self.recipe, self.q
        epsilon = boards.lowered(recipe.epsilon, recipe.epsilon_drop, turn)
        board, seat = beginning(game, recipe, turn, rng)
        trail: list[Pair] = []
        while not boards.is_over(game, board):
            if boards.to_move(board) not in boards.learners(turn.opponent, seat):
                board = boards.answer(game, turn, board, rng, lambda board: own(q, board, rng))
                continue
            chance = 1.0 if recipe.exploring_starts and not trail else epsilon
            trail.append((board, boards.epsilon_greedy(board, worth(q, board), chance, rng)))
            board = boards.move(*trail[-1])
        brought = {player: boards.reward(game, recipe, board, player) for player in "XO"}
        for pair in reversed(trail):
            player = boards.to_move(pair[0])
            self.visits[pair] += 1
            q[pair] += (brought[player] - q[pair]) / self.visits[pair]
            yield pair, q[pair]
            brought[player] *= recipe.gamma
