"""Drawings written as SVG: for a page, whose stylesheet is around it, or to stand alone.

In a page a figure is as wide as there is room, so places across are written in percent.  Alone it
has a size, and brings its own style with the colours written out, for programs that know no
variables of CSS.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from textwrap import wrap

from markupsafe import Markup, escape

from app.web.pictures.drawing import FONT, INKS
from app.web.pictures.shapes import Dot, Key, Layout, Path, Picture, Rect, Rule, Shape, Text
from app.web.service.deployment import ROOT

SCHEMES = ("auto", "light", "dark")
FINE = 1000  # steps across, where a path is stretched
RADIUS = 4.4
WIDTH = 720.0  # of a figure that stands alone, with what is around it
EDGE = 20.0
TITLE_LINE, TEXT_LINE, KEY_LINE = 22.0, 16.0, 18.0
PICTURE, PICTURES = 150.0, 4  # the side of a board, and how many stand in a row
WORDS = 92  # characters of a line of small words
STYLE = ROOT / "static" / "parts/figures.css"


class Pen:
    """Writes shapes: with places in percent, or in pixels where the width is known."""

    def __init__(self, height: float, width: float | None = None, site: str = "") -> None:
        self.height, self.width, self.site = height, width, site

    def write(self, shape: Shape) -> str:
        """Write a shape, as a link if it opens something, with what it tells."""
        match shape:
            case Rect():
                element = (
                    f'<rect class="{shape.kind}" x="{self._x(shape.x)}" y="{shape.y:.5g}" '
                    f'width="{self._x(shape.width)}" height="{shape.height:.4g}"/>'
                )
            case Dot():
                element = self._dot(shape.kind, (shape.x, shape.y), RADIUS * shape.size)
            case Rule():
                return (
                    f'<line class="{shape.kind}" x1="{self._x(shape.x1)}" y1="{shape.y1:g}" '
                    f'x2="{self._x(shape.x2)}" y2="{shape.y2:g}"/>'
                )
            case Text():
                return self._text(shape)
            case Path():
                element = self._path(shape)
        if shape.link is None:
            return element
        told = f"<title>{escape(shape.link.title)}</title>"
        if not shape.link.href:
            return f'<g class="still">{told}{element}</g>'
        return f'<a href="{escape(self.site + shape.link.href)}" tabindex="-1">{told}{element}</a>'

    def _x(self, share: float) -> str:
        return f"{100 * share:.4g}%" if self.width is None else f"{share * self.width:.5g}"

    def _dot(self, kind: str, place: tuple[float, float], radius: float) -> str:
        x, y = place
        return f'<circle class="{kind}" cx="{self._x(x)}" cy="{y:g}" r="{radius:.2g}"/>'

    def _text(self, text: Text) -> str:
        anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
        moved = f' dx="{-text.left:g}"' if text.left else ""
        return (
            f'<text class="{text.kind}" x="{self._x(text.x)}" y="{text.y:g}"{anchor}{moved}>'
            f"{escape(text.text)}</text>"
        )

    def _path(self, path: Path) -> str:
        across = FINE if self.width is None else self.width
        points = "L".join(f"{across * x:.4g} {y:g}" for x, y in path.points)
        outline = f"M{points}" + "z" * path.closed
        drawn = f'<path class="{path.kind}" d="{outline}"/>'
        if path.link is not None:
            drawn = f'<path class="touch" d="{outline}"/>{drawn}'
        if self.width is None:
            drawn = (
                f'<svg width="100%" height="{self.height:g}" viewBox="0 0 {FINE} {self.height:g}" '
                f'preserveAspectRatio="none">{drawn}</svg>'
            )
        kind = path.kind.replace("curve", "end")
        return drawn + "".join(self._dot(kind, place, RADIUS) for place in path.dots)


def inline(layout: Layout) -> Markup:
    """Write a layout for a page with `parts/figures.css`, where its numbers stand in a table."""
    pen = Pen(layout.height)
    shapes = "".join(map(pen.write, layout.shapes))
    return Markup(
        f'<svg class="figure m{layout.margin}" height="{layout.height:g}" aria-hidden="true">'
        f"{shapes}</svg>"
    )


def standalone(layout: Layout, source: str, scheme: str = "auto", site: str = "") -> str:
    """Write a layout as a file: with its title, what its lines are, how to read it, its source.

    `scheme` is one of SCHEMES; `site` is what its links begin with.
    """
    parts = "".join(_parts(layout, source, site))
    height = _height(layout, source)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="alone" width="{WIDTH:g}" '
        f'height="{height:g}" viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="'
        f'{escape(layout.title)}"><style>{style(scheme)}</style>'
        f'<rect class="paper" width="{WIDTH:g}" height="{height:g}"/>{parts}</svg>\n'
    )


def policy(content_security_policy: str, scheme: str) -> str:
    """Return the policy under which a file of this scheme may use its own style and no other."""
    digest = base64.b64encode(hashlib.sha256(style(scheme).encode()).digest()).decode()
    return re.sub("style-src [^;]*", f"style-src 'sha256-{digest}'", content_security_policy)


@lru_cache
def style(scheme: str) -> str:
    """Return the style of a file in a scheme, or in whichever its reader prefers."""
    alone, _, _ = STYLE.read_text("utf-8").partition("/* In a page */")
    rules = re.sub(r"(?s)/\*.*?\*/|\s*\n\s*", "", alone)

    def written_out(dark: bool) -> str:
        return re.sub(r"var\(--([a-z-]+)\)", lambda name: INKS[name[1]][dark], rules)

    base = f".alone{{font-family:{FONT}}}"
    if scheme != "auto":
        return base + written_out(scheme == "dark")
    dark = f"@media (prefers-color-scheme:dark){{{written_out(dark=True)}}}"
    return base + written_out(dark=False) + dark


def _parts(layout: Layout, source: str, site: str) -> Iterator[str]:
    y = EDGE
    for line in wrap(layout.title, 72):
        y += TITLE_LINE
        yield f'<text class="heading" x="{EDGE:g}" y="{y - 6:g}">{escape(line)}</text>'
    if layout.unit not in ("", "%"):
        y += TEXT_LINE
        yield f'<text class="told" x="{EDGE:g}" y="{y - 4:g}">{escape(layout.unit)}</text>'
    for key in layout.keys:
        y += KEY_LINE
        yield _key(key, y, site)
    y += 12
    margin = 8 * layout.margin
    pen = Pen(layout.height, WIDTH - 2 * EDGE - margin, site)
    shapes = "".join(map(pen.write, layout.shapes))
    yield f'<g transform="translate({EDGE + margin:g} {y:g})">{shapes}</g>'
    y += layout.height
    for number, picture in enumerate(layout.pictures):
        left, top = number % PICTURES, number // PICTURES
        yield _picture(picture, EDGE + left * (PICTURE + 22), y + top * _row(layout), site)
    y += _rows(layout) * _row(layout) + 6
    for line in _words(layout, source):
        y += TEXT_LINE
        yield f'<text class="told" x="{EDGE:g}" y="{y - 4:g}">{escape(line)}</text>'


def _height(layout: Layout, source: str) -> float:
    titles = len(wrap(layout.title, 72)) * TITLE_LINE + TEXT_LINE * (layout.unit not in ("", "%"))
    words = len(_words(layout, source)) * TEXT_LINE
    keys = len(layout.keys) * KEY_LINE
    pictures = _rows(layout) * _row(layout)
    return EDGE + titles + keys + 12 + layout.height + pictures + 6 + words + EDGE


def _words(layout: Layout, source: str) -> list[str]:
    """Break what stands below a figure into lines; an address stays whole."""
    return [
        line
        for text in (layout.caption, source)
        for line in wrap(text, WORDS, break_long_words=False, break_on_hyphens=False)
    ]


def _key(key: Key, y: float, site: str) -> str:
    sample = (
        f'<path class="{key.kind} curve" d="M{EDGE:g} {y - 8:g}h26"/>'
        f'<text class="label" x="{EDGE + 34:g}" y="{y - 4:g}">{escape(key.name)}</text>'
    )
    if not key.link.href:
        return sample
    return f'<a href="{escape(site + key.link.href)}">{sample}</a>'


def _rows(layout: Layout) -> int:
    return -(-len(layout.pictures) // PICTURES)


def _row(layout: Layout) -> float:
    lines = max((len(wrap(picture.text, 22)) for picture in layout.pictures), default=0)
    return PICTURE + lines * TEXT_LINE + 14


def _picture(picture: Picture, x: float, y: float, site: str) -> str:
    paths = "".join(
        f'<path class="{kind}" d="{outline}"/>' for kind, outline in picture.board.paths
    )
    words = "".join(
        f'<text class="told" x="{x:g}" y="{y + PICTURE + 16 + number * TEXT_LINE:g}">'
        f"{escape(line)}</text>"
        for number, line in enumerate(wrap(picture.text, 22))
    )
    return (
        f'<a href="{escape(site + picture.link.href)}"><svg class="figure-board" x="{x:g}" '
        f'y="{y:g}" width="{PICTURE:g}" height="{PICTURE:g}" viewBox="{picture.board.box}">{paths}'
        f"</svg>{words}</a>"
    )
