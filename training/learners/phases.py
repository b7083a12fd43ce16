"""The one loop around every learner: phase after phase, stopping to show what is known.

The opponent is a part of the environment: a learner moves, it is answered, that is one step.  Where
both sides learn each is the other's environment.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes import Recipe
from app.recipes.parameters import BOTH, SELF
from app.tictactoe.game import Game
from app.tictactoe.policy import BASELINES
from training.learners.pairs import Indices, answered, epsilon_greedy, legal_pairs
from training.learners.randomness import uniform

NextStop = Callable[[int], int]  # from how many updates there were to those of the next stop


class Epoch(NamedTuple):
    """What a network's last epoch was like; pairs are as X and as O."""

    won: tuple[float, float]  # share of its games
    lost: tuple[float, float]  # the opponent's share, illegal moves included
    forfeited: tuple[float, float]  # share that it lost by an illegal move
    taken: float  # share of all decisions in which its highest output is illegal, afterwards
    taken_met: float  # share of those that it met in these games, as it was then


class Progress(NamedTuple):
    """A learner between two games."""

    done: float  # share of the training that is over, 0 to 1
    games: int
    updates: int
    q: NDArray[np.float32]  # [D, cells] mover's view, NaN where illegal
    visits: NDArray[np.uint32]  # [D, cells] how often the pair was updated
    epoch: Epoch | None = None  # None but for networks
    refills: int | None = None  # how often a box of beads was filled again; None without boxes


class Replies(NamedTuple):
    """What an opponent may answer, each with equal chances."""

    both: bool  # whether there is none: the learner moves for both sides, and learns from both
    own: bool  # whether it is the learner itself, which plays greedily and learns nothing of it
    first: Indices  # [D + 1] those to decision s are first[s]:first[s + 1]
    after: Indices  # the decision after the answer, else how the game ended for who is answered


def over_phases(
    phases: Iterable[tuple[Any, int]],
    next_stop: NextStop,
    play: Callable[..., tuple[int, int]],
    show: Callable[[float, int, int], Progress],
) -> Iterator[Progress]:
    """Play so many turns against each opponent, showing what is known at the start and every stop.

    `play(opponent, begin, last, stop, turns, updates)` goes on until there were `last` turns or
    `stop` updates, and returns how many there were of both; this phase began after `begin` turns.
    Fewer of both is the end: there is nothing left to learn.
    `show` takes the share that is over, the turns and the updates.
    """
    wanted = list(phases)
    total, begin, turns, updates = sum(length for _, length in wanted), 0, 0, 0
    yield show(0.0, turns, updates)
    for opponent, length in wanted:
        last = begin + length
        while turns < last:
            stop = next_stop(updates)
            turns, updates = play(opponent, begin, last, stop, turns, updates)
            if turns < last and updates < stop:
                yield show(1.0, turns, updates)
                return
            yield show(turns / total, turns, updates)
        begin = last


def show_pairs(
    game: Game, q: NDArray[np.float64], visits: NDArray[np.uint32]
) -> Callable[[float, int, int], Progress]:
    """Return what shows q and visits, [P] each, as they are whenever it is called."""

    def show(done: float, games: int, updates: int) -> Progress:
        table = game.spread(q.astype(np.float32))
        return Progress(done, games, updates, table, game.spread(visits, 0))

    return show


def opponents(game: Game, recipe: Recipe) -> list[tuple[Replies, int]]:
    """Return the opponents of a recipe's phases with the number of turns against each."""
    return [(_replies(game, name), length) for name, length in recipe.phases]


def _replies(game: Game, opponent: str) -> Replies:
    first, after = legal_pairs(game)
    after = answered(after)
    if opponent not in BASELINES:
        return Replies(opponent == BOTH, opponent == SELF, first, after)
    chosen = (BASELINES[opponent].policy(game) > 0)[game.legal]
    counts = np.add.reduceat(chosen, game.pair_start[:-1], dtype=np.int32)
    return Replies(
        False, False, np.concatenate([[0], counts.cumsum()]).astype(np.int32), after[chosen]
    )


@njit(cache=True)
def answer(replies, q, s, first_best, stream):  # type: ignore[no-untyped-def]
    """Draw the opponent's answer in decision `s`, and return what it leads to."""
    _, own, first, after = replies
    if own:
        return after[epsilon_greedy(first, q, s, 0.0, first_best, stream)]
    start = first[s]
    return after[start + int(uniform(stream) * (first[s + 1] - start))]
