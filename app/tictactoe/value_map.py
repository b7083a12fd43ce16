"""A picture of all values of an agent (the "mind" on pages): a tile for each decision up to symmetry.

Each ply is a row. A row has first the decisions that are won for the player to move with
optimal play, then draws, then losses, so perfect values show three bands of one colour. The
order is the same for every agent and snapshot: two pictures can be compared tile by tile.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy, find_best_moves, uniform_policy
from app.tictactoe.values import compute_outcome_chances, solve_game
from app.tictactoe.views import RewardScale, compute_heat, scale_all_values

UNKNOWN = -128  # the colour number of a tile without a known value
# the row of a ply with n tiles is about sqrt(n) / ROW_FLATNESS tiles high
ROW_FLATNESS = 3
ROW_GAP = 0.75  # space between the rows of two plies, in tiles
# Chances are rounded before tiles are sorted by them, because the chances of symmetric positions
# differ in the last digits.
CHANCE_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Tiles:
    """The places of N tiles, one for each symmetry class, in reading order; a tile is 1 wide, 1 high."""

    decisions: NDArray[np.intp]  # [N] the lowest-numbered decision of the class
    images: NDArray[np.intp]  # [N, G] the decision mapped by all G symmetries
    plies: NDArray[np.intp]  # [N] number of moves made before the decision
    optimal_value: NDArray[np.int8]  # [N] mover's view: +1 a win, 0 a draw, -1 a loss
    column_index: NDArray[np.intp]  # [N] column of the tile, from 0 at the left
    top_distance: NDArray[np.float64]  # [N] distance from the top of the picture
    row_middles: list[
        float
    ]  # distance from the top to the middle of the row of each ply
    columns: int
    height: float


class Colouring(NamedTuple):
    """The colours of the tiles, at one or several snapshots."""

    # [..., N] colour number, -steps to +steps or 0 to steps; UNKNOWN if the value is not known
    colour_levels: NDArray[np.int8]
    is_known: NDArray[np.bool_]  # [..., N] whether the value is known


def place_tiles(game: Game) -> Tiles:
    """Return the tiles of a game: the place of every symmetry class of decisions."""
    decision, truth = _sort_classes(game)
    ply = game.ply[decision]
    column = np.empty(len(decision), np.intp)
    top = np.empty(len(decision))
    middles = []
    y = 0.0
    for number in range(int(ply[-1]) + 1):
        row = np.flatnonzero(ply == number)
        height = max(1, round(len(row) ** 0.5 / ROW_FLATNESS))
        x = 0
        for value in (1, 0, -1):
            # Tiles fill one column after the other; each band begins a new column.
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
        column[row] += free_columns // 2  # centres the row
    return Tiles(
        decisions=decision,
        images=game.images[:, decision].T.astype(np.intp),
        plies=ply,
        optimal_value=truth,
        column_index=column,
        top_distance=top,
        row_middles=middles,
        columns=columns,
        height=y - ROW_GAP,
    )


def _sort_classes(game: Game) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the lowest-numbered decision of each class in reading order, and its true value, [N] each.

    Within a band, early wins and late losses come first, then decisions with better results
    if both sides move at random; this order depends on the rules only.
    """
    decision = np.unique(game.symmetry_class[: game.decisions]).astype(np.intp)
    mover = game.to_move[decision]
    solution = solve_game(game)
    truth = (solution.values[decision] * mover).astype(np.int8)
    random = uniform_policy(game)
    chances = compute_outcome_chances(game, random, random)[decision]
    lead_of_x = chances[:, 0] - chances[:, 2]
    luck = (lead_of_x * mover).round(CHANCE_DECIMALS)
    # number of plies to a win, negative for a loss
    delay = solution.plies_to_end[decision].astype(int) * truth
    order = np.lexsort((decision, -luck, delay, -truth, game.ply[decision]))
    return decision[order], truth[order]


