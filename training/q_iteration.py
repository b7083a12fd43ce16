"""Q-iteration by sampled answers, where a loss once seen is never forgotten.

Source: value iteration, Bellman (1957); Sutton & Barto (2018), eq. 4.10 for its action values,
with one sampled successor in place of the expectation.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game
from training.environment import NextStop, Progress, against_each
from training.pairs import Indices, Values, epsilon_greedy, value

STICKY = -1.0


def q_iteration(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    gamma: float,
) -> Iterator[Progress]:
    """Sweep over every pair, `opponents` saying how often against whom.

    Q(s, a) <- r + gamma max Q(s', .), with s' after one sampled answer of the opponent, unless
    Q(s, a) is -1 already.  A pair is -1 only where some answer wins or leaves nothing but such
    pairs, so the opponent can force a loss there, and nothing later can change that.

    Nothing is played to the end, so there are no games; a pair passed over is no update.
    Raises ValueError if an opponent is unknown.
    """
    pairs = int(game.legal.sum())
    turns = {opponent: sweeps * pairs for opponent, sweeps in opponents.items()}
    for progress in against_each(game, next_stop, turns, partial(_sweep, rng, gamma)):
        yield progress._replace(games=0)


@njit(cache=True)
def _sweep(
    rng: np.random.Generator,
    gamma: float,
    first: Indices,
    after: Indices,
    q: Values,
    visits: NDArray[np.uint32],
    opponent_epsilon: float,
    last: int,
    stop: int,
    turns: int,
    updates: int,
) -> tuple[int, int]:
    """Update pair after pair; a turn is one pair."""
    while turns < last and updates < stop:
        p = turns % len(q)
        if q[p] != STICKY:
            s, won = after[p], 1.0
            if s >= 0:
                s, won = after[epsilon_greedy(first, q, s, opponent_epsilon, rng)], -1.0
            q[p] = value(first, q, s, gamma, won)
            visits[p] += 1
            updates += 1
        turns += 1
    return turns, updates
