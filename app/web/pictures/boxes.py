"""Labels of matchboxes: a board whose free squares hold the numbered beads of their moves.

A bead has the number of its square, from 1 in reading order, and a colour of its own, so that a
sheet can be read without colours too.  A page defines each sign once (`bead_signs`); a label then
only names the signs on it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from app.tictactoe.boxes import Box
from app.tictactoe.game import Game, O, X
from app.web.translation import gettext

# Millimetres: a label fits the lid of a common matchbox, 53 by 36.
WIDTH, HEIGHT, EDGE, CELL = 47, 36, 2, 9.4
BEAD, DIGIT, STONE = 3.7, 5.2, 2.6  # radius, height of the digits, half of a stone
BOARD = 3 * CELL


class Label(NamedTuple):
    """The label of a box."""

    number: int
    svg: Markup


def bead_signs(game: Game) -> Markup:
    """Return the signs that labels are made of, to stand once in a page: a grid, stones, beads."""
    x, y = _middle(game, 0)
    lines = "".join(
        f"M{EDGE} {EDGE + n * CELL:g}h{BOARD:g}M{EDGE + n * CELL:g} {EDGE}v{BOARD:g}"
        for n in range(4)
    )
    signs = [f'<path id="grid" class="grid" d="{lines}"/>']
    for cell in range(game.cells):
        x, y = _middle(game, cell)
        cross = "".join(
            f"M{x - STONE:g} {y - way * STONE:g}l{2 * STONE:g} {2 * way * STONE:g}"
            for way in (1, -1)
        )
        signs += [
            f'<path id="x{cell}" class="stone" d="{cross}"/>',
            f'<circle id="o{cell}" class="stone" cx="{x:g}" cy="{y:g}" r="{STONE:g}"/>',
            f'<g id="b{cell}" class="bead bead-{cell + 1}">'
            f'<circle cx="{x:g}" cy="{y:g}" r="{BEAD}"/>'
            f'<text x="{x:g}" y="{y + DIGIT * 0.36:.1f}">{cell + 1}</text></g>',
        ]
    return Markup(
        f'<svg class="bead-signs" width="0" height="0" aria-hidden="true"><defs>'
        f"{''.join(signs)}</defs></svg>"
    )


def draw_label(
    game: Game, box: Box, beads: int, counts: Mapping[int, int] | None = None
) -> Label:
    """Draw the label of a box with as many `beads` of each kind.

    `counts` are the beads of each cell of the box, if they are not the same for all.
    """
    signs = "".join(_use(name) for name in ["grid", *_names_of_signs(game, box)])
    below = _number_below(box, beads, counts)
    tally = "".join(_tally(game, cell, n) for cell, n in (counts or {}).items())
    svg = Markup(
        f'<svg class="label" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{{}}">{{}}{{}}'
        f'<text class="number" x="{WIDTH - EDGE}" y="9">{box.number}</text>'
        f'<text class="move" x="{WIDTH - EDGE}" y="14">{{}}</text>'
        f'<text class="each" x="{EDGE}" y="{HEIGHT - 1.4}">{{}}</text></svg>'
    )
    move = gettext("move %(number)s", number=box.own_move(game))
    words = f"{describe_box(game, box)}. {below}".rstrip(". ") + "."
    return Label(
        box.number, svg.format(words, Markup(signs), Markup(tally), move, below)
    )


def describe_box(game: Game, box: Box) -> str:
    """Return the number of a box and its board in words, row by row."""
    names = {X: "X", O: "O"}
    cells = [
        names.get(stone)
        or (
            gettext("bead %(number)s", number=cell + 1)
            if cell in box.cells
            else gettext("empty")
        )
        for cell, stone in enumerate(game.board[box.position].tolist())
    ]
    rows = [
        ", ".join(cells[i : i + game.columns])
        for i in range(0, game.cells, game.columns)
    ]
    return gettext("Box %(number)s", number=box.number) + f": {'; '.join(rows)}"


def _number_below(box: Box, beads: int, counts: Mapping[int, int] | None) -> str:
    """Return the line below the board: how many beads the box has."""
    if counts is not None:
        return gettext("%(number)s beads", number=sum(counts.values()))
    if beads == 1:
        return gettext("1 bead of each")
    return gettext("%(number)s beads of each", number=beads)


def _names_of_signs(game: Game, box: Box) -> list[str]:
    """Return the names of the signs on a board, in reading order."""
    kinds = {X: "x", O: "o", 0: "b"}
    return [
        f"{kinds[stone]}{cell}"
        for cell, stone in enumerate(game.board[box.position].tolist())
        if stone or cell in box.cells
    ]


def _use(name: str) -> str:
    return f'<use href="#{name}"/>'


def _tally(game: Game, cell: int, number: int) -> str:
    """Return the number of beads of a cell, in the corner of its square."""
    x, y = _middle(game, cell)
    return f'<text class="tally" x="{x + CELL / 2 - 0.4:g}" y="{y + CELL / 2 - 0.5:g}">{number}</text>'


def _middle(game: Game, cell: int) -> tuple[float, float]:
    """Return the middle of a square, in millimetres of the label."""
    row, column = game.row_column(cell)
    return EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL
