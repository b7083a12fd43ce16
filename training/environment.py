"""The opponent as a part of the environment: a learner moves, it is answered, that is one step.

Every learner here has one table for both sides, in the mover's view.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from training.pairs import legal_pairs

# Either opponent answers epsilon-greedily by the learner's own table, and this is its epsilon.
OPPONENTS = {"random": 1.0, "self": 0.0}

NextStop = Callable[[int], int]


class Progress(NamedTuple):
    """A learner between two games."""

    done: float  # share of the training that is over, 0 to 1
    games: int
    updates: int
    q: NDArray[np.float32]  # [D, cells] mover's view, NaN where illegal
    visits: NDArray[np.uint32]  # [D, cells] how often the pair was updated
    won: tuple[float, float] | None = None  # share of the epoch's games, as X and as O


def against_each(
    game: Game,
    next_stop: NextStop,
    opponents: Mapping[str, int],
    play: Callable[..., tuple[int, int]],
) -> Iterator[Progress]:
    """Play so many turns against each opponent, showing the table at the start and every stop.

    `next_stop` says, from how many updates there were, after how many to show it again.
    `play(first, after, q, visits, opponent_epsilon, last, stop, turns, updates)` goes on until
    there were `last` turns or `stop` updates, and returns how many there were of both.
    Raises ValueError if an opponent is unknown.
    """
    phases = [(_epsilon(opponent), length) for opponent, length in opponents.items()]
    pairs = legal_pairs(game)
    q, visits = np.zeros(len(pairs.after)), np.zeros(len(pairs.after), np.uint32)
    turns = updates = last = 0
    total = sum(opponents.values())
    yield Progress(0.0, 0, 0, pairs.table(q.astype(np.float32), np.nan), pairs.table(visits, 0))
    for epsilon, length in phases:
        last += length
        while turns < last:
            stop = next_stop(updates)
            turns, updates = play(
                pairs.first, pairs.after, q, visits, epsilon, last, stop, turns, updates
            )
            shown = pairs.table(q.astype(np.float32), np.nan), pairs.table(visits, 0)
            yield Progress(turns / total, turns, updates, *shown)


def _epsilon(opponent: str) -> float:
    if opponent not in OPPONENTS:
        raise ValueError(f"no opponent {opponent!r} here, only {' and '.join(OPPONENTS)}")
    return OPPONENTS[opponent]
