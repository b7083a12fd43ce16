"""Monte Carlo control in plain Python: see `training.learners.monte_carlo`."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import MonteCarlo
from app.tictactoe.game import Game
from training.plain.boards import Pair, Update, epsilon_greedy, is_over, lowered
from training.plain.q_learning import first_board, step, worth
from training.plain.randomness import Random


def monte_carlo(game: Game, recipe: MonteCarlo, rng: Random) -> Iterator[Update]:
    """Play game after game and average what each brought."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    visits: Counter[Pair] = Counter()
    played = 0
    for opponent, games in recipe.phases:
        for turn in range(games):
            epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, games)
            board = first_board(game, recipe, q, opponent, played, rng)
            trail: list[Pair] = []
            brought = 0.0
            while not is_over(game, board):
                chance = 1.0 if recipe.exploring_starts and not trail else epsilon
                trail.append((board, epsilon_greedy(board, worth(q, board), chance, rng)))
                board, brought = step(game, recipe, q, *trail[-1], opponent, rng)
            for pair in reversed(trail):
                visits[pair] += 1
                q[pair] += (brought - q[pair]) / visits[pair]
                yield pair, q[pair]
                brought *= recipe.gamma
            played += 1
