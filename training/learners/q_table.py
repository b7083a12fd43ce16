"""Tabular Q-learning that updates backward over each finished game, with one table or two.

Source: Watkins (1989), "Learning from delayed rewards"; backward replay of an episode, Lin (1992),
"Self-improving reactive agents based on reinforcement learning, planning and teaching"; two
tables, van Hasselt (2010), "Double Q-learning", algorithm 1, which is `last=coin`.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import DoubleQ, QTable
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import (
    list_afterstate_classes,
    list_pair_classes,
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
    gamma: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    # 1 moves a value towards its target; 0 adds alpha times the target to it
    old_share: float
    # whether the first of equally good moves is played, not a random one
    first_best: bool
    coin_at_end: bool  # whether a coin picks the table that learns a last move, too
    seats: Indices  # [n] the learner's seats in turn: 0 as X, 1 as O


class Memory(NamedTuple):
    """The values of K classes, and the last game."""

    tables: NDArray[np.float64]  # [K, 1 or 2]
    values: Values  # [K] the mean of the tables, by which moves are chosen
    visits: Visits  # [K]
    q: Values  # [P] values for move selection, up to date only where `refresh_row` was
    states: Indices  # [cells] by ply, the states of the last game
    played: Indices  # [cells] by ply, the pairs that the learner played, or -1


def learn(
    game: Game, recipe: QTable, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games epsilon-greedily, in the seats of the recipe in turn.

    After a game the learner's moves are updated, last move first.  Each value moves by alpha of the
    way to its target: the reward for the last move, gamma times the highest value of the learner's
    next state for an earlier one.  A running sum adds alpha times the target instead.
    A value belongs to a move or to an afterstate, up to symmetry, as the recipe's key says.

    With two tables a coin picks the one that learns an earlier move; its best next move, the first
    among equals, is valued by the other table.  The last move is learned by both, or by the one
    that a coin picks, as the recipe says.
    If both sides learn, one pass over a game updates the moves of both, each with its own result.
    """
    row_start, next_state = pairs.list_legal_pairs(game)
    next_state = pairs.flip_endings(next_state)
    classes = (
        list_pair_classes(game)
        if recipe.key == "pair"
        else list_afterstate_classes(game)
    )
    tables = 2 if isinstance(recipe, DoubleQ) else 1
    memory = Memory(
        tables=np.full((classes.number, tables), recipe.initial),
        values=np.full(classes.number, recipe.initial),
        visits=np.zeros(classes.number, np.uint32),
        q=np.zeros(game.pairs),
        states=np.zeros(game.cells, np.int32),
        played=np.zeros(game.cells, np.int32),
    )
    rules = Rules(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        old_share=float(recipe.update == "average"),
        first_best=recipe.ties == "first",
        coin_at_end=isinstance(recipe, DoubleQ) and recipe.last == "coin",
        seats=pairs.list_seats(recipe),
    )
    state = make_rng_state(recipe.seed)
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        partial(
            _play_games, state, rules, row_start, next_state, classes.of_pair, memory
        ),
        lambda *counts: report_classes(
            game, classes, counts, memory.values, memory.visits
        ),
    )


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
    seats = rules.seats
    while games < phase_end and updates < max_updates:
        game = games - phase_start
        # A round has one game in each seat; epsilon falls between rounds, alike for both seats.
        round_start = game // len(seats) * len(seats)
        explore = pairs.lower_rate(
            rules.epsilon, rules.epsilon_drop, round_start, phase_end - phase_start
        )
        mover = seats[game % len(seats)]
        plies, ending = _play_game(
            rng_state,
            explore,
            rules.first_best,
            row_start,
            next_state,
            class_of_pair,
            memory,
            replies,
            mover,
        )
        updates += _learn_game(
            rng_state, rules, row_start, class_of_pair, memory, plies, ending
        )
        games += 1
    return games, updates


@njit(cache=True, inline="always")
def _play_game(  # type: ignore[no-untyped-def]
    rng_state,
    explore,
    first_best,
    row_start,
    next_state,
    class_of_pair,
    memory,
    replies,
    mover,
):
    """Play a game into `memory`; return its plies, and its ending in the next mover's view."""
    _, values, _, q, states, played = memory
    s, plies = 0, 0
    while s >= 0:
        refresh_row(row_start, class_of_pair, values, q, s)
        states[plies], played[plies] = s, -1
        if mover == 0 or replies.both:
            p = pairs.choose_epsilon_greedy(
                row_start, q, s, explore, first_best, rng_state
            )
            played[plies], s = p, next_state[p]
        else:
            s = draw_reply(replies, q, s, first_best, rng_state)
        plies += 1
        mover = 1 - mover
    return plies, s


@njit(cache=True, inline="always")
def _learn_game(rng_state, rules, row_start, class_of_pair, memory, plies, ending):  # type: ignore[no-untyped-def]
    """Update the learner's moves of the last game, last move first; return their number."""
    alpha, gamma, _, _, rewards, old_share, _, coin_at_end, _ = rules
    tables, values, visits, _, states, played = memory
    count = tables.shape[1]
    updates = 0
    for ply in range(plies - 1, -1, -1):
        if played[ply] < 0:
            continue
        c = class_of_pair[played[ply]]
        is_last = ply + 2 >= plies  # the same side moves again two plies later
        # The tables from `learner` to `stop` - 1 learn: all of them, or the one that a coin picks.
        learner, stop = 0, count
        if count == 2 and (coin_at_end or not is_last):
            learner = int(2 * draw_uniform(rng_state))
            stop = learner + 1
        if not is_last:
            other = count - 1 - learner  # if there is only one table, the same one
            target = gamma * _value_best_move(
                row_start, class_of_pair, tables, learner, other, states[ply + 2]
            )
        # the other side made the last move, so this one would be next
        elif ply + 1 < plies:
            target = pairs.get_reward(ending, rewards)
        else:
            target = pairs.get_reward(pairs.flip_ending(ending), rewards)
        for table in range(learner, stop):
            tables[c, table] += alpha * (target - old_share * tables[c, table])
        values[c] = tables[c].sum() / count
        visits[c] += 1
        updates += 1
    return updates


@njit(cache=True, inline="always")
def _value_best_move(row_start, class_of_pair, tables, table, other, s):  # type: ignore[no-untyped-def]
    """Return the value in table `other` of the move in state `s` that is best in `table`.

    Ties: the first of the best moves.
    """
    best = class_of_pair[row_start[s]]
    for p in range(row_start[s] + 1, row_start[s + 1]):
        c = class_of_pair[p]
        best = c if tables[c, table] > tables[best, table] else best
    return tables[best, other]
