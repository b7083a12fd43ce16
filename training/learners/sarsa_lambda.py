"""Sarsa(lambda): each TD error updates all earlier moves of the game, the latest move most.

Source: Sutton & Barto (2018), section 12.7, eq. 12.5 to 12.7, here for action values in a table;
the first edition (1998), section 7.5, has the table with accumulating traces. Rummery & Niranjan
(1994), "On-line Q-learning using connectionist systems".
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
    alpha: float
    gamma: float
    # the product of gamma and lambda
    trace_decay: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards


def learn(
    game: Game, recipe: SarsaLambda, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games epsilon-greedily, beginning as the recipe says, and learn with eligibility traces.

    After the opponent's reply and the choice of the next move a', the error of the last move is
    delta = r + gamma Q(s', a') - Q(s, a). Then alpha z delta is added to the value of every move of
    this game so far. The trace z is 1 for the last move, and gamma lambda times as large for each
    move before it. No position comes twice in a game, so accumulating and replacing traces are the
    same. If both players learn, each has traces of its own moves only.
    """
    parameters = LoopParameters(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        trace_decay=recipe.gamma * recipe.lambda_,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
    )
    played_pairs = np.empty((2, game.cells), np.int32)
    return learn_pairs(
        game, recipe, next_checkpoint, _play_games, parameters, played_pairs
    )


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
    starts,
    first_pair,
    next_state,
    q,
    visits,
    played_pairs,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    """Play games; row 0 of `played_pairs`, [2, cells], is the learner's, row 1 its opponent's."""
    # Sarsa's target needs the player's next move, so the updates are made when a player moves again, and
    # when the game is over.
    alpha, gamma, trace_decay, epsilon, epsilon_drop, rewards = parameters
    # the number of pairs in each row of `played_pairs`
    pair_counts = np.empty(2, np.int32)
    while games < phase_end and updates < max_updates:
        exploration = pairs.decay_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        state, mover = choose_start(starts, games, rng_state)
        pair_counts[:] = 0
        while state >= 0:
            if mover == 0 or replies.learns_both_sides:
                pair = pairs.choose_epsilon_greedy(
                    first_pair, q, state, exploration, False, rng_state
                )
                updates += _update_game(
                    q,
                    visits,
                    played_pairs[mover],
                    pair_counts[mover],
                    gamma * q[pair],
                    alpha,
                    trace_decay,
                )
                played_pairs[mover, pair_counts[mover]] = pair
                pair_counts[mover] += 1
                state = next_state[pair]
            else:
                state = draw_reply(replies, q, state, False, rng_state)
            mover = 1 - mover
        # `state` is now an ending, in the view of the player who did not make the last move.
        for ending in (state, pairs.flip_ending(state)):
            updates += _update_game(
                q,
                visits,
                played_pairs[mover],
                pair_counts[mover],
                pairs.get_reward(ending, rewards),
                alpha,
                trace_decay,
            )
            mover = 1 - mover
        games += 1
    return games, updates


@njit(cache=True)
def _update_game(  # type: ignore[no-untyped-def]
    q, visits, played_pairs, pair_count, target, alpha, trace_decay
):
    """Add alpha * (TD error of the last move) * trace to the value of each of `pair_count` moves.

    `target` is the target of the last move. Returns the number of updates.
    """
    if pair_count == 0:
        return 0
    error = target - q[played_pairs[pair_count - 1]]
    trace, updates = 1.0, 0
    for move in range(pair_count - 1, -1, -1):
        if trace == 0:
            break
        pair = played_pairs[move]
        q[pair] += alpha * error * trace
        visits[pair] += 1
        updates += 1
        trace *= trace_decay
    return updates
