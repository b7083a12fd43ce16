"""The picture that a link to a match is shown with: that very board, as a PNG.

Marks, signs and digits are drawn as lines, so that no font is needed.
"""

from functools import lru_cache

from flask import Blueprint, Response, request
from resvg_py import svg_to_bytes
from werkzeug.http import generate_etag

from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.lens import opinion_at, seen_ply
from app.web.match import Place, parse
from app.web.numbers import BEAD
from app.web.pictures.palette import PALETTES, colour, text_colour, to_hex
from app.web.respond import revalidated
from app.web.world import world

bp = Blueprint("preview", __name__)
WIDTH, HEIGHT = 1200, 630  # what chats and networks ask for
CELL, GAP = 176, 14
PALETTE = next(iter(PALETTES))
PAPER, SURFACE, INK, LINE = "#0f1216", "#181c22", "#eceff3", "#2b323b"
RING = (
    f'<rect x="8" y="8" width="{CELL - 16}" height="{CELL - 16}" rx="12" fill="none" '
    'stroke="{}" stroke-width="4"/>'
)  # around what is played
# In a box 6 wide and 10 high, from the top left corner.
GLYPHS = {
    "0": "M0 3Q0 0 3 0T6 3V7Q6 10 3 10T0 7Z",
    "1": "M1 2.2 3.5 0V10",
    "2": "M0 2.7Q0 0 3 0T6 2.8Q6 4.8 0 10H6",
    "3": "M.3 1.8Q1 0 3 0T5.7 2.4Q5.7 4.8 3 4.8Q6 4.8 6 7.4T3 10Q.8 10 0 8.2",
    "4": "M4.6 10V0L0 7H6",
    "5": "M5.5 0H1L.6 4.4Q1.6 3.8 3 3.8Q6 3.8 6 6.9T3 10Q.8 10 0 8.2",
    "6": "M4.8 0Q0 2.5 0 7Q0 10 3 10T6 7Q6 4.2 3 4.2T0 7",
    "7": "M0 0H6L2.3 10",
    "8": "M3 4.7Q.5 4.7.5 2.4T3 0 5.5 2.4 3 4.7Q0 4.7 0 7.3Q0 10 3 10T6 7.3Q6 4.7 3 4.7",
    "9": "M6 3Q6 5.8 3 5.8T0 3Q0 0 3 0T6 3Q6 7.5 1.2 10",
    "+": "M0 5.5H6M3 2.5V8.5",
    "\N{MINUS SIGN}": "M0 5.5H6",
    ".": "M0 9.7V10",
    "k": "M0 0V10M5 3.6 0 7M2 5.8 5.4 10",
    "M": "M0 10V0L3 5 6 0V10",
    BEAD: "M3 3.2a2 2 0 1 0 .01 0zm0 1.2a.8.8 0 1 0 .01 0z",
}
WIDE, DOT = 9.0, 3.0  # from one sign to the next


@bp.get(addresses.MATCH_PREVIEW.to(""))
@bp.get(addresses.MATCH_PREVIEW)
def preview(record: str = "") -> Response:
    """Draw a position."""
    picture = png(svg(parse(record, request.args, world())))
    response = revalidated(Response(picture, mimetype="image/png"), generate_etag(picture))
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@lru_cache(maxsize=16)  # some 25 KB each
def png(drawing: str) -> bytes:
    """Turn a drawing into pixels."""
    return bytes(svg_to_bytes(svg_string=drawing, skip_system_fonts=True))


def svg(place: Place) -> str:
    """Draw where a match stands, with the values that its page shows."""
    game, ply = place.world.game, seen_ply(place)
    view = None if place.match.hide or ply is None else opinion_at(place, ply)
    side = 3 * CELL + 2 * GAP
    left, top = (WIDTH - side) // 2, (HEIGHT - side) // 2
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>']
    for cell, stone in enumerate(game.board[place.position].tolist()):
        row, column = game.row_column(cell)
        corner = f"translate({left + column * (CELL + GAP)} {top + row * (CELL + GAP)})"
        known = view is not None and stone == 0 and view.known[cell]
        shade = colour(PALETTE, view.heat[cell], "dark") if view and known else None
        fill = to_hex(shade) if shade else SURFACE
        content = ""
        if stone:
            content = _mark(MARKS[stone])
        elif view and view.texts[cell]:
            ink = to_hex(text_colour(shade)) if shade else INK
            content = _text(view.texts[cell], ink)
            if view.best[cell]:
                content += RING.format(ink)
        parts.append(
            f'<g transform="{corner}"><rect width="{CELL}" height="{CELL}" rx="18" '
            f'fill="{fill}" stroke="{LINE}" stroke-width="2"/>{content}</g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )


def _mark(mark: str) -> str:
    shape = {
        "X": '<path d="M-42-42 42 42M42-42-42 42"/>',
        "O": '<circle r="46"/>',
    }[mark]
    middle = CELL // 2
    return (
        f'<g transform="translate({middle} {middle})" fill="none" stroke="{INK}" '
        f'stroke-width="15" stroke-linecap="round">{shape}</g>'
    )


def _text(text: str, ink: str) -> str:
    """Write a value in the middle of a square."""
    size = 3.6
    steps = [DOT if sign == "." else WIDE for sign in text]
    x = (CELL - (sum(steps) - 3) * size) / 2
    signs = []
    for sign, step in zip(text, steps, strict=True):
        signs.append(
            f'<path transform="translate({x:.1f} {(CELL - 10 * size) / 2:.1f}) scale({size})" '
            f'd="{GLYPHS[sign]}"/>'
        )
        x += step * size
    return (
        f'<g fill="none" stroke="{ink}" stroke-width="1.7" stroke-linecap="round" '
        f'stroke-linejoin="round">{"".join(signs)}</g>'
    )
