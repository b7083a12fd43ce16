"""Shapes of pictures, and functions that write them as SVG or PNG.

In a plot, x is a share of the width from 0 to 1, and y is in pixels. So a plot can have any width,
and its texts keep their size. In any other picture, x and y are in pixels, or in the units of the
`Inset` around the shape.

On a page, x is written in percent, because the plot is as wide as its container. The page has the
stylesheet `shapes.css`. A file has a fixed size and contains the same style, with its colours
written out for programs that know no CSS variables.
"""

import pathlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import floor
from typing import NamedTuple

from markupsafe import Markup, escape
from resvg_py import svg_to_bytes

from app.web.pictures import palette
from app.web.routes import Destination

COLOUR_SCHEMES = ("auto", *palette.COLOUR_SCHEMES)
# The path of a line cannot have percentages, so it has x from 0 to this.
COORDINATE_PRECISION = 1000
DOT_RADIUS = 4.4
# as a share of the letter's height
CHARACTER_WIDTH = 0.58
FONT_FAMILIES = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
# PNG files use this font on every server.
FONT_FILE = pathlib.Path(__file__).with_name("letters.ttf")
# FONT_FILE lacks these characters.
MISSING_LETTERS = str.maketrans(
    {
        **{"α": "alpha", "γ": "gamma", "ε": "epsilon", "λ": "lambda"},
        **{"★": "", "’": "'", "→": "to", "·": "-", "×": "x"},
    }
)
# in pixels
PREVIEW_SIZE = (1200, 630)
PREVIEW_MARGIN, PREVIEW_TEXT_HEIGHT, PREVIEW_LETTER_HEIGHT = (40, 110, 38)
SHAPES_STYLESHEET = pathlib.Path(__file__).with_name("shapes.css").read_text("utf-8")

# ("heat", -HEAT_STEPS to HEAT_STEPS) or ("level", 0 to LEVEL_COUNT)
ScaleValue = tuple[str, int]


class Rect(NamedTuple):
    css_classes: str
    x: float
    y: float
    width: float
    height: float
    link: Destination | None = None
    colour_value: ScaleValue | None = None
    # in pixels
    corner_radius: float = 0.0


class Dot(NamedTuple):
    css_classes: str
    x: float
    y: float
    link: Destination | None = None
    # as a multiple of DOT_RADIUS
    relative_radius: float = 1.0


class Path(NamedTuple):
    css_classes: str
    points: Sequence[tuple[float, float]]
    is_closed: bool = False
    link: Destination | None = None
    dot_points: Sequence[tuple[float, float]] = ()


class Segment(NamedTuple):
    css_classes: str
    x1: float
    y1: float
    x2: float
    y2: float


class Text(NamedTuple):
    css_classes: str
    x: float
    y: float
    text: str
    # "start", "middle" or "end": the part of the text that is at (x, y)
    anchor: str = "start"
    # in pixels
    left_shift: float = 0.0
    colour_value: ScaleValue | None = None


class Sign(NamedTuple):
    """A shape with its own SVG outline, such as a stone or all tiles of a colour."""

    css_classes: str
    outline: str
    colour_value: ScaleValue | None = None
    # such as "url(#hatch)"; "" leaves the fill to the stylesheet
    fill_attribute: str = ""


class Hatch(NamedTuple):
    """A pattern of slanting lines, which fills other shapes as `url(#id)`."""

    id: str


class Inset(NamedTuple):
    css_classes: str
    shapes: "Sequence[Shape]"
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    # the width of a plot inside this group, in pixels
    width: float = 1.0
    link: Destination | None = None


Shape = Rect | Dot | Path | Segment | Text | Sign | Hatch | Inset


class Drawing(NamedTuple):
    """A picture for a file, in pixels from the top left corner."""

    width: float
    height: float
    label: str
    shapes: Sequence[Shape]


class LegendKey(NamedTuple):
    """The name of a line in the legend of a plot, with the style of the line."""

    css_classes: str
    name: str
    link: Destination = Destination("", "")


class Plot(NamedTuple):
    """The shapes of a plot, which is as wide as its page or file allows."""

    # in pixels
    height: float
    # the width for the numbers of the vertical axis, in units of 8 pixels
    left_margin: int
    shapes: Sequence[Shape]
    keys: Sequence[LegendKey] = ()


def read_stylesheet() -> str:
    """Return the rules of `shapes.css`, limited to the pictures on a page."""
    return f".drawing{{{''.join(SHAPES_STYLESHEET.splitlines())}}}"


def write_inline(shapes: Iterable[Shape], css_classes: str, attributes: str) -> Markup:
    """Return shapes as an <svg> element for a page, with these HTML attributes."""
    return Markup(
        f'<svg class="{css_classes}" {attributes}>{SvgWriter().write_shapes(shapes)}</svg>'
    )


