"""Pictures of all positions of an agent (its “mind”), for pages and as files.

All tiles of one colour are a single outline, which keeps the pictures small.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from werkzeug.exceptions import BadRequest

from app.tictactoe import value_map
from app.tictactoe.beads import compute_preferences, count_beads
from app.tictactoe.notation import MARKS, find_record, format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.value_map import UNKNOWN, Colouring, Tiles, encode_frame
from app.web.formatting import format_updates
from app.web.match import read_step
from app.web.move_values import HEAT_STEPS
from app.web.pictures.palette import LEVELS
from app.web.pictures.svg import (
    LETTER,
    Drawing,
    Hatch,
    Inset,
    Shape,
    Sign,
    Text,
    Value,
    write_inline,
)
from app.web.site_data import TASK, TRUTH, SiteData, cached_per_site

TILE = "h.7l.1.1v.7l-.1.1h-.7l-.1-.1v-.7z"  # outline from the left end of the top edge
LINE = 0.16  # height of the line of optimal play below a row
EXPECTS = "expects"

# Sizes of a picture in a file of its own, in pixels.
SIDE = 15  # side of a tile
LEFT, TOP, BOTTOM, EDGE = 34, 46, 46, 14  # around the tiles
SWATCH = "M0 0h.9v.9h-.9z"
COLUMNS = ("position", "record", "move", "to_move", "true_value", "heat", "visits")


class Kind(NamedTuple):
    """A way to colour the tiles."""

    title: str
    scale: str  # "heat" from a loss to a win, or "level" from nothing to all
    least: str = ""  # meaning of the lowest level, or of no heat if that is not a draw
    most: str = ""


KINDS = {
    EXPECTS: Kind("Highest Q-value", "heat"),
    "wrong": Kind(
        "Error against optimal play", "level", "no error", "a win valued as a loss"
    ),
    "wrong-task": Kind(
        "Error against its training task", "level", "no error", "a win valued as a loss"
    ),
    "blunders": Kind("Blunders", "level", "never blunders", "always blunders"),
    "visits": Kind("Updates", "level", "one update", "the most updates"),
}


LEANS = Kind(
    "Preference for its best move",
    "heat",
    "draws all moves equally often",
    "always draws the same move",
)


class MindPicture(NamedTuple):
    """A picture of all positions of an agent; a tile is 1 wide and 1 high."""

    name: str
    title: str
    kind: str  # key of KINDS
    scale: str  # scale of its colours, "heat" or "level"
    where: Tiles
    # a step of the colour scale (None for unknown values), and the tiles with it
    paths: list[tuple[int | None, str]]
    tile: str = TILE  # the outline of one, for the script
    # "x,y" of every tile, as are the frames only where a script may want them
    places: str = ""
    frames: str = ""  # the colours of every tile at every moment, see `frame`

    def svg(self, id: str = "mind", small: bool = False) -> Markup:
        """Write the picture for a page; `id` makes it unique, `small` removes the margins."""
        edges = (0.2, 0.2, 0.4, 0.6) if small else (2.2, 0.4, 2.6, 0.9)
        left, top, across, down = edges
        box = f"{-left:g} {-top:g} {self.where.columns + across:g} {self.where.height + down:g}"
        attributes = f'id="{id}" data-mind viewBox="{box}" data-scale="{self.scale}"'
        if self.frames:
            attributes += f' data-tile="{self.tile}" data-places="{self.places}"'
            attributes += f' data-frames="{self.frames}"'
        shapes: list[Shape] = [Hatch(f"{id}-hatch"), draw_optimal_lines(self.where)]
        if not small:
            numbers = [
                Text("", -1.1, y, str(ply))
                for ply, y in enumerate(self.where.middles, 1)
            ]
            shapes.append(Inset("plies", numbers))
        shapes.append(self.tiles(f"url(#{id}-hatch)"))
        if not small:
            shapes.append(Sign("chosen", ""))
        kind = "mind small" if small else "mind"
        return write_inline(shapes, kind, f'{attributes} aria-hidden="true"')

    def tiles(self, unknown: str = "") -> Inset:
        """Return the tiles; `unknown` is the fill of unknown tiles, "" for that of the style."""
        signs = [
            Sign("blank", outline, fill=unknown)
            if value is None
            else Sign("", outline, (self.scale, value))
            for value, outline in self.paths
        ]
        return Inset("tiles", signs)


def list_kinds(site: SiteData, name: str) -> dict[str, Kind]:
    """Return the ways to colour the positions of an agent.

    Only agents with a training task have its errors. Beads are not expected results, so
    they have no errors; their tiles show how unequal the beads are.
    """
    if site.agents[name].card.worth is None:
        return {
            EXPECTS: LEANS,
            **{kind: KINDS[kind] for kind in ("blunders", "visits")},
        }
    return {
        kind: what
        for kind, what in KINDS.items()
        if kind != "wrong-task" or site.get_task(name) is not None
    }


def parse_mind_view(
    site: SiteData, name: str, query: Mapping[str, str]
) -> tuple[int, str]:
    """Return the snapshot and the colouring of a URL.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    site.get_agent(name)  # raises NotFound for an unknown agent
    step = read_step(name, query.get("step", ""), site.get_last_step(name), site)
    kind = query.get("colour", "") or EXPECTS
    if kind not in list_kinds(site, name):
        there = ", ".join(list_kinds(site, name))
        raise BadRequest(
            f"There is no colour={kind!r} for this agent. There are: {there}."
        )
    return step, kind


