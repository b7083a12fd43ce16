"""Classes of moves that share one value: symmetric moves, or moves that lead to the same board.

There are 16,167 state-action pairs. If symmetric pairs share a value, 2,096 values are enough. If
moves that lead to the same board, up to symmetry, share a value, 764 are enough: these boards are
the afterstates of Sutton & Barto (2018), section 6.8. The stones of an afterstate show who moved
last, so one table serves both players; its values are in the view of the player who moved.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import QTable, TdAfterstates
from app.tictactoe.game import Game
from training.learners.pairs import (
    Indices,
    Values,
    Visits,
    flip_endings,
    list_legal_pairs,
)
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    list_opponents,
    run_phases,
)
from training.learners.randomness import make_rng_state


class PairClasses(NamedTuple):
    """P state-action pairs in K classes; the state-action pairs of a class share one value."""

    # [P] the class of each pair, from 0
    class_index: Indices
    class_count: int


@lru_cache(maxsize=2)
def list_pair_classes(game: Game) -> PairClasses:
    representatives, class_index = np.unique(game.pair_class, return_inverse=True)
    return PairClasses(class_index.astype(np.int32), len(representatives))


@lru_cache(maxsize=2)
def list_afterstate_classes(game: Game, merges_symmetric: bool = True) -> PairClasses:
    """Return the classes of moves that lead to the same board.

    With `merges_symmetric`, symmetric boards count as the same. Class 0 is the empty board, to which
    no move leads. The other classes follow in the order of positions, the final boards last.
    """
    boards = game.symmetry_class if merges_symmetric else np.arange(game.positions)
    representatives, of_board = np.unique(boards, return_inverse=True)
    return PairClasses(
        of_board[game.pair_successor].astype(np.int32), len(representatives)
    )


def build_class_progress(
    game: Game,
    classes: PairClasses,
    counts: tuple[float, int, int],
    values: Values,
    visits: Visits,
) -> Progress:
    """Return the progress of a learner with `values` and `visits` of classes, [K].

    `counts` are the finished share of the training, the number of games and the number of updates.
    """

    def spread_classes(
        class_values: NDArray[Any], illegal_value: float
    ) -> NDArray[Any]:
        return game.spread_pairs(class_values.take(classes.class_index), illegal_value)

    q = spread_classes(values.astype(np.float32), np.nan)
    return Progress(*counts, q, spread_classes(visits, 0))


def learn_classes(
    game: Game,
    recipe: QTable | TdAfterstates,
    next_checkpoint: NextCheckpoint,
    play_games: Callable[..., Any],
    parameters: object,
    classes: PairClasses,
    arrays: Any,
) -> Iterator[Progress]:
    """Train a table that has a value for each class, by the compiled loop `play_games`.

    The loop is called as play_games(rng_state, parameters, first_pair, next_state, class_index,
    arrays, opponent, phase_start, phase_end, max_updates, games, updates), and returns the new
    numbers of games and updates. `arrays` must have the fields `values` and `visits`, [K].
    """
    first_pair, next_state = list_legal_pairs(game)
    play = partial(
        play_games,
        make_rng_state(recipe.seed),
        parameters,
        first_pair,
        # The loop sees a next state as the player to move there. So an ending, too, is in the view
        # of the player who did not make the last move.
        flip_endings(next_state),
        classes.class_index,
        arrays,
    )
    return run_phases(
        list_opponents(game, recipe),
        next_checkpoint,
        play,
        lambda *counts: build_class_progress(
            game, classes, counts, arrays.values, arrays.visits
        ),
    )


@njit(cache=True)
def refresh_row(first_pair, class_index, values, q, state):  # type: ignore[no-untyped-def]
    """Copy the values of classes, [K], to the state-action pairs of one state in `q`, [P]."""
    for pair in range(first_pair[state], first_pair[state + 1]):
        q[pair] = values[class_index[pair]]
