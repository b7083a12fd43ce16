"""A board, and the value of a game over its moves, as pictures that stand alone."""

from collections.abc import Iterator

from app.web.match import Place
from app.web.moves import BOTTOM, LEFT, RIGHT, TOP, ValueChart
from app.web.pictures.board import SHAPES, Square
from app.web.pictures.drawing import INKS, Drawing, fitting, heat, on_heat
from app.web.scene import Scene

SIDE, GAP, EDGE = 112, 6, 16  # pixels: of a square, between two, around all of them
HEAD = 58  # above the board
VALUE, NOTE = 22, 11  # sizes of the letters in a square
BOARD_COLUMNS = ("row", "column", "mark", "value", "heat", "best", "true_outcome", "note")
VALUE_COLUMNS = ("move", "mark", "row", "column", "true_value_for_x", "expected_for_x", "blunder")


def board_picture(scene: Scene) -> Drawing:
    """Draw the board of a match with the values that its page shows."""
    board, says = scene.board, scene.says
    rows, columns = len(board.ranks), len(board.ranks[0])
    width, height = (n * (SIDE + GAP) - GAP + 2 * EDGE for n in (columns, rows))
    squares = "; ".join(square.label for square in board.squares)
    drawing = Drawing(width, height + HEAD - EDGE, f"{says.headline}. {says.caption} {squares}.")
    drawing.text(EDGE, 26, says.headline, size=18, weight=650)
    drawing.text(EDGE, 46, fitting(says.caption, width - 2 * EDGE), INKS["soft"])
    for square in board.squares:
        x = EDGE + (square.column - 1) * (SIDE + GAP)
        y = HEAD + (square.row - 1) * (SIDE + GAP)
        _square(drawing, square, x, y)
    for line in board.strikes:
        start = f"M{_at(line.x1, EDGE)} {_at(line.y1, HEAD)}"
        drawing.path(f"{start}L{_at(line.x2, EDGE)} {_at(line.y2, HEAD)}", INKS["accent"], width=7)
    return drawing


def board_numbers(scene: Scene) -> Iterator[tuple[object, ...]]:
    """Yield a row for each square, as BOARD_COLUMNS name them; None where there is none."""
    view = scene.opinion
    for cell, square in enumerate(scene.board.squares):
        free = view is not None and square.mark == "."
        known = free and view is not None and view.known[cell]
        yield (
            square.row,
            square.column,
            square.mark,
            float(view.values[cell]) if view and known else None,
            square.heat,
            int(square.best) if free else None,
            (view.truths[cell] or None) if view and free else None,
            square.note.label or None,
        )


def value_picture(chart: ValueChart, title: str) -> Drawing:
    """Draw what a game was worth after each move, and what was expected of it."""
    scale = 2
    drawing = Drawing(640, 250, f"{title}. {chart.label}")
    drawing.text(12, 22, fitting(title, 616, 15), size=15, weight=650)
    drawing.text(
        12, 236, "Line: the truth after each move, for X. Dots: what was expected.", INKS["soft"]
    )
    down = 34
    for level in chart.levels:
        y = down + scale * level.y
        drawing.path(f"M{scale * LEFT:g} {y:g}H{scale * RIGHT:g}", INKS["line"])
        drawing.text(scale * LEFT - 10, y + 4, level.name, INKS["soft"], 12, "end")
    x = scale * chart.shown
    span = f"M{x:g} {down + scale * (TOP - 6):g}V{down + scale * (BOTTOM + 6):g}"
    drawing.path(span, INKS["accent"], dash="3 4")
    points = [point.split(",") for point in chart.truth.split()]
    outline = "L".join(f"{scale * float(x):g} {down + scale * float(y):g}" for x, y in points)
    drawing.path(f"M{outline}", INKS["ink"], width=2.5)
    for dot in chart.expected:
        place = f"translate({scale * dot.x:g} {down + scale * dot.y:g})"
        drawing.path("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", fill=INKS["accent"], at=place)
    return drawing


def value_numbers(place: Place, scene: Scene) -> Iterator[tuple[object, ...]]:
    """Yield a row for each move of a match, as VALUE_COLUMNS name them."""
    for move, cell in zip(scene.moves, place.cells, strict=True):
        row, column = place.world.game.row_column(cell)
        expected = None if move.expected is None else round(move.expected, 6) + 0.0  # never -0.0
        yield (
            move.ply,
            move.mark,
            row + 1,
            column + 1,
            move.truth,
            expected,
            int(move.blunder),
        )


def _square(drawing: Drawing, square: Square, x: float, y: float) -> None:
    inside = f"translate({x:g} {y:g}) scale({SIDE})"
    known = square.heat is not None
    fill = heat(square.heat) if square.heat is not None else INKS["sunk"]
    ink = on_heat(square.heat) if square.heat is not None else INKS["soft"]
    drawing.rect(x, y, SIDE, SIDE, INKS["surface"] if square.mark != "." else fill)
    edge = INKS["accent"] if square.last or square.hinted else INKS["line"]
    drawing.path(f"M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z", edge, width=3 if square.last else 1)
    if square.mark != ".":
        outline = "M0 0" + SHAPES[square.mark.lower()]
        drawing.path(outline, INKS["ink"], width=0.075, at=inside)
        return
    middle = x + SIDE / 2
    if square.text:
        drawing.text(middle, y + SIDE / 2 + 8, square.text, ink, VALUE, "middle", 600)
    elif not known and square.unknown:
        drawing.text(middle, y + SIDE / 2 + 8, "–", ink, VALUE, "middle")
    if square.best:
        corner = f"translate({x + SIDE - 32:g} {y + 4:g}) scale(28)"
        drawing.path("M0 0" + SHAPES["right"], fill=ink, at=corner)
    if square.note.text:
        drawing.text(middle, y + SIDE - 12, square.note.text, ink, NOTE, "middle", 550)


def _at(cells: float, edge: float) -> float:
    return round(edge + cells * (SIDE + GAP) - GAP / 2, 1)
