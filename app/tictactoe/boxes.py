"""The boxes of a MENACE built from matchboxes, one for each position in which X has a choice.

Symmetric positions share a box. Source: Michie (1963), "Experiments on the mechanization of
game-learning", whose machine always opened the game.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.tictactoe.game import BoolArray, Game, X
from app.tictactoe.values import solve_game


class Box(NamedTuple):
    """A matchbox for a position and all symmetric positions.

    `position` is the position with the lowest number, which the label of the box shows. `cells` has
    a cell for each move: of symmetric cells, the first one.
    """

    number: int
    position: int
    cells: tuple[int, ...]

    def get_move_number(self, game: Game) -> int:
        """Return 1 if the box holds X's first move of a game, 2 if it holds the second, and so on."""
        return int(game.ply[self.position]) // 2 + 1


@lru_cache(maxsize=8)
def list_boxes(game: Game, opening_cell: int | None = None) -> tuple[Box, ...]:
    """Return all boxes in the order of their numbers.

    If X always opens on `opening_cell`, the empty board and positions without this move need no box.
    A position with a single empty cell needs no box, because there is nothing to draw.
    """
    reached = _find_positions_in_games(game, opening_cell)
    positions = [
        position
        for position in np.flatnonzero(reached).tolist()
        if game.to_move[position] == X
        and game.symmetry_class[position] == position
        and game.legal[position].sum() > 1
    ]
    return tuple(
        Box(number, position, _list_distinct_moves(game, position))
        for number, position in enumerate(positions, 1)
    )


def find_box(game: Game, position: int, opening_cell: int | None = None) -> Box | None:
    """Return the box that a position shares with its symmetric positions; None if it needs none."""
    representative = int(game.symmetry_class[position])
    boxes = list_boxes(game, opening_cell)
    return next((box for box in boxes if box.position == representative), None)


def count_lost_boxes(game: Game) -> int:
    """Count the boxes for X's last choice in which every move loses."""
    positions = [box.position for box in list_boxes(game)]
    ply = game.ply[positions]
    # In these positions O threatens to complete two lines, and X threatens none.
    lost = solve_game(game).values[positions] == -1
    return int((lost & (ply == ply.max())).sum())


def _find_positions_in_games(game: Game, opening_cell: int | None) -> BoolArray:
    if opening_cell is None:
        return np.ones(game.decisions, np.bool_)
    reached = np.zeros(game.positions, np.bool_)
    opening_cells = {
        int(np.flatnonzero(cells == opening_cell)[0]) for cells in game.symmetries
    }
    reached[game.successor[0, sorted(opening_cells)]] = True
    # A move leads to a position with a higher number, so one pass in this order is enough.
    for position in range(1, game.decisions):
        if reached[position]:
            reached[game.successor[position, game.legal[position]]] = True
    return reached[: game.decisions]


def _list_distinct_moves(game: Game, position: int) -> tuple[int, ...]:
    start, end = game.first_pair[position : position + 2]
    _, first = np.unique(game.pair_class[start:end], return_index=True)
    first.sort()
    return tuple(game.pair_cell[start + first].tolist())
