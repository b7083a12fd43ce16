"""Monte Carlo control in plain Python: see `training.learners.monte_carlo`."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import MonteCarlo
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    answer,
    epsilon_greedy,
    is_over,
    learners,
    lowered,
    move,
    reward,
    to_move,
)
from training.plain.q_learning import beginning, own, worth
from training.plain.randomness import Random


def monte_carlo(game: Game, recipe: MonteCarlo, rng: Random) -> Iterator[Update]:
    """Play game after game and average what each brought."""
    q: dict[Pair, float] = defaultdict(lambda: recipe.initial)
    visits: Counter[Pair] = Counter()
    played = 0
    for opponent, games in recipe.phases:
        for turn in range(games):
            epsilon = lowered(recipe.epsilon, recipe.epsilon_drop, turn, games)
            board, seat = beginning(game, recipe, played, rng)
            trail: list[Pair] = []
            while not is_over(game, board):
                if to_move(board) not in learners(opponent, seat):
                    board = answer(game, opponent, board, rng, lambda board: own(q, board, rng))
                    continue
                chance = 1.0 if recipe.exploring_starts and not trail else epsilon
                trail.append((board, epsilon_greedy(board, worth(q, board), chance, rng)))
                board = move(*trail[-1])
            brought = {player: reward(game, recipe, board, player) for player in "XO"}
            for pair in reversed(trail):
                player = to_move(pair[0])
                visits[pair] += 1
                q[pair] += (brought[player] - q[pair]) / visits[pair]
                yield pair, q[pair]
                brought[player] *= recipe.gamma
            played += 1
