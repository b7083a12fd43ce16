"""A league of learners that learn from one another, and from two players that never learn.

Source: Mitchell (1997), "Machine Learning": eq. 13.10 and 13.11 for worlds that are not
deterministic, and section 13.3.5 for actions drawn by powers of k.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from math import exp, log
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import League
from app.tictactoe.game import Game, O, X
from app.tictactoe.views import Worth
from training.learners.pairs import Indices, Values, Visits, legal_pairs
from training.learners.phases import NextStop, Progress, over_phases
from training.learners.randomness import stream, uniform

RANDOM, FIXED = -1, -2  # instead of a learner's number
NEVER_LEARN = MappingProxyType({"fixed": FIXED, "random": RANDOM})
QUICK: Mapping[str, Any] = MappingProxyType(
    {"gamma": 0.65, "k_start": 0.01, "k_step": 0.01, "k_limit": 10.0}
)
LEARNERS: Mapping[str, League] = MappingProxyType(
    {
        "q-learning-player": League(),
        "observing": League(observing=True),
        "symmetric": League(symmetric=True, **QUICK),
        "observing-symmetric": League(observing=True, symmetric=True, **QUICK),
    }
)
MEMBERS = (*LEARNERS, *NEVER_LEARN)  # in this order they meet


class View(NamedTuple):
    """Where a table keeps what: `cells` entries for every board that is seen, in one long row.

    The board is as the owner of the table sees it: empty 0, own stones 1, the opponent's 2.  One
    table serves both seats, so all of it is here twice: for an owner who plays X (view 0) and for
    one who plays O (view 1).  To invert a board, own stones for the opponent's, is to take the same
    position in the other view.

    A board's place follows from its base-3 number; numbers that no game shows have none.  A board
    with as many own stones as others does not tell who is to move: the owner, if it plays X, or
    the opponent, if the owner plays O.  What is learned in both seats goes to the same entries.
    """

    entries: int
    row: Indices  # [2, S] by view, where the entries of a position begin
    entry: Indices  # [2, D, cells] by view, the entry of each pair; 0 where illegal


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

    q: Values  # [E]
    visits: Visits  # [E]
    updates: NDArray[np.int64]  # [L]
    gamma: NDArray[np.float64]  # [L]
    k_start: NDArray[np.float64]  # [L]
    k_step: NDArray[np.float64]  # [L]
    k_limit: NDArray[np.float64]  # [L]
    observing: NDArray[np.bool_]  # [L]
    two_stage: NDArray[np.bool_]  # [L]


def learn(game: Game, recipe: League, next_stop: NextStop) -> Iterator[Progress]:
    """Play a league in which one learner is as the recipe says, and show that one.

    In a round each member meets every other one, once in each seat.  The others are what `LEARNERS`
    says of them, and learn as well.  Whichever of them is shown, the same members and the same seed
    play the same league.

    *Two-stage*: every move of a game is an update, the opponent's too, always with the learner's
    own reward.  On a board where the opponent is to move, the maximum is over the opponent's
    moves, as if it were to please the learner.  *One-stage*: only its own moves are.
    When the game is over, and its last move has been learned, the reward becomes the value of all
    entries of its last board; so what a winning move is drawn to is 10 at first, and 10 + gamma 10
    as soon as its board is known.
    An *observing* learner then updates once more with each move of the opponent, as the opponent
    sees it, with its reward.

    Games and updates are the learner's own.
    """
    me = own_place(recipe)
    names = [name for name in MEMBERS if name == me or meets(recipe.vs, name)]
    learners = {name: LEARNERS[name] for name in names if name in LEARNERS} | {me: recipe}
    numbers = {name: number for number, name in enumerate(learners)} | NEVER_LEARN
    meetings = np.array(list(permutations([numbers[name] for name in names], 2)))
    own = numbers[me]
    mine = (meetings == own).any(axis=1)

    views = [view_of(game, len(game.symmetry) if one.symmetric else 1) for one in learners.values()]
    begins = np.cumsum([0] + [view.entries for view in views[:-1]], dtype=np.int32)
    board = board_of(game, views, begins, recipe.worth())
    minds = minds_of(list(learners.values()), views)
    entries = own_moves(game, views[own]) + begins[own]

    def show(done: float, played: int, updates: int) -> Progress:
        games = played // len(mine) * mine.sum() + mine[: played % len(mine)].sum()
        q = np.where(game.legal, minds.q[entries], np.nan).astype(np.float32)
        visits = np.where(game.legal, minds.visits[entries], 0).astype(np.uint32)
        return Progress(done, int(games), updates, q, visits)

    return over_phases(
        [(None, recipe.rounds * len(meetings))],
        next_stop,
        partial(play, stream(recipe.seed), board, minds, meetings, own),
        show,
    )


def own_place(recipe: League) -> str:
    """Name the learner of the league whose place the recipe's takes: it sees the board alike."""
    flags = (recipe.observing, recipe.symmetric)
    return next(
        name for name, other in LEARNERS.items() if (other.observing, other.symmetric) == flags
    )


def meets(vs: str, name: str) -> bool:
    """Whether a learner with these opponents meets this member."""
    return vs == "league" or name in vs.split("+")


