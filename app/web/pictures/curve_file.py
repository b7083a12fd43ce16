"""Learning curves: which, as a picture that stands alone, and as the table of their numbers."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import NotFound

from app.web import addresses
from app.web.comparison import FIGURES, parse
from app.web.match import read_whole
from app.web.pages.parts.export import Take, take_curve
from app.web.pages.parts.learning import WON, compared, learning, opponents, parse_against, winning
from app.web.pictures.charts import Chart, Charts
from app.web.pictures.drawing import INKS, LETTER, Drawing, Shade, fitting
from app.web.pictures.scales import scale, short
from app.web.world import World

WIDTH, WIDTHS = 640, (280, 1600)  # pixels that a picture can be wide
ONE = 300  # pixels: how narrow a chart may be
ALONE, PLOT = 230, 150  # pixels: the height of a plot, alone or among others
TITLE, NAME, ENTRY, AXIS = 30, 20, 17, 44  # heights: of all, of a chart, of a row of its key, below
LEFT, RIGHT, EDGE = 50, 14, 12  # left and right of a plot, and of what is written
DASH = 24  # pixels of a line in a key
SHADES: dict[str, Shade] = {
    "win": INKS["win"],
    "draw": INKS["draw"],
    "loss": INKS["loss"],
    "first": INKS["accent"],
    "second": INKS["ink"],
    "third": INKS["win"],
    "fourth": INKS["loss"],
}
DASHES = ("", "9 5", "1.5 5", "10 4 2 4")  # so that lines are told apart by more than colour


class Curves(NamedTuple):
    """The learning curves of one agent, or those of several by one figure."""

    charts: Charts
    take: Take
    names: list[str]
    figure: str  # of FIGURES, WON, or "" for all that there are of one agent
    against: str

    def picture(self, width: int) -> str:
        """Return the address of their picture, so many pixels wide."""
        names = self.names[0], self.names[1:]
        frame = addresses.embed_curve(*names, self.figure, self.against, width)
        return addresses.file_of(frame, "svg")


class Entry(NamedTuple):
    """One line in the key of a chart."""

    number: int
    name: str
    x: float
    row: int


class Plot(NamedTuple):
    """Where the lines of a chart are, in pixels."""

    left: float
    right: float
    top: float
    bottom: float


def parse_curves(world: World, name: str, query: "MultiDict[str, str]") -> Curves:
    """Read which curves are meant: `lens` adds agents, `figure` chooses, `against` says whom.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    figure, lenses = query.get("figure", ""), query.getlist("lens")
    card, names, against = world.learned(name).card, [name], ""
    charts: Charts | None
    if figure == WON and not lenses:
        charts = winning(card.win_rate) if card.win_rate else None
    elif figure or lenses:
        comparison, _ = parse("", [name, *lenses], world, figure)
        names = [view.lens for view in comparison.views if world.agents.knows(view.lens)]
        figure = comparison.figure or next(iter(FIGURES))
        charts = compared(world, comparison.views, figure)
    else:
        chosen = parse_against(query, card)
        against = "" if chosen == opponents(card)[0] else chosen
        charts = learning(world, card, chosen)
    if charts is None:
        raise NotFound("None of them has that figure.")
    take = take_curve(world, names, figure, against)
    return Curves(charts, take, names, figure, against)


def parse_width(query: "MultiDict[str, str]") -> int:
    """Read how many pixels wide a picture is to be."""
    return read_whole("width", query.get("width") or str(WIDTH), *WIDTHS)


