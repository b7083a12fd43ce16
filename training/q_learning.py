"""Q-learning from any position, with the opponent as a part of the environment.

Source: Watkins (1989), "Learning from delayed rewards"; Sutton & Barto (2018), eq. 6.8, and
section 5.3 for exploring starts.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game
from training.environment import NextStop, Progress, against_each
from training.pairs import Indices, Values, epsilon_greedy, value

Rates = tuple[float, float, float]  # alpha, gamma, epsilon


def from_random_states(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
) -> Iterator[Progress]:
    """Play games from uniformly random decisions, `opponents` saying how many against whom.

    The learner moves epsilon-greedily; Q(s, a) moves by `alpha` of the way to
    r + gamma max Q(s', .), with s' after the opponent's answer.
    Raises ValueError if an opponent is unknown.
    """
    play = partial(_play_from_random_states, rng, (alpha, gamma, epsilon))
    return against_each(game, next_stop, opponents, play)


def from_every_state(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
) -> Iterator[Progress]:
    """Learn as `from_random_states` does, but an iteration is one game from every decision."""
    games = {opponent: iterations * game.decisions for opponent, iterations in opponents.items()}
    play = partial(_play_from_every_state, rng, (alpha, gamma, epsilon))
    return against_each(game, next_stop, games, play)


@njit(cache=True)
def _play_from_random_states(
    rng: np.random.Generator,
    rates: Rates,
    first: Indices,
    after: Indices,
    q: Values,
    visits: NDArray[np.uint32],
    opponent_epsilon: float,
    last: int,
    stop: int,
    games: int,
    updates: int,
) -> tuple[int, int]:
    while games < last and updates < stop:
        s = int(rng.random() * (len(first) - 1))
        updates += _play(rng, rates, first, after, q, visits, opponent_epsilon, s)
        games += 1
    return games, updates


@njit(cache=True)
def _play_from_every_state(
    rng: np.random.Generator,
    rates: Rates,
    first: Indices,
    after: Indices,
    q: Values,
    visits: NDArray[np.uint32],
    opponent_epsilon: float,
    last: int,
    stop: int,
    games: int,
    updates: int,
) -> tuple[int, int]:
    while games < last and updates < stop:
        s = games % (len(first) - 1)
        updates += _play(rng, rates, first, after, q, visits, opponent_epsilon, s)
        games += 1
    return games, updates


@njit(cache=True)
def _play(
    rng: np.random.Generator,
    rates: Rates,
    first: Indices,
    after: Indices,
    q: Values,
    visits: NDArray[np.uint32],
    opponent_epsilon: float,
    s: int,
) -> int:
    """Play one game from decision `s` and return how many updates it made."""
    alpha, gamma, epsilon = rates
    updates = 0
    while s >= 0:
        p = epsilon_greedy(first, q, s, epsilon, rng)
        s, won = after[p], 1.0
        if s >= 0:
            s, won = after[epsilon_greedy(first, q, s, opponent_epsilon, rng)], -1.0
        q[p] += alpha * (value(first, q, s, gamma, won) - q[p])
        visits[p] += 1
        updates += 1
    return updates
