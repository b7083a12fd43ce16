"""A league: every learner plays all other learners, and two players that never learn.

Source: Mitchell (1997), "Machine Learning": eq. 13.10 and 13.11 for nondeterministic rewards
and actions, and section 13.3.5 for actions with probabilities proportional to k ** Q.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from math import exp, log
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import League
from app.tictactoe.game import Game, O, X
from app.tictactoe.tasks import list_rewards
from app.tictactoe.views import RewardScale
from training.learners.pairs import Indices, RowStarts, Values, Visits, list_legal_pairs
from training.learners.phases import NextCheckpoint, Progress, run_phases
from training.learners.randomness import draw_uniform, make_rng_state
from training.textbook import league as textbook

# Member numbers of the two players that never learn; learners are numbered from 0.
RANDOM, FIXED = -1, -2
FIXED_PLAYERS = MappingProxyType({"fixed": FIXED, "random": RANDOM})
LEARNERS: Mapping[str, League] = MappingProxyType(
    {name: League(**parameters) for name, parameters in textbook.LEARNERS.items()}
)
MEMBERS = textbook.MEMBERS


class Layout(NamedTuple):
    """The index of each board and move in a learner's table: a board has a row of `cells` entries.

    A learner sees a board from its own side: empty cells are 0, own stones 1, the opponent's 2.
    One table serves both seats, so each index array has two views: view 0 if the learner plays X,
    view 1 if it plays O.  Swapping the two kinds of stones is the same position in the other view.

    Rows are in the order of the boards' base-3 numbers.  On a board with equally many stones of
    both kinds, the learner is to move if it plays X, and the opponent if it plays O; such boards
    share one row, so experience of both seats is mixed there.
    """

    entries: int  # number of entries of the table
    row: Indices  # [2, S] index of the first entry of a position, by view
    # [2, D, cells] index of the entry of each pair, by view; 0 if illegal
    entry: Indices


class Board(NamedTuple):
    """The game for L learners, with S positions and P pairs of a position and a move.

    View 0 is of a learner as X, view 1 of a learner as O.
    """

    # [D + 1] the pairs of state s are row_start[s]:row_start[s + 1]
    row_start: RowStarts
    # [P] the position after the move; positions from D on are terminal
    next_position: Indices
    reward: NDArray[np.float64]  # [2, S] the reward of reaching a position, by view
    row: Indices  # [L, 2, S] index of the first entry of a position
    entry: Indices  # [L, 2, P] index of the entry of each pair
    cells: int


class Tables(NamedTuple):
    """The tables of L learners, joined to one array of E entries, and the learners' parameters."""

    q: Values  # [E] the values
    visits: Visits  # [E] number of updates of each entry
    updates: NDArray[np.int64]  # [L] number of updates so far
    # The parameters of each learner, [L].
    gamma: NDArray[np.float64]
    k_start: NDArray[np.float64]
    k_step: NDArray[np.float64]
    k_limit: NDArray[np.float64]
    observing: NDArray[np.bool_]
    two_stage: NDArray[np.bool_]


