"""Sarsa(lambda): each TD error updates all earlier moves of the game, the last one most.

Source: Sutton & Barto (2018), section 12.7, eq. 12.5 to 12.7, here for action
values in a table; the first edition (1998), section 7.5, has the table with accumulating traces.
Rummery & Niranjan (1994), "On-line Q-learning using connectionist systems".
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import SarsaLambda
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.pairs import Rewards, get_rewards
from training.learners.phases import NextCheckpoint, Progress, draw_reply
from training.learners.q_learning import choose_start, learn_pairs


class LoopParameters(NamedTuple):
    """The parameters of a recipe as numbers, for the compiled loop."""

    alpha: float
    gamma: float
    trace_decay: float  # the product of gamma and lambda
    epsilon: float
    epsilon_drop: float
    rewards: Rewards


def learn(
    game: Game, recipe: SarsaLambda, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games from the starts of the recipe, moving epsilon-greedily.

    After the opponent's reply and the choice of the next move a', the error of the last move is
    delta = r + gamma Q(s', a') - Q(s, a), and alpha z delta is added to the value of every move of
    this game so far.  The trace z is 1 for the last move and is multiplied by gamma lambda for
    each move before it.  No position comes twice in a game, so accumulating and replacing traces
    are the same.  If both sides learn, each side has traces of its own moves only.
    """
    parameters = LoopParameters(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        trace_decay=recipe.gamma * recipe.lambda_,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
    )
    played = np.empty((2, game.cells), np.int32)
    return learn_pairs(game, recipe, next_checkpoint, _play_games, parameters, played)


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
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
    # When a side chooses its next move, the TD error of its last move is known, and `_update_game`
    # updates all of the side's moves in this game so far.  Traces need no array: going backward
    # through the moves, the trace is multiplied by `trace_decay` at each step.
    alpha, gamma, trace_decay, epsilon, epsilon_drop, rewards = parameters
    moves = np.empty(2, np.int32)  # number of pairs in each row of `played`
    while games < phase_end and updates < max_updates:
        exploration = pairs.decay_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        s, mover = choose_start(starts, games, rng_state)
        moves[:] = 0
        while s >= 0:
            if mover == 0 or replies.learns_both_sides:
                p = pairs.choose_epsilon_greedy(
                    row_start, q, s, exploration, False, rng_state
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
        # Update the last move of each side.  `s` is the ending in the view of the side to move, and
        # `flip_ending(s)` in the view of the side that made the last move.
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
    """Update the values of the pairs in `played[:moves]` by the TD error of the last pair.

    `target` is the target of the last pair.  Return the number of updates, 0 if there is no pair.
    """
    if moves == 0:
        return 0
    error = target - q[played[moves - 1]]
    trace, updates = 1.0, 0
    # From the last move back to the first: the trace of each move is a factor smaller.
    for move in range(moves - 1, -1, -1):
        if trace == 0:
            break
        p = played[move]
        q[p] += alpha * error * trace
        visits[p] += 1
        updates += 1
        trace *= trace_decay
    return updates
