"""Tabular Q-learning that goes back over each finished game.

Source: Watkins (1989), "Learning from delayed rewards"; backward replay of an episode, Lin (1992),
"Self-improving reactive agents based on reinforcement learning, planning and teaching".
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


def q_table(
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
    """Play epsilon-greedily, `opponents` saying how many games in each seat against whom.

    After a game its moves are gone through, last move first.  The value of each moves by `alpha`
    of the way to its target: of the last move the reward, of an earlier one gamma times the
    highest value among the learner's next moves.  Values belong to afterstates up to symmetry.
    Epsilon falls by `epsilon_drop` after every tenth of a seat's games, never below 0.
    Raises ValueError if an opponent is unknown or a rule makes no sense.
    """
    states = afterstates(game)
    known = memory(states)
    rules = checked(Rules(alpha, gamma, epsilon, epsilon_drop, loss, draw, win))
    play = partial(_play, rng, rules, states.pairs.first, states.leads, known)
    return in_both_seats(game, states, known, next_stop, opponents, play)


@njit(cache=True)
def _play(rng, rules, first, leads, known, replies, length, stop, played, updates):  # type: ignore[no-untyped-def]
    values, visits, q, trail = known
    reply_first, reply_after = replies
    while played < 2 * length and updates < stop:
        epsilon, seat = lowered(rules, played // 2, length), played % 2
        count, reward = play_game(
            rng, epsilon, rules, first, leads, values, q, trail, reply_first, reply_after, seat
        )
        _learn(rules.alpha, rules.gamma, first, leads, values, visits, trail, count, reward)
        played, updates = played + 1, updates + count
    return played, updates


@njit(cache=True, inline="always")
def _learn(alpha, gamma, first, leads, values, visits, trail, count, reward):  # type: ignore[no-untyped-def]
    """Go back over the game just played."""
    target = reward
    for move in range(count - 1, -1, -1):
        if move < count - 1:
            target = gamma * _highest(first, leads, values, trail[move + 1, MET])
        c = leads[trail[move, PLAYED], MADE]
        values[c] += alpha * (target - values[c])
        visits[c] += 1


@njit(cache=True)
def _highest(first: Indices, leads: Indices, values: Values, s: int) -> float:
    """Return the value of the best move in decision `s`."""
    highest: float = values[leads[first[s], MADE]]
    for p in range(first[s] + 1, first[s + 1]):
        highest = max(highest, values[leads[p, MADE]])
    return highest
