"""The games of a league, compiled: whoever learns has its table in one row with all others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from training.members import DRAW, LOSS, RANDOM, WIN, Learner
from training.mitchell import grown, proportional, update
from training.owners_view import View
from training.pairs import legal_pairs

Indices = NDArray[np.int32]


class Board(NamedTuple):
    """The game of P pairs as L learners see it: in view 0 as X, in view 1 as O."""

    first: Indices  # [D + 1] the pairs of decision s are first[s]:first[s + 1]
    after: Indices  # [P] the position after the move
    reward: NDArray[np.float64]  # [2, S] by view, for having come to a position
    row: Indices  # [L, 2, S] where the entries of a position begin
    entry: Indices  # [L, 2, P] the entry of each pair
    cells: int


class Minds(NamedTuple):
    """What L learners know in their E entries, and how they learn."""

    q: NDArray[np.float64]  # [E]
    visits: NDArray[np.uint32]  # [E]
    updates: NDArray[np.int64]  # [L]
    gamma: NDArray[np.float64]  # [L]
    k_start: NDArray[np.float64]  # [L]
    k_step: NDArray[np.float64]  # [L]
    k_limit: NDArray[np.float64]  # [L]
    observing: NDArray[np.bool_]  # [L]


def board_of(game: Game, views: Sequence[View], begins: Indices) -> Board:
    """Put the views side by side; the entries of each learner begin where `begins` [L] says."""
    reward = np.zeros((2, game.positions))
    for view, own in enumerate((X, O)):
        reward[view, game.decisions :] = np.choose(own * game.outcome + 1, [LOSS, DRAW, WIN])
    return Board(
        first=legal_pairs(game).first,
        after=game.successor[game.legal],
        reward=reward,
        row=np.stack([view.row for view in views]) + begins[:, None, None],
        entry=np.stack([view.entry[:, game.legal] for view in views]) + begins[:, None, None],
        cells=game.cells,
    )


def minds_of(learners: Sequence[Learner], views: Sequence[View]) -> Minds:
    """Know nothing yet: every value is 0."""
    entries = sum(view.entries for view in views)
    return Minds(
        q=np.zeros(entries),
        visits=np.zeros(entries, np.uint32),
        updates=np.zeros(len(learners), np.int64),
        gamma=np.array([learner.gamma for learner in learners]),
        k_start=np.array([learner.k_start for learner in learners]),
        k_step=np.array([learner.k_step for learner in learners]),
        k_limit=np.array([learner.k_limit for learner in learners]),
        observing=np.array([learner.observing for learner in learners]),
    )


@njit(cache=True)
def play(rng, board, minds, meetings, me, last, stop, played):  # type: ignore[no-untyped-def]
    """Play until there were `last` games or `stop` updates of learner `me`; say how many games.

    `meetings` [M, 2] are the members who play X and O, in turn from the first to the last.
    """
    # Taken apart once and used in one place: to hand the arrays on at every move halves the speed.
    first, after, reward, row, entry, cells = board
    q, visits, updates, gamma, k_start, k_step, k_limit, observing = minds
    scratch = np.empty(cells)
    while played < last and updates[me] < stop:
        members = meetings[played % len(meetings)]
        s, mover = 0, 0
        while s < len(first) - 1:
            member, p, end = members[mover], first[s], first[s + 1]
            if member == RANDOM:
                p += int(rng.random() * (end - p))
            elif member >= 0:
                k = grown(k_start[member], k_step[member], k_limit[member], updates[member])
                p += proportional(rng.random(), q, k, entry[member, mover, p:end], scratch)
            s = after[p]
            for view in range(2):
                member = members[view]
                lessons = 0 if member < 0 else 2 if observing[member] and view != mover else 1
                for lesson in range(lessons):  # the second one is the mover's
                    seen = mover if lesson else view
                    won, begin = reward[seen, s], row[member, seen, s]
                    update(q, visits, entry[member, seen, p], won, gamma[member], begin, cells)
                    updates[member] += 1
                    if s >= len(first) - 1:
                        q[begin : begin + cells] = won
            mover = 1 - mover
        played += 1
    return played