def board_of(game: Game, views: Sequence[View], begins: Indices, worth: Worth) -> Board:
    """Put the views side by side; the entries of each learner begin where `begins` [L] says."""
    reward = np.zeros((2, game.positions))
    for view, own in enumerate((X, O)):
        reward[view, game.decisions :] = np.array(worth.x)[own * game.outcome + 1]
    return Board(
        first=legal_pairs(game).first,
        after=game.pair_after,
        reward=reward,
        row=np.stack([view.row for view in views]) + begins[:, None, None],
        entry=np.stack([view.entry[:, game.legal] for view in views]) + begins[:, None, None],
        cells=game.cells,
    )


def minds_of(learners: Sequence[League], views: Sequence[View]) -> Minds:
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
        two_stage=np.array([learner.stages == "two" for learner in learners]),
    )


def view_of(game: Game, symmetries: int) -> View:
    """See the boards so that the first so many symmetries make no difference; 1 is none.

    Of the images of a board the one with the highest base-3 number stands for all.  Where several
    symmetries lead to it, a cell counts as the first that one of them makes of it, so that moves
    that are the same by symmetry share one entry.
    """
    image, symmetry = game.image[:symmetries], game.symmetry[:symmetries]
    numbers = seen_numbers(game)[:, image]  # [2, G, S]
    highest = numbers.max(axis=1)
    standing, place = np.unique(highest, return_inverse=True)
    row = place.reshape(highest.shape) * game.cells
    goes_to = np.argsort(symmetry, axis=1)[:, None]  # [G, 1, cells]
    leads_there = (numbers == highest[:, None])[..., None]
    cell = np.where(leads_there, goes_to, game.cells).min(axis=1)
    entry = np.where(game.legal, (row[..., None] + cell)[:, : game.decisions], 0)
    return View(len(standing) * game.cells, row.astype(np.int32), entry.astype(np.int32))


def own_moves(game: Game, view: View) -> Indices:
    """Return the entry of every pair for an owner who is to move there, [D, cells]."""
    as_x, as_o = view.entry
    entries: Indices = np.where(game.to_move[:, None] == X, as_x, as_o)
    return entries


def seen_numbers(game: Game) -> NDArray[np.int64]:
    """Return the base-3 number of every position in both views, [2, S]."""
    weight = 3 ** np.arange(game.cells - 1, -1, -1)
    return np.stack([own * game.board % 3 @ weight for own in (1, -1)])


@njit(cache=True)
def play(  # type: ignore[no-untyped-def]
    stream, board, minds, meetings, me, opponent, begin, last, stop, played, made
):
    """Play until there were `last` games or `stop` updates of learner `me`; return both.

    `meetings` [M, 2] are the members who play X and O, in turn from the first to the last.
    """
    # Taken apart once and used in one place: to hand the arrays on at every move halves the speed.
    first, after, reward, row, entry, cells = board
    q, visits, updates, gamma, k_start, k_step, k_limit, observing, two_stage = minds
    scratch = np.empty(cells)
    while played < last and updates[me] < stop:
        members = meetings[played % len(meetings)]
        s, mover = 0, 0
        while s < len(first) - 1:
            member, p, end = members[mover], first[s], first[s + 1]
            if member == RANDOM:
                p += int(uniform(stream) * (end - p))
            elif member >= 0:
                k = grown(k_start[member], k_step[member], k_limit[member], updates[member])
                p += proportional(uniform(stream), q, k, entry[member, mover, p:end], scratch)
            s = after[p]
            for view in range(2):
                member = members[view]
                for lesson in range(2):  # as it sees the move, then as the mover does
                    seen = mover if lesson else view
                    wanted = (
                        view != mover and observing[member]
                        if lesson
                        else (view == mover or two_stage[member])
                    )
                    if member < 0 or not wanted:
                        continue
                    won, begins = reward[seen, s], row[member, seen, s]
                    update(q, visits, entry[member, seen, p], won, gamma[member], begins, cells)
                    updates[member] += 1
                    if s >= len(first) - 1:
                        q[begins : begins + cells] = won
            mover = 1 - mover
        played += 1
    return played, updates[me]


@njit(cache=True)
def grown(start: float, step: float, limit: float, updates: int) -> float:
    """Return k after so many updates: it grows by `step` at every one, up to `limit`."""
    return min(start + step * updates, limit)


@njit(cache=True)
def proportional(u: float, q: Values, k: float, entries: Indices, scratch: Values) -> int:
    """Choose one of the entries [n] of q, each with a chance proportional to k ** q.

    `u` is a random number below 1, `scratch` has room for n numbers.  The powers are taken
    relative to the largest: none overflows, and not all vanish.  exp and log are the platform's
    own; those of another one may differ in the last bit, and so, very rarely, in a choice.
    """
    rate, highest, total, choice = log(k), -np.inf, 0.0, 0
    for i in range(len(entries)):
        scratch[i] = rate * q[entries[i]]
        highest = max(highest, scratch[i])
    for i in range(len(entries)):
        total += exp(scratch[i] - highest)
        scratch[i] = total
    for i in range(len(entries) - 1):
        choice += u * total >= scratch[i]
    return choice


@njit(cache=True)
def update(
    q: Values, visits: Visits, i: int, reward: float, gamma: float, row: int, cells: int
) -> None:
    """Move entry `i` of q towards reward + gamma max(0, max Q(s', .)), s' beginning at `row`.

    alpha is 1 / (1 + visits) with this visit counted: the first one goes half of the way.
    """
    highest = 0.0
    for j in range(row, row + cells):
        highest = max(highest, q[j])
    visits[i] += 1
    alpha = 1 / (1 + visits[i])
    q[i] = (1 - alpha) * q[i] + alpha * (reward + gamma * highest)
