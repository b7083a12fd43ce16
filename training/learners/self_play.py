"""Q-learning in self-play with one table for both players.

Source: Watkins (1989), "Learning from delayed rewards", for the update; Littman (1994), "Markov
games as a framework for multi-agent reinforcement learning", for two players with opposite aims.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import SelfPlay
from app.tictactoe.game import Game
from training.learners.pairs import (
    Rewards,
    choose_epsilon_greedy,
    compute_greedy_target,
    decay_rate,
    get_rewards,
    list_legal_pairs,
)
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    make_progress_builder,
    run_phases,
)
from training.learners.randomness import make_rng_state


class LoopParameters(NamedTuple):
    alpha: float
    gamma: float
    epsilon: float
    epsilon_drop: float
    # in X's view: `win` if X wins, `loss` if O wins
    rewards: Rewards


def learn(
    game: Game, recipe: SelfPlay, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play epsilon-greedily for both players, updating after every move.

    In X's view, X maximises and O minimises Q(s, a), which begins as `initial`. After every move
    Q(s, a) moves a step of size alpha towards r + gamma opt Q(s', .). Here s' is the position after
    the move, and opt is the maximum if X is to move there, the minimum if O is. The reward r is
    `win` if X wins, `loss` if O wins, `draw` for a draw, and 0 before the end.

    The table is stored in the view of the player to move: values where O is to move are multiplied
    by -1, so that both players maximise.
    """
    first_pair, next_state = list_legal_pairs(game)
    sign = game.to_move.astype(np.float64)
    q = (recipe.initial * sign)[game.pair_decision]
    visits = np.zeros(game.pairs, np.uint32)
    parameters = LoopParameters(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
    )
    play = partial(
        _play_games,
        make_rng_state(recipe.seed),
        parameters,
        first_pair,
        next_state,
        sign,
        q,
        visits,
    )
    return run_phases(
        [(None, recipe.games)],
        next_checkpoint,
        play,
        make_progress_builder(game, q, visits),
    )


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
    first_pair,
    next_state,
    sign,
    q,
    visits,
    _opponent,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    """Play games and update `q` and `visits`, [P]; `sign`, [D], is 1 for X to move and -1 for O."""
    alpha, gamma, epsilon, epsilon_drop, rewards = parameters
    # `compute_greedy_target` gets the rewards in the view of the player who moves next.
    after_x = Rewards(-rewards.loss, -rewards.draw, -rewards.win)
    after_o = Rewards(rewards.win, rewards.draw, rewards.loss)
    while games < phase_end and updates < max_updates:
        exploration = decay_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        state = 0
        while state >= 0:
            pair = choose_epsilon_greedy(
                first_pair, q, state, exploration, False, rng_state
            )
            opponents_rewards = after_x if sign[state] > 0 else after_o
            # The opponent moves in the next state, so its best value there has the opposite sign.
            target = -compute_greedy_target(
                first_pair, q, next_state[pair], gamma, opponents_rewards
            )
            q[pair] += alpha * (target - q[pair])
            visits[pair] += 1
            updates += 1
            state = next_state[pair]
        games += 1
    return games, updates
