"""Classes of moves that share one value: symmetric moves, or moves that lead to the same board.

There are 16,167 pairs of a state and a move. If pairs that a rotation or reflection maps to each
other share a value, 2,096 values are needed. If pairs that lead to the same board, up to symmetry,
share a value as well, 764 are enough: these are the afterstates of Sutton & Barto (2018), section
6.8. The stones of an afterstate show which player moved last, so a single table serves both
players; its values are in the view of the player who moved.
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
    """P state-action pairs, divided into K classes; the pairs of a class share one value."""

    class_index: Indices  # [P] the class of each pair, from 0
    class_count: int


@lru_cache(maxsize=2)
def list_pair_classes(game: Game) -> PairClasses:
    """Return the classes in which pairs that are symmetric to each other share a value."""
    representatives, class_index = np.unique(game.pair_class, return_inverse=True)
    return PairClasses(class_index.astype(np.int32), len(representatives))


@lru_cache(maxsize=2)
def list_afterstate_classes(game: Game, symmetric: bool = True) -> PairClasses:
    """Return the classes in which pairs that lead to the same board share a value.

    If `symmetric`, pairs that lead to symmetric boards share one, too. The empty board is class 0,
    to which no move leads; the others follow in the order of positions, non-terminal positions
    first.
    """
    boards = game.symmetry_class if symmetric else np.arange(game.positions)
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
    """Return the progress of a learner whose `values` and `visits`, [K], belong to classes.

    `counts` are the finished share of the training, the games and the updates. Each pair gets the
    value and the visits of its class.
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
    """Train a table with a value for each class, by a compiled loop that plays games.

    The loop gets the random generator, `parameters`, the pairs, their classes, `arrays`, and then
    the arguments that `run_phases` explains. `arrays` has the fields `values` and `visits`.
    """
    pair_start, next_state = list_legal_pairs(game)
    play = partial(
        play_games,
        make_rng_state(recipe.seed),
        parameters,
        pair_start,
        # Updates follow the opponent's reply, so endings are in the view of the player to move.
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
def refresh_row(pair_start, class_index, values, q, state):  # type: ignore[no-untyped-def]
    """Copy the values of classes, [K], to the pairs of one state in q, [P].

    The choice of a move reads q, so learning K values needs no loop over all P pairs.
    """
    for pair in range(pair_start[state], pair_start[state + 1]):
        q[pair] = values[class_index[pair]]