def learn(
    game: Game, recipe: League, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play a league in which one learner has the recipe's parameters; yield this learner's progress.

    In a round each member meets every other member, once in each seat.  The other learners have
    the parameters of `LEARNERS` and learn as well.  Equal members and an equal seed play the same
    league, whichever learner is reported.

    A *two-stage* learner updates its table after every move of a game, its own and the opponent's,
    always with its own reward.  On a board where the opponent is to move, the target has the
    maximum over the opponent's moves, as if the opponent wanted the learner to win.  A *one-stage*
    learner updates after its own moves only.
    After the last move of a game, all entries of the final board are set to the reward.  So the
    target of a winning move is 10 at first, and 10 + gamma 10 when its final board is known.
    An *observing* learner makes a second update after each move of its opponent, with the board
    and the reward as the opponent sees them.

    Games and updates are counted for the recipe's learner only.
    """
    own_name = find_replaced_member(recipe)
    names = [
        name for name in MEMBERS if name == own_name or has_opponent(recipe.vs, name)
    ]
    learners = {name: LEARNERS[name] for name in names if name in LEARNERS} | {
        own_name: recipe
    }
    numbers = {name: number for number, name in enumerate(learners)} | FIXED_PLAYERS
    meetings = np.array(list(permutations([numbers[name] for name in names], 2)))
    own = numbers[own_name]
    is_own_game = (meetings == own).any(axis=1)

    layouts = [
        build_layout(game, len(game.symmetries) if learner.symmetric else 1)
        for learner in learners.values()
    ]
    table_offsets = np.cumsum(
        [0] + [layout.entries for layout in layouts[:-1]], dtype=np.int32
    )
    board = build_board(game, layouts, table_offsets, recipe.get_reward_scale())
    tables = make_empty_tables(list(learners.values()), layouts)
    entries = list_own_entries(game, layouts[own]) + table_offsets[own]

    def report(done: float, played: int, updates: int) -> Progress:
        """Return the progress after these turns and updates."""
        rounds, begun = divmod(played, len(is_own_game))
        games = rounds * is_own_game.sum() + is_own_game[:begun].sum()
        q = np.where(game.legal, tables.q[entries], np.nan).astype(np.float32)
        visits = np.where(game.legal, tables.visits[entries], 0).astype(np.uint32)
        return Progress(done, int(games), updates, q, visits)

    return run_phases(
        [(None, recipe.rounds * len(meetings))],
        next_checkpoint,
        partial(_play_games, make_rng_state(recipe.seed), board, tables, meetings, own),
        report,
    )


def find_replaced_member(recipe: League) -> str:
    """Return the name of the member that a recipe replaces: the one with the same two flags.

    The flags are `observing` and `symmetric`.
    """
    flags = (recipe.observing, recipe.symmetric)
    return next(
        name
        for name, other in LEARNERS.items()
        if (other.observing, other.symmetric) == flags
    )


def has_opponent(vs: str, name: str) -> bool:
    """Return whether a recipe with opponents `vs` meets the member `name`."""
    return vs == "league" or name in vs.split("+")


def build_board(
    game: Game, layouts: Sequence[Layout], table_offsets: Indices, rewards: RewardScale
) -> Board:
    """Return the game as L learners see it; `table_offsets` [L] has the first entry of each learner."""
    reward = np.zeros((2, game.positions))
    for view, own in enumerate((X, O)):
        reward[view, game.decisions :] = list_rewards(game, rewards, own)
    starts = table_offsets[:, None, None]
    return Board(
        row_start=list_legal_pairs(game).row_start,
        next_position=game.pair_successor,
        reward=reward,
        row=np.stack([layout.row for layout in layouts]) + starts,
        entry=np.stack([layout.entry[:, game.legal] for layout in layouts]) + starts,
        cells=game.cells,
    )


def make_empty_tables(learners: Sequence[League], layouts: Sequence[Layout]) -> Tables:
    """Return the tables before the first game: every value is 0."""
    entries = sum(layout.entries for layout in layouts)
    return Tables(
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


def build_layout(game: Game, symmetries: int) -> Layout:
    """Return the layout of a table in which boards share a row by the first `symmetries` symmetries.

    With 1, the identity, every board has its own row.  Otherwise the image with the highest base-3
    number represents a board.  If several symmetries lead to this image, a cell is represented by
    the first of the cells that they map it to, so symmetric moves share one entry.
    """
    image = game.symmetric_positions[:symmetries]
    symmetry = game.symmetries[:symmetries]
    numbers = number_views(game)[:, image]  # [2, G, S], G symmetries
    highest = numbers.max(axis=1)
    representatives, row_number = np.unique(highest, return_inverse=True)
    row = row_number.reshape(highest.shape) * game.cells
    # [G, 1, cells] the cell to which each symmetry moves each cell
    image_of_cell = np.argsort(symmetry, axis=1)[:, None]
    leads_to_highest = (numbers == highest[:, None])[..., None]
    cell = np.where(leads_to_highest, image_of_cell, game.cells).min(axis=1)
    entry_of_move = (row[..., None] + cell)[:, : game.decisions]
    entry = np.where(game.legal, entry_of_move, 0)
    entries = len(representatives) * game.cells
    return Layout(entries, row.astype(np.int32), entry.astype(np.int32))


def list_own_entries(game: Game, layout: Layout) -> Indices:
    """Return the entry of every pair in the view of the player to move, [D, cells]."""
    as_x, as_o = layout.entry
    entries: Indices = np.where(game.to_move[:, None] == X, as_x, as_o)
    return entries


def number_views(game: Game) -> NDArray[np.int64]:
    """Return the base-3 number of every position as X sees it and as O sees it, [2, S]."""
    weight = 3 ** np.arange(game.cells - 1, -1, -1)
    return np.stack([own * game.board % 3 @ weight for own in (1, -1)])


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    board,
    tables,
    meetings,
    reported,
    _opponent,
    _phase_start,
    phase_end,
    max_updates,
    games,
    _updates,
):
    """Play games of the league; return the games, and the updates of the learner `reported`.

    `meetings` [M, 2] are the members who play X and O in the M games of a round.  `run_phases`
    explains the counts.
    """
    # Unpacked before the loop: reading an array from a tuple at every move halves the speed.
    row_start, next_position, reward, row, entry, cells = board
    q, visits, updates, gamma, k_start, k_step, k_limit, observing, two_stage = tables
    scratch = np.empty(cells)
    decisions = len(row_start) - 1
    while games < phase_end and updates[reported] < max_updates:
        members = meetings[games % len(meetings)]
        s, mover = 0, 0
        while s < decisions:
            # p is the first pair of the state: the move of FIXED.
            member = members[mover]
            p = row_start[s]
            end = row_start[s + 1]
            if member == RANDOM:
                p += int(draw_uniform(rng_state) * (end - p))
            elif member >= 0:
                k = compute_k(
                    k_start[member], k_step[member], k_limit[member], updates[member]
                )
                u = draw_uniform(rng_state)
                p += choose_by_powers(u, q, k, entry[member, mover, p:end], scratch)
            s = next_position[p]
            for seat in range(2):
                member = members[seat]
                if member < 0:
                    continue
                if seat == mover or two_stage[member]:
                    i = entry[member, seat, p]
                    first = row[member, seat, s]
                    _update_entry(
                        q,
                        visits,
                        i,
                        reward[seat, s],
                        gamma[member],
                        first,
                        cells,
                        s >= decisions,
                    )
                    updates[member] += 1
                # An observing learner also learns the opponent's move as the opponent sees it.
                if seat != mover and observing[member]:
                    i = entry[member, mover, p]
                    first = row[member, mover, s]
                    _update_entry(
                        q,
                        visits,
                        i,
                        reward[mover, s],
                        gamma[member],
                        first,
                        cells,
                        s >= decisions,
                    )
                    updates[member] += 1
            mover = 1 - mover
        games += 1
    return games, updates[reported]


@njit(cache=True)
def compute_k(start: float, step: float, limit: float, updates: int) -> float:
    """Return k after a number of updates: `start`, plus `step` for each update, at most `limit`."""
    return min(start + step * updates, limit)


@njit(cache=True)
def choose_by_powers(
    u: float, q: Values, k: float, entries: Indices, scratch: Values
) -> int:
    """Return the index in `entries` of a random choice, proportional to k ** q[entry].

    Source: Mitchell (1997), section 13.3.5. `u` is a random number in [0, 1), `entries` [n] are
    indices into q, and `scratch` [n] is working memory.  All powers are divided by the largest, so
    none overflows, and not all become 0.  exp and log of another platform may differ in the last
    bit, which very rarely changes the choice.
    """
    rate = log(k)
    highest = -np.inf
    total = 0.0
    choice = 0
    for i in range(len(entries)):
        scratch[i] = rate * q[entries[i]]
        highest = max(highest, scratch[i])
    for i in range(len(entries)):
        total += exp(scratch[i] - highest)
        scratch[i] = total
    # `scratch` now holds partial sums; the choice is the number of them up to u * total.
    for i in range(len(entries) - 1):
        choice += u * total >= scratch[i]
    return choice


@njit(cache=True)
def _update_entry(q, visits, entry, reward, gamma, first, cells, is_over):  # type: ignore[no-untyped-def]
    """Move entry `entry` of q towards reward + gamma max(0, max Q(s', .)).

    s' is the position after the move; its entries are first:first + cells.
    alpha is 1 / (1 + visits), this visit included: 1 / 2 in the first update.
    """
    highest = 0.0
    for j in range(first, first + cells):
        highest = max(highest, q[j])
    visits[entry] += 1
    alpha = 1 / (1 + visits[entry])
    target = reward + gamma * highest
    q[entry] = (1 - alpha) * q[entry] + alpha * target
    if is_over:
        q[first : first + cells] = reward
