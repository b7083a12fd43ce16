"""Temporal-difference learning of afterstates: the example with which Sutton & Barto begin.

Source: Sutton & Barto (2018), section 1.5, "An extended example: tic-tac-toe", and its exercises
1.1 to 1.5; section 6.8 for the word afterstate.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import TdAfterstates
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import Classes, afterstate_classes, class_progress, refresh
from training.learners.pairs import Indices, Values, Visits
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases
from training.learners.randomness import stream, uniform


class Memory(NamedTuple):
    """What is known of K boards, or classes of them, in the view of the player who made them."""

    values: Values  # [K]
    visits: Visits  # [K]
    q: Values  # [P] scratch: values, up to date only where a game has just been


def learn(game: Game, recipe: TdAfterstates, next_stop: NextStop) -> Iterator[Progress]:
    """Play whole games, in the seats of the recipe in turn, learning while they are played.

    Each move is the one that makes the board worth most, V(z), or with chance epsilon any.  After
    a move the board that the move before it made goes alpha of the way to the board made now:
    V(z) <- V(z) + alpha (V(z') - V(z)).  A random move teaches nothing, unless the recipe says so.
    Where the opponent ends the game the last board goes there to what that is worth.
    What a board is worth that ends the game is known from the rules and never learned.
    Where both sides learn, each does so from the boards that it makes itself.
    Alpha falls as epsilon does, by tenths of the games.
    """
    first, after = pairs.legal_pairs(game)
    classes = afterstate_classes(game, recipe.symmetric)
    known = Memory(
        values=_at_first(recipe, classes, after),
        visits=np.zeros(classes.number, np.uint32),
        q=np.zeros(game.pairs),
    )
    rates = (recipe.alpha, recipe.alpha_drop, recipe.epsilon, recipe.epsilon_drop)
    from_all = recipe.learn_from == "all"  # random moves teach as well
    rules = (*rates, recipe.loss, recipe.draw, recipe.win, from_all, pairs.seats_in_turn(recipe))
    return over_phases(
        opponents(game, recipe),
        next_stop,
        partial(_play, stream(recipe.seed), rules, first, pairs.answered(after), classes.of, known),
        lambda *counts: class_progress(game, classes, counts, known.values, known.visits),
    )


def _at_first(recipe: TdAfterstates, classes: Classes, after: Indices) -> Values:
    """Return what the boards are worth before anything is learned, [K]."""
    values = np.full(classes.number, recipe.initial)
    for ending, worth in (
        (pairs.LOST, recipe.loss),
        (pairs.DRAWN, recipe.draw),
        (pairs.WON, recipe.win),
    ):
        values[classes.of[after == ending]] = worth
    return values


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rules, first, after, of, known, replies, begin, last, stop, games, updates
):
    alpha, alpha_drop, epsilon, epsilon_drop, loss, draw, win, from_all, seats = rules
    values, visits, q = known
    made = np.empty(2, np.int32)  # by the learner and its opponent: the class of the last board
    while games < last and updates < stop:
        turn = (games - begin) // len(seats) * len(seats)  # both seats learn and explore alike
        step_size = pairs.lowered(alpha, alpha_drop, turn, last - begin)
        explore = pairs.lowered(epsilon, epsilon_drop, turn, last - begin)
        s, mover = 0, seats[(games - begin) % len(seats)]
        made[:] = -1
        while s >= 0:
            refresh(first, of, values, q, s)
            before = made[mover]
            if mover == 0 or replies.both:
                at_random = uniform(stream) < explore
                p = pairs.epsilon_greedy(first, q, s, 1.0 if at_random else 0.0, False, stream)
                if before >= 0 and (from_all or not at_random):
                    values[before] += step_size * (values[of[p]] - values[before])
                    visits[before] += 1
                    updates += 1
                made[mover], s = of[p], after[p]
            else:
                s = answer(replies, q, s, False, stream)
            mover = 1 - mover
        before = made[mover]  # by who did not end the game, in whose view it ended
        if before >= 0:
            values[before] += step_size * (pairs.reward(s, loss, draw, win) - values[before])
            visits[before] += 1
            updates += 1
        games += 1
    return games, updates