def write_plot(plot: Plot, label: str = "", link_attributes: str = "") -> Markup:
    """Return a plot as HTML for a page.

    `label` is for screen readers; it is "" if a table beside the plot has the same numbers.
    `link_attributes` are HTML attributes of its links: see `rendering.get_link_attributes`.
    """
    told = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    shapes = SvgWriter(None, plot.height, link_attributes=link_attributes).write_shapes(
        plot.shapes
    )
    return Markup(
        f'<svg class="drawing figure m{plot.left_margin}" height="{plot.height:g}" {told}>{shapes}</svg>'
    )


def write_file(drawing: Drawing, scheme: str = "auto", base_url: str = "") -> str:
    """Return a drawing as an SVG file in one of COLOUR_SCHEMES.

    `base_url` is the origin of this site, for the links.
    """
    width = f"{drawing.width:g}"
    height = f"{drawing.height:g}"
    content = SvgWriter(base_url=base_url).write_shapes(drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="alone" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img"><title>{escape(drawing.label)}</title>'
        f"<style>{write_style(drawing, scheme)}</style>"
        f'<rect class="paper" width="{width}" height="{height}"/>{content}</svg>\n'
    )


def write_style(drawing: Drawing, scheme: str = "auto") -> str:
    """Return the CSS of an SVG file: "light", "dark", or as the reader prefers ("auto")."""
    return _build_file_style(scheme, frozenset(list_colour_values(drawing.shapes)))


def plot_preview(
    caption: str, shapes: Sequence[Shape], width: float, height: float
) -> Drawing:
    wide, high = PREVIEW_SIZE
    room = high - PREVIEW_MARGIN - PREVIEW_TEXT_HEIGHT
    scale = min((wide - 2 * PREVIEW_MARGIN) / width, room / height)
    x = (wide - scale * width) / 2
    y = PREVIEW_MARGIN + (room - scale * height) / 2
    text = cut_text(
        caption.translate(MISSING_LETTERS).strip(),
        wide - 2 * PREVIEW_MARGIN,
        PREVIEW_LETTER_HEIGHT,
    )
    preview_shapes: list[Shape] = [
        Inset("preview", shapes, round(x, 1), round(y, 1), round(scale, 4)),
        Text(
            "line",
            wide / 2,
            high - PREVIEW_TEXT_HEIGHT / 2 + PREVIEW_LETTER_HEIGHT / 2,
            text,
            "middle",
        ),
    ]
    return Drawing(wide, high, caption, preview_shapes)


def render_png(drawing: Drawing) -> bytes:
    svg = write_file(drawing, "light").translate(MISSING_LETTERS)
    return _render_pixels(re.sub("[“”]", "&quot;", svg))


@lru_cache(maxsize=16)  # Each cached picture takes some 25 KB.
def _render_pixels(svg: str) -> bytes:
    pixels = svg_to_bytes(
        svg_string=svg,
        skip_system_fonts=True,
        font_files=[str(FONT_FILE)],
        sans_serif_family="Inter",
    )
    return bytes(pixels)


def cut_text(text: str, max_width: float, font_size: float = 12) -> str:
    """Return a text cut to `max_width` pixels; `font_size` is in pixels, too."""
    most = max(1, floor(max_width / (CHARACTER_WIDTH * font_size)))
    return text if len(text) <= most else f"{text[: most - 1]}…"


@lru_cache(maxsize=64)
def _build_file_style(scheme: str, colour_values: frozenset[ScaleValue]) -> str:
    base = f".alone{{font-family:{FONT_FAMILIES}}}"
    lines = SHAPES_STYLESHEET.splitlines()
    if scheme != "auto":
        return base + _write_style_of_scheme(scheme, lines, colour_values)
    coloured = [line for line in lines if "var(" in line]
    dark_rules = _write_style_of_scheme("dark", coloured, colour_values)
    dark = f"@media (prefers-color-scheme:dark){{{dark_rules}}}"
    return base + _write_style_of_scheme("light", lines, colour_values) + dark


def _write_style_of_scheme(
    scheme: str, lines: Sequence[str], colour_values: frozenset[ScaleValue]
) -> str:
    rules = [
        palette.write_step_rules(scale, value, scheme)
        for scale, value in sorted(colour_values)
    ]
    return "".join([palette.fill_in_inks("".join(lines), scheme), *rules])


def list_colour_values(shapes: Iterable[Shape]) -> Iterator[ScaleValue]:
    for shape in shapes:
        if isinstance(shape, Inset):
            yield from list_colour_values(shape.shapes)
        elif isinstance(shape, (Rect, Sign, Text)) and shape.colour_value:
            yield shape.colour_value


