"""Q-learning in self-play with one table for both sides.

Source: Watkins (1989), "Learning from delayed rewards", for the update; Littman (1994), "Markov
games as a framework for multi-agent reinforcement learning", for two sides with opposite aims.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numba import njit

from app.tictactoe.game import Game
from training.against_itself import against_itself
from training.environment import NextStop, Progress
from training.pairs import DRAWN, epsilon_greedy, legal_pairs, value


def self_play(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
    initial: float,
    draw: float,
) -> Iterator[Progress]:
    """Play epsilon-greedily for both sides, `opponents` saying how many games against itself.

    As told in X's view: X maximises and O minimises Q(s, a), which begins at `initial` and after
    every move goes `alpha` of the way to r + gamma opt Q(s', .), where s' is the position after
    the move and opt is O's minimum or X's maximum there; r is 1 where X wins, -1 where O wins, and
    `draw`.  The table is kept in the mover's view, that is times -1 where O is to move: then
    everybody maximises, s' is the other's, and no number changes but for its sign.
    Raises ValueError if there is any other opponent.
    """
    pairs = legal_pairs(game)
    sign = game.to_move.astype(np.float64)
    q = (initial * sign)[np.nonzero(game.legal)[0]]
    visits = np.zeros(len(q), np.uint32)

    def show(counts: tuple[float, int, int]) -> Progress:
        table = pairs.table(q.astype(np.float32), np.nan)
        return Progress(*counts, table, pairs.table(visits, 0))

    play = partial(
        _play, rng, alpha, gamma, epsilon, draw, pairs.first, pairs.after, sign, q, visits
    )
    return against_itself(next_stop, opponents, play, show)


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    rng, alpha, gamma, epsilon, draw, first, after, sign, q, visits, last, stop, games, updates
):
    while games < last and updates < stop:
        s = 0
        while s >= 0:
            p = epsilon_greedy(first, q, s, epsilon, rng)
            answer = after[p]
            # What is good for who is to answer; a game that is won they have lost.
            worth = value(first, q, answer, gamma, -1.0)
            target = sign[s] * draw if answer == DRAWN else -worth
            q[p] += alpha * (target - q[p])
            visits[p] += 1
            updates += 1
            s = answer
        games += 1
    return games, updates
