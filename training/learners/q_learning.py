"""Q-learning forward through each game, with the opponent as a part of the environment.

Source: Watkins (1989), "Learning from delayed rewards"; Sutton & Barto (2018), eq. 6.8, and
section 5.3 for games that begin anywhere.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numba import njit

from app.recipes.algorithms import QLearning
from app.tictactoe.game import Game, O, X
from training.learners.pairs import Indices, epsilon_greedy, legal_pairs, lowered, value
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases, show_pairs
from training.learners.randomness import stream, uniform


def learn(game: Game, recipe: QLearning, next_stop: NextStop) -> Iterator[Progress]:
    """Play games from where the recipe says, moving epsilon-greedily.

    After the opponent's answer Q(s, a) moves by alpha of the way to r + gamma max Q(s', .).
    """
    first, after = legal_pairs(game)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rates = (recipe.alpha, recipe.gamma, recipe.epsilon, recipe.epsilon_drop)
    rules = (*rates, recipe.loss, recipe.draw, recipe.win)
    begins, drawn = starts(game, recipe), recipe.start == "random"
    play = partial(_play, stream(recipe.seed), rules, first, after, q, visits, begins, drawn)
    return over_phases(opponents(game, recipe), next_stop, play, show_pairs(game, q, visits))


def starts(game: Game, recipe: QLearning) -> Indices:
    """List the decisions in which games begin; `~s` is one where the opponent is to move."""
    if recipe.start == "empty":
        return np.array({"both": [0, ~0], "x": [0], "o": [~0]}[recipe.seat], np.int32)
    seats = {"both": (X, O), "x": (X,), "o": (O,)}[recipe.seat]
    return np.flatnonzero(np.isin(game.to_move, seats)).astype(np.int32)


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream,
    rules,
    first,
    after,
    q,
    visits,
    starts,
    drawn,
    replies,
    begin,
    last,
    stop,
    games,
    updates,
):
    alpha, gamma, epsilon, drop, loss, draw, win = rules
    while games < last and updates < stop:
        explore = lowered(epsilon, drop, games - begin, last - begin)
        s = starts[int(uniform(stream) * len(starts)) if drawn else games % len(starts)]
        if s < 0:
            s = answer(replies, first, after, q, ~s, False, stream)
        while s >= 0:
            p = epsilon_greedy(first, q, s, explore, False, stream)
            s, ending = after[p], win
            if s >= 0:
                s, ending = answer(replies, first, after, q, s, False, stream), loss
            q[p] += alpha * (value(first, q, s, gamma, ending, draw) - q[p])
            visits[p] += 1
            updates += 1
        games += 1
    return games, updates
