"""Q-iteration by sampled answers, where a loss once seen is never forgotten.

Source: value iteration, Bellman (1957); Sutton & Barto (2018), eq. 4.10 for its action values,
with one sampled successor in place of the expectation.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numba import njit

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.learners.pairs import legal_pairs, value
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases, show_pairs
from training.learners.randomness import stream


def learn(game: Game, recipe: QIteration, next_stop: NextStop) -> Iterator[Progress]:
    """Sweep over every pair, by plies.

    Q(s, a) <- r + gamma max Q(s', .), with s' after one sampled answer of the opponent, unless the
    recipe is sticky and Q(s, a) is a loss already.  With gamma 1 a pair is a loss only where some
    answer wins or leaves nothing but such pairs, so the opponent can force it, and nothing later
    can change that.

    Nothing is played to the end, so there are no games; a pair passed over is no update.
    """
    first, after = legal_pairs(game)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rules = (recipe.gamma, recipe.loss, recipe.draw, recipe.win)
    turns = [(replies, sweeps * game.pairs) for replies, sweeps in opponents(game, recipe)]
    show = show_pairs(game, q, visits)
    return over_phases(
        turns,
        next_stop,
        partial(_sweep, stream(recipe.seed), rules, recipe.sticky, first, after, q, visits),
        lambda done, _, updates: show(done, 0, updates),
    )


@njit(cache=True)
def _sweep(  # type: ignore[no-untyped-def]
    stream, rules, sticky, first, after, q, visits, replies, begin, last, stop, turns, updates
):
    """Update pair after pair; a turn is one pair."""
    gamma, loss, draw, win = rules
    while turns < last and updates < stop:
        p = turns % len(q)
        if not (sticky and q[p] == loss):
            s = after[p]
            if s >= 0:
                s = answer(replies, q, s, False, stream)
            q[p] = value(first, q, s, gamma, loss, draw, win)
            visits[p] += 1
            updates += 1
        turns += 1
    return turns, updates
