"""Labels of matchboxes for MENACE on paper: a board with a numbered bead on each free square.

A bead has the number of its square, from 1. Its colour says the same, so a sheet can be printed in
black. A page defines each sign (a bead, a stone, the grid) once, and its labels refer to
it.
"""

from collections.abc import Mapping

from markupsafe import Markup

from app.tictactoe.boxes import Box
from app.tictactoe.game import GAME, O, X
from app.web.translation import gettext

# A label fits the lid of a common matchbox, 53 by 36 millimetres.
LABEL_WIDTH, LABEL_HEIGHT, LABEL_MARGIN, CELL_SIZE = 47, 36, 2, 9.4
# in millimetres
BEAD_RADIUS, DIGIT_SIZE, STONE_RADIUS = (3.7, 5.2, 2.6)
BOARD_SIZE = 3 * CELL_SIZE


def render_bead_signs() -> Markup:
    """Return the SVG definitions of all signs, which a page with labels needs once."""
    x, y = _find_square_centre(0)
    lines = ""
    for n in range(4):
        place = LABEL_MARGIN + n * CELL_SIZE
        lines += f"M{LABEL_MARGIN} {place:g}h{BOARD_SIZE:g}"
        lines += f"M{place:g} {LABEL_MARGIN}v{BOARD_SIZE:g}"
    signs = [f'<path id="grid" class="grid" d="{lines}"/>']
    for cell in range(GAME.cells):
        x, y = _find_square_centre(cell)
        cross = ""
        for height in (STONE_RADIUS, -STONE_RADIUS):
            cross += f"M{x - STONE_RADIUS:g} {y - height:g}"
            cross += f"l{2 * STONE_RADIUS:g} {2 * height:g}"
        signs += [
            f'<path id="x{cell}" class="stone" d="{cross}"/>',
            f'<circle id="o{cell}" class="stone" cx="{x:g}" cy="{y:g}" r="{STONE_RADIUS:g}"/>',
            f'<g id="b{cell}" class="bead bead-{cell + 1}">'
            f'<circle cx="{x:g}" cy="{y:g}" r="{BEAD_RADIUS}"/>'
            f'<text x="{x:g}" y="{y + DIGIT_SIZE * 0.36:.1f}">{cell + 1}</text></g>',
        ]
    return Markup(
        f'<svg class="bead-signs" width="0" height="0" aria-hidden="true"><defs>'
        f"{''.join(signs)}</defs></svg>"
    )


def render_label(
    box: Box,
    beads_per_kind: int,
    counts_by_cell: Mapping[int, int] | None = None,
) -> Markup:
    """Return the label of a box as SVG.

    Each move has `beads_per_kind` beads, unless `counts_by_cell` has a number for each move.
    """
    signs = "".join(
        _write_sign_reference(name) for name in ["grid", *_list_sign_names(box)]
    )
    below = _write_bead_count(beads_per_kind, counts_by_cell)
    tally = "".join(
        _write_cell_count(cell, n) for cell, n in (counts_by_cell or {}).items()
    )
    svg = Markup(
        f'<svg class="label" viewBox="0 0 {LABEL_WIDTH} {LABEL_HEIGHT}" role="img" '
        f'aria-label="{{}}">{{}}{{}}'
        f'<text class="number" x="{LABEL_WIDTH - LABEL_MARGIN}" y="9">{box.number}</text>'
        f'<text class="move" x="{LABEL_WIDTH - LABEL_MARGIN}" y="14">{{}}</text>'
        f'<text class="each" x="{LABEL_MARGIN}" y="{LABEL_HEIGHT - 1.4}">{{}}</text></svg>'
    )
    move = gettext("move %(number)s", number=box.get_move_number(GAME))
    words = f"{describe_box(box)}. {below}".rstrip(". ") + "."
    return svg.format(words, Markup(signs), Markup(tally), move, below)


def describe_box(box: Box) -> str:
    names = {X: "X", O: "O"}
    cells = [
        names.get(stone)
        or (
            gettext("bead %(number)s", number=cell + 1)
            if cell in box.cells
            else gettext("empty")
        )
        for cell, stone in enumerate(GAME.board[box.position].tolist())
    ]
    rows = [", ".join(cells[i : i + 3]) for i in (0, 3, 6)]
    return (
        gettext("Box %(number)s", number=box.number) + gettext(": ") + "; ".join(rows)
    )


def _write_bead_count(
    beads_per_kind: int, counts_by_cell: Mapping[int, int] | None
) -> str:
    if counts_by_cell is not None:
        return gettext("%(number)s beads", number=sum(counts_by_cell.values()))
    if beads_per_kind == 1:
        return gettext("1 bead of each")
    return gettext("%(number)s beads of each", number=beads_per_kind)


def _list_sign_names(box: Box) -> list[str]:
    kinds = {X: "x", O: "o", 0: "b"}
    return [
        f"{kinds[stone]}{cell}"
        for cell, stone in enumerate(GAME.board[box.position].tolist())
        if stone or cell in box.cells
    ]


def _write_sign_reference(sign_name: str) -> str:
    return f'<use href="#{sign_name}"/>'


def _write_cell_count(cell: int, bead_count: int) -> str:
    x, y = _find_square_centre(cell)
    right = x + CELL_SIZE / 2 - 0.4
    bottom = y + CELL_SIZE / 2 - 0.5
    return f'<text class="tally" x="{right:g}" y="{bottom:g}">{bead_count}</text>'


def _find_square_centre(cell: int) -> tuple[float, float]:
    row, column = divmod(cell, 3)
    return LABEL_MARGIN + (column + 0.5) * CELL_SIZE, LABEL_MARGIN + (
        row + 0.5
    ) * CELL_SIZE
