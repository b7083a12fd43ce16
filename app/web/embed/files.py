"""Every figure as a file: an SVG that stands alone, and the CSV of its numbers."""

import re

from flask import Response, request

from app.web.addresses import IN_FRAME
from app.web.drawing import drawing_file, numbers_file
from app.web.embed.board_picture import (
    BOARD_COLUMNS,
    VALUE_COLUMNS,
    board_numbers,
    board_picture,
    value_numbers,
    value_picture,
)
from app.web.embed.curve_picture import curve_picture, numbers, parse_curves, parse_width
from app.web.embed.frames import bp
from app.web.embed.mind_picture import COLUMNS, mind_numbers, mind_picture
from app.web.match import parse
from app.web.mind_picture import parse_view, picture
from app.web.moves import value_chart
from app.web.scene import scene
from app.web.take import take_value
from app.web.world import world

FORMATS = "<any(svg, csv):ending>"


@bp.get(f"/embed/board/.{FORMATS}")
@bp.get(f"/embed/board/<record>.{FORMATS}")
def board_file(ending: str, record: str = "") -> Response:
    """Hand out a board."""
    shown = scene(parse(record, request.args, world()), IN_FRAME)
    name = _name("board", record)
    if ending == "svg":
        return drawing_file(board_picture(shown), name)
    return numbers_file(BOARD_COLUMNS, board_numbers(shown), name)


@bp.get(f"/embed/value/.{FORMATS}")
@bp.get(f"/embed/value/<record>.{FORMATS}")
def value_file(ending: str, record: str = "") -> Response:
    """Hand out the value of a game over its moves."""
    place = parse(record, request.args, world())
    shown, name = scene(place, IN_FRAME), _name("value", record)
    if ending == "svg":
        chart = value_chart(place, shown.moves)
        return drawing_file(value_picture(chart, take_value(place).title), name)
    return numbers_file(VALUE_COLUMNS, value_numbers(place, shown), name)


@bp.get(f"/embed/curve/<name>.{FORMATS}")
def curve_file(name: str, ending: str) -> Response:
    """Hand out learning curves."""
    curves = parse_curves(world(), name, request.args)
    if ending == "svg":
        drawing = curve_picture(curves.charts, curves.take.title, parse_width(request.args))
        return drawing_file(drawing, _name("curve", name))
    return numbers_file(*numbers(curves.charts), _name("curve", name))


@bp.get(f"/embed/mind/<name>.{FORMATS}")
def mind_file(name: str, ending: str) -> Response:
    """Hand out an agent's mind."""
    step, colour = parse_view(world(), name, request.args)
    shown = picture(world(), name, step, colour)
    if ending == "svg":
        return drawing_file(mind_picture(world(), shown, step), _name("mind", name))
    return numbers_file(COLUMNS, mind_numbers(world(), shown, step), _name("mind", name))


def _name(kind: str, of: str) -> str:
    """Return what a file is called."""
    return re.sub("[^a-z0-9]+", "-", f"{kind}-{of}").strip("-")
