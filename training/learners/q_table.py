"""Q-learning and double Q-learning that update the moves of a finished game, the last move first.

Source: Watkins (1989), "Learning from delayed rewards"; for going backward, Lin (1992),
"Self-improving reactive agents based on reinforcement learning, planning and teaching"; for two
tables, van Hasselt (2010), "Double Q-learning", algorithm 1, which is `last=coin` here.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import DoubleQ, QTable
from app.tictactoe.game import FloatArray, Game
from training.learners import pairs
from training.learners.classes import (
    learn_classes,
    list_afterstate_classes,
    list_pair_classes,
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
    gamma: float
    epsilon: float
    epsilon_drop: float
    rewards: Rewards
    # An update adds alpha * (target - old_share * value): 1 averages the targets, 0 sums them.
    old_share: float
    # If several moves are best, the first is played, not a random one.
    plays_first_best: bool
    # A coin selects one table for every move, also for the last one.
    tosses_coin_at_end: bool
    # [n] the seats that the learner takes in turn: 0 for X, 1 for O
    seats: Indices


class LearnerArrays(NamedTuple):
    """The values of K classes of state-action pairs, and the moves of the last game."""

    # [K, 1], or [K, 2] with the two tables of double Q-learning
    tables: FloatArray
    # [K] the mean of the tables, which chooses the moves
    values: Values
    # [K] the number of updates of each class
    visits: Visits
    # [P] the value of each move; `refresh_row` copies it from `values`, state by state
    q: Values
    # [cells] the state before each ply of the last game
    states: Indices
    # [cells] the pair that the learner played at each ply, -1 at the opponent's plies
    played_pairs: Indices


def learn(
    game: Game, recipe: QTable, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games epsilon-greedily as X or O, as the recipe says, and learn from each finished game.

    After a game the learner's moves are updated, the last move first. Each value moves a step of
    size alpha towards its target. The target of the last move is the reward; the target of an
    earlier move is gamma times the highest value of the learner's next state. With `update=sum`
    alpha times the target is added to the value instead. With `key=pair` symmetric moves share a
    value. With `key=afterstate` all moves that lead to the same board, up to symmetry, share a
    value.

    Double Q-learning has two tables. A coin decides which of them learns a move: this table selects
    the best next move, and the other table gives its value. Both tables learn the last move of a
    game; with `last=coin` a coin selects one table for it, too. If both players learn, one pass
    over a game updates the moves of both, each with its own result.
    """
    classes = (
        list_pair_classes(game)
        if recipe.key == "pair"
        else list_afterstate_classes(game)
    )
    tables = 2 if isinstance(recipe, DoubleQ) else 1
    arrays = LearnerArrays(
        tables=np.full((classes.class_count, tables), recipe.initial),
        values=np.full(classes.class_count, recipe.initial),
        visits=np.zeros(classes.class_count, np.uint32),
        q=np.zeros(game.pairs),
        states=np.zeros(game.cells, np.int32),
        played_pairs=np.zeros(game.cells, np.int32),
    )
    parameters = LoopParameters(
        alpha=recipe.alpha,
        gamma=recipe.gamma,
        epsilon=recipe.epsilon,
        epsilon_drop=recipe.epsilon_drop,
        rewards=get_rewards(recipe),
        old_share=float(recipe.update == "average"),
        plays_first_best=recipe.ties == "first",
        tosses_coin_at_end=isinstance(recipe, DoubleQ) and recipe.last == "coin",
        seats=pairs.list_seats(recipe),
    )
    return learn_classes(
        game, recipe, next_checkpoint, _play_games, parameters, classes, arrays
    )


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
    seats = parameters.seats
    while games < phase_end and updates < max_updates:
        game = games - phase_start
        # A game as X and the following one as O have the same epsilon, so both seats explore alike.
        round_start = game // len(seats) * len(seats)
        exploration = pairs.decay_rate(
            parameters.epsilon,
            parameters.epsilon_drop,
            round_start,
            phase_end - phase_start,
        )
        mover = seats[game % len(seats)]
        plies, ending = _play_game(
            rng_state,
            exploration,
            parameters.plays_first_best,
            first_pair,
            next_state,
            class_index,
            arrays,
            replies,
            mover,
        )
        updates += _learn_game(
            rng_state, parameters, first_pair, class_index, arrays, plies, ending
        )
        games += 1
    return games, updates