def curve_picture(charts: Charts, title: str, width: int) -> Drawing:
    """Draw charts side by side as far as there is room, and below each other."""
    across = max(1, min(len(charts.charts), width // ONE))
    each = width // across
    keys = [_key(chart, each - 2 * EDGE) for chart in charts.charts]
    above = NAME + ENTRY * max(key[-1].row + 1 if key else 0 for key in keys)
    high = ALONE if len(keys) == 1 else PLOT
    height = above + high + AXIS
    down = ceil(len(charts.charts) / across)
    told = " ".join(chart.told for chart in charts.charts)
    drawing = Drawing(width, TITLE + down * height, f"{title}. {told}")
    drawing.text(EDGE, 21, fitting(title, width - 2 * EDGE, 15), size=15, weight=650)
    for number, (chart, key) in enumerate(zip(charts.charts, keys, strict=True)):
        x, y = number % across * each, TITLE + number // across * height
        unit = f", {chart.unit}" if chart.unit else ""
        heading = fitting(chart.title + unit, each - 2 * EDGE, 13)
        drawing.text(x + EDGE, y + 14, heading, size=13, weight=600)
        for entry in key:
            middle = y + NAME + ENTRY * entry.row + 8
            shade = SHADES[chart.lines[entry.number].kind]
            line = f"M{x + EDGE + entry.x:g} {middle}h{DASH}"
            drawing.path(line, shade, width=2, dash=DASHES[entry.number])
            drawing.text(x + EDGE + entry.x + DASH + 6, middle + 4, entry.name, INKS["soft"])
        plot = Plot(x + LEFT, x + each - RIGHT, y + above + 6, y + above + high)
        _draw(drawing, charts, chart, plot)
    return drawing


def numbers(charts: Charts) -> tuple[list[str], Iterator[list[float | None]]]:
    """Return the same as the columns of a table, and its rows."""
    several = len(charts.charts) > 1
    columns = [
        (f"{chart.title}: " if several and len(chart.lines) > 1 else "")
        + line.name
        + (f", {chart.unit}" if chart.unit else "")
        for chart in charts.charts
        for line in chart.lines
    ]
    rows = (
        [moment.at.value, *(entry and entry.value for entry in moment.numbers)]
        for moment in charts.moments
    )
    return [charts.axis, *columns], rows


def _draw(drawing: Drawing, charts: Charts, chart: Chart, plot: Plot) -> None:
    """Draw the lines of one chart, and its axes."""
    places = [moment.at.value for moment in charts.moments]
    upwards, width = scale([chart.top], zero=True), plot.right - plot.left
    along, ticks = _logarithmic(places[-1]) if charts.logarithmic else _straight(places)

    def down(value: float) -> float:
        return round(plot.bottom - (plot.bottom - plot.top) * upwards.at(value), 1)

    for level in upwards.ticks:
        drawing.path(f"M{plot.left:g} {down(level):g}H{plot.right:g}", INKS["line"])
        text = short(level) + chart.unit
        drawing.text(plot.left - 6, down(level) + 4, text, INKS["soft"], 11, "end")
    for place in ticks:
        at = round(plot.left + width * along(place), 1)
        drawing.text(at, plot.bottom + 17, short(place), INKS["soft"], 11, "middle")
    drawing.text(plot.right, plot.bottom + 34, charts.axis, INKS["soft"], 11, "end")
    for number, line in enumerate(chart.lines):
        points = [
            f"{plot.left + width * along(place):.1f} {down(entry.value):g}"
            for place, entry in zip(places, line.numbers, strict=True)
            if entry
        ]
        drawing.path("M" + "L".join(points), SHADES[line.kind], width=2, dash=DASHES[number])


def _key(chart: Chart, width: float) -> list[Entry]:
    """Name the lines of a chart, as many in a row as there is room for."""
    entries: list[Entry] = []
    x, row = 0.0, 0
    for number, line in enumerate(chart.lines):
        name = fitting(line.name, width - DASH - 6)
        needed = DASH + 6 + 12 * LETTER * len(name) + 14
        if x and x + needed > width:
            x, row = 0.0, row + 1
        entries.append(Entry(number, name, x, row))
        x += needed
    return entries


def _straight(places: Sequence[float]) -> tuple[Callable[[float], float], Sequence[float]]:
    """Return an axis from the first of some places to the last: a share of it, and its ticks."""
    axis = scale(places)
    return axis.at, axis.ticks


def _logarithmic(highest: float) -> tuple[Callable[[float], float], Sequence[float]]:
    """Return the same for a logarithmic axis that begins with 0."""
    highest = max(highest, 1)  # of whoever was never updated there is the beginning only
    powers = range(floor(log10(highest)) + 1)
    return lambda place: log10(1 + place) / log10(1 + highest), [0, *(10**p for p in powers)]
