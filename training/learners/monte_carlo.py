"""Monte Carlo control: a value is the average of what the games brought that went through it.

Source: Sutton & Barto (2018), sections 5.3, "Monte Carlo control", for exploring starts, and 5.4
for control without them, by epsilon-greedy moves; section 2.4 for averages kept step by step.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numba import njit

from app.recipes.algorithms import MonteCarlo
from app.tictactoe.game import Game
from training.learners.pairs import answered, epsilon_greedy, legal_pairs, lowered, reward
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases, show_pairs
from training.learners.q_learning import starts
from training.learners.randomness import stream, uniform


def learn(game: Game, recipe: MonteCarlo, next_stop: NextStop) -> Iterator[Progress]:
    """Play games to their end, and then go back over one's own moves, the last one first.

    The return of the last move is the reward, that of each earlier one gamma times the next one's.
    A value is the average of the returns of all visits: the n-th moves it by 1 / n of the way.  No
    position comes twice in a game, so its first visit is its only one.
    Moves are epsilon-greedy, but with exploring starts the first of each game is any.
    Where both sides learn, each of them goes back over its moves.
    """
    first, after = legal_pairs(game)
    after = answered(after)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rates = (recipe.gamma, recipe.epsilon, recipe.epsilon_drop, recipe.exploring_starts)
    rules = (*rates, recipe.loss, recipe.draw, recipe.win)
    begins = starts(game, recipe), recipe.start == "random"
    known = q, visits, np.zeros(game.cells, np.int32)  # the last: the pairs of a game, by ply
    play = partial(_play, stream(recipe.seed), rules, begins, first, after, known)
    return over_phases(opponents(game, recipe), next_stop, play, show_pairs(game, q, visits))


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rules, begins, first, after, known, replies, begin, last, stop, games, updates
):
    gamma, epsilon, drop, exploring_starts, loss, draw, win = rules
    (starts, drawn), (q, visits, played) = begins, known
    while games < last and updates < stop:
        explore = lowered(epsilon, drop, games - begin, last - begin)
        s = starts[int(uniform(stream) * len(starts)) if drawn else games % len(starts)]
        mover, s = (1, ~s) if s < 0 else (0, s)
        plies, moves = 0, 0  # of these the learner's own
        while s >= 0:
            if mover == 0 or replies.both:
                chance = 1.0 if exploring_starts and moves == 0 else explore
                p = epsilon_greedy(first, q, s, chance, False, stream)
                played[plies], s = p, after[p]
                moves += 1
            else:
                played[plies] = -1
                s = answer(replies, q, s, False, stream)
            plies += 1
            mover = 1 - mover
        # The ending is the view of who did not make the last move.
        brought, other = reward(s, win, draw, loss), reward(s, loss, draw, win)
        for ply in range(plies - 1, -1, -1):
            p = played[ply]
            if p >= 0:
                visits[p] += 1
                q[p] += (brought - q[p]) / visits[p]
                brought *= gamma
            brought, other = other, brought
        games, updates = games + 1, updates + moves
    return games, updates
