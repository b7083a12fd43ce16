"""Q-learning, Sarsa and expected Sarsa: one update after each reply of the opponent.

They differ in one term, the value of the next state.

Source: Watkins (1989), "Learning from delayed rewards"; Rummery & Niranjan (1994), "On-line
Q-learning using connectionist systems", for Sarsa; van Seijen et al. (2009), "A theoretical and
empirical analysis of expected Sarsa".  Sutton & Barto (2018), eq. 6.8, 6.7 and 6.9, and section 5.3
for games that begin anywhere.
"""

from collections.abc import Iterator
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import MonteCarlo, TdControl
from app.tictactoe.game import Game, O, X
from training.learners import pairs
from training.learners.pairs import Indices, Rewards, get_rewards
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    make_pair_reporter,
    run_phases,
)
from training.learners.randomness import draw_uniform, make_rng_state

MAXIMUM, CHOSEN, EXPECTED = range(3)  # the value of the next state
NEXT_VALUES = MappingProxyType(
    {"q-learning": MAXIMUM, "sarsa": CHOSEN, "expected-sarsa": EXPECTED}
)


class Rules(NamedTuple):
    """The parameters of a training."""

    alpha: float
    gamma: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    next_value: int  # MAXIMUM, CHOSEN or EXPECTED


class Starts(NamedTuple):
    """The states in which games begin."""

    states: Indices  # [n] a state s in which the learner moves first, or ~s for the opponent
    random: bool  # whether they are drawn, or come in turn


def learn(
    game: Game, recipe: TdControl, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games from the starts of the recipe, moving epsilon-greedily.

    After the opponent's reply Q(s, a) moves by alpha of the way to r + gamma max Q(s', .).  Sarsa
    takes Q(s', a') of the move that it is about to play instead, and expected Sarsa its mean:
    epsilon times the mean of Q(s', .), plus 1 - epsilon times the maximum.
    If both sides learn, each replies to the other from the same table and explores alike.
    """
    row_start, next_state = pairs.list_legal_pairs(game)
    # An update comes after the opponent's reply, so every ending is in the view of who is to move.
    next_state = pairs.flip_endings(next_state)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rules = Rules(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        next_value=NEXT_VALUES[recipe.slug],
    )
    state = make_rng_state(recipe.seed)
    play = partial(
        _play_games,
        state,
        rules,
        list_starts(game, recipe),
        row_start,
        next_state,
        q,
        visits,
    )
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        play,
        make_pair_reporter(game, q, visits),
    )


def list_starts(game: Game, recipe: TdControl | MonteCarlo) -> Starts:
    """Return the states in which the games of a recipe begin."""
    if recipe.start == "empty":
        empty_board = {"both": [0, ~0], "x": [0], "o": [~0]}[recipe.seat]
        return Starts(np.array(empty_board, np.int32), random=False)
    # "random" draws one of the learner's states, "every" takes them in turn.
    seats = {"both": (X, O), "x": (X,), "o": (O,)}[recipe.seat]
    states = np.flatnonzero(np.isin(game.to_move, seats)).astype(np.int32)
    return Starts(states, random=recipe.start == "random")


@njit(cache=True, inline="always")
def choose_start(starts, games, rng_state):  # type: ignore[no-untyped-def]
    """Return the first state of a game and its mover: 0 for the learner, 1 for the opponent."""
    count = len(starts.states)
    number = int(draw_uniform(rng_state) * count) if starts.random else games % count
    start = starts.states[number]
    return (~start, 1) if start < 0 else (start, 0)


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    rules,
    starts,
    row_start,
    next_state,
    q,
    visits,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    """Play games and update q [P] and visits [P]; `run_phases` explains the counts."""
    alpha, gamma, epsilon, epsilon_drop, rewards, next_value = rules
    # The last pair of the learner and of its opponent, -1 before the first: what comes next in the
    # game updates it.
    last_pair = np.empty(2, np.int32)
    while games < phase_end and updates < max_updates:
        explore = pairs.lower_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        s, mover = choose_start(starts, games, rng_state)
        last_pair[:] = -1
        while s >= 0:
            if mover == 0 or replies.both:
                # The move is chosen before the update, which Sarsa needs.  The update changes no
                # value of this state, so the order makes no difference to the others.
                p = pairs.choose_epsilon_greedy(
                    row_start, q, s, explore, False, rng_state
                )
                previous = last_pair[mover]
                if previous >= 0:
                    if next_value == MAXIMUM:
                        target = pairs.compute_greedy_target(
                            row_start, q, s, gamma, rewards
                        )
                    elif next_value == CHOSEN:
                        target = gamma * q[p]
                    else:
                        target = gamma * pairs.compute_expected_value(
                            row_start, q, s, explore
                        )
                    q[previous] += alpha * (target - q[previous])
                    visits[previous] += 1
                    updates += 1
                last_pair[mover] = p
                s = next_state[p]
            else:
                s = draw_reply(replies, q, s, False, rng_state)
            mover = 1 - mover
        # The last move of each side; at first the ending is in the view of the side to move.
        for ending in (s, pairs.flip_ending(s)):
            p = last_pair[mover]
            if p >= 0:
                q[p] += alpha * (pairs.get_reward(ending, rewards) - q[p])
                visits[p] += 1
                updates += 1
            mover = 1 - mover
        games += 1
    return games, updates
