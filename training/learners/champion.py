"""Self-play that narrows a lower and an upper bound on each value, until both are equal.

Source: our own combination of known parts. Even-Dar, Mannor & Mansour (2006), "Action elimination
and stopping conditions", have lower and upper estimates of action values, and a rule by which they
prove a policy. After each game everything that was visited so far is updated, the last plies first.
This is planning as in Sutton (1990), "Integrated architectures for learning, planning, and
reacting".
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import Champion
from app.tictactoe.game import BoolArray, Game
from training.learners.classes import (
    build_class_progress,
    list_afterstate_classes,
    refresh_row,
)
from training.learners.pairs import (
    DRAWN,
    Indices,
    Values,
    Visits,
    choose_epsilon_greedy,
    list_legal_pairs,
)
from training.learners.phases import NextCheckpoint, Progress, run_phases
from training.learners.randomness import make_rng_state

# The priority of a move is UPPER_BOUND_WEIGHT * (upper bound) - visits. The weight is so large that the
# visits only break ties.
UPPER_BOUND_WEIGHT = 1e6


class Bounds(NamedTuple):
    """Bounds on the values of K classes of afterstates, in the view of the player who made them.

    Symmetric afterstates belong to the same class.
    """

    # [K] one state of the class; -1 if the game is over
    representative_states: Indices
    lower: Values
    upper: Values
    # [K] whether the afterstate itself, or one that can follow, has not been seen yet
    has_unseen: BoolArray
    # [K] UPPER_BOUND_WEIGHT * upper - visits; the move with the highest priority is played
    priority: Values
    # [K] the number of games with the afterstate
    visits: Visits
    # [P] the priority of each move; `refresh_row` copies it from `priority`, state by state
    q: Values


def learn(
    game: Game, recipe: Champion, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play against itself until every afterstate was seen, or all games of the recipe are played.

    A finished game has the result 1 for a win, 0 for a draw, -1 for a loss. At first every
    afterstate has the bounds -1 and 1. A move has precedence if its afterstate was never seen, or
    if an unseen one can follow it. Among such moves both players choose the one with the highest
    upper bound. Ties go to the move with the fewest visits, then to chance.

    After each game the bounds of every visited afterstate are computed from the bounds of its
    replies, from the last ply to the first: the lower bound is minus the highest upper bound of a
    reply, and the upper bound is minus the highest lower bound of a reply.

    The reported q is lower + (upper - lower) / 4. So a draw on which both bounds agree (0) ranks
    above an unknown value (-0.5), and greedy play is unbeatable as soon as the bounds prove this.
    In the end both bounds are the minimax value. Each move of a game counts as an update.
    """
    first_pair, next_state = list_legal_pairs(game)
    classes = list_afterstate_classes(game)
    bounds = _init_bounds(game, classes.class_count)

    def build_progress(finished_share: float, games: int, updates: int) -> Progress:
        values = bounds.lower + (bounds.upper - bounds.lower) / 4
        return build_class_progress(
            game, classes, (finished_share, games, updates), values, bounds.visits
        )

    rng_state = make_rng_state(recipe.seed)
    play = partial(
        _play_games, rng_state, first_pair, next_state, classes.class_index, bounds
    )
    return run_phases([(None, recipe.games)], next_checkpoint, play, build_progress)


def _init_bounds(game: Game, class_count: int) -> Bounds:
    representatives = np.unique(game.symmetry_class)
    is_state = representatives < game.decisions
    return Bounds(
        representative_states=np.where(is_state, representatives, -1).astype(np.int32),
        lower=np.full(class_count, -1.0),
        upper=np.full(class_count, 1.0),
        has_unseen=np.ones(class_count, np.bool_),
        priority=np.full(class_count, UPPER_BOUND_WEIGHT),
        visits=np.zeros(class_count, np.uint32),
        q=np.zeros(game.pairs),
    )


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    first_pair,
    next_state,
    class_index,
    bounds,
    _opponent,
    _phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    representative_states, lower, upper, has_unseen, priority, visits, q = bounds
    # Class 0 is the empty board, which all others follow. Training ends when all were seen.
    while games < phase_end and updates < max_updates and has_unseen[0]:
        result, class_number, moves = _play_game(
            rng_state, first_pair, next_state, class_index, priority, visits, q
        )
        lower[class_number] = upper[class_number] = result
        has_unseen[class_number] = False
        priority[class_number] = -np.inf
        # Backward, so that the bounds of all replies are known before those of the board they answer.
        for class_number in range(len(representative_states) - 1, -1, -1):
            if representative_states[class_number] >= 0 and visits[class_number] > 0:
                _revise_bounds(
                    first_pair,
                    class_index,
                    representative_states[class_number],
                    lower,
                    upper,
                    has_unseen,
                    class_number,
                )
                priority[class_number] = -np.inf
                if has_unseen[class_number]:
                    priority[class_number] = (
                        UPPER_BOUND_WEIGHT * upper[class_number] - visits[class_number]
                    )
        games += 1
        updates += moves
    return games, updates


@njit(cache=True)
def _play_game(  # type: ignore[no-untyped-def]
    rng_state, first_pair, next_state, class_index, priority, visits, q
):
    """Play a game and count the visits of its afterstates.

    Returns the result for the player of the last move, the class of the last afterstate, and the
    number of moves.
    """
    state, class_number, moves = 0, 0, 0
    visits[class_number] += 1
    while state >= 0:
        # Priorities are stored by class, but the choice of a move reads them by pair, from `q`.
        refresh_row(first_pair, class_index, priority, q, state)
        pair = choose_epsilon_greedy(first_pair, q, state, 0.0, False, rng_state)
        state = next_state[pair]
        class_number = class_index[pair]
        moves += 1
        visits[class_number] += 1
    return float(state - DRAWN), class_number, moves


@njit(cache=True)
def _revise_bounds(  # type: ignore[no-untyped-def]
    first_pair, class_index, state, lower, upper, has_unseen, class_number
):
    # The player who replies gets at least the highest lower bound and at most the highest upper bound.
    # What this player gets, the other one loses, so the bounds change sign and places.
    highest_lower, highest_upper, any_unseen = -1.0, -1.0, False
    for pair in range(first_pair[state], first_pair[state + 1]):
        reply = class_index[pair]
        highest_lower = max(highest_lower, lower[reply])
        highest_upper = max(highest_upper, upper[reply])
        any_unseen |= has_unseen[reply]
    lower[class_number] = -highest_upper
    upper[class_number] = -highest_lower
    has_unseen[class_number] = any_unseen