@njit(cache=True, inline="always")
def _play_game(  # type: ignore[no-untyped-def]
    rng_state,
    exploration,
    plays_first_best,
    first_pair,
    next_state,
    class_index,
    arrays,
    replies,
    mover,
):
    """Play a game and store its states and moves in `arrays`.

    Returns the number of plies, and the ending in the view of the player who did not move last.
    """
    _, values, _, q, states, played_pairs = arrays
    state, plies = 0, 0
    while state >= 0:
        # Values are stored by class, but the choice of a move reads them by pair, from `q`.
        refresh_row(first_pair, class_index, values, q, state)
        states[plies] = state
        played_pairs[plies] = -1
        if mover == 0 or replies.learns_both_sides:
            pair = pairs.choose_epsilon_greedy(
                first_pair, q, state, exploration, plays_first_best, rng_state
            )
            played_pairs[plies] = pair
            state = next_state[pair]
        else:
            state = draw_reply(replies, q, state, plays_first_best, rng_state)
        plies += 1
        mover = 1 - mover
    return plies, state


@njit(cache=True, inline="always")
def _learn_game(  # type: ignore[no-untyped-def]
    rng_state, parameters, first_pair, class_index, arrays, plies, ending
):
    """Update the learner's moves in the last game, backward; return their number."""
    # Backward, the result of a game reaches its first move in one pass.
    alpha, gamma, _, _, rewards, old_share, _, tosses_coin_at_end, _ = parameters
    tables, values, visits, _, states, played_pairs = arrays
    table_count = tables.shape[1]
    updates = 0
    for ply in range(plies - 1, -1, -1):
        if played_pairs[ply] < 0:
            continue
        pair_class = class_index[played_pairs[ply]]
        # The same player would move again two plies later.
        is_last = ply + 2 >= plies
        # The tables first_table:end_table learn: all of them, or one that a coin selects.
        first_table = 0
        end_table = table_count
        if table_count == 2 and (tosses_coin_at_end or not is_last):
            first_table = int(2 * draw_uniform(rng_state))
            end_table = first_table + 1
        if not is_last:
            # The other table evaluates the next move; a single table evaluates its own choice.
            evaluator = table_count - 1 - first_table
            target = gamma * _evaluate_best_move(
                first_pair,
                class_index,
                tables,
                first_table,
                evaluator,
                states[ply + 2],
            )
        # If the opponent made the last move of the game, `ending` is in this player's view.
        elif ply + 1 < plies:
            target = pairs.get_reward(ending, rewards)
        else:
            target = pairs.get_reward(pairs.flip_ending(ending), rewards)
        for table in range(first_table, end_table):
            tables[pair_class, table] += alpha * (
                target - old_share * tables[pair_class, table]
            )
        values[pair_class] = tables[pair_class].sum() / table_count
        visits[pair_class] += 1
        updates += 1
    return updates


@njit(cache=True, inline="always")
def _evaluate_best_move(  # type: ignore[no-untyped-def]
    first_pair, class_index, tables, selector, evaluator, state
):
    """Return the value of the best move in `state`: one table selects it, one evaluates it.

    `selector` and `evaluator` are the indices of these tables. The first of several best moves is
    selected.
    """
    best = class_index[first_pair[state]]
    for pair in range(first_pair[state] + 1, first_pair[state + 1]):
        pair_class = class_index[pair]
        best = (
            pair_class
            if tables[pair_class, selector] > tables[best, selector]
            else best
        )
    return tables[best, evaluator]
