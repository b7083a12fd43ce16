"""A picture of a learner's last move: the matchbox that it drew from, or the value of the move."""

from typing import Any

import numpy as np

from app.recipes.algorithms import Menace
from app.tictactoe.beads import count_beads as beads_of_pairs
from app.tictactoe.game import Game
from app.web.formatting import name_square
from app.web.move_values import MoveValues
from app.web.pictures.boards import draw_changed_board
from app.web.pictures.boxes import draw_tray
from app.web.translation import gettext


def draw_box_move(
    game: Game,
    position: int,
    cell: int,
    cell_values: list[float | None],
    recipe: Menace,
) -> dict[str, Any]:
    """Return the picture of a move that MENACE drew from the matchbox of a position.

    `cell_values` has the number of beads by cell, None where the box has no bead for the cell.
    """
    held = count_beads(game, position, cell_values, recipe, drawn_cell=cell)
    caption = gettext(
        "The learner drew bead %(bead)s (%(number)s of %(total)s beads) "
        "and plays %(square)s.",
        bead=cell + 1,
        number=held[cell],
        total=sum(held.values()),
        square=name_square(cell),
    )
    return {
        "title": gettext("Box of the learner’s last move"),
        "caption": caption,
        "board": draw_changed_board(game, position, cell, 0, 0),
        "open_box_svg": draw_tray(held, cell),
    }


def draw_value_move(
    game: Game, position: int, cell: int, move_values: MoveValues
) -> dict[str, Any]:
    """Return the picture of a move that a learner chose by its values."""
    heat = move_values.heats[cell] if move_values.is_known[cell] else 0
    square = name_square(cell)
    line = gettext(
        "The learner plays %(square)s. It has never tried this move before.",
        square=square,
    )
    if move_values.is_known[cell]:
        line = gettext(
            "The learner plays %(square)s. Its value of this move is %(value)s.",
            square=square,
            value=move_values.value_texts[cell],
        )
    return {
        "title": gettext("The last move of the learner"),
        "caption": line,
        "board": draw_changed_board(game, position, cell, heat, heat),
        "open_box_svg": "",
    }


def count_beads(
    game: Game,
    position: int,
    cell_values: list[float | None],
    recipe: Menace,
    drawn_cell: int,
) -> dict[int, int]:
    """Return the number of beads of each move in a box, by cell in reading order.

    Symmetric moves share their beads: they are listed for the first cell or the drawn
    cell.
    """
    pairs = slice(*game.pair_start[position : position + 2])
    cells = game.pair_cell[pairs].tolist()
    classes = game.pair_class[pairs].tolist()
    values = np.array([cell_values[cell] for cell in cells], np.float64)
    held = (
        beads_of_pairs(game, values, recipe.plays, pairs).round().astype(int).tolist()
    )
    first_cells: dict[int, int] = {}
    for cell, pair_class in zip(cells, classes, strict=True):
        if cell == drawn_cell or pair_class not in first_cells:
            first_cells[pair_class] = cell
    numbers = dict(zip(cells, held, strict=True))
    return {cell: numbers[cell] for cell in sorted(first_cells.values())}
