"""The whole mind of an agent in one picture: a tile for each decision up to symmetry.

A row for each ply; in a row first what is won for the mover, then what is drawn, then what is
lost, by best play.  So a perfect mind shows three clean bands, and the order is the same for every
agent and every moment: two minds can be laid over each other, and a film of one flows.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.policy import Policy, best_moves, uniform
from app.tictactoe.values import optimal, outcome_chances
from app.tictactoe.views import Worth, common_scale, heat

UNKNOWN = -128  # a heat or a level of what the agent knows nothing of
FLATNESS = 3  # a ply of n tiles is some sqrt(n) / FLATNESS tiles high
GAP = 0.75  # between two plies, in tiles
LUCK_DECIMALS = 9  # by which chances are ordered: images differ in the last digits


@dataclass(frozen=True, eq=False)
class Tiles:
    """Where each class of decisions lies; N tiles in reading order, a tile is 1 wide and high."""

    decision: NDArray[np.intp]  # [N] the lowest-numbered image, which names the class
    images: NDArray[np.intp]  # [N, G] all of them, with repetitions
    ply: NDArray[np.intp]  # [N] moves made before
    truth: NDArray[np.int8]  # [N] mover's view: +1 a win, 0 a draw, -1 a loss
    column: NDArray[np.intp]  # [N] from the left
    top: NDArray[np.float64]  # [N] from the top
    middles: list[float]  # of the row of each ply, from the top
    columns: int
    height: float


class Colouring(NamedTuple):
    """What colours the tiles, at one or several moments."""

    heat: NDArray[np.int8]  # [..., N] -steps .. +steps, or 0 .. steps of a level; UNKNOWN
    known: NDArray[np.bool_]  # [..., N]


def tiles(game: Game) -> Tiles:
    """Put every class of decisions in its place.

    In a band those come first that end sooner (won) or later (lost), and then those that fare
    better if both sides move at random: an order that depends on the rules alone.
    """
    decision = np.unique(game.symmetry_class[: game.decisions]).astype(np.intp)
    mover = game.to_move[decision]
    solution = optimal(game)
    truth = (solution.value[decision] * mover).astype(np.int8)
    random = uniform(game)
    chances = outcome_chances(game, random, random)[decision]
    luck = ((chances[:, 0] - chances[:, 2]) * mover).round(LUCK_DECIMALS)
    ply = game.ply[decision]
    hurry = solution.plies[decision].astype(int) * truth
    order = np.lexsort((decision, -luck, hurry, -truth, ply))
    decision, ply, truth = decision[order], ply[order], truth[order]

    column, top = np.empty(len(decision), np.intp), np.empty(len(decision))
    middles, y = [], 0.0
    for number in range(int(ply[-1]) + 1):
        row = np.flatnonzero(ply == number)
        height = max(1, round(len(row) ** 0.5 / FLATNESS))
        x = 0
        for value in (1, 0, -1):  # each band begins a column of its own
            band = row[truth[row] == value]
            place = np.arange(len(band))
            column[band] = x + place // height
            top[band] = y + place % height
            x += -(-len(band) // height)
        middles.append(y + height / 2)
        y += height + GAP
    columns = int(column.max()) + 1
    for number in range(len(middles)):  # rows stand in the middle
        row = np.flatnonzero(ply == number)
        column[row] += (columns - 1 - column[row].max()) // 2
    return Tiles(
        decision=decision,
        images=game.image[:, decision].T.astype(np.intp),
        ply=ply,
        truth=truth,
        column=column,
        top=top,
        middles=middles,
        columns=columns,
        height=y - GAP,
    )


def known(game: Game, updated: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether anything is known of a decision, [..., D]: of any move of it, `updated` [..., P]."""
    some: NDArray[np.bool_] = np.logical_or.reduceat(updated, game.pair_start[:-1], axis=-1)
    return some


