"""The legal state-action pairs as flat arrays, which compiled learners read and write.

The pairs of state `s` are `row_start[s]:row_start[s + 1]`, their cells in reading order.
Illegal moves have no pair: no loop tests for them, and the maximum of a state's values is
the maximum of a slice.

All learners use these letters: `s` is one of D non-terminal states, `p` one of P pairs.
`next_state[p]` is negative if the move ends the game: LOST, DRAWN or WON.
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

Values = NDArray[np.float64]  # [P] a number for every pair
Visits = NDArray[np.uint32]
Indices = NDArray[np.int32]
# Unsigned, for numba checks whether a signed index is negative: Q-learning is 1.04 times as fast.
RowStarts = NDArray[np.uint32]

# In place of the next state, where the game is over.  A result is `ending - DRAWN`, from -1 to 1.
LOST, DRAWN, WON = -3, -2, -1


class Pairs(NamedTuple):
    """The P legal pairs of a game, of both players: each state has one player to move."""

    # [D + 1] the pairs of state s are row_start[s]:row_start[s + 1]
    row_start: RowStarts
    # [P] the state after the move, or the ending in the view of the mover
    next_state: Indices


class Rewards(NamedTuple):
    """The rewards of the endings; all other moves have reward 0."""

    loss: float
    draw: float
    win: float


@lru_cache(maxsize=2)
def list_legal_pairs(game: Game) -> Pairs:
    """Return the pairs of a game, in read-only arrays that all learners of a process share."""
    next_state = game.pair_after.copy()
    over = next_state >= game.decisions
    mover = game.to_move[game.pair_from[over]]
    next_state[over] = DRAWN + mover * game.outcome[next_state[over] - game.decisions]
    return Pairs(game.pair_start.astype(np.uint32), next_state)


def flip_endings(next_state: Indices) -> Indices:
    """Return next states [P] with every ending in the view of the other player."""
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
    """Return the rewards of a recipe."""
    return Rewards(float(recipe.loss), float(recipe.draw), float(recipe.win))


def list_seats(recipe: QTable | TdAfterstates | Menace) -> Indices:
    """Return the learner's seats, game by game, [n]: 0 as X, 1 as O."""
    return np.array(["xo".index(seat) for seat in SEAT_LETTERS[recipe.seat]], np.int32)


@njit(cache=True)
def get_reward(ending, rewards):  # type: ignore[no-untyped-def]
    """Return the reward of an ending: LOST, DRAWN or WON."""
    return (
        rewards.win
        if ending == WON
        else rewards.draw
        if ending == DRAWN
        else rewards.loss
    )


@njit(cache=True)
def flip_ending(ending):  # type: ignore[no-untyped-def]
    """Return an ending in the view of the other player: LOST becomes WON and WON becomes LOST."""
    return LOST + WON - ending


@njit(cache=True)
def compute_greedy_target(row_start, q, s, gamma, rewards):  # type: ignore[no-untyped-def]
    """Return the target r + gamma max Q(s, .) of the move that led to `s`; q is [P].

    If `s` is an ending, the target is its reward.
    """
    if s < 0:
        return get_reward(s, rewards)
    highest = q[row_start[s]]
    for p in range(row_start[s] + 1, row_start[s + 1]):
        highest = q[p] if q[p] > highest else highest
    return gamma * highest


@njit(cache=True)
def compute_expected_value(row_start, q, s, epsilon):  # type: ignore[no-untyped-def]
    """Return the mean of q [P] in state `s` over the moves of an epsilon-greedy policy."""
    start, end = row_start[s], row_start[s + 1]
    highest, total = q[start], q[start]
    for p in range(start + 1, end):
        highest, total = max(highest, q[p]), total + q[p]
    return (1 - epsilon) * highest + epsilon * total / (end - start)


# Numba inlines it, because LLVM does not, and a call copies the seven fields of each array.
@njit(cache=True, inline="always")
def choose_epsilon_greedy(row_start, q, s, epsilon, first_best, rng_state):  # type: ignore[no-untyped-def]
    """Return a pair of state `s`: with chance epsilon a random pair, else a pair with the highest q.

    `q` is [P]. Ties: the first of the best pairs if `first_best`, else each with equal
    chance.
    """
    start, end = row_start[s], row_start[s + 1]
    # One random number decides everything.  Given that it is below epsilon, u / epsilon is uniform
    # in [0, 1) again and picks the random move; given that it is not, (u - epsilon) / (1 - epsilon)
    # is, and picks among ties.  `min` guards against a quotient that rounds up to 1.
    u = draw_uniform(rng_state)
    if u < epsilon:
        return start + min(int(u / epsilon * (end - start)), end - start - 1)
    # `best` is the first pair with the highest value, `ties` counts the pairs that have it.
    # Without branches, which the processor would guess wrong, this scan is twice as fast.
    highest, best, ties = q[start], start, 1
    for p in range(start + 1, end):
        higher = q[p] > highest
        ties = 1 if higher else ties + (q[p] == highest)
        best = p if higher else best
        highest = q[p] if higher else highest
    if ties > 1 and not first_best:
        skipped = min(int((u - epsilon) / (1 - epsilon) * ties), ties - 1)
        while skipped > 0:
            best += 1
            skipped -= q[best] == highest
    return best


@njit(cache=True)
def lower_rate(rate, drop, turns, length):  # type: ignore[no-untyped-def]
    """Return a rate after `turns` of `length` turns; it falls by `drop` after every tenth."""
    if drop == 0:  # the division below takes as long as a move
        return rate
    return max(0.0, rate - drop * (10 * turns // length))
