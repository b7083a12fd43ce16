"""Q-learning, Sarsa and expected Sarsa: one update after each reply of the opponent.

They differ in one term, the value of the next state.

Source: Watkins (1989), "Learning from delayed rewards"; Rummery & Niranjan (1994), "On-line
Q-learning using connectionist systems", for Sarsa; van Seijen et al. (2009), "A theoretical and
empirical analysis of expected Sarsa". Sutton & Barto (2018), eq. 6.8, 6.7 and 6.9, and section 5.3
for games that begin anywhere.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

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
    make_progress_builder,
    run_phases,
)
from training.learners.randomness import draw_uniform, make_rng_state

# the value of the next state in a target: max Q(s', .), Q(s', a') or an expected value
MAXIMUM_VALUE, CHOSEN_VALUE, EXPECTED_VALUE = range(3)
NEXT_VALUES = MappingProxyType(
    {
        "q-learning": MAXIMUM_VALUE,
        "sarsa": CHOSEN_VALUE,
        "expected-sarsa": EXPECTED_VALUE,
    }
)


class LoopParameters(NamedTuple):
    alpha: float
    gamma: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    # MAXIMUM_VALUE, CHOSEN_VALUE or EXPECTED_VALUE
    next_value_kind: int


class GameStarts(NamedTuple):
    """The states in which games may begin, and who moves first there."""

    # [n] state s as the number s if the learner moves first, and as ~s (bitwise not) otherwise
    states: Indices
    # whether the state is drawn at random for each game; otherwise games take the states in turn
    is_random: bool


def learn(
    game: Game, recipe: TdControl, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games epsilon-greedily, beginning as the recipe says, and update after each reply.

    After the opponent's reply Q(s, a) moves a step of size alpha towards r + gamma max Q(s', .). In
    place of the maximum, Sarsa uses Q(s', a') of the move a' that it plays next, and expected Sarsa
    uses the expected value over that move: epsilon times the mean of Q(s', .), plus 1 - epsilon
    times its maximum. If both players learn, they share one table and one exploration rate.
    """
    parameters = LoopParameters(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        next_value_kind=NEXT_VALUES[recipe.slug],
    )
    return learn_pairs(game, recipe, next_checkpoint, _play_games, parameters)


def learn_pairs(
    game: Game,
    recipe: TdControl | MonteCarlo,
    next_checkpoint: NextCheckpoint,
    play_games: Callable[..., Any],
    parameters: object,
    *extra_arguments: object,
) -> Iterator[Progress]:
    """Train a table that has a value for each state-action pair, by the compiled loop `play_games`.

    The loop is called as play_games(rng_state, parameters, starts, first_pair, next_state, q,
    visits, *extra_arguments, opponent, phase_start, phase_end, max_updates, games, updates), and
    returns the new numbers of games and updates.
    """
    first_pair, next_state = pairs.list_legal_pairs(game)
    # The loop sees a next state as the player to move there. So an ending, too, is in the view of
    # the player who did not make the last move.
    next_state = pairs.flip_endings(next_state)
    q, visits = pairs.make_table(game, recipe.initial)
    play = partial(
        play_games,
        make_rng_state(recipe.seed),
        parameters,
        list_starts(game, recipe),
        first_pair,
        next_state,
        q,
        visits,
        *extra_arguments,
    )
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        play,
        make_progress_builder(game, q, visits),
    )


def list_starts(game: Game, recipe: TdControl | MonteCarlo) -> GameStarts:
    if recipe.start == "empty":
        empty_board = {"both": [0, ~0], "x": [0], "o": [~0]}[recipe.seat]
        return GameStarts(np.array(empty_board, np.int32), is_random=False)
    seats = {"both": (X, O), "x": (X,), "o": (O,)}[recipe.seat]
    states = np.flatnonzero(np.isin(game.to_move, seats)).astype(np.int32)
    return GameStarts(states, is_random=recipe.start == "random")


@njit(cache=True, inline="always")
def choose_start(starts, games, rng_state):  # type: ignore[no-untyped-def]
    """Return the first state of a game, and who moves there: 0 the learner, 1 the opponent."""
    count = len(starts.states)
    number = int(draw_uniform(rng_state) * count) if starts.is_random else games % count
    start = starts.states[number]
    return (~start, 1) if start < 0 else (start, 0)


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
    starts,
    first_pair,
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
    # Sarsa's target needs the player's next move, so a move is updated when its player moves again, and
    # a player's last move when the game is over.
    alpha, gamma, epsilon, epsilon_drop, rewards, next_value_kind = parameters
    # the last pairs of the learner and of its opponent, which still wait for their update, or -1
    last_pair = np.empty(2, np.int32)
    while games < phase_end and updates < max_updates:
        exploration = pairs.decay_rate(
            epsilon, epsilon_drop, games - phase_start, phase_end - phase_start
        )
        state, mover = choose_start(starts, games, rng_state)
        last_pair[:] = -1
        while state >= 0:
            if mover == 0 or replies.learns_both_sides:
                # The choice comes before the update. The order does not matter, because the update
                # changes a value of another state.
                pair = pairs.choose_epsilon_greedy(
                    first_pair, q, state, exploration, False, rng_state
                )
                previous = last_pair[mover]
                if previous >= 0:
                    if next_value_kind == MAXIMUM_VALUE:
                        target = pairs.compute_greedy_target(
                            first_pair, q, state, gamma, rewards
                        )
                    elif next_value_kind == CHOSEN_VALUE:
                        target = gamma * q[pair]
                    else:
                        target = gamma * pairs.compute_expected_value(
                            first_pair, q, state, exploration
                        )
                    q[previous] += alpha * (target - q[previous])
                    visits[previous] += 1
                    updates += 1
                last_pair[mover] = pair
                state = next_state[pair]
            else:
                state = draw_reply(replies, q, state, False, rng_state)
            mover = 1 - mover
        # `state` is now an ending, in the view of the player who did not make the last move.
        for ending in (state, pairs.flip_ending(state)):
            pair = last_pair[mover]
            if pair >= 0:
                q[pair] += alpha * (pairs.get_reward(ending, rewards) - q[pair])
                visits[pair] += 1
                updates += 1
            mover = 1 - mover
        games += 1
    return games, updates
