"""A league: each learner plays against all other learners, and against two players that never learn.

Source: Mitchell (1997), "Machine Learning": eq. 13.10 and 13.11 for nondeterministic rewards and
actions, and section 13.3.5 for actions with probabilities proportional to k ** Q.
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
from app.textbook.league import LEARNERS, MEMBERS
from app.tictactoe.game import BoolArray, FloatArray, Game, O, X
from app.tictactoe.tasks import list_rewards
from app.tictactoe.views import RewardScale
from training.learners.pairs import (
    Indices,
    RangeStarts,
    Values,
    Visits,
    list_legal_pairs,
)
from training.learners.phases import NextCheckpoint, Progress, run_phases
from training.learners.randomness import draw_uniform, make_rng_state

# Learners are numbered from 0, so the two members that never learn have negative numbers.
RANDOM_MEMBER, FIXED_MEMBER = -1, -2
FIXED_PLAYERS = MappingProxyType({"fixed": FIXED_MEMBER, "random": RANDOM_MEMBER})
LEARNER_RECIPES: Mapping[str, League] = MappingProxyType(
    {name: League(**parameters) for name, parameters in LEARNERS.items()}
)


class TableLayout(NamedTuple):
    """Where a learner's table has the value of each move.

    A board has a row of entries, one for each cell. A learner sees a board from its own side: 0 is
    an empty cell, 1 its own stone, 2 the opponent's stone. So one table serves both seats, and each
    array here has two views: view 0 for a learner that plays X, view 1 for one that plays O.

    Rows are in the order of the boards' base-3 numbers. If a board has equally many stones of both
    kinds, X is to move: the learner itself in view 0, its opponent in view 1. Both views use the
    same row, so what is learned as X and as O is mixed there.
    """

    entry_count: int
    # [2, S] the index of a position's first entry, in each view
    first_entry: Indices
    # [2, D, cells] the index of a move's entry, in each view; 0 if illegal
    pair_entry: Indices


class LeagueGame(NamedTuple):
    """The game as L learners see it, with S positions and P state-action pairs.

    View 0 is that of a learner as X, view 1 that of a learner as O.
    """

    # [D + 1] the pairs of state s are first_pair[s]:first_pair[s + 1]
    first_pair: RangeStarts
    # [P] the position after the move; positions from D on are terminal
    next_position: Indices
    # [2, S] the reward for reaching a position, in each view
    reward: FloatArray
    # [L, 2, S] the index of a position's first entry, for each learner and view
    first_entry: Indices
    # [L, 2, P] the index of a pair's entry, for each learner and view
    pair_entry: Indices
    # the number of cells, and of entries for a board
    cells: int


class LearnerTables(NamedTuple):
    """The tables of L learners in joint arrays of E entries, and the learners' parameters."""

    q: Values
    # [E] how often each entry was updated
    visits: Visits
    # [L] how many updates each learner has made
    updates: NDArray[np.int64]
    # [L] the parameters of each learner, here and below
    gamma: FloatArray
    initial_greediness: FloatArray
    greediness_step: FloatArray
    max_greediness: FloatArray
    is_observing: BoolArray
    is_two_stage: BoolArray


