"""The blunders of a policy, or the proof that it cannot be beaten.

After a blunder, optimal play has a worse result than before it. Symmetric positions with blunders
form a class, and the likeliest class comes first. The proof is short enough to check by hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import FloatArray, Game, IndexArray, O, X
from app.tictactoe.policy import CellMask, compute_optimal_q, find_best_moves
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_blunders, find_lost_game

# Symmetric positions have equal chances but for rounding errors, which must not decide the order.
CHANCE_DECIMALS = 12


class BlunderDecisions(NamedTuple):
    """The M positions in which a policy can blunder, with values for the player to move.

    `blunders`, [M, cells], has the blunders that the policy may play, and `correct_moves`, [M,
    cells], has the moves that keep the value of the position. `value_before`, [M], is this value:
    +1 or 0, because no move is a blunder in a lost position. `value_after`, [M], is the value after
    the worst move of the policy: 0 or -1. `chances`, [M], is the chance that the policy blunders
    there in a game against random moves.
    """

    positions: IndexArray
    blunders: CellMask
    correct_moves: CellMask
    value_before: NDArray[np.int8]
    value_after: NDArray[np.int8]
    chances: FloatArray


class BlunderClasses(NamedTuple):
    """The blunders of a policy in N classes of symmetric positions, the likeliest class first.

    `example_rows`, [N], has the row of the likeliest position of each class in `BlunderDecisions`.
    `symmetric_counts`, [N], has the number of positions in each class, and `blundering_counts`,
    [N], the number of these positions in which the policy can blunder. `chances`, [N], is the
    chance of a blunder in the class, in a game against random moves.
    """

    example_rows: IndexArray
    blundering_counts: IndexArray
    symmetric_counts: IndexArray
    chances: FloatArray


def list_blunder_decisions(reachable_play: ReachablePlay) -> BlunderDecisions:
    game = reachable_play.game
    position = np.flatnonzero(find_blunders(game, reachable_play.policy))
    values = compute_optimal_q(game)[position]
    right = find_best_moves(game)[position]
    wrong = (reachable_play.policy[position] > 0) & ~right
    by_x = game.to_move[game.pair_decision] == X
    pair_chance = np.where(
        by_x,
        reachable_play.games_by_player[X].move_chances,
        reachable_play.games_by_player[O].move_chances,
    )
    chance = game.spread_pairs(pair_chance, 0.0)[position]
    return BlunderDecisions(
        positions=position,
        blunders=wrong,
        correct_moves=right,
        value_before=np.fmax.reduce(values, axis=1).astype(np.int8),
        value_after=np.where(wrong, values, 1).min(axis=1).astype(np.int8),
        chances=(chance * wrong).sum(axis=1),
    )


def group_blunder_decisions(game: Game, decisions: BlunderDecisions) -> BlunderClasses:
    """Group blunders by symmetry.

    The classes of symmetric positions are sorted by the chance of the blunder in a game against
    random moves, then by the loss of value, then by ply.
    """
    decision_class = game.symmetry_class[: game.decisions]
    blunder_class = decision_class[decisions.positions]
    chance = np.bincount(blunder_class, decisions.chances, game.decisions).astype(
        np.float64
    )
    value_change = decisions.value_after - decisions.value_before
    # `unique` returns the first row of each class, so the likeliest rows must come first.
    likeliest = np.lexsort(
        (decisions.positions, value_change, -decisions.chances.round(CHANCE_DECIMALS))
    )
    _, first = np.unique(blunder_class[likeliest], return_index=True)
    row = likeliest[first]
    class_chance = chance[blunder_class[row]]
    order = np.lexsort(
        (
            decisions.positions[row],
            value_change[row],
            -class_chance.round(CHANCE_DECIMALS),
        )
    )
    row = row[order]
    row_class = blunder_class[row]
    return BlunderClasses(
        example_rows=row,
        blundering_counts=np.bincount(blunder_class, minlength=game.decisions)[
            row_class
        ],
        symmetric_counts=np.bincount(decision_class)[row_class],
        chances=chance[row_class],
    )


class UnbeatableProof(NamedTuple):
    """A proof that a policy is unbeatable as X or as O.

    `positions`, [N], lists positions that the policy's games can reach, and `moves`, [N, cells],
    has the moves that the policy may play there. One position stands for all symmetric ones in
    which the policy plays symmetric moves; `reachable_count` counts all of them.

    To check the proof, see that it lists the first positions in which the policy moves. Then see,
    for each listed move, that it ends the game without a loss, or that every reply to it does so or
    leads to a listed position.
    """

    positions: IndexArray
    moves: CellMask
    reachable_count: int


def prove_unbeatable(reachable_play: ReachablePlay, player: int) -> UnbeatableProof:
    """Return a proof that a policy can never lose as `player` (+1 is X, -1 is O).

    Raises ValueError if it can lose.
    """
    game = reachable_play.game
    record = find_lost_game(game, reachable_play.policy, player)
    if record is not None:
        raise ValueError(
            f"there is no proof, because the policy loses the game {record}"
        )
    reachable = np.flatnonzero(reachable_play.games_by_player[player].is_reachable)
    possible_moves = reachable_play.policy[reachable] > 0
    _, first = np.unique(
        _number_pair_classes(game, reachable, possible_moves), return_index=True
    )
    listed = np.sort(first)
    return UnbeatableProof(reachable[listed], possible_moves[listed], len(reachable))


def _number_pair_classes(
    game: Game, decisions: IndexArray, chosen_moves: CellMask
) -> NDArray[np.int64]:
    """Return a number for each position with its chosen moves, [N], equal for symmetric ones."""
    # A position and its moves become one integer; the lowest of all symmetric ones is the number.
    bits = 1 << np.arange(game.cells)
    # `argsort` inverts each of the G symmetries, [G, cells].
    image_of_cell = np.argsort(game.symmetries, axis=1)
    moves = (chosen_moves @ bits[image_of_cell].T).T
    symmetric_pairs = game.symmetric_positions[:, decisions].astype(np.int64)
    symmetric_pairs = (symmetric_pairs << game.cells) + moves
    classes: NDArray[np.int64] = symmetric_pairs.min(axis=0)
    return classes
