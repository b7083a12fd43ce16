"""Read tables that have values of boards, not of moves: the agent moves to the best board.

See Sutton & Barto (2018), section 1.5. The *view* of a table is the player for whom a high value is
good.
"""

import numpy as np

from app.tables.evidence import (
    find_losing_moves,
    find_winning_moves,
    is_clearly_supported,
)
from app.tables.options import ask_for_option
from app.tables.values import TableError
from app.tictactoe.game import GAME, BoolArray, FloatArray, O, X

# High values times this sign are good for the player whose move made the board. The first sign is
# for moves of X, the second for moves of O.
VIEW_SIGNS = {"moved": (1, 1), "x": (1, -1), "o": (-1, 1), "mover": (-1, -1)}
VIEW_NAMES = {
    "moved": "the player who has just moved",
    "x": "X",
    "o": "O",
    "mover": "the player to move",
}


def read_board_values(
    values: FloatArray, view_option: str
) -> tuple[FloatArray, list[str]]:
    """Return the value of the board after each move for the player of the move, [D, cells].

    `values`, [S], has the value of each board, NaN if it is unknown. Also returns notes for the
    user on how the values were read. Raises TableError if it is not clear for whom high values are
    good.
    """
    q = np.where(GAME.legal, values[np.where(GAME.legal, GAME.successor, 0)], np.nan)
    if np.isnan(q).all():
        raise TableError(
            "the table has values of boards, but no board after a move: what the agent plays does not "
            "follow from it"
        )
    higher_counts, lower_counts = count_good_moves(q)
    views = (
        [view_option]
        if view_option != "auto"
        else list_views(q, higher_counts, lower_counts)
    )
    seats = ", ".join(
        f"{name} higher in {higher_counts[seat]:,}, lower in {lower_counts[seat]:,}"
        for seat, name in enumerate(("of X", "of O"))
    )
    evidence = (
        "Where a move wins at once, or only one keeps from losing at once, its board's value is, "
        f"compared with the other moves: {seats} positions."
    )
    if len(views) > 1:
        raise ask_for_option("view", evidence)
    for seat, player in enumerate((X, O)):
        q[GAME.to_move == player] *= VIEW_SIGNS[views[0]][seat]
    notes = [
        f"The agent moves to the board with the best value. A high value is good for "
        f"{VIEW_NAMES[views[0]]}." + (f" {evidence}" if view_option == "auto" else "")
    ]
    wins = find_winning_moves()
    if np.isnan(q[wins]).all():
        q[wins & (~np.isnan(q)).any(axis=1, keepdims=True)] = np.nanmax(q) + 1
        notes.append(
            "The table has no finished boards that are won: a win at once is played."
        )
    return q, notes


def count_good_moves(q: FloatArray) -> tuple[list[int], list[int]]:
    """Count the positions in which good moves have higher values than others, and lower values.

    Each result is [number for X, number for O]. A good move wins at once. If no move does, a good
    move is one after which the opponent cannot win at once.
    """
    known = ~np.isnan(q)
    wins = find_winning_moves() & known
    has_win = wins.any(axis=1, keepdims=True)
    good = np.where(has_win, wins, known & ~find_losing_moves())
    other = known & ~good
    is_counted = good.any(axis=1) & other.any(axis=1)
    difference = _compute_means(q, good) - _compute_means(q, other)
    players = [is_counted & (GAME.to_move == player) for player in (X, O)]
    return (
        [int((difference[one] > 0).sum()) for one in players],
        [int((difference[one] < 0).sum()) for one in players],
    )


def _compute_means(q: FloatArray, is_counted: BoolArray) -> FloatArray:
    sums = np.where(is_counted, q, 0.0).sum(axis=1)
    means: FloatArray = sums / np.maximum(is_counted.sum(axis=1), 1)
    return means


def list_views(
    q: FloatArray, higher_counts: list[int], lower_counts: list[int]
) -> list[str]:
    """Return the views that fit the results of `count_good_moves`, such as ["mover", "x"].

    If several views lead to the same moves, only the first one is listed.
    """
    views = [*VIEW_SIGNS]
    for seat, player in enumerate((X, O)):
        has_choice = (~np.isnan(q[GAME.to_move == player])).sum(axis=1) > 1
        signs = {1, -1}
        if is_clearly_supported(higher_counts[seat], lower_counts[seat]):
            signs = {1}
        elif is_clearly_supported(lower_counts[seat], higher_counts[seat]):
            signs = {-1}
        elif not has_choice.any():
            signs = {VIEW_SIGNS[views[0]][seat]}
        views = [view for view in views if VIEW_SIGNS[view][seat] in signs]
    return views
