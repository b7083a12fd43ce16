"""Pictures of all positions, coloured by what an agent learned, for pages and as files.

A position and all positions symmetric to it are one small square, a "tile". All tiles of one colour
are a single outline, which keeps the pictures small. A decision is a position in which the game
goes on.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from werkzeug.exceptions import BadRequest

from app.tictactoe import value_map
from app.tictactoe.beads import compute_preferences, count_beads
from app.tictactoe.game import GAME, BoolArray, FloatArray, IndexArray
from app.tictactoe.notation import MARKS, find_record, format_position
from app.tictactoe.policy import policy_from_values
from app.tictactoe.value_map import (
    UNKNOWN_LEVEL,
    TileColours,
    TileLayout,
    encode_colour_levels,
)
from app.web.formatting import format_updates
from app.web.match import read_snapshot
from app.web.move_values import HEAT_STEPS
from app.web.pictures.palette import LEVEL_COUNT
from app.web.pictures.svg import (
    CHARACTER_WIDTH,
    Drawing,
    Hatch,
    Inset,
    ScaleValue,
    Shape,
    Sign,
    Text,
    write_inline,
)
from app.web.routes import Query
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData, cached_per_site

TILE_PATH = "h.7l.1.1v.7l-.1.1h-.7l-.1-.1v-.7z"
OPTIMAL_LINE_HEIGHT = 0.16
EXPECTED_RESULT_KEY = "expects"

# Sizes of a picture in a file of its own, in pixels.
TILE_SIZE = 15
LEFT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN, RIGHT_MARGIN = (34, 46, 46, 14)
LEGEND_SQUARE_PATH = "M0 0h.9v.9h-.9z"
CSV_COLUMNS = ("position", "record", "move", "to_move", "true_value", "heat", "visits")


class TileColouring(NamedTuple):
    """A way to colour all positions, such as by value or by number of updates."""

    title: str
    # "heat" runs from a loss to a win, "level" from nothing to all.
    colour_scale: str
    # "" if the scale runs from a loss to a win
    lowest_meaning: str = ""
    highest_meaning: str = ""


COLOURINGS = {
    EXPECTED_RESULT_KEY: TileColouring("Highest Q-value", "heat"),
    "wrong": TileColouring(
        "Error against optimal play", "level", "no error", "a win valued as a loss"
    ),
    "wrong-task": TileColouring(
        "Error in its training games", "level", "no error", "a win valued as a loss"
    ),
    "blunders": TileColouring(
        "Blunders", "level", "the agent never blunders", "the agent always blunders"
    ),
    "visits": TileColouring(
        "Updates", "level", "one update", "the highest number of updates"
    ),
}


PREFERENCE_COLOURING = TileColouring(
    "Preference for its best move",
    "heat",
    "all moves are equally likely",
    "the same move is always played",
)


class ValueMap(NamedTuple):
    """A picture of all positions of an agent, each a tile of size 1."""

    agent_name: str
    title: str
    colouring_key: str
    # "heat" or "level"
    colour_scale: str
    tile_layout: TileLayout
    # (step on the scale or None for unknown values, SVG path of all tiles)
    paths_by_colour: list[tuple[int | None, str]]
    tile_outline: str = TILE_PATH
    # "x,y" of all tiles, for the script; "" for a picture without a script
    tile_coordinates: str = ""
    # colours at all snapshots, from `encode_colour_levels`
    encoded_frames: str = ""

    def render_svg(self, element_id: str = "mind", is_small: bool = False) -> Markup:
        """Return the picture as SVG; a small one has no row numbers and margins."""
        edges = (0.2, 0.2, 0.4, 0.6) if is_small else (2.2, 0.4, 2.6, 0.9)
        left, top, across, down = edges
        width = self.tile_layout.columns + across
        height = self.tile_layout.height + down
        box = f"{-left:g} {-top:g} {width:g} {height:g}"
        attributes = f'id="{element_id}" data-mind viewBox="{box}" data-scale="{self.colour_scale}"'
        if self.encoded_frames:
            attributes += f' data-tile="{self.tile_outline}" data-places="{self.tile_coordinates}"'
            attributes += f' data-frames="{self.encoded_frames}"'
        shapes: list[Shape] = [
            Hatch(f"{element_id}-hatch"),
            plot_optimal_lines(self.tile_layout),
        ]
        if not is_small:
            numbers = [
                Text("", -1.1, y, str(ply))
                for ply, y in enumerate(self.tile_layout.row_middles, 1)
            ]
            shapes.append(Inset("plies", numbers))
        shapes.append(self.plot_tiles(f"url(#{element_id}-hatch)"))
        if not is_small:
            shapes.append(Sign("chosen", ""))
        kind = "mind small" if is_small else "mind"
        return write_inline(shapes, kind, f'{attributes} aria-hidden="true"')

    def plot_tiles(self, unknown_fill: str = "") -> Inset:
        """Return all tiles; the SVG attribute fill is `unknown_fill` where the value is unknown."""
        signs = [
            Sign("blank", outline, fill_attribute=unknown_fill)
            if value is None
            else Sign("", outline, (self.colour_scale, value))
            for value, outline in self.paths_by_colour
        ]
        return Inset("tiles", signs)


def list_colourings(site: SiteData, agent_name: str) -> dict[str, TileColouring]:
    """Return the colourings that an agent can have, by their keys."""
    if site.agents[agent_name].card.reward_scale is None:
        return {
            EXPECTED_RESULT_KEY: PREFERENCE_COLOURING,
            **{kind: COLOURINGS[kind] for kind in ("blunders", "visits")},
        }
    return {
        kind: what
        for kind, what in COLOURINGS.items()
        if kind != "wrong-task" or site.get_task(agent_name) is not None
    }


def parse_snapshot_and_colouring(
    site: SiteData, agent_name: str, query: Query
) -> tuple[int, str]:
    """Return the snapshot and the colouring in the query.

    Raises NotFound or BadRequest if the agent, the snapshot or the colouring does not exist.
    """
    site.get_agent(agent_name)
    step = read_snapshot(
        agent_name, query.get("step", ""), site.get_last_snapshot(agent_name), site
    )
    kind = query.get("colour", "") or EXPECTED_RESULT_KEY
    if kind not in list_colourings(site, agent_name):
        there = ", ".join(list_colourings(site, agent_name))
        raise BadRequest(
            f"There is no colour={kind!r} for this agent. There are: {there}."
        )
    return step, kind


# (position that each tile shows, whether the agent had updated it by then), both [T, N] for N tiles
# at T snapshots
RepresentedDecisions = tuple[IndexArray, BoolArray]


@cached_per_site(4)  # Each cached result takes some 80 KB.
def choose_decisions(
    site: SiteData, agent_name: str, snapshot: int | None = None
) -> RepresentedDecisions:
    """Return the position that each tile shows at each snapshot, and whether it was updated.

    A tile is a small square for several symmetric positions. It shows an updated one, if there is
    one. With `snapshot` the arrays have only one row.
    """
    agent = site.agents[agent_name]
    steps = range(agent.history.snapshot_count) if snapshot is None else (snapshot,)
    known = value_map.find_known_decisions(
        GAME, np.stack([site.find_known_moves(agent_name, one) for one in steps])
    )
    rows = value_map.choose_representatives(site.tile_layout, agent.visits, known)
    return rows, value_map.select_values(rows, known)


def estimate_tiles(
    site: SiteData, agent_name: str, snapshot: int | None = None
) -> FloatArray:
    """Return the highest value in the position of each tile, [T, N]: N tiles, T snapshots.

    Values are from -1 to +1 for the mover. For beads they say how strongly the agent prefers its
    likeliest move. With `snapshot`, T is 1.
    """
    agent = site.agents[agent_name]
    tables = _load_tables(site, agent_name, snapshot)
    rows, _ = choose_decisions(site, agent_name, snapshot)
    if agent.card.reward_scale is None:
        held = count_beads(GAME, tables, agent.card.play_rule)
        return value_map.get_best_move_values(
            GAME, rows, compute_preferences(GAME, held)
        )
    return value_map.estimate_outcomes(GAME, rows, tables, agent.card.reward_scale)


def _load_tables(
    site: SiteData, agent_name: str, snapshot: int | None
) -> NDArray[np.float32]:
    history = site.agents[agent_name].history
    return (
        history.get_all_values()
        if snapshot is None
        else history.get_values(snapshot)[None]
    )


@cached_per_site(16)  # Each cached result takes some 20 KB.
def colour_tiles(
    site: SiteData, agent_name: str, colouring_key: str, snapshot: int | None = None
) -> TileColours:
    """Return the colours of N tiles at T snapshots, [T, N]. With `snapshot`, T is 1."""
    agent = site.agents[agent_name]
    rows, known = choose_decisions(site, agent_name, snapshot)
    # Updates are counted only up to the end of the training.
    if colouring_key == "visits":
        return value_map.colour_visits(rows, agent.visits, LEVEL_COUNT)
    if colouring_key == "blunders":
        plays = (
            policy_from_values(GAME.spread_pairs(q), agent.card.play_rule)
            for q in _load_tables(site, agent_name, snapshot)
        )
        # All snapshots at once would need 30 MB.
        drawn = [
            value_map.colour_blunders(GAME, *each, LEVEL_COUNT)
            for each in zip(rows, plays, strict=True)
        ]
        return TileColours(
            np.stack([moment.colour_levels for moment in drawn]),
            np.stack([moment.is_known for moment in drawn]),
        )
    best = estimate_tiles(site, agent_name, snapshot)
    if colouring_key == EXPECTED_RESULT_KEY:
        return value_map.colour_outcomes(best, known, HEAT_STEPS)
    value_source = agent_name + TASK_SUFFIX if colouring_key == "wrong-task" else TRUTH
    reward_scale = site.get_rewards(value_source)
    # Only agents can have beads.
    assert reward_scale is not None
    truth = value_map.estimate_outcomes(
        GAME, rows, site.get_values(value_source)[GAME.legal], reward_scale
    )
    return value_map.colour_errors(best, truth, known, LEVEL_COUNT)


@cached_per_site(16)  # Each cached result takes some 30 KB.
def plot_value_map(
    site: SiteData,
    agent_name: str,
    snapshot: int,
    colouring_key: str = EXPECTED_RESULT_KEY,
    has_all_frames: bool = False,
) -> ValueMap:
    """Return the picture of all positions at a snapshot.

    `has_all_frames` adds the colours at all snapshots, for the script that plays the training.
    """
    if not has_all_frames:
        return _build_value_map(
            site,
            agent_name,
            colouring_key,
            colour_tiles(site, agent_name, colouring_key, snapshot).colour_levels[0],
        )
    where = site.tile_layout
    heat = colour_tiles(site, agent_name, colouring_key).colour_levels
    places = zip(where.column_index.tolist(), where.top_distance.tolist(), strict=True)
    return _build_value_map(site, agent_name, colouring_key, heat[snapshot])._replace(
        tile_coordinates=" ".join(f"{x:g},{y:g}" for x, y in places),
        encoded_frames=" ".join(encode_colour_levels(moment) for moment in heat),
    )


@cached_per_site(8)
def plot_policy_blunders(site: SiteData, policy_name: str) -> ValueMap:
    where = site.tile_layout
    kind = "blunders"
    heat, _ = value_map.colour_class_blunders(
        GAME, where, site.policies[policy_name], LEVEL_COUNT
    )
    return _build_value_map(site, policy_name, kind, heat)


def outline_tiles(
    tile_layout: TileLayout, heats: NDArray[np.int8]
) -> list[tuple[int | None, str]]:
    """Return (colour, SVG path of all its tiles) for each colour in `heats`, [N]."""
    by_heat: dict[int, list[str]] = {}
    for value, tile in zip(
        heats.tolist(), _list_tile_outlines(tile_layout), strict=True
    ):
        by_heat.setdefault(value, []).append(tile)
    return [
        (None if value == UNKNOWN_LEVEL else value, "".join(tiles))
        for value, tiles in sorted(by_heat.items())
    ]


@lru_cache(maxsize=2)
def _list_tile_outlines(tile_layout: TileLayout) -> list[str]:
    places = zip(
        tile_layout.column_index.tolist(),
        tile_layout.top_distance.tolist(),
        strict=True,
    )
    return [f"M{x + 0.15:g} {y + 0.05:g}{TILE_PATH}" for x, y in places]


def _build_value_map(
    site: SiteData, policy_name: str, colouring_key: str, heats: NDArray[np.int8]
) -> ValueMap:
    where = site.tile_layout
    paths = outline_tiles(where, heats)
    return ValueMap(
        policy_name,
        site.display_titles[policy_name],
        colouring_key,
        COLOURINGS[colouring_key].colour_scale,
        where,
        paths,
    )


@lru_cache(maxsize=2)
def plot_optimal_lines(tile_layout: TileLayout) -> Inset:
    lines = []
    for ply in range(len(tile_layout.row_middles)):
        row = tile_layout.plies == ply
        lowest = float(tile_layout.top_distance[row].max())
        bottom = round(lowest + 1 + OPTIMAL_LINE_HEIGHT - 0.02, 2)
        for value in (1, 0, -1):
            band = tile_layout.column_index[row & (tile_layout.optimal_value == value)]
            if len(band):
                first = int(band.min())
                left = first + 0.05
                width = int(band.max()) - first + 0.9
                line = (
                    f"M{left:g} {bottom:g}h{width:g}v{OPTIMAL_LINE_HEIGHT}h-{width:g}z"
                )
                lines.append(Sign("", line, ("heat", value * HEAT_STEPS)))
    return Inset("truth", lines)


def plot_value_map_file(site: SiteData, picture: ValueMap, snapshot: int) -> Drawing:
    kind = list_colourings(site, picture.agent_name)[picture.colouring_key]
    width = round(LEFT_MARGIN + picture.tile_layout.columns * TILE_SIZE + RIGHT_MARGIN)
    height = round(TOP_MARGIN + picture.tile_layout.height * TILE_SIZE + BOTTOM_MARGIN)
    when = format_updates(
        int(site.agents[picture.agent_name].snapshot_updates[snapshot])
    )
    title = f"All positions as {picture.title} values them after {when}"
    label = (
        f"{title}: {kind.title.lower()}, a tile for each position, a row for each move."
    )
    shapes: list[Shape] = [
        Text("heading", RIGHT_MARGIN, 26, title),
        *(
            Text(
                "tick",
                LEFT_MARGIN - 10,
                round(TOP_MARGIN + middle * TILE_SIZE + 4, 1),
                str(number),
                "end",
            )
            for number, middle in enumerate(picture.tile_layout.row_middles, 1)
        ),
        Inset(
            "",
            [plot_optimal_lines(picture.tile_layout), picture.plot_tiles()],
            LEFT_MARGIN,
            TOP_MARGIN,
            TILE_SIZE,
        ),
    ]
    x = float(RIGHT_MARGIN)
    for name, kind_of, value in _list_legend(kind):
        swatch = Inset(
            kind_of,
            [Sign("" if value else "blank", LEGEND_SQUARE_PATH, value)],
            scale=13,
        )
        words = Text("told", 18, 10, name)
        shapes.append(Inset("", [swatch, words], round(x, 1), height - 26))
        x += 18 + 12 * CHARACTER_WIDTH * len(name) + 12
    return Drawing(width, height, label, shapes)


def list_value_map_rows(
    site: SiteData, picture: ValueMap, snapshot: int
) -> Iterator[tuple[object, ...]]:
    where = site.tile_layout
    agent = site.agents[picture.agent_name]
    colours = colour_tiles(site, picture.agent_name, picture.colouring_key)
    for tile, position in enumerate(
        choose_decisions(site, picture.agent_name, snapshot)[0][0].tolist()
    ):
        yield (
            format_position(GAME, position),
            find_record(GAME, position),
            int(where.plies[tile]) + 1,
            MARKS[int(GAME.to_move[position])],
            int(where.optimal_value[tile]),
            int(colours.colour_levels[snapshot, tile])
            if colours.is_known[snapshot, tile]
            else None,
            int(agent.visits[position].sum()),
        )


def _list_legend(colouring: TileColouring) -> list[tuple[str, str, ScaleValue | None]]:
    """Return (label, CSS class, colour) for each entry of the legend; None means unknown."""
    most = HEAT_STEPS if colouring.colour_scale == "heat" else LEVEL_COUNT
    end_entries: list[tuple[str, str, ScaleValue | None]]
    if colouring.lowest_meaning:
        end_entries = [
            (colouring.lowest_meaning, "tiles", (colouring.colour_scale, 0)),
            (colouring.highest_meaning, "tiles", (colouring.colour_scale, most)),
        ]
    else:
        end_entries = [
            ("a loss", "tiles", ("heat", -most)),
            ("a draw", "tiles", ("heat", 0)),
            ("a win", "tiles", ("heat", most)),
        ]
    return [
        *end_entries,
        ("never updated", "tiles", None),
        ("the line: optimal play", "truth", ("heat", 0)),
    ]
