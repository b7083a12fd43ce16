"""The legal state-action pairs as flat arrays, which compiled learners read and write.

The pairs of state `s` are `first_pair[s]:first_pair[s + 1]`, with their cells in reading order.
Illegal moves have no pair, so loops need no test for them, and the maximum of a state's values is
the maximum of a slice.

A `state` is the index of one of D non-terminal states, a `pair` the index of one of P pairs.
`next_state[pair]` is the state after the move. If the move ends the game, it is LOST, DRAWN or WON,
which are negative.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import (
    SEAT_LETTERS,
    Menace,
    MonteCarlo,
    QIteration,
    QTable,
    SelfPlay,
    TdAfterstates,
    TdControl,
)
from app.tictactoe.game import Game
from training.learners.randomness import draw_uniform

# [P] the value of each pair
Values = NDArray[np.float64]
# [P] how often each pair was updated
Visits = NDArray[np.uint32]
Indices = NDArray[np.int32]
# For signed indices numba tests whether they are negative, which makes a training 4% slower.
RangeStarts = NDArray[np.uint32]

# The endings of a game, in place of a next state. Their order makes `ending - DRAWN` -1, 0 or 1.
LOST, DRAWN, WON = -3, -2, -1


class Pairs(NamedTuple):
    """The P legal state-action pairs of a game: the moves of both players."""

    # [D + 1] the pairs of state s are first_pair[s]:first_pair[s + 1]
    first_pair: RangeStarts
    # [P] the state after the move, or the ending in the view of the mover
    next_state: Indices


class Rewards(NamedTuple):
    """The rewards at the end of a game; every earlier move has reward 0."""

    loss: float
    draw: float
    win: float


@lru_cache(maxsize=2)
def list_legal_pairs(game: Game) -> Pairs:
    """Return the legal state-action pairs; the arrays are made once in each process."""
    next_state = game.pair_successor.copy()
    over = next_state >= game.decisions
    mover = game.to_move[game.pair_decision[over]]
    outcome = game.outcome[next_state[over] - game.decisions]
    next_state[over] = DRAWN + mover * outcome
    return Pairs(game.first_pair.astype(np.uint32), next_state)


def make_table(game: Game, initial: float) -> tuple[Values, Visits]:
    return np.full(game.pairs, initial), np.zeros(game.pairs, np.uint32)


def flip_endings(next_state: Indices) -> Indices:
    """Return `next_state`, [P], with every ending in the other player's view."""
    return np.where(next_state < 0, LOST + WON - next_state, next_state)


def get_rewards(
    recipe: TdControl
    | QTable
    | SelfPlay
    | MonteCarlo
    | QIteration
    | TdAfterstates
    | Menace,
) -> Rewards:
    return Rewards(float(recipe.loss), float(recipe.draw), float(recipe.win))


def list_seats(recipe: QTable | TdAfterstates | Menace) -> Indices:
    """Return the seats that the learner takes in turn, [1] or [2]: 0 for X, 1 for O."""
    return np.array(["xo".index(seat) for seat in SEAT_LETTERS[recipe.seat]], np.int32)


@njit(cache=True)
def get_reward(ending, rewards):  # type: ignore[no-untyped-def]
    return (
        rewards.win
        if ending == WON
        else rewards.draw
        if ending == DRAWN
        else rewards.loss
    )


@njit(cache=True)
def flip_ending(ending):  # type: ignore[no-untyped-def]
    return LOST + WON - ending


@njit(cache=True)
def compute_greedy_target(first_pair, q, state, gamma, rewards):  # type: ignore[no-untyped-def]
    """Return gamma max Q(state, .), or the reward if `state` is an ending; `q` is [P]."""
    if state < 0:
        return get_reward(state, rewards)
    highest = q[first_pair[state]]
    for pair in range(first_pair[state] + 1, first_pair[state + 1]):
        highest = q[pair] if q[pair] > highest else highest
    return gamma * highest


@njit(cache=True)
def compute_expected_value(first_pair, q, state, epsilon):  # type: ignore[no-untyped-def]
    """Return the mean value of an epsilon-greedy move in `state`; `q` is [P]."""
    start = first_pair[state]
    end = first_pair[state + 1]
    highest = q[start]
    total = q[start]
    for pair in range(start + 1, end):
        highest = max(highest, q[pair])
        total += q[pair]
    return (1 - epsilon) * highest + epsilon * total / (end - start)


# numba inlines it, because a call would copy seven fields for each array.
@njit(cache=True, inline="always")
def choose_epsilon_greedy(  # type: ignore[no-untyped-def]
    first_pair, q, state, epsilon, plays_first_best, rng_state
):
    """Return the index of a move in `state`: random with probability epsilon, otherwise greedy.

    `q` is [P]. If several moves have the highest value, the first one is played if
    `plays_first_best`, otherwise each with equal probability.
    """
    start = first_pair[state]
    end = first_pair[state + 1]
    # One random number u is enough: among all u < epsilon, u / epsilon is uniform in [0, 1) again.
    # Such a quotient can round up to 1, so `min` is needed below.
    u = draw_uniform(rng_state)
    if u < epsilon:
        moves = end - start
        return start + min(int(u / epsilon * moves), moves - 1)
    # `best` is the first pair with the highest value, and `ties` the number of such pairs. Without
    # branches, which the processor would often predict wrong, the loop is twice as fast.
    highest = q[start]
    best = start
    ties = 1
    for pair in range(start + 1, end):
        higher = q[pair] > highest
        ties = 1 if higher else ties + (q[pair] == highest)
        best = pair if higher else best
        highest = q[pair] if higher else highest
    if ties > 1 and not plays_first_best:
        share = (u - epsilon) / (1 - epsilon)
        skipped = min(int(share * ties), ties - 1)
        while skipped > 0:
            best += 1
            skipped -= q[best] == highest
    return best


@njit(cache=True)
def decay_rate(rate, drop, turns, phase_length):  # type: ignore[no-untyped-def]
    """Return a step size or an exploration rate after `turns` turns of a phase.

    It begins as `rate` and decreases by `drop` after each tenth of the phase, but not below 0.
    """
    # The division below takes as long as a move, so it is avoided if the rate stays the same.
    if drop == 0:
        return rate
    return max(0.0, rate - drop * (10 * turns // phase_length))
