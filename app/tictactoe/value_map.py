"""Place and colour the tiles of a picture that shows all values of an agent at once.

Pages call the picture the agent's "mind". A tile is a square of the picture that stands for a
position and all positions symmetric to it. Each row of tiles is a ply. In a row, the positions that
optimal play wins for the player to move come first, then draws, then losses. So perfect values show
three bands, each of one colour. The order is always the same, so that the pictures of two agents
can be compared tile by tile.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import BoolArray, FloatArray, Game, IndexArray
from app.tictactoe.policy import Policy, find_best_moves, uniform_policy
from app.tictactoe.values import compute_outcome_chances, solve_game
from app.tictactoe.views import (
    RewardScale,
    compute_colour_level,
    scale_values_of_movers,
)

UNKNOWN_LEVEL = -128
# The row of a ply with n tiles is about sqrt(n) / ROW_WIDTH_TO_HEIGHT tiles high.
ROW_WIDTH_TO_HEIGHT = 3
# The unit is the side of a tile.
ROW_GAP = 0.75
# Chances of symmetric positions differ by rounding errors, so chances are rounded before sorting.
CHANCE_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class TileLayout:
    """The places of the picture's N tiles, each 1 wide and 1 high, in reading order.

    A tile stands for a class of symmetric positions.
    """

    # [N] the lowest-numbered position of the class
    decisions: IndexArray
    # [N, G] the positions to which the G symmetries map this position
    symmetric_decisions: IndexArray
    # [N] how many moves were made before the position
    plies: IndexArray
    # [N] mover's view: +1 a win, 0 a draw, -1 a loss
    optimal_value: NDArray[np.int8]
    column_index: IndexArray
    top_distance: FloatArray
    # for each ply, the distance from the top of the picture to the middle of its row
    row_middles: list[float]
    columns: int
    height: float


class TileColours(NamedTuple):
    # [..., N] at most colour_steps, and negative for losses; UNKNOWN_LEVEL if no value is known
    colour_levels: NDArray[np.int8]
    is_known: BoolArray


def place_tiles(game: Game) -> TileLayout:
    decision, truth = _sort_symmetry_classes(game)
    ply = game.ply[decision]
    column = np.empty(len(decision), np.intp)
    top = np.empty(len(decision))
    middles = []
    y = 0.0
    for number in range(int(ply[-1]) + 1):
        row = np.flatnonzero(ply == number)
        height = max(1, round(len(row) ** 0.5 / ROW_WIDTH_TO_HEIGHT))
        x = 0
        for value in (1, 0, -1):
            # Each band begins a new column. Its tiles fill one column after the other.
            band = row[truth[row] == value]
            place = np.arange(len(band))
            column[band] = x + place // height
            top[band] = y + place % height
            band_columns = -(-len(band) // height)
            x += band_columns
        middles.append(y + height / 2)
        y += height + ROW_GAP
    columns = int(column.max()) + 1
    for number in range(len(middles)):
        row = np.flatnonzero(ply == number)
        free_columns = columns - 1 - column[row].max()
        # Centre the row.
        column[row] += free_columns // 2
    return TileLayout(
        decisions=decision,
        symmetric_decisions=game.symmetric_positions[:, decision].T.astype(np.intp),
        plies=ply,
        optimal_value=truth,
        column_index=column,
        top_distance=top,
        row_middles=middles,
        columns=columns,
        height=y - ROW_GAP,
    )


def _sort_symmetry_classes(game: Game) -> tuple[IndexArray, NDArray[np.int8]]:
    """Return the position of each tile, [N], and its value with optimal play, [N]."""
    decision = np.unique(game.symmetry_class[: game.decisions]).astype(np.intp)
    mover = game.to_move[decision]
    solution = solve_game(game)
    truth = (solution.values[decision] * mover).astype(np.int8)
    random = uniform_policy(game)
    chances = compute_outcome_chances(game, random, random)[decision]
    lead_of_x = chances[:, 0] - chances[:, 2]
    luck = (lead_of_x * mover).round(CHANCE_DECIMALS)
    # The number of plies to the end of the game is negative if the mover loses.
    delay = solution.plies_to_end[decision].astype(int) * truth
    # In a row, wins come before draws and losses. Of the positions with equal values, early wins
    # and late losses come first, then positions in which random moves have better results.
    order = np.lexsort((decision, -luck, delay, -truth, game.ply[decision]))
    return decision[order], truth[order]


def find_known_decisions(game: Game, is_updated: BoolArray) -> BoolArray:
    """Return a mask of the positions with an updated move, [..., D].

    `is_updated`, [..., P], has a flag for each legal move.
    """
    is_known: BoolArray = np.logical_or.reduceat(
        is_updated, game.first_pair[:-1], axis=-1
    )
    return is_known


def choose_representatives(
    tiles: TileLayout, visits: NDArray[np.integer], is_known: BoolArray
) -> IndexArray:
    """Return for each tile, [..., N], the position whose values the tile shows.

    It is the symmetric position with most updates in the whole training, if possible one with a
    known value at the snapshot. `visits` is [D, cells], and `is_known` is [..., D].
    """
    updates = visits.sum(axis=1, dtype=np.int64)[tiles.symmetric_decisions]
    # Any position with a known value ranks above all positions without one.
    rank = updates + is_known[..., tiles.symmetric_decisions] * (updates.max() + 1)
    is_best = rank == rank.max(axis=-1, keepdims=True)
    above_all = len(visits)
    decisions: IndexArray = np.where(is_best, tiles.symmetric_decisions, above_all).min(
        axis=-1
    )
    return decisions


def select_values(decisions: IndexArray, decision_values: NDArray[Any]) -> NDArray[Any]:
    """Return the values at N positions, [..., N], from the values of all positions, [..., D].

    The positions are `decisions`, [N], or [..., N] if each snapshot has its own.
    """
    snapshots = np.broadcast_shapes(decisions.shape[:-1], decision_values.shape[:-1])
    all_values = np.broadcast_to(
        decision_values, (*snapshots, decision_values.shape[-1])
    )
    all_decisions = np.broadcast_to(decisions, (*snapshots, decisions.shape[-1]))
    return np.take_along_axis(all_values, all_decisions, axis=-1)


def estimate_outcomes(
    game: Game,
    decisions: IndexArray,
    q: NDArray[np.floating],
    reward_scale: RewardScale,
) -> FloatArray:
    """Return the value of the best move in N positions, [..., N], from -1 (loss) to +1 (win).

    `q`, [..., P], has the values of all legal moves, in the mover's view and on the agent's
    `reward_scale`. The positions are `decisions`, [N] or [..., N].
    """
    # Symmetric positions have the same player to move, so any snapshot tells the movers.
    mover = game.to_move[decisions[(0,) * (decisions.ndim - 1)]]
    return scale_values_of_movers(
        mover, get_best_move_values(game, decisions, q), reward_scale
    )


def get_best_move_values(
    game: Game, decisions: IndexArray, pair_values: NDArray[Any]
) -> FloatArray:
    """Return the value of the best move in each of N positions, [..., N].

    `pair_values`, [..., P], has the value of every legal move of the game.
    """
    return select_values(
        decisions, np.maximum.reduceat(pair_values, game.first_pair[:-1], axis=-1)
    )


def round_outcomes(estimates: FloatArray) -> NDArray[np.int8]:
    """Return the nearest outcomes: -1 (loss), 0 (draw) or +1 (win)."""
    return np.rint(estimates).astype(np.int8)


def colour_outcomes(
    estimates: FloatArray, is_known: BoolArray, colour_steps: int
) -> TileColours:
    """Return colours, [..., N], from -`colour_steps` for a loss to +`colour_steps` for a win."""
    return _round_levels(compute_colour_level(estimates, colour_steps), is_known)


def colour_errors(
    estimates: FloatArray,
    exact_values: FloatArray,
    is_known: BoolArray,
    colour_steps: int,
) -> TileColours:
    """Return colours for the errors of estimates, [..., N], from 0 to `colour_steps`.

    The highest colour means that a win is taken for a loss or the reverse. `exact_values`, [N], is
    NaN where there is no exact value.
    """
    return _round_levels(
        np.abs(estimates - exact_values) / 2 * colour_steps,
        is_known & ~np.isnan(exact_values),
    )


def colour_visits(
    decisions: IndexArray, visits: NDArray[np.integer], colour_steps: int
) -> TileColours:
    """Return colours for the numbers of updates of positions, on a log scale.

    `visits`, [D, cells], counts the updates of each move; `decisions`, [..., N], are the positions.
    The position with most updates has the colour `colour_steps`.
    """
    updates = visits.sum(axis=1, dtype=np.int64)
    most = max(1, updates.max())
    shown = updates[decisions]
    level = np.log1p(shown) / np.log1p(most) * colour_steps
    return _round_levels(level, shown > 0)


def colour_blunders(
    game: Game, decisions: IndexArray, policy: Policy, colour_steps: int
) -> TileColours:
    """Return a colour for the chance of a blunder in each position; `policy` is [..., D, cells]."""
    chance = select_values(decisions, _compute_blunder_chances(game, policy))
    return _colour_chances(chance, colour_steps)


def colour_class_blunders(
    game: Game, tiles: TileLayout, policy: Policy, colour_steps: int
) -> TileColours:
    chance = _compute_blunder_chances(game, policy)[tiles.symmetric_decisions].mean(
        axis=1
    )
    return _colour_chances(chance, colour_steps)


def _colour_chances(chances: FloatArray, colour_steps: int) -> TileColours:
    return _round_levels(chances * colour_steps, np.ones(chances.shape, np.bool_))


def encode_colour_levels(colour_levels: NDArray[np.int8]) -> str:
    """Return a character for each colour level, [N]: 'A' (-20) to 'i' (20), or '.' if unknown."""
    # None of these characters needs escaping in HTML.
    signs = np.where(
        colour_levels == UNKNOWN_LEVEL,
        ord("."),
        colour_levels.astype(np.int16) + ord("U"),
    )
    return signs.astype(np.uint8).tobytes().decode("ascii")


def count_outcomes(
    tiles: TileLayout, estimated_outcomes: NDArray[np.int8], is_known: BoolArray
) -> list[list[int]]:
    """Count the tiles of each ply by their optimal value and their estimated outcome.

    Each ply has twelve numbers. The first four are about positions that optimal play wins: how many
    are estimated as a win, as a draw, as a loss, and not at all. The next four are about draws, and
    the last four about losses.
    """
    unknown = 2
    expected = np.where(is_known, estimated_outcomes, unknown)
    counts = []
    for ply in range(len(tiles.row_middles)):
        of_ply = []
        for truth in (1, 0, -1):
            found = expected[(tiles.plies == ply) & (tiles.optimal_value == truth)]
            of_ply += [int((found == value).sum()) for value in (1, 0, -1, unknown)]
        counts.append(of_ply)
    return counts


def _compute_blunder_chances(game: Game, policy: Policy) -> FloatArray:
    chances: FloatArray = (policy * ~find_best_moves(game)).sum(axis=-1)
    return chances


def _round_levels(levels: FloatArray, is_known: BoolArray) -> TileColours:
    rounded = np.where(is_known, np.rint(np.nan_to_num(levels)), UNKNOWN_LEVEL)
    return TileColours(rounded.astype(np.int8), is_known)
