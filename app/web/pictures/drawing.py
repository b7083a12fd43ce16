"""Pictures that stand alone: an SVG that looks right on any page, and the CSV of its numbers.

A `Drawing` writes every colour twice: as an attribute, for the light scheme and for programs that
know nothing else, and in a style sheet of its own for the dark one.  It needs no font of ours, no
file beside it and no script.  Shared by all pages that hand out a figure: those under /embed/, and
the experiments.  A page shows such a figure by its address, as `<img src=...>`: inside a page our
Content-Security-Policy allows no style sheet of its own.

    drawing = Drawing(640, 300, "Blunders over the updates, from 4,520 to 109")
    drawing.path("M50 20V270H620", stroke=INKS["line"])
    drawing.text(50, 14, "Blunders", weight=600)
    answer = drawing_file(drawing, "q-table-curve")  # sent as q-table-curve.svg
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from math import floor

from flask import Response
from werkzeug.http import generate_etag

from app.web.pictures.palette import PALETTES, SCHEMES, colour, text_colour, to_hex
from app.web.respond import revalidated
from app.web.service.deployment import ROOT

Shade = tuple[str, str]  # a colour in the light scheme, and in the dark one
# The inks of the site, by name: "paper", "surface", "ink", "soft", "line", "accent", "win", ...
INKS: dict[str, Shade] = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);",
        (ROOT / "static" / "parts/app.css").read_text("utf-8"),
    )
}
LETTER = 0.58  # of its height: how wide a letter is, with some room
FONT = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
PALETTE = next(iter(PALETTES))


def heat(value: int) -> Shade:
    """Return the colour of a heat, from -HEAT_STEPS a loss to HEAT_STEPS a win."""
    light, dark = (to_hex(colour(PALETTE, value, scheme)) for scheme in SCHEMES)
    return light, dark


def on_heat(value: int) -> Shade:
    """Return the colour of text on a heat."""
    light, dark = (to_hex(text_colour(colour(PALETTE, value, scheme))) for scheme in SCHEMES)
    return light, dark


def fitting(text: str, room: float, size: float = 12) -> str:
    """Return as much of a text as there is room for, in pixels, where its letters are so high."""
    most = max(1, floor(room / (LETTER * size)))
    return text if len(text) <= most else f"{text[: most - 1]}…"


class Drawing:
    """An SVG in the making; x goes right and y down, in pixels from the top left corner."""

    def __init__(self, width: int, height: int, label: str) -> None:
        """Begin an empty sheet; `label` is all of it in words."""
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []
        self._classes: dict[tuple[str, str], str] = {}  # by property and dark colour
        self.rect(0, 0, width, height, INKS["surface"])

    def rect(self, x: float, y: float, width: float, height: float, fill: Shade) -> None:
        """Fill a rectangle."""
        self._draw(f'rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"', fill=fill)

    def path(
        self,
        outline: str,
        stroke: Shade | None = None,
        fill: Shade | None = None,
        width: float = 1,
        dash: str = "",
        at: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw an outline, moved and scaled by the transformation `at`."""
        more = f' transform="{at}"' if at else ""
        if stroke:
            more += f' stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"'
        more += f' stroke-dasharray="{dash}"' if dash else ""
        more += f' opacity="{opacity:g}"' if opacity != 1 else ""
        self._draw(f'path d="{outline}"{more}', fill=fill, stroke=stroke)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        ink: Shade = INKS["ink"],
        size: float = 12,
        anchor: str = "start",
        weight: int = 400,
    ) -> None:
        """Write a line whose foot is at y; `anchor` says whether x is its start, middle or end."""
        place = f'text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}"'
        self._draw(f'{place} font-weight="{weight}"', escape(text), fill=ink)

    def svg(self) -> str:
        """Return the whole file."""
        rules = "".join(f".{name}{{{what}:{dark}}}" for (what, dark), name in self._classes.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="{FONT}" role="img">'
            f"<title>{escape(self.label)}</title>"
            f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
            f"{''.join(self._parts)}</svg>\n"
        )

    def _draw(
        self,
        element: str,
        content: str = "",
        fill: Shade | None = None,
        stroke: Shade | None = None,
    ) -> None:
        named, colours = [], f' fill="{fill[0]}"' if fill else ' fill="none"'
        colours += f' stroke="{stroke[0]}"' if stroke else ""
        for what, shade in (("fill", fill), ("stroke", stroke)):
            if shade:
                key = what, shade[1]
                named.append(self._classes.setdefault(key, f"c{len(self._classes)}"))
        name = element.partition(" ")[0]
        classes = f' class="{" ".join(named)}"' if named else ""
        end = f">{content}</{name}>" if content else "/>"
        self._parts.append(f"<{element}{classes}{colours}{end}")


def drawing_file(drawing: Drawing, name: str) -> Response:
    """Answer with a drawing that browsers save under a name, without its ending."""
    return _file(drawing.svg(), "image/svg+xml", f"{name}.svg")


def numbers_file(columns: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Response:
    """Answer with a table that browsers save under a name; None is an empty entry."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return _file(text.getvalue(), "text/csv", f"{name}.csv")


def _file(text: str, mimetype: str, name: str) -> Response:
    content = text.encode()
    response = Response(content, mimetype=mimetype)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return revalidated(response, generate_etag(content))
