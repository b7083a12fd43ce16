"""TD(0) on afterstates, the boards after a move: the tic-tac-toe example of Sutton & Barto.

Source: Sutton & Barto (2018), section 1.5, "An extended example: tic-tac-toe", and its exercises
1.1 to 1.5; section 6.8 for the word afterstate.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import TdAfterstates
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import (
    PairClasses,
    learn_classes,
    list_afterstate_classes,
    refresh_row,
)
from training.learners.pairs import Indices, Rewards, Values, Visits, get_rewards
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
)
from training.learners.randomness import draw_uniform


class LoopParameters(NamedTuple):
    alpha: float
    alpha_drop: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    updates_random_moves: bool
    # [n] the seats that the learner takes in turn: 0 for X, 1 for O
    seats: Indices


class LearnerArrays(NamedTuple):
    """The values of K classes of afterstates, for the player whose move led to them."""

    values: Values
    # [K] the number of updates of each class
    visits: Visits
    # [P] the value of each move; `refresh_row` copies it from `values`, state by state
    q: Values


def learn(
    game: Game, recipe: TdAfterstates, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games as X or O, as the recipe says, and learn during each game.

    The learner plays the move to the afterstate z' with the highest value V(z') or, with
    probability epsilon, a random move. After the move it updates the value of its previous
    afterstate z: V(z) <- V(z) + alpha (V(z') - V(z)). A random move makes no update, unless
    `learn_from` is "all". If the opponent ends the game, the value of the learner's last afterstate
    moves towards the reward. An afterstate that ends the game has its reward as a fixed value from
    the beginning.

    If both players learn, each learns from its own afterstates. Both alpha and epsilon decrease
    after each tenth of the games.
    """
    classes = list_afterstate_classes(game, recipe.symmetric)
    arrays = LearnerArrays(
        values=_init_values(recipe, classes, pairs.list_legal_pairs(game).next_state),
        visits=np.zeros(classes.class_count, np.uint32),
        q=np.zeros(game.pairs),
    )
    parameters = LoopParameters(
        alpha=recipe.alpha,
        alpha_drop=recipe.alpha_drop,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        updates_random_moves=recipe.learn_from == "all",
        seats=pairs.list_seats(recipe),
    )
    return learn_classes(
        game, recipe, next_checkpoint, _play_games, parameters, classes, arrays
    )


def _init_values(
    recipe: TdAfterstates, classes: PairClasses, next_state: Indices
) -> Values:
    values = np.full(classes.class_count, recipe.initial)
    endings = (pairs.LOST, pairs.DRAWN, pairs.WON)
    for ending, reward in zip(endings, get_rewards(recipe), strict=True):
        values[classes.class_index[next_state == ending]] = reward
    return values


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
    first_pair,
    next_state,
    class_index,
    arrays,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    alpha, alpha_drop, epsilon, epsilon_drop, rewards, updates_random_moves, seats = (
        parameters
    )
    values, visits, q = arrays
    # the classes of the last afterstates of the learner and of its opponent, or -1
    last_class = np.empty(2, np.int32)
    length = phase_end - phase_start
    while games < phase_end and updates < max_updates:
        game = games - phase_start
        # A game as X and the following one as O have the same rates, so both seats learn alike.
        round_start = game // len(seats) * len(seats)
        step_size = pairs.decay_rate(alpha, alpha_drop, round_start, length)
        exploration = pairs.decay_rate(epsilon, epsilon_drop, round_start, length)
        state = 0
        mover = seats[game % len(seats)]
        last_class[:] = -1
        while state >= 0:
            refresh_row(first_pair, class_index, values, q, state)
            if mover == 0 or replies.learns_both_sides:
                is_random = draw_uniform(rng_state) < exploration
                chance = 1.0 if is_random else 0.0
                pair = pairs.choose_epsilon_greedy(
                    first_pair, q, state, chance, False, rng_state
                )
                previous = last_class[mover]
                made = class_index[pair]
                if previous >= 0 and (updates_random_moves or not is_random):
                    values[previous] += step_size * (values[made] - values[previous])
                    visits[previous] += 1
                    updates += 1
                last_class[mover] = made
                state = next_state[pair]
            else:
                state = draw_reply(replies, q, state, False, rng_state)
            mover = 1 - mover
        # The last move led to a final board, which has a fixed value. So only the other player learns
        # from the ending, and `state` is in that player's view.
        previous = last_class[mover]
        if previous >= 0:
            values[previous] += step_size * (
                pairs.get_reward(state, rewards) - values[previous]
            )
            visits[previous] += 1
            updates += 1
        games += 1
    return games, updates
