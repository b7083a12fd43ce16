"""The board as the owner of a table sees it: empty 0, own stones 1, the opponent's 2.

One table serves both seats, so all of it is here twice: for an owner who plays X (view 0) and for
one who plays O (view 1).  To invert a board, own stones for the opponent's, is to take the same
position in the other view.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, X

Indices = NDArray[np.int32]


class View(NamedTuple):
    """Where a table keeps what: `cells` entries for every board that is seen, in one long row.

    A board's place follows from its base-3 number; numbers that no game shows have none.  A board
    with as many own stones as others does not tell who is to move: the owner, if it plays X, or
    the opponent, if the owner plays O.  What is learned in both seats goes to the same entries.
    """

    entries: int
    row: Indices  # [2, S] by view, where the entries of a position begin
    entry: Indices  # [2, D, cells] by view, the entry of each pair; 0 where illegal


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