def representatives(
    where: Tiles, visits: NDArray[np.integer], known: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Choose the image of each class that stands for it at one or several moments, [..., N].

    It is one that is `known` at the moment, [..., D], if there is one: so a class is known as soon
    as any image of it is.  Among these it is the one that training updated most by its end, since
    `visits`, [D, cells], are recorded for the end alone, and among equals the lowest-numbered.
    """
    often = visits.sum(axis=1, dtype=np.int64)[where.images]
    rank = often + known[..., where.images] * (often.max() + 1)
    first = rank == rank.max(axis=-1, keepdims=True)
    rows: NDArray[np.intp] = np.where(first, where.images, len(visits)).min(axis=-1)
    return rows


def at(rows: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    """Return the values, [..., D], of the decisions in `rows`, [N] or [..., N], as [..., N]."""
    moments = np.broadcast_shapes(rows.shape[:-1], values.shape[:-1])
    everywhere = np.broadcast_to(values, (*moments, values.shape[-1]))
    return np.take_along_axis(
        everywhere, np.broadcast_to(rows, (*moments, rows.shape[-1])), axis=-1
    )


def expected(
    game: Game, rows: NDArray[np.intp], q: NDArray[np.floating], worth: Worth
) -> NDArray[np.float64]:
    """What the best move is worth on the common scale, from a loss (-1) to a win (+1), [..., N].

    `q` is [..., P], mover's view; `rows` [N] or [..., N] are decisions.
    """
    mover = game.to_move[rows[(0,) * (rows.ndim - 1)]]  # the same in all images of a class
    return common_scale(mover, best(game, rows, q), worth)


def best(game: Game, rows: NDArray[np.intp], values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the highest value, of [..., P], of the moves of each decision in `rows`, [..., N]."""
    return at(rows, np.maximum.reduceat(values, game.pair_start[:-1], axis=-1))


def outcomes(best: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the outcome that each expected value is nearest to: -1, 0 or +1."""
    return np.rint(best).astype(np.int8)


def expectation(best: NDArray[np.float64], known: NDArray[np.bool_], steps: int) -> Colouring:
    """Colour by what is `expected`, from a loss (-steps) to a win (+steps)."""
    return _coloured(heat(best, steps), known)


def error(
    best: NDArray[np.float64],
    truth: NDArray[np.float64],
    known: NDArray[np.bool_],
    steps: int,
) -> Colouring:
    """Colour by how far what is `expected`, [..., N], is from a truth, [N], on the same scale.

    0 is right, and `steps` a win taken for a loss.  `truth` is NaN where there is none.
    """
    return _coloured(np.abs(best - truth) / 2 * steps, known & ~np.isnan(truth))


def visited(rows: NDArray[np.intp], visits: NDArray[np.integer], steps: int) -> Colouring:
    """Colour by how often training updated a move there, logarithmically up to the most of all.

    `visits` is [D, cells], `rows` [..., N].
    """
    updates = visits.sum(axis=1, dtype=np.int64)
    often = updates[rows]
    return _coloured(np.log1p(often) / np.log1p(max(1, updates.max())) * steps, often > 0)


def blundering(game: Game, rows: NDArray[np.intp], policy: Policy, steps: int) -> Colouring:
    """Colour by the chance that the move which `policy`, [..., D, cells], makes is a blunder."""
    wrong = at(rows, (policy * ~best_moves(game)).sum(axis=-1))
    return _coloured(wrong * steps, np.ones(wrong.shape, np.bool_))


def blundering_images(game: Game, where: Tiles, policy: Policy, steps: int) -> Colouring:
    """Colour by the chance that `policy`, [D, cells], blunders, all images of a class alike."""
    wrong = (policy * ~best_moves(game)).sum(axis=1)[where.images].mean(axis=1)
    return _coloured(wrong * steps, np.ones(wrong.shape, np.bool_))


def frame(heat: NDArray[np.int8]) -> str:
    """Write the heats of a moment, [N], as a character a tile: 'A' is -20, 'U' 0, 'i' 20, '.' none.

    No heat is written as a character that has a meaning in HTML.
    """
    signs = np.where(heat == UNKNOWN, ord("."), heat.astype(np.int16) + ord("U"))
    return signs.astype(np.uint8).tobytes().decode("ascii")


def agreement(where: Tiles, outcome: NDArray[np.int8], known: NDArray[np.bool_]) -> list[list[int]]:
    """Count the tiles of each ply by truth and expected outcome, [N]: a picture as a table.

    For each ply twelve numbers: won, drawn, lost with optimal play, and of each those that are
    expected to be won, drawn, lost, or unknown.
    """
    expects = np.where(known, outcome, 2)
    return [
        [
            int(((where.ply == ply) & (where.truth == truth) & (expects == value)).sum())
            for truth in (1, 0, -1)
            for value in (1, 0, -1, 2)
        ]
        for ply in range(len(where.middles))
    ]


def _coloured(level: NDArray[np.float64], known: NDArray[np.bool_]) -> Colouring:
    written = np.where(known, np.rint(np.nan_to_num(level)), UNKNOWN)
    return Colouring(written.astype(np.int8), known)