class Represented(NamedTuple):
    """A decision for each tile of a mind at T snapshots."""

    rows: NDArray[np.intp]  # [T, N] decisions; a known one if the tile has one
    known: NDArray[np.bool_]  # [T, N] whether the agent had updated it by then


@cached_per_site(4)  # some 80 KB each
def choose_decisions(site: SiteData, name: str, step: int | None = None) -> Represented:
    """Return a decision for each tile at each snapshot of an agent, or at one."""
    agent = site.agents[name]
    steps = range(agent.history.snapshots) if step is None else (step,)
    known = value_map.find_known_decisions(
        site.game, np.stack([site.find_known_pairs(name, one) for one in steps])
    )
    rows = value_map.choose_representatives(site.tiles, agent.visits, known)
    return Represented(rows, value_map.select_decisions(rows, known))


def estimate_tiles(
    site: SiteData, name: str, step: int | None = None
) -> NDArray[np.float64]:
    """Return an agent's estimate of each tile at each snapshot or at one, [T, N], -1 to +1.

    For beads it is the advantage of the most likely move in the box over an equal
    share.
    """
    game = site.game
    agent = site.agents[name]
    tables = _load_tables(site, name, step)
    rows = choose_decisions(site, name, step).rows
    if agent.card.worth is None:
        held = count_beads(game, tables, agent.card.plays)
        return value_map.get_best_move_values(
            game, rows, compute_preferences(game, held)
        )
    return value_map.estimate_outcomes(game, rows, tables, agent.card.worth)


def _load_tables(site: SiteData, name: str, step: int | None) -> NDArray[np.float32]:
    history = site.agents[name].history
    return history.all_values() if step is None else history.values(step)[None]


@cached_per_site(16)  # some 20 KB each
def colour_tiles(
    site: SiteData, name: str, kind: str, step: int | None = None
) -> Colouring:
    """Return the colours of an agent's tiles at each snapshot, or at one snapshot: [T, N]."""
    game = site.game
    agent = site.agents[name]
    rows, known = choose_decisions(site, name, step)
    if kind == "visits":  # recorded only at the end of the training
        return value_map.colour_visits(rows, agent.visits, LEVELS)
    if kind == "blunders":
        plays = (
            policy_from_values(game.spread_pairs(q), agent.card.plays)
            for q in _load_tables(site, name, step)
        )
        # One by one: all of them at once take 30 MB.
        drawn = [
            value_map.colour_blunders(game, *each, LEVELS)
            for each in zip(rows, plays, strict=True)
        ]
        return Colouring(
            np.stack([moment.heat for moment in drawn]),
            np.stack([moment.known for moment in drawn]),
        )
    best = estimate_tiles(site, name, step)
    if kind == EXPECTS:
        return value_map.colour_outcomes(best, known, HEAT_STEPS)
    lens = name + TASK if kind == "wrong-task" else TRUTH
    worth = site.get_rewards(lens)
    assert worth is not None  # exact values are never beads
    truth = value_map.estimate_outcomes(
        game, rows, site.get_values(lens)[game.legal], worth
    )
    return value_map.colour_errors(best, truth, known, LEVELS)


@cached_per_site(16)  # some 30 KB each
def draw_mind(
    site: SiteData, name: str, step: int, kind: str = EXPECTS, moving: bool = False
) -> MindPicture:
    """Return the picture of an agent at a snapshot; `moving` adds the data of all snapshots."""
    if not moving:
        return _draw_colours(
            site, name, kind, colour_tiles(site, name, kind, step).heat[0]
        )
    where = site.tiles
    heat = colour_tiles(site, name, kind).heat
    places = zip(where.column.tolist(), where.top.tolist(), strict=True)
    return _draw_colours(site, name, kind, heat[step])._replace(
        places=" ".join(f"{x:g},{y:g}" for x, y in places),
        frames=" ".join(encode_frame(moment) for moment in heat),
    )


@cached_per_site(8)
def draw_policy_blunders(site: SiteData, name: str) -> MindPicture:
    """Return a picture of the blunders of a policy that has no values."""
    where = site.tiles
    kind = "blunders"
    heat, _ = value_map.colour_class_blunders(
        site.game, where, site.policies[name], LEVELS
    )
    return _draw_colours(site, name, kind, heat)


