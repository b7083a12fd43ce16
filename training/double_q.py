"""Double Q-learning that goes back over each finished game.

Source: van Hasselt (2010), "Double Q-learning", algorithm 1; backward replay as in `q_table`.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numba import njit

from app.tictactoe.game import Game
from training.afterstates import MADE, afterstates
from training.both_seats import (
    MET,
    PLAYED,
    Rules,
    checked,
    in_both_seats,
    lowered,
    memory,
    play_game,
)
from training.environment import NextStop, Progress
from training.pairs import Indices, Values


def double_q(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
    epsilon_drop: float,
    loss: float,
    draw: float,
    win: float,
) -> Iterator[Progress]:
    """Learn as `q_table` does, with two tables, and move by the average of both.

    For an earlier move a coin picks the table that learns; its best next move, the first among
    equals, is valued by the other.  The last move teaches both the reward.
    Raises ValueError if an opponent is unknown or a rule makes no sense.
    """
    states = afterstates(game)
    known = memory(states)
    two = np.zeros((len(known.values), 2))
    rules = checked(Rules(alpha, gamma, epsilon, epsilon_drop, loss, draw, win))
    play = partial(_play, rng, rules, states.pairs.first, states.leads, two, known)
    return in_both_seats(game, states, known, next_stop, opponents, play)


@njit(cache=True)
def _play(rng, rules, first, leads, two, known, replies, length, stop, played, updates):  # type: ignore[no-untyped-def]
    values, visits, q, trail = known
    reply_first, reply_after = replies
    while played < 2 * length and updates < stop:
        epsilon, seat = lowered(rules, played // 2, length), played % 2
        count, reward = play_game(
            rng, epsilon, rules, first, leads, values, q, trail, reply_first, reply_after, seat
        )
        _learn(
            rng, rules.alpha, rules.gamma, first, leads, two, values, visits, trail, count, reward
        )
        played, updates = played + 1, updates + count
    return played, updates


@njit(cache=True, inline="always")
def _learn(rng, alpha, gamma, first, leads, two, values, visits, trail, count, reward):  # type: ignore[no-untyped-def]
    """Go back over the game just played."""
    for move in range(count - 1, -1, -1):
        c = leads[trail[move, PLAYED], MADE]
        if move == count - 1:
            for table in range(2):
                two[c, table] += alpha * (reward - two[c, table])
        else:
            table = int(2 * rng.random())
            target = gamma * _crossed(first, leads, two, table, trail[move + 1, MET])
            two[c, table] += alpha * (target - two[c, table])
        values[c] = (two[c, 0] + two[c, 1]) / 2
        visits[c] += 1


@njit(cache=True, inline="always")
def _crossed(first: Indices, leads: Indices, two: Values, table: int, s: int) -> float:
    """Return what the other table thinks of the best move in decision `s` by this one."""
    best = leads[first[s], MADE]
    highest = two[best, table]
    for p in range(first[s] + 1, first[s + 1]):
        c = leads[p, MADE]
        higher = two[c, table] > highest
        best = c if higher else best
        highest = two[c, table] if higher else highest
    other: float = two[best, 1 - table]
    return other
