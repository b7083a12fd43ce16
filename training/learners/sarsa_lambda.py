"""Sarsa(lambda): each TD error moves the values of all moves of the game, the last one most.

Source: Sutton & Barto (2018), section 12.7, for a table: eq. 12.5 to 12.7 with the values of
actions; the first edition (1998), section 7.5, has this table with accumulating traces.
Rummery & Niranjan (1994), "On-line Q-learning using connectionist systems".
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import SarsaLambda
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.pairs import Rewards, get_rewards
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    make_pair_reporter,
    run_phases,
)
from training.learners.q_learning import choose_start, list_starts
from training.learners.randomness import make_rng_state


class Rules(NamedTuple):
    """The parameters of a training."""

    alpha: float
    gamma: float
    trace_decay: float  # gamma lambda
    epsilon: float
    epsilon_drop: float
    rewards: Rewards


def learn(
    game: Game, recipe: SarsaLambda, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games from the starts of the recipe, moving epsilon-greedily.

    After the opponent's reply and the choice of the next move a', the error of the last move is
    delta = r + gamma Q(s', a') - Q(s, a), and every move of this game goes alpha z delta.  The
    trace z is 1 for the last move and gamma lambda times as large for each move before it.  No
    position comes twice in a game, so accumulating traces are replacing ones.
    If both sides learn, each has the traces of its own moves.
    """
    row_start, next_state = pairs.list_legal_pairs(game)
    # An update comes after the opponent's reply, so every ending is in the view of who is to move.
    next_state = pairs.flip_endings(next_state)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    rules = Rules(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        trace_decay=recipe.gamma * recipe.lambda_,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
    )
    played = np.empty((2, game.cells), np.int32)
    play = partial(
        _play,
        make_rng_state(recipe.seed),
        rules,
        list_starts(game, recipe),
        row_start,
        next_state,
        q,
        visits,
        played,
    )
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        play,
        make_pair_reporter(game, q, visits),
    )


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    rng_state,
    rules,
    starts,
    row_start,
    next_state,
    q,
    visits,
    played,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    """Play games and update q [P] and visits [P]; `run_phases` explains the counts.

    `played` [2, cells] holds the pairs of the learner and of its opponent in this game.
    """
    alpha, gamma, trace_decay, epsilon, epsilon_drop, rewards = rules
    moves = np.empty(2, np.int32)  # number of pairs in each row of `played`
    while games < phase_end and updates < max_updates:
        explore = pairs.lower_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        s, mover = choose_start(starts, games, rng_state)
        moves[:] = 0
        while s >= 0:
            if mover == 0 or replies.both:
                p = pairs.choose_epsilon_greedy(
                    row_start, q, s, explore, False, rng_state
                )
                updates += _update_game(
                    q,
                    visits,
                    played[mover],
                    moves[mover],
                    gamma * q[p],
                    alpha,
                    trace_decay,
                )
                played[mover, moves[mover]] = p
                moves[mover] += 1
                s = next_state[p]
            else:
                s = draw_reply(replies, q, s, False, rng_state)
            mover = 1 - mover
        # The last move of each side; at first the ending is in the view of the side to move.
        for ending in (s, pairs.flip_ending(s)):
            updates += _update_game(
                q,
                visits,
                played[mover],
                moves[mover],
                pairs.get_reward(ending, rewards),
                alpha,
                trace_decay,
            )
            mover = 1 - mover
        games += 1
    return games, updates


@njit(cache=True)
def _update_game(q, visits, played, moves, target, alpha, trace_decay):  # type: ignore[no-untyped-def]
    """Move the values of the pairs in `played[:moves]` by the error of the last one.

    Return the number of updates: 0 without a pair.
    """
    if moves == 0:
        return 0
    error = target - q[played[moves - 1]]
    trace, updates = 1.0, 0
    for move in range(moves - 1, -1, -1):
        if trace == 0:
            break
        p = played[move]
        q[p] += alpha * error * trace
        visits[p] += 1
        updates += 1
        trace *= trace_decay
    return updates
