"""Monte Carlo control: the value of a move is the mean return of the games in which it was played.

Source: Sutton & Barto (2018), sections 5.3, "Monte Carlo control", for exploring starts, and 5.4
for control without them, by epsilon-greedy moves; section 2.4 for incremental averages.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import MonteCarlo
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.pairs import Rewards, get_rewards
from training.learners.phases import NextCheckpoint, Progress, draw_reply
from training.learners.q_learning import choose_start, learn_pairs


class LoopParameters(NamedTuple):
    """The recipe's parameters as numbers, because compiled code cannot read the recipe."""

    gamma: float
    epsilon: float
    epsilon_drop: float
    exploring_starts: bool
    rewards: Rewards


def learn(
    game: Game, recipe: MonteCarlo, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games to their end, then update the learner's moves, the last one first.

    The return of the last move is its reward. The return of an earlier move is gamma times the
    return of the learner's next move. The value of a move is the average of its returns: the n-th
    return moves the value by 1 / n of the difference. No position comes twice in a game, so
    first-visit and every-visit Monte Carlo are the same. Moves are epsilon-greedy; with exploring
    starts the first move of each game is random. If both players learn, the moves of both are
    updated.
    """
    parameters = LoopParameters(
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        exploring_starts=recipe.exploring_starts,
        rewards=get_rewards(recipe),
    )
    return learn_pairs(
        game, recipe, next_checkpoint, _play_games, parameters, game.cells
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
    cells,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    gamma, epsilon, epsilon_drop, exploring_starts, rewards = parameters
    # the pair that the learner played at each ply, -1 at the opponent's plies
    played = np.empty(cells, np.int32)
    while games < phase_end and updates < max_updates:
        exploration = pairs.decay_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        state, mover = choose_start(starts, games, rng_state)
        # the number of moves in this game, and how many of them are the learner's
        plies, moves = (0, 0)
        while state >= 0:
            if mover == 0 or replies.learns_both_sides:
                chance = 1.0 if exploring_starts and moves == 0 else exploration
                pair = pairs.choose_epsilon_greedy(
                    first_pair, q, state, chance, False, rng_state
                )
                played[plies] = pair
                state = next_state[pair]
                moves += 1
            else:
                played[plies] = -1
                state = draw_reply(replies, q, state, False, rng_state)
            plies += 1
            mover = 1 - mover
        # `state` is now an ending, in the view of the player who did not make the last move. The players
        # take turns, so their returns change places at every ply.
        own_return = pairs.get_reward(pairs.flip_ending(state), rewards)
        other_return = pairs.get_reward(state, rewards)
        for ply in range(plies - 1, -1, -1):
            pair = played[ply]
            if pair >= 0:
                visits[pair] += 1
                q[pair] += (own_return - q[pair]) / visits[pair]
                own_return *= gamma
            own_return, other_return = other_return, own_return
        games += 1
        updates += moves
    return games, updates