def outline_tiles(where: Tiles, heat: NDArray[np.int8]) -> list[tuple[int | None, str]]:
    """Return for each colour in `heat`, [N], a path with all its tiles."""
    by_heat: dict[int, list[str]] = {}
    for value, tile in zip(heat.tolist(), _list_tile_outlines(where), strict=True):
        by_heat.setdefault(value, []).append(tile)
    return [
        (None if value == UNKNOWN else value, "".join(tiles))
        for value, tiles in sorted(by_heat.items())
    ]


@lru_cache(maxsize=2)
def _list_tile_outlines(where: Tiles) -> list[str]:
    """Return the outline of each tile."""
    places = zip(where.column.tolist(), where.top.tolist(), strict=True)
    return [f"M{x + 0.15:g} {y + 0.05:g}{TILE}" for x, y in places]


def _draw_colours(
    site: SiteData, name: str, kind: str, heat: NDArray[np.int8]
) -> MindPicture:
    """Return a picture with the colours `heat`, [N], without data for the script."""
    where = site.tiles
    paths = outline_tiles(where, heat)
    return MindPicture(name, site.titles[name], kind, KINDS[kind].scale, where, paths)


@lru_cache(maxsize=2)
def draw_optimal_lines(where: Tiles) -> Inset:
    """Return a line below each row that shows the results with optimal play."""
    lines = []
    for ply in range(len(where.middles)):
        row = where.ply == ply
        bottom = round(float(where.top[row].max()) + 1 + LINE - 0.02, 2)
        for value in (1, 0, -1):
            band = where.column[row & (where.truth == value)]
            if len(band):
                left = int(band.min()) + 0.05
                width = int(band.max()) - int(band.min()) + 0.9
                line = f"M{left:g} {bottom:g}h{width:g}v{LINE}h-{width:g}z"
                lines.append(Sign("", line, ("heat", value * HEAT_STEPS)))
    return Inset("truth", lines)


def draw_mind_file(site: SiteData, mind: MindPicture, step: int) -> Drawing:
    """Return a file with the picture, the numbers of its rows and the meaning of its colours."""
    kind = list_kinds(site, mind.name)[mind.kind]
    width = round(LEFT + mind.where.columns * SIDE + EDGE)
    height = round(TOP + mind.where.height * SIDE + BOTTOM)
    when = format_updates(int(site.agents[mind.name].snapshot_updates[step]))
    title = f"All positions as {mind.title} values them after {when}"
    label = (
        f"{title}: {kind.title.lower()}, a tile for each position, a row for each move."
    )
    shapes: list[Shape] = [
        Text("heading", EDGE, 26, title),
        *(
            Text(
                "tick", LEFT - 10, round(TOP + middle * SIDE + 4, 1), str(number), "end"
            )
            for number, middle in enumerate(mind.where.middles, 1)
        ),
        Inset("", [draw_optimal_lines(mind.where), mind.tiles()], LEFT, TOP, SIDE),
    ]
    x = float(EDGE)
    for name, kind_of, value in _list_legend(kind):
        swatch = Inset(
            kind_of, [Sign("" if value else "blank", SWATCH, value)], scale=13
        )
        words = Text("told", 18, 10, name)
        shapes.append(Inset("", [swatch, words], round(x, 1), height - 26))
        x += 18 + 12 * LETTER * len(name) + 12
    return Drawing(width, height, label, shapes)


def list_mind_rows(
    site: SiteData, mind: MindPicture, step: int
) -> Iterator[tuple[object, ...]]:
    """Yield a row of the CSV file for each tile, in the order of COLUMNS.

    The heat is the colour of the tile, None for an unknown value.
    """
    game = site.game
    where = site.tiles
    agent = site.agents[mind.name]
    colours = colour_tiles(site, mind.name, mind.kind)
    for tile, position in enumerate(
        choose_decisions(site, mind.name, step).rows[0].tolist()
    ):
        yield (
            format_position(game, position),
            find_record(game, position),
            int(where.ply[tile]) + 1,
            MARKS[int(game.to_move[position])],
            int(where.truth[tile]),
            int(colours.heat[step, tile]) if colours.known[step, tile] else None,
            int(agent.visits[position].sum()),
        )


def _list_legend(kind: Kind) -> list[tuple[str, str, Value | None]]:
    """Return the entries of the legend: label, kind of the shape, and colour or None."""
    most = HEAT_STEPS if kind.scale == "heat" else LEVELS
    ends: list[tuple[str, str, Value | None]]
    if kind.least:
        ends = [
            (kind.least, "tiles", (kind.scale, 0)),
            (kind.most, "tiles", (kind.scale, most)),
        ]
    else:
        ends = [
            ("a loss", "tiles", ("heat", -most)),
            ("a draw", "tiles", ("heat", 0)),
            ("a win", "tiles", ("heat", most)),
        ]
    return [
        *ends,
        ("never updated", "tiles", None),
        ("the line: optimal play", "truth", ("heat", 0)),
    ]
