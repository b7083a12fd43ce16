"""Q-learning in self-play with one table for both sides.

Source: Watkins (1989), "Learning from delayed rewards", for the update; Littman (1994), "Markov
games as a framework for multi-agent reinforcement learning", for two sides with opposite aims.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numba import njit

from app.recipes.algorithms import SelfPlay
from app.tictactoe.game import Game
from training.learners.pairs import epsilon_greedy, legal_pairs, lowered, value
from training.learners.phases import NextStop, Progress, over_phases, show_pairs
from training.learners.randomness import stream


def learn(game: Game, recipe: SelfPlay, next_stop: NextStop) -> Iterator[Progress]:
    """Play epsilon-greedily for both sides.

    As told in X's view: X maximises and O minimises Q(s, a), which begins at `initial` and after
    every move goes alpha of the way to r + gamma opt Q(s', .), where s' is the position after the
    move and opt is O's minimum or X's maximum there; r is `win` where X wins, `loss` where O wins,
    and `draw`.  The table is kept in the mover's view, that is times -1 where O is to move: then
    both sides maximise, s' is the other's, and no number changes but for its sign.
    """
    first, after = legal_pairs(game)
    sign = game.to_move.astype(np.float64)
    q = (recipe.initial * sign)[game.pair_from]
    visits = np.zeros(game.pairs, np.uint32)
    rates = (recipe.alpha, recipe.gamma, recipe.epsilon, recipe.epsilon_drop)
    rules = (*rates, recipe.loss, recipe.draw, recipe.win)
    play = partial(_play, stream(recipe.seed), rules, first, after, sign, q, visits)
    return over_phases([(None, recipe.games)], next_stop, play, show_pairs(game, q, visits))


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rules, first, after, sign, q, visits, opponent, begin, last, stop, games, updates
):
    alpha, gamma, epsilon, drop, loss, draw, win = rules
    while games < last and updates < stop:
        explore = lowered(epsilon, drop, games - begin, last - begin)
        s = 0
        while s >= 0:
            p = epsilon_greedy(first, q, s, explore, False, stream)
            # What comes next is the other side's: what is good for them is bad for the mover.
            lost, won = (loss, win) if sign[s] > 0 else (-win, -loss)
            target = -value(first, q, after[p], gamma, -lost, -sign[s] * draw, -won)
            q[p] += alpha * (target - q[p])
            visits[p] += 1
            updates += 1
            s = after[p]
        games += 1
    return games, updates