def find_known_decisions(game: Game, updated: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether any move of a decision was updated, [..., D]; `updated` is [..., P]."""
    known: NDArray[np.bool_] = np.logical_or.reduceat(
        updated, game.pair_start[:-1], axis=-1
    )
    return known


def choose_representatives(
    tiles: Tiles, visits: NDArray[np.integer], known: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return the decision that represents each class at one or several snapshots, [..., N].

    Decisions that are `known` at the snapshot, [..., D], come first: a class is known as soon as
    one of its decisions is. Among them it is the decision with the most updates at the end of
    the training (`visits`, [D, cells], are not recorded for snapshots); ties: the lowest number.
    """
    updates = visits.sum(axis=1, dtype=np.int64)[tiles.images]
    # Every known decision ranks above every unknown decision.
    rank = updates + known[..., tiles.images] * (updates.max() + 1)
    is_best = rank == rank.max(axis=-1, keepdims=True)
    above_all = len(visits)
    rows: NDArray[np.intp] = np.where(is_best, tiles.images, above_all).min(axis=-1)
    return rows


def select_decisions(rows: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    """Return the `values` [..., D] of selected decisions, `rows` [N] or [..., N], as [..., N]."""
    snapshots = np.broadcast_shapes(rows.shape[:-1], values.shape[:-1])
    all_values = np.broadcast_to(values, (*snapshots, values.shape[-1]))
    all_rows = np.broadcast_to(rows, (*snapshots, rows.shape[-1]))
    return np.take_along_axis(all_values, all_rows, axis=-1)


def estimate_outcomes(
    game: Game,
    rows: NDArray[np.intp],
    q: NDArray[np.floating],
    reward_scale: RewardScale,
) -> NDArray[np.float64]:
    """Return the value of the best move on the common scale, from -1 (loss) to +1 (win), [..., N].

    `q` is [..., P], mover's view; `rows` [N] or [..., N] are decisions.
    """
    first_rows = rows[(0,) * (rows.ndim - 1)]
    # All decisions of a class have the same player to move.
    mover = game.to_move[first_rows]
    return scale_all_values(mover, get_best_move_values(game, rows, q), reward_scale)


def get_best_move_values(
    game: Game, rows: NDArray[np.intp], values: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the highest value of the moves of the decisions `rows`, [..., N]; `values` is [..., P]."""
    return select_decisions(
        rows, np.maximum.reduceat(values, game.pair_start[:-1], axis=-1)
    )


def round_outcomes(estimates: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the outcome nearest to each estimate: -1, 0 or +1."""
    return np.rint(estimates).astype(np.int8)


def colour_outcomes(
    best: NDArray[np.float64], known: NDArray[np.bool_], steps: int
) -> Colouring:
    """Return colours by `best`, the results of `estimate_outcomes`: -steps a loss, +steps a win."""
    return _round_levels(compute_heat(best, steps), known)


def colour_errors(
    best: NDArray[np.float64],
    truth: NDArray[np.float64],
    known: NDArray[np.bool_],
    steps: int,
) -> Colouring:
    """Return colours by the distance of `estimate_outcomes`, [..., N], from exact values, [N].

    0 is right, and `steps` is a win valued as a loss. `truth` is NaN where there is no
    exact value.
    """
    return _round_levels(np.abs(best - truth) / 2 * steps, known & ~np.isnan(truth))


def colour_visits(
    rows: NDArray[np.intp], visits: NDArray[np.integer], steps: int
) -> Colouring:
    """Return colours by the number of updates, on a log scale up to the largest number.

    `visits`, [D, cells], are the updates of each pair; `rows`, [..., N], the decisions to colour.
    """
    updates = visits.sum(axis=1, dtype=np.int64)
    most = max(1, updates.max())
    shown = updates[rows]
    level = np.log1p(shown) / np.log1p(most) * steps
    return _round_levels(level, shown > 0)


def colour_blunders(
    game: Game, rows: NDArray[np.intp], policy: Policy, steps: int
) -> Colouring:
    """Return colours by the chance that `policy`, [..., D, cells], blunders in a decision."""
    chance = select_decisions(rows, _compute_blunder_chances(game, policy))
    return _colour_chances(chance, steps)


def colour_class_blunders(
    game: Game, tiles: Tiles, policy: Policy, steps: int
) -> Colouring:
    """Return colours by the chance that `policy`, [D, cells], blunders, averaged over symmetries."""
    chance = _compute_blunder_chances(game, policy)[tiles.images].mean(axis=1)
    return _colour_chances(chance, steps)


def _colour_chances(chance: NDArray[np.float64], steps: int) -> Colouring:
    """Return colours by a chance that is known for every tile."""
    return _round_levels(chance * steps, np.ones(chance.shape, np.bool_))


def encode_frame(heat: NDArray[np.int8]) -> str:
    """Return the colour numbers of a snapshot, [N], as text: a character from 'A' (-20) to 'i' (20).

    'U' is 0 and '.' is unknown. No character needs escaping in HTML.
    """
    signs = np.where(heat == UNKNOWN, ord("."), heat.astype(np.int16) + ord("U"))
    return signs.astype(np.uint8).tobytes().decode("ascii")


def count_outcomes(
    tiles: Tiles, outcome: NDArray[np.int8], known: NDArray[np.bool_]
) -> list[list[int]]:
    """Return the numbers of tiles of each ply by true and estimated outcome, for a table.

    Each ply has twelve numbers: the decisions that optimal play wins, draws and loses, each
    counted by estimated win, draw, loss and unknown value.
    """
    unknown = 2
    expected = np.where(known, outcome, unknown)
    counts = []
    for ply in range(len(tiles.row_middles)):
        of_ply = []
        for truth in (1, 0, -1):
            found = expected[(tiles.plies == ply) & (tiles.optimal_value == truth)]
            of_ply += [int((found == value).sum()) for value in (1, 0, -1, unknown)]
        counts.append(of_ply)
    return counts


def _compute_blunder_chances(game: Game, policy: Policy) -> NDArray[np.float64]:
    """Return the chance that a policy, [..., D, cells], blunders in each decision, [..., D]."""
    chances: NDArray[np.float64] = (policy * ~find_best_moves(game)).sum(axis=-1)
    return chances


def _round_levels(level: NDArray[np.float64], known: NDArray[np.bool_]) -> Colouring:
    """Return the colours of levels, [..., N]; UNKNOWN where the value is not known."""
    rounded = np.where(known, np.rint(np.nan_to_num(level)), UNKNOWN)
    return Colouring(rounded.astype(np.int8), known)