class SvgWriter(NamedTuple):
    """Writes shapes as SVG.

    A coordinate x is multiplied by `width`, or written in percent if `width` is None.
    """

    width: float | None = 1.0
    # the height of a plot, which is only needed without `width`
    height: float = 0.0
    base_url: str = ""
    link_attributes: str = ""

    def write_shapes(self, shapes: Iterable[Shape]) -> str:
        return "".join(map(self._write_shape, shapes))

    def _write_shape(self, shape: Shape) -> str:
        element = self._write_element(shape)
        link: Destination | None = getattr(shape, "link", None)
        if link is None:
            return element
        title = f"<title>{escape(link.title)}</title>" if link.title else ""
        if not link.href:
            return f'<g class="still">{title}{element}</g>'
        href = escape(self.base_url + link.href)
        return (
            f'<a href="{href}"{self.link_attributes} tabindex="-1">{title}{element}</a>'
        )

    def _write_element(self, shape: Shape) -> str:
        match shape:
            case Rect():
                element = self._write_rect(shape)
            case Dot(css_classes, x, y, relative_radius=size):
                element = self._write_dot(css_classes, (x, y), DOT_RADIUS * size)
            case Path():
                element = self._write_path(shape)
            case Inset():
                element = self._write_inset(shape)
            case Segment(css_classes, x1, y1, x2, y2):
                element = (
                    f'<line class="{css_classes}" x1="{self._format_x(x1)}" y1="{y1:g}" '
                    f'x2="{self._format_x(x2)}" y2="{y2:g}"/>'
                )
            case Text():
                element = self._write_text(shape)
            case Sign(css_classes, outline, value, fill):
                filled = f' fill="{fill}"' if fill else ""
                element = (
                    f'<path{_write_classes(css_classes, value)}{filled} d="{outline}"/>'
                )
            case Hatch(id):
                element = (
                    f'<pattern id="{id}" width=".4" height=".4" patternUnits="userSpaceOnUse" '
                    'patternTransform="rotate(45)"><path class="hatch" d="M0 .2h.4"/></pattern>'
                )
        return element

    def _write_rect(self, rect: Rect) -> str:
        corners = f' rx="{rect.corner_radius:g}"' if rect.corner_radius else ""
        classes = _write_classes(rect.css_classes, rect.colour_value)
        return (
            f'<rect{classes} x="{self._format_x(rect.x)}" y="{rect.y:.5g}" '
            f'width="{self._format_x(rect.width)}" height="{rect.height:.4g}"{corners}/>'
        )

    def _format_x(self, share: float) -> str:
        return (
            f"{100 * share:.4g}%" if self.width is None else f"{share * self.width:.5g}"
        )

    def _write_dot(
        self, css_classes: str, centre: tuple[float, float], radius: float
    ) -> str:
        x, y = centre
        return f'<circle class="{css_classes}" cx="{self._format_x(x)}" cy="{y:g}" r="{radius:.2g}"/>'

    def _write_text(self, text: Text) -> str:
        anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
        moved = f' dx="{-text.left_shift:g}"' if text.left_shift else ""
        classes = _write_classes(text.css_classes, text.colour_value)
        return (
            f'<text{classes} x="{self._format_x(text.x)}" y="{text.y:g}"'
            f"{anchor}{moved}>{escape(text.text)}</text>"
        )

    def _write_path(self, path: Path) -> str:
        across = COORDINATE_PRECISION if self.width is None else self.width
        points = "L".join(f"{across * x:.4g} {y:g}" for x, y in path.points)
        outline = f"M{points}" + "z" * path.is_closed
        drawn = f'<path class="{path.css_classes}" d="{outline}"/>'
        if path.link is not None:
            drawn = f'<path class="touch" d="{outline}"/>{drawn}'
        if self.width is None:
            drawn = (
                f'<svg width="100%" height="{self.height:g}" '
                f'viewBox="0 0 {COORDINATE_PRECISION} {self.height:g}" '
                f'preserveAspectRatio="none">{drawn}</svg>'
            )
        dot_classes = path.css_classes.replace("curve", "end")
        return drawn + "".join(
            self._write_dot(dot_classes, place, DOT_RADIUS) for place in path.dot_points
        )

    def _write_inset(self, inset: Inset) -> str:
        moved = f"translate({inset.x:g} {inset.y:g})" if inset.x or inset.y else ""
        scaled = f"scale({inset.scale:g})" if inset.scale != 1 else ""
        at = (
            f' transform="{" ".join(filter(None, (moved, scaled)))}"'
            if moved or scaled
            else ""
        )
        inside = self._replace(width=inset.width)
        return f"<g{_write_classes(inset.css_classes, None)}{at}>{inside.write_shapes(inset.shapes)}</g>"


def _write_classes(css_classes: str, colour_value: ScaleValue | None) -> str:
    attribute = f' class="{css_classes}"' if css_classes else ""
    return attribute + (
        f' data-{colour_value[0]}="{colour_value[1]}"' if colour_value else ""
    )