def learn(
    game: Game, recipe: League, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play a league in which one learner has the recipe's parameters; yield this learner's progress.

    The members of a league are learners and two players that never learn. In a round each member
    meets every other member, once in each seat. The other learners have the parameters of
    `LEARNER_RECIPES` and learn as well. With the same members and seed all games are the same,
    whichever learner's progress is yielded.

    A *two-stage* learner updates its table after every move of a game, its own and the opponent's,
    always with its own reward. If the opponent is to move on the next board, the target has the
    maximum over the opponent's moves, as if the opponent wanted the learner to win. A *one-stage*
    learner updates only after its own moves.

    After the last move of a game, all entries of the final board are set to the reward. So the
    target of a winning move is 10 at first, and 10 + gamma 10 once its final board is known.

    An *observing* learner makes a second update after each move of its opponent, with the board and
    the reward as the opponent sees them.

    Games and updates are counted for the recipe's learner only.
    """
    own_name = find_replaced_member(recipe)
    names = [
        name for name in MEMBERS if name == own_name or meets_member(recipe.vs, name)
    ]
    learners = {
        name: LEARNER_RECIPES[name] for name in names if name in LEARNER_RECIPES
    } | {own_name: recipe}
    numbers = {name: number for number, name in enumerate(learners)} | FIXED_PLAYERS
    meetings = np.array(list(permutations([numbers[name] for name in names], 2)))
    own = numbers[own_name]
    is_own_game = (meetings == own).any(axis=1)

    layouts = [
        build_table_layout(game, len(game.symmetries) if learner.symmetric else 1)
        for learner in learners.values()
    ]
    table_offsets = np.cumsum(
        [0] + [layout.entry_count for layout in layouts[:-1]], dtype=np.int32
    )
    league_game = build_league_game(
        game, layouts, table_offsets, recipe.get_reward_scale()
    )
    tables = make_empty_tables(list(learners.values()), layouts)
    entries = list_own_entries(game, layouts[own]) + table_offsets[own]

    def build_progress(
        finished_share: float, game_count: int, updates: int
    ) -> Progress:
        rounds, begun = divmod(game_count, len(is_own_game))
        games = rounds * is_own_game.sum() + is_own_game[:begun].sum()
        q = np.where(game.legal, tables.q[entries], np.nan).astype(np.float32)
        visits = np.where(game.legal, tables.visits[entries], 0).astype(np.uint32)
        return Progress(finished_share, int(games), updates, q, visits)

    return run_phases(
        [(None, recipe.rounds * len(meetings))],
        next_checkpoint,
        partial(
            _play_games, make_rng_state(recipe.seed), league_game, tables, meetings, own
        ),
        build_progress,
    )


def find_replaced_member(recipe: League) -> str:
    """Return the name of the league member that the recipe's learner replaces.

    It is the member with the same parameters `observing` and `symmetric`.
    """
    flags = (recipe.observing, recipe.symmetric)
    return next(
        name
        for name, other in LEARNER_RECIPES.items()
        if (other.observing, other.symmetric) == flags
    )


def meets_member(vs: str, member_name: str) -> bool:
    return vs == "league" or member_name in vs.split("+")


def build_league_game(
    game: Game,
    layouts: Sequence[TableLayout],
    table_offsets: Indices,
    rewards: RewardScale,
) -> LeagueGame:
    """Return the game as L learners see it.

    `table_offsets`, [L], are the indices of the learners' first entries in the joint arrays.
    """
    reward = np.zeros((2, game.positions))
    for view, own in enumerate((X, O)):
        reward[view, game.decisions :] = list_rewards(game, rewards, own)
    starts = table_offsets[:, None, None]
    return LeagueGame(
        first_pair=list_legal_pairs(game).first_pair,
        next_position=game.pair_successor,
        reward=reward,
        first_entry=np.stack([layout.first_entry for layout in layouts]) + starts,
        pair_entry=np.stack([layout.pair_entry[:, game.legal] for layout in layouts])
        + starts,
        cells=game.cells,
    )


def make_empty_tables(
    learners: Sequence[League], layouts: Sequence[TableLayout]
) -> LearnerTables:
    entries = sum(layout.entry_count for layout in layouts)
    return LearnerTables(
        q=np.zeros(entries),
        visits=np.zeros(entries, np.uint32),
        updates=np.zeros(len(learners), np.int64),
        gamma=np.array([learner.gamma for learner in learners]),
        initial_greediness=np.array([learner.k_start for learner in learners]),
        greediness_step=np.array([learner.k_step for learner in learners]),
        max_greediness=np.array([learner.k_limit for learner in learners]),
        is_observing=np.array([learner.observing for learner in learners]),
        is_two_stage=np.array([learner.stages == "two" for learner in learners]),
    )


def build_table_layout(game: Game, symmetry_count: int) -> TableLayout:
    """Return the layout of a table that knows the first `symmetry_count` symmetries of the board.

    Symmetric boards share a row, and symmetric moves an entry. With 1, which is the identity alone,
    every board has its own row.
    """
    image = game.symmetric_positions[:symmetry_count]
    symmetry = game.symmetries[:symmetry_count]
    # [2, G, S] the base-3 numbers of the boards under all G symmetries
    numbers = number_boards_by_view(game)[:, image]
    # The symmetric board with the highest base-3 number represents a board.
    highest = numbers.max(axis=1)
    representatives, row_number = np.unique(highest, return_inverse=True)
    first_entry = row_number.reshape(highest.shape) * game.cells
    # [G, 1, cells] the cell to which each symmetry moves each cell
    image_of_cell = np.argsort(symmetry, axis=1)[:, None]
    # If several symmetries lead to that board, the first of the cells represents a cell.
    leads_to_highest = (numbers == highest[:, None])[..., None]
    cell = np.where(leads_to_highest, image_of_cell, game.cells).min(axis=1)
    entry_of_move = (first_entry[..., None] + cell)[:, : game.decisions]
    pair_entry = np.where(game.legal, entry_of_move, 0)
    entry_count = len(representatives) * game.cells
    return TableLayout(
        entry_count, first_entry.astype(np.int32), pair_entry.astype(np.int32)
    )


def list_own_entries(game: Game, layout: TableLayout) -> Indices:
    """Return the index of each move's entry in its player's view, [D, cells]."""
    as_x, as_o = layout.pair_entry
    entries: Indices = np.where(game.to_move[:, None] == X, as_x, as_o)
    return entries


def number_boards_by_view(game: Game) -> NDArray[np.int64]:
    """Return the base-3 number of every board as X sees it and as O sees it, [2, S]."""
    weight = 3 ** np.arange(game.cells - 1, -1, -1)
    return np.stack([own * game.board % 3 @ weight for own in (1, -1)])


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    league_game,
    tables,
    meetings,
    reported_learner,
    _opponent,
    _phase_start,
    phase_end,
    max_updates,
    games,
    _updates,
):
    """Play games of the league; return their number, and the updates of `reported_learner`.

    `meetings`, [M, 2], has the members who play X and O in the M games of a round.
    """
    # The tuples are unpacked before the loop, because reading them at every move halves the speed.
    first_pair, next_position, reward, first_entry, pair_entry, cells = league_game
    (
        q,
        visits,
        updates,
        gamma,
        initial_greediness,
        greediness_step,
        max_greediness,
        is_observing,
        is_two_stage,
    ) = tables
    working_memory = np.empty(cells)
    decisions = len(first_pair) - 1
    while games < phase_end and updates[reported_learner] < max_updates:
        members = meetings[games % len(meetings)]
        position, mover = 0, 0
        while position < decisions:
            # FIXED_MEMBER always takes the first empty cell, which is the position's first pair.
            member = members[mover]
            pair = first_pair[position]
            end = first_pair[position + 1]
            if member == RANDOM_MEMBER:
                pair += int(draw_uniform(rng_state) * (end - pair))
            elif member >= 0:
                k = compute_greediness(
                    initial_greediness[member],
                    greediness_step[member],
                    max_greediness[member],
                    updates[member],
                )
                random_number = draw_uniform(rng_state)
                pair += choose_by_powers(
                    random_number,
                    q,
                    k,
                    pair_entry[member, mover, pair:end],
                    working_memory,
                )
            position = next_position[pair]
            for seat in range(2):
                member = members[seat]
                if member < 0:
                    continue
                if seat == mover or is_two_stage[member]:
                    entry_index = pair_entry[member, seat, pair]
                    next_entry = first_entry[member, seat, position]
                    _update_entry(
                        q,
                        visits,
                        entry_index,
                        reward[seat, position],
                        gamma[member],
                        next_entry,
                        cells,
                        position >= decisions,
                    )
                    updates[member] += 1
                # An observing learner also learns the opponent's move as the opponent sees it.
                if seat != mover and is_observing[member]:
                    entry_index = pair_entry[member, mover, pair]
                    next_entry = first_entry[member, mover, position]
                    _update_entry(
                        q,
                        visits,
                        entry_index,
                        reward[mover, position],
                        gamma[member],
                        next_entry,
                        cells,
                        position >= decisions,
                    )
                    updates[member] += 1
            mover = 1 - mover
        games += 1
    return games, updates[reported_learner]


@njit(cache=True)
def compute_greediness(start: float, step: float, limit: float, updates: int) -> float:
    """Return k after a number of updates; k grows from `start` by `step` up to `limit`."""
    return min(start + step * updates, limit)


@njit(cache=True)
def choose_by_powers(
    random_number: float, q: Values, k: float, entries: Indices, working_memory: Values
) -> int:
    """Return the index of one of `entries`, [n], with probability proportional to k ** q[entry].

    Source: Mitchell (1997), section 13.3.5. `random_number` is from [0, 1); `working_memory` is
    [n].
    """
    # All powers are divided by the largest, so none overflows, and not all become 0. On another
    # platform exp and log may differ in the last bit, which changes the choice very rarely.
    rate = log(k)
    highest = -np.inf
    total = 0.0
    chosen_index = 0
    for i in range(len(entries)):
        working_memory[i] = rate * q[entries[i]]
        highest = max(highest, working_memory[i])
    for i in range(len(entries)):
        total += exp(working_memory[i] - highest)
        working_memory[i] = total
    # The first entry whose partial sum exceeds random_number * total is chosen; the loop counts the
    # entries before it.
    for i in range(len(entries) - 1):
        chosen_index += random_number * total >= working_memory[i]
    return chosen_index


@njit(cache=True)
def _update_entry(  # type: ignore[no-untyped-def]
    q, visits, entry_index, reward, gamma, next_entry, cells, is_over
):
    """Move q[entry_index] towards reward + gamma max(0, max Q(s', .)).

    s' is the position after the move; its entries are next_entry:next_entry + cells. The step size
    alpha is 1 / (1 + visits). The visits include this update, so the first step is 1 / 2.
    """
    highest = 0.0
    for j in range(next_entry, next_entry + cells):
        highest = max(highest, q[j])
    visits[entry_index] += 1
    alpha = 1 / (1 + visits[entry_index])
    target = reward + gamma * highest
    q[entry_index] = (1 - alpha) * q[entry_index] + alpha * target
    if is_over:
        q[next_entry : next_entry + cells] = reward
