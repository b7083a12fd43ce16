"""Self-play that keeps what a move is worth at least and at most, and plays what it has not seen.

Source: ours, of known parts: lower and upper estimates of action values and the moment when they
prove a policy are those of Even-Dar, Mannor & Mansour (2006), "Action elimination and stopping
conditions"; going back over everything met after each game is planning as in Sutton (1990),
"Integrated architectures for learning, planning, and reacting", sweeping the last plies first.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import Champion
from app.tictactoe.game import Game
from training.learners.classes import afterstate_classes, class_progress, refresh
from training.learners.pairs import DRAWN, Indices, Values, Visits, epsilon_greedy, legal_pairs
from training.learners.phases import NextStop, Progress, over_phases
from training.learners.randomness import stream

BEST = 1e6  # being worth 1 more counts more than any number of visits


class Known(NamedTuple):
    """What is known of K classes of afterstates, in the view of the player who made them."""

    decision: Indices  # [K] one of the class, which stands for it; -1 if it is finished
    lower: Values  # [K] what it is worth at least: -1, 0, 1
    upper: Values  # [K] and at most
    unseen: NDArray[np.bool_]  # [K] whether it, or something that follows, was never played
    appeal: Values  # [K] the move with the highest is played
    visits: Visits  # [K] how many games went through it
    q: Values  # [P] scratch: appeal, up to date only where a game has just been


def learn(game: Game, recipe: Champion, next_stop: NextStop) -> Iterator[Progress]:
    """Play against itself until every afterstate was seen, or the recipe's games are over.

    The rules tell it which moves are legal, what each makes, and a game's result when it is over:
    1 for a win, 0 for a draw, -1 for a loss.  At first everything is worth between -1 and 1.
    Both sides play, where something is still unseen, the move that is worth most at best, of those
    the least visited, of those a random one.  After each game every afterstate met so far is
    valued by its answers, the last plies first and with step size 1: it is worth at least minus
    what the best answer is worth at most, and the other way round.

    It shows q = lower + (upper - lower) / 4, by which the safe move comes first: greedy play is
    unbeatable once what is known proves it.  In the end both are equal to the minimax value.
    An update is a move of a game.
    """
    first, after = legal_pairs(game)
    classes = afterstate_classes(game)
    known = _nothing_known(game, classes.number)

    def show(done: float, games: int, updates: int) -> Progress:
        values = known.lower + (known.upper - known.lower) / 4
        return class_progress(game, classes, (done, games, updates), values, known.visits)

    play = partial(_play, stream(recipe.seed), first, after, classes.of, known)
    return over_phases([(None, recipe.games)], next_stop, play, show)


def _nothing_known(game: Game, classes: int) -> Known:
    standing = np.unique(game.symmetry_class)
    return Known(
        decision=np.where(standing < game.decisions, standing, -1).astype(np.int32),
        lower=np.full(classes, -1.0),
        upper=np.full(classes, 1.0),
        unseen=np.ones(classes, np.bool_),
        appeal=np.full(classes, BEST),
        visits=np.zeros(classes, np.uint32),
        q=np.zeros(game.pairs),
    )


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, first, after, of, known, opponent, begin, last, stop, games, updates
):
    decision, lower, upper, unseen, appeal, visits, q = known
    while games < last and updates < stop and unseen[0]:
        result, c, moves = _played(stream, first, after, of, appeal, visits, q)
        lower[c] = upper[c] = result
        unseen[c], appeal[c] = False, -np.inf
        for c in range(len(decision) - 1, -1, -1):
            if decision[c] >= 0 and visits[c] > 0:
                _revise(first, of, decision[c], lower, upper, unseen, c)
                appeal[c] = BEST * upper[c] - visits[c] if unseen[c] else -np.inf
        games, updates = games + 1, updates + moves
    return games, updates


@njit(cache=True)
def _played(stream, first, after, of, appeal, visits, q):  # type: ignore[no-untyped-def]
    """Play a game and return its result for who made its last move, what they made, and when."""
    s, c, moves = 0, 0, 0
    visits[c] += 1
    while s >= 0:
        refresh(first, of, appeal, q, s)
        p = epsilon_greedy(first, q, s, 0.0, False, stream)
        s, c, moves = after[p], of[p], moves + 1
        visits[c] += 1
    return float(s - DRAWN), c, moves


@njit(cache=True)
def _revise(first, of, s, lower, upper, unseen, c):  # type: ignore[no-untyped-def]
    """Value class `c`, which decision `s` stands for, by the answers to it."""
    least, most, something = -1.0, -1.0, False
    for p in range(first[s], first[s + 1]):
        answer = of[p]
        least, most = max(least, lower[answer]), max(most, upper[answer])
        something |= unseen[answer]
    lower[c], upper[c], unseen[c] = -most, -least, something
