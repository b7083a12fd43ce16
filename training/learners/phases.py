"""The training loop of all compiled learners, which reports the progress at every checkpoint.

A training has phases, and in each the learner has one opponent. The opponent is a part of the
environment: the learner's move and the opponent's reply make one step. If both players learn, each
is a part of the other's environment.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes import Recipe
from app.recipes.parameters import BOTH_OPPONENT, SELF_OPPONENT
from app.tictactoe.game import FloatArray, Game
from app.tictactoe.policy import BASELINES
from training.learners.pairs import (
    Indices,
    RangeStarts,
    choose_epsilon_greedy,
    flip_endings,
    list_legal_pairs,
)

# A function from the number of updates so far to the number at the next checkpoint.
NextCheckpoint = Callable[[int], int]


class Epoch(NamedTuple):
    """A network's results in an epoch; tuples are (share of games as X, share of games as O)."""

    won: tuple[float, float]
    # illegal moves of the network included
    lost: tuple[float, float]
    # lost by an illegal move
    forfeited: tuple[float, float]
    # the share of all positions in which the network prefers an illegal move, after the epoch
    illegal_share: float
    # the share of the positions in the epoch's games in which the network, as it was before the
    # epoch, prefers an illegal move
    illegal_share_in_games: float


class Progress(NamedTuple):
    """The state of a training at a checkpoint."""

    # from 0 to 1
    finished_share: float
    games: int
    updates: int
    # [D, cells] in the mover's view, NaN for illegal moves
    q: NDArray[np.float32]
    # [D, cells] the number of updates of each move
    visits: NDArray[np.uint32]
    # the epoch that ends here; only networks have epochs
    epoch: Epoch | None = None
    # how often MENACE filled an empty box again; None for other learners
    refills: int | None = None


class Replies(NamedTuple):
    """The possible replies of an opponent in each of D states.

    A baseline (an opponent that does not learn) plays each of its replies with equal probability.
    If the learner is its own opponent ("self"), all legal moves are possible, and the greedy one is
    played; nothing is learned from these moves.
    """

    # If true, the learner plays and learns as X and as O, and no replies are drawn.
    learns_both_sides: bool
    # the probability that one of the replies is drawn at random: 1 for a baseline, 0 for "self"
    epsilon: float
    # [D + 1] the replies in state s are reply_start[s]:reply_start[s + 1]
    reply_start: RangeStarts
    # for each reply, the state after it, or an ending in the learner's view
    next_state: Indices


def run_phases(
    phases: Iterable[tuple[Any, int]],
    next_checkpoint: NextCheckpoint,
    play_turns: Callable[..., tuple[int, int]],
    build_progress: Callable[[float, int, int], Progress],
) -> Iterator[Progress]:
    """Play each phase, which is (opponent, number of turns); yield the progress at every checkpoint.

    A turn is the recipe's unit of length: a game, a sweep or a round. The first progress is yielded
    before any update, the last one at the end.

    `play_turns(opponent, phase_start, phase_end, max_updates, turns, updates)` gets the numbers of
    turns and updates so far, and returns them as they are after its last turn. All numbers of turns
    count from the beginning of the training: the phase goes from `phase_start` to `phase_end`.
    `play_turns` stops at the end of the phase, or after the turn that reaches `max_updates`. If it
    stops before both, nothing is left to learn, and the training is over.

    `build_progress` gets the finished share of the training, the turns and the updates.
    """
    schedule = list(phases)
    total = sum(length for _, length in schedule)
    phase_start, turns, updates = 0, 0, 0
    yield build_progress(0.0, turns, updates)
    for opponent, length in schedule:
        phase_end = phase_start + length
        while turns < phase_end:
            max_updates = next_checkpoint(updates)
            turns, updates = play_turns(
                opponent, phase_start, phase_end, max_updates, turns, updates
            )
            if turns < phase_end and updates < max_updates:
                yield build_progress(1.0, turns, updates)
                return
            yield build_progress(turns / total, turns, updates)
        phase_start = phase_end


def make_progress_builder(
    game: Game, q: FloatArray, visits: NDArray[np.uint32]
) -> Callable[[float, int, int], Progress]:
    """Return a function that copies the present values and visits, both [P], into a Progress."""

    def build_progress(finished_share: float, games: int, updates: int) -> Progress:
        table = game.spread_pairs(q.astype(np.float32))
        return Progress(
            finished_share, games, updates, table, game.spread_pairs(visits, 0)
        )

    return build_progress


def list_opponents(game: Game, recipe: Recipe) -> list[tuple[Replies, int]]:
    """Return (replies of the opponent, number of turns) for each phase."""
    return [(_build_replies(game, name), length) for name, length in recipe.phases]


def _build_replies(game: Game, opponent: str) -> Replies:
    first_pair, next_state = list_legal_pairs(game)
    # The opponent makes these moves, but the learner needs an ending in its own view.
    next_state = flip_endings(next_state)
    if opponent not in BASELINES:
        return Replies(
            opponent == BOTH_OPPONENT,
            0.0 if opponent == SELF_OPPONENT else 1.0,
            first_pair,
            next_state,
        )
    played = (BASELINES[opponent].build_policy(game) > 0)[game.legal]
    counts = np.add.reduceat(played, game.first_pair[:-1], dtype=np.int32)
    reply_start = np.concatenate([[0], counts.cumsum()]).astype(np.uint32)
    return Replies(False, 1.0, reply_start, next_state[played])


# numba inlines it, because a call would copy seven fields for each array.
@njit(cache=True, inline="always")
def draw_reply(replies, q, state, plays_first_best, rng_state):  # type: ignore[no-untyped-def]
    """Make the opponent's reply in `state`; return the next state, or the ending of the game.

    `q`, [P], and `plays_first_best` matter only if the opponent is the learner itself.
    """
    reply = choose_epsilon_greedy(
        replies.reply_start, q, state, replies.epsilon, plays_first_best, rng_state
    )
    return replies.next_state[reply]
