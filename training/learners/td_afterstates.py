"""Temporal-difference learning of afterstates: the example with which Sutton & Barto begin.

Source: Sutton & Barto (2018), section 1.5, "An extended example: tic-tac-toe", and its exercises
1.1 to 1.5; section 6.8 for the word afterstate.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import TdAfterstates
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import (
    Classes,
    list_afterstate_classes,
    refresh_row,
    report_classes,
)
from training.learners.pairs import Indices, Rewards, Values, Visits, get_rewards
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    run_phases,
)
from training.learners.randomness import draw_uniform, make_rng_state


class Rules(NamedTuple):
    """The parameters of a training."""

    alpha: float
    alpha_drop: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    from_all: bool  # whether the learner learns from its random moves, too
    seats: Indices  # [n] the learner's seats in turn: 0 as X, 1 as O


class Memory(NamedTuple):
    """The values of K afterstates, or classes of them, in the view of the player who made them."""

    values: Values  # [K]
    visits: Visits  # [K]
    q: Values  # [P] values for move selection, up to date only where `refresh_row` was


def learn(
    game: Game, recipe: TdAfterstates, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games in the seats of the recipe in turn, learning during the game.

    Each move is the one whose afterstate has the highest value V(z), or with chance epsilon a
    random one.  After a move the value of the learner's previous afterstate z moves by alpha of the
    way to that of its new one z': V(z) <- V(z) + alpha (V(z') - V(z)).  A random move makes no
    update, unless the recipe says so.  If the opponent ends the game, the last afterstate moves
    towards the reward.  The values of afterstates that end the game are their rewards from the
    beginning and are never updated.
    If both sides learn, each does so from the afterstates that it makes itself.
    Alpha falls as epsilon does, by tenths of the games.
    """
    row_start, next_state = pairs.list_legal_pairs(game)
    classes = list_afterstate_classes(game, recipe.symmetric)
    memory = Memory(
        values=_init_values(recipe, classes, next_state),
        visits=np.zeros(classes.number, np.uint32),
        q=np.zeros(game.pairs),
    )
    rules = Rules(
        alpha=recipe.alpha,
        alpha_drop=recipe.alpha_drop,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        from_all=recipe.learn_from == "all",
        seats=pairs.list_seats(recipe),
    )
    # In the game an ending is in the view of the side that would move next.
    answered_state = pairs.flip_endings(next_state)
    state = make_rng_state(recipe.seed)
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        partial(
            _play_games,
            state,
            rules,
            row_start,
            answered_state,
            classes.of_pair,
            memory,
        ),
        lambda *counts: report_classes(
            game, classes, counts, memory.values, memory.visits
        ),
    )


def _init_values(
    recipe: TdAfterstates, classes: Classes, next_state: Indices
) -> Values:
    """Return the values of the afterstates before training, [K]; those of endings are rewards."""
    values = np.full(classes.number, recipe.initial)
    endings = (pairs.LOST, pairs.DRAWN, pairs.WON)
    for ending, reward in zip(endings, get_rewards(recipe), strict=True):
        values[classes.of_pair[next_state == ending]] = reward
    return values


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    rules,
    row_start,
    next_state,
    class_of_pair,
    memory,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    """Play games and update the memory; `run_phases` explains the counts."""
    alpha, alpha_drop, epsilon, epsilon_drop, rewards, from_all, seats = rules
    values, visits, q = memory
    # The class of the last afterstate of the learner and of its opponent, -1 before the first.
    last_class = np.empty(2, np.int32)
    length = phase_end - phase_start
    while games < phase_end and updates < max_updates:
        game = games - phase_start
        # A round has one game in each seat; rates fall between rounds, alike for both seats.
        round_start = game // len(seats) * len(seats)
        step_size = pairs.lower_rate(alpha, alpha_drop, round_start, length)
        explore = pairs.lower_rate(epsilon, epsilon_drop, round_start, length)
        s, mover = 0, seats[game % len(seats)]
        last_class[:] = -1
        while s >= 0:
            refresh_row(row_start, class_of_pair, values, q, s)
            if mover == 0 or replies.both:
                is_random = draw_uniform(rng_state) < explore
                chance = 1.0 if is_random else 0.0
                p = pairs.choose_epsilon_greedy(
                    row_start, q, s, chance, False, rng_state
                )
                previous, made = last_class[mover], class_of_pair[p]
                if previous >= 0 and (from_all or not is_random):
                    values[previous] += step_size * (values[made] - values[previous])
                    visits[previous] += 1
                    updates += 1
                last_class[mover], s = made, next_state[p]
            else:
                s = draw_reply(replies, q, s, False, rng_state)
            mover = 1 - mover
        # The side that did not end the game still has to learn its result, which is in its view.
        previous = last_class[mover]
        if previous >= 0:
            values[previous] += step_size * (
                pairs.get_reward(s, rewards) - values[previous]
            )
            visits[previous] += 1
            updates += 1
        games += 1
    return games, updates
