"""Q-learning, Sarsa and expected Sarsa: forward through each game, the opponent being the world.

They differ in one term, what they find in the position after the opponent's answer.

Source: Watkins (1989), "Learning from delayed rewards"; Rummery & Niranjan (1994), "On-line
Q-learning using connectionist systems", for Sarsa; van Seijen et al. (2009), "A theoretical and
empirical analysis of expected Sarsa".  Sutton & Barto (2018), eq. 6.8, 6.7 and 6.9, and section 5.3
for games that begin anywhere.
"""

from collections.abc import Iterator
from functools import partial
from types import MappingProxyType

import numpy as np
from numba import njit

from app.recipes.algorithms import MonteCarlo, QLearning
from app.tictactoe.game import Game, O, X
from training.learners import pairs
from training.learners.pairs import Indices
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases, show_pairs
from training.learners.randomness import stream, uniform

HIGHEST, CHOSEN, EXPECTED = range(3)  # what is found in the next position
FINDS = MappingProxyType({"q-learning": HIGHEST, "sarsa": CHOSEN, "expected-sarsa": EXPECTED})


def learn(game: Game, recipe: QLearning, next_stop: NextStop) -> Iterator[Progress]:
    """Play games from where the recipe says, moving epsilon-greedily.

    After the opponent's answer Q(s, a) moves by alpha of the way to r + gamma max Q(s', .).  Sarsa
    takes Q(s', a') of the move that it is about to play instead, and expected Sarsa what that is on
    average: epsilon times the mean of Q(s', .), and the rest times the maximum.
    Where both sides learn, each answers the other by the same table and as it explores.
    """
    first, after = pairs.legal_pairs(game)
    after = pairs.answered(after)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rates = (recipe.alpha, recipe.gamma, recipe.epsilon, recipe.epsilon_drop)
    rules = (*rates, recipe.loss, recipe.draw, recipe.win, FINDS[recipe.slug])
    begins = starts(game, recipe), recipe.start == "random"
    play = partial(_play, stream(recipe.seed), rules, begins, first, after, (q, visits))
    return over_phases(opponents(game, recipe), next_stop, play, show_pairs(game, q, visits))


def starts(game: Game, recipe: QLearning | MonteCarlo) -> Indices:
    """List the decisions in which games begin; `~s` is one where the opponent is to move."""
    if recipe.start == "empty":
        return np.array({"both": [0, ~0], "x": [0], "o": [~0]}[recipe.seat], np.int32)
    seats = {"both": (X, O), "x": (X,), "o": (O,)}[recipe.seat]
    return np.flatnonzero(np.isin(game.to_move, seats)).astype(np.int32)


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rules, begins, first, after, known, replies, begin, last, stop, games, updates
):
    alpha, gamma, epsilon, drop, loss, draw, win, finds = rules
    (starts, drawn), (q, visits) = begins, known
    played = np.empty(2, np.int32)  # by the learner and its opponent: a pair, not updated yet
    while games < last and updates < stop:
        explore = pairs.lowered(epsilon, drop, games - begin, last - begin)
        s = starts[int(uniform(stream) * len(starts)) if drawn else games % len(starts)]
        mover, s = (1, ~s) if s < 0 else (0, s)
        played[:] = -1
        while s >= 0:
            if mover == 0 or replies.both:
                # The move is chosen first: what is updated is no value of this position.
                p = pairs.epsilon_greedy(first, q, s, explore, False, stream)
                if played[mover] >= 0:
                    if finds == HIGHEST:
                        target = pairs.value(first, q, s, gamma, loss, draw, win)
                    elif finds == CHOSEN:
                        target = gamma * q[p]
                    else:
                        target = gamma * pairs.expected(first, q, s, explore)
                    q[played[mover]] += alpha * (target - q[played[mover]])
                    visits[played[mover]] += 1
                    updates += 1
                played[mover], s = p, after[p]
            else:
                s = answer(replies, q, s, False, stream)
            mover = 1 - mover
        # Each side's last move; the ending is the view of who would be to move.
        for target in (pairs.reward(s, loss, draw, win), pairs.reward(s, win, draw, loss)):
            p = played[mover]
            if p >= 0:
                q[p] += alpha * (target - q[p])
                visits[p] += 1
                updates += 1
            mover = 1 - mover
        games += 1
    return games, updates
