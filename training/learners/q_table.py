"""Tabular Q-learning that goes back over each finished game, with one table or two.

Source: Watkins (1989), "Learning from delayed rewards"; backward replay of an episode, Lin (1992),
"Self-improving reactive agents based on reinforcement learning, planning and teaching"; two
tables, van Hasselt (2010), "Double Q-learning", algorithm 1, which is `last=coin`.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import DoubleQ, QTable
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import afterstate_classes, class_progress, pair_classes, refresh
from training.learners.pairs import Indices, Values, Visits
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases
from training.learners.randomness import stream, uniform


class Memory(NamedTuple):
    """What is known of the K classes, and two scratch pads."""

    tables: NDArray[np.float64]  # [K, 1 or 2]
    values: Values  # [K] their average, which the learner moves by
    visits: Visits  # [K]
    q: Values  # [P] values, up to date only where a game has just been
    met: Indices  # [cells] the decisions of the last game
    played: Indices  # [cells] the pairs that the learner played there, -1 where it did not move


def learn(game: Game, recipe: QTable, next_stop: NextStop) -> Iterator[Progress]:
    """Play whole games epsilon-greedily, in the seats of the recipe in turn.

    After a game its moves are gone through, last move first.  The value of each moves by alpha of
    the way to its target: of the last move the reward, of an earlier one gamma times the highest
    value among the learner's next moves.  A running sum adds alpha times the target instead.
    Values belong to moves or to what they make, up to symmetry, as the recipe's key says.

    With two tables a coin picks for an earlier move the one that learns; its best next move, the
    first among equals, is valued by the other.  The last move teaches the reward to both, or to the
    one that the coin picks, as the recipe says.
    Where both sides learn, a game is gone through once, with the moves and the result of each.
    """
    first, after = pairs.legal_pairs(game)
    classes = pair_classes(game) if recipe.key == "pair" else afterstate_classes(game)
    tables = 2 if isinstance(recipe, DoubleQ) else 1
    known = Memory(
        tables=np.full((classes.number, tables), recipe.initial),
        values=np.full(classes.number, recipe.initial),
        visits=np.zeros(classes.number, np.uint32),
        q=np.zeros(game.pairs),
        met=np.zeros(game.cells, np.int32),
        played=np.zeros(game.cells, np.int32),
    )
    rates = (recipe.alpha, recipe.gamma, recipe.epsilon, recipe.epsilon_drop)
    kept = float(recipe.update == "average")  # share of the old value that a step takes away
    # Of two tables a coin may also pick the one that a last move teaches.
    coin_to_the_end = isinstance(recipe, DoubleQ) and recipe.last == "coin"
    ways = (kept, recipe.ties == "first", coin_to_the_end, pairs.seats_in_turn(recipe))
    rules = (*rates, recipe.loss, recipe.draw, recipe.win, *ways)
    return over_phases(
        opponents(game, recipe),
        next_stop,
        partial(_play, stream(recipe.seed), rules, first, pairs.answered(after), classes.of, known),
        lambda *counts: class_progress(game, classes, counts, known.values, known.visits),
    )


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rules, first, after, of, known, replies, begin, last, stop, games, updates
):
    alpha, gamma, epsilon, drop, loss, draw, win, kept, first_best, coin_to_the_end, seats = rules
    tables, values, visits, q, met, played = known
    while games < last and updates < stop:
        turn = (games - begin) // len(seats) * len(seats)  # both seats explore alike
        explore = pairs.lowered(epsilon, drop, turn, last - begin)
        s, plies, mover = 0, 0, seats[(games - begin) % len(seats)]
        while s >= 0:
            refresh(first, of, values, q, s)
            met[plies], played[plies] = s, -1
            if mover == 0 or replies.both:
                p = pairs.epsilon_greedy(first, q, s, explore, first_best, stream)
                played[plies], s = p, after[p]
            else:
                s = answer(replies, q, s, first_best, stream)
            plies += 1
            mover = 1 - mover
        for ply in range(plies - 1, -1, -1):
            if played[ply] < 0:
                continue
            c, is_last = of[played[ply]], ply + 2 >= plies  # of its side
            begin_table, end_table = 0, tables.shape[1]  # those that learn
            if end_table == 2 and (coin_to_the_end or not is_last):
                begin_table = int(2 * uniform(stream))
                end_table = begin_table + 1
            if not is_last:
                other = tables.shape[1] - 1 - begin_table
                target = gamma * _best(first, of, tables, begin_table, other, met[ply + 2])
            elif ply + 1 < plies:
                target = pairs.reward(s, loss, draw, win)
            else:  # the ending is the view of who did not make the last move
                target = pairs.reward(s, win, draw, loss)
            for table in range(begin_table, end_table):
                tables[c, table] += alpha * (target - kept * tables[c, table])
            values[c] = tables[c].sum() / tables.shape[1]
            visits[c] += 1
            updates += 1
        games += 1
    return games, updates


@njit(cache=True)
def _best(first, of, tables, table, other, s):  # type: ignore[no-untyped-def]
    """Return what one table thinks of the move in decision `s` that is best by another."""
    best = of[first[s]]
    for p in range(first[s] + 1, first[s + 1]):
        best = of[p] if tables[of[p], table] > tables[best, table] else best
    return tables[best, other]
