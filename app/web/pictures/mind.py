"""A mind drawn as SVG: one outline for all tiles of a colour keeps it light."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from werkzeug.exceptions import BadRequest

from app.tictactoe import mind
from app.tictactoe.beads import beads, leanings
from app.tictactoe.mind import UNKNOWN, Colouring, Tiles, frame
from app.tictactoe.policy import policy_of
from app.web.lens import HEAT_STEPS, ONES
from app.web.match import read_step
from app.web.world import World, kept

TILE = "h.7l.1.1v.7l-.1.1h-.7l-.1-.1v-.7z"  # its outline from the left end of its top edge on
LINE = 0.16  # the truth below a row
LEVELS = 10  # of how much of something
EXPECTS = "expects"


class Kind(NamedTuple):
    """A way to colour the tiles."""

    title: str
    scale: str  # "heat" from a loss to a win, or "level" from nothing to all
    least: str = ""  # what the lowest level means, or no heat if it is not a draw
    most: str = ""


KINDS = {
    EXPECTS: Kind("What it expects", "heat"),
    "wrong": Kind("How wrong", "level", "right", "a win taken for a loss"),
    "wrong-task": Kind("How wrong in its own task", "level", "right", "a win taken for a loss"),
    "blunders": Kind("Where it blunders", "level", "plays right", "blunders for sure"),
    "visits": Kind("How often updated", "level", "once", "most often"),
}


LEANS = Kind("How sure it is", "heat", "draws any move alike", "always draws the same one")


class Band(NamedTuple):
    """A line under the tiles of a row that are worth the same in truth."""

    heat: int
    x: float
    y: float
    width: float


class Picture(NamedTuple):
    """A mind as the template draws it; a tile is 1 wide and high."""

    name: str
    title: str
    kind: str  # of KINDS
    paths: list[tuple[int | None, str]]  # a heat or level, None for unknown, and all its tiles
    bands: list[Band]
    middles: list[float]  # of the row of each move
    box: str  # with the numbers of the moves
    tight: str  # without
    tile: str  # the outline of one, for the script
    places: str  # "x,y" of every tile, as are the frames only where a script may want them
    frames: str  # the colours of every tile at every moment, see `frame`


def kinds(world: World, name: str) -> dict[str, Kind]:
    """Return the ways to colour an agent's mind: by its own task only if it has one.

    Beads expect nothing, so nothing of them is wrong; they are coloured by how they are divided.
    """
    if world.agents[name].card.worth is None:
        return {EXPECTS: LEANS, **{kind: KINDS[kind] for kind in ("blunders", "visits")}}
    return {
        kind: what
        for kind, what in KINDS.items()
        if kind != "wrong-task" or world.task(name) is not None
    }


def parse_view(world: World, name: str, query: Mapping[str, str]) -> tuple[int, str]:
    """Read from an address which mind is shown, at which snapshot, and coloured by what.

    Raises NotFound or BadRequest with a sentence on what is wrong.
    """
    world.learned(name)  # which says so if there is none
    step = read_step(name, query.get("step", ""), world.last_step(name), world)
    kind = query.get("colour", "") or EXPECTS
    if kind not in kinds(world, name):
        there = ", ".join(kinds(world, name))
        raise BadRequest(f"A mind is not coloured by {kind!r}. There are: {there}.")
    return step, kind


@kept(16)  # some 20 KB each
def colouring(world: World, name: str, kind: str, step: int | None = None) -> Colouring:
    """Return the colours of an agent's mind at each of its snapshots, or at one: [T, N]."""
    game, agent = world.game, world.agents[name]
    steps = range(agent.history.moments) if step is None else (step,)
    tables = agent.history.all_values() if step is None else agent.history.values(step)[None]
    rows, moments = representatives(world, name), len(tables)
    if kind == "visits":  # which are recorded for the end alone
        heat, some = mind.visited(rows, agent.visits, LEVELS)
        return Colouring(np.tile(heat, (moments, 1)), np.tile(some, (moments, 1)))
    if kind == "blunders":
        plays = (policy_of(game.spread(table), agent.card.plays) for table in tables)
        # One by one: all of them at once take 30 MB.
        drawn = [mind.blundering(game, rows, policy, LEVELS) for policy in plays]
        return Colouring(
            np.stack([moment.heat for moment in drawn]),
            np.stack([moment.known for moment in drawn]),
        )
    known = mind.known(game, rows, np.stack([world.known(name, one) for one in steps]))
    if agent.card.worth is None:
        held = beads(game, tables, agent.card.plays)
        return mind.expectation(mind.best(game, rows, leanings(game, held)), known, HEAT_STEPS)
    best = mind.expected(game, rows, tables, agent.card.worth)
    if kind == EXPECTS:
        return mind.expectation(best, known, HEAT_STEPS)
    exact, worth = world.truth, ONES
    if kind == "wrong-task":
        task, exact_in_task = world.task(name), world.task_q(name)
        assert task is not None
        assert exact_in_task is not None  # `kinds` offers it only if there is one
        exact, worth = exact_in_task, task.worth
    truth = mind.expected(game, rows, exact[game.legal], worth)
    return mind.error(best, truth, known, LEVELS)


@kept(64)
def representatives(world: World, name: str) -> NDArray[np.intp]:
    """Return the decision that stands for each tile in an agent's mind, [N]."""
    return mind.representatives(world.tiles, world.agents[name].visits)


@kept(16)  # some 30 KB each
def picture(
    world: World, name: str, step: int, kind: str = EXPECTS, moving: bool = False
) -> Picture:
    """Draw an agent's mind at a snapshot; `moving` writes down all of them, for a film."""
    if not moving:
        return _drawn(world, name, kind, colouring(world, name, kind, step).heat[0])
    where, heat = world.tiles, colouring(world, name, kind).heat
    places = zip(where.column.tolist(), where.top.tolist(), strict=True)
    return _drawn(world, name, kind, heat[step])._replace(
        places=" ".join(f"{x:g},{y:g}" for x, y in places),
        frames=" ".join(frame(moment) for moment in heat),
    )


@kept(8)
def picture_of_play(world: World, name: str) -> Picture:
    """Draw where somebody's play blunders of whom no values are known."""
    where, kind = world.tiles, "blunders"
    heat, _ = mind.blundering_images(world.game, where, world.policies[name], LEVELS)
    return _drawn(world, name, kind, heat)


def outlines(where: Tiles, heat: NDArray[np.int8]) -> list[tuple[int | None, str]]:
    """Collect the tiles of each colour, [N], into one path."""
    by_heat: dict[int, list[str]] = {}
    for value, tile in zip(heat.tolist(), _tiles(where), strict=True):
        by_heat.setdefault(value, []).append(tile)
    return [
        (None if value == UNKNOWN else value, "".join(tiles))
        for value, tiles in sorted(by_heat.items())
    ]


@lru_cache(maxsize=2)
def _tiles(where: Tiles) -> list[str]:
    """Outline each tile."""
    places = zip(where.column.tolist(), where.top.tolist(), strict=True)
    return [f"M{x + 0.15:g} {y + 0.05:g}{TILE}" for x, y in places]


def _drawn(world: World, name: str, kind: str, heat: NDArray[np.int8]) -> Picture:
    """Draw these colours, [N], without what a script may want."""
    where = world.tiles
    return Picture(
        name=name,
        title=world.titles[name],
        kind=kind,
        paths=outlines(where, heat),
        bands=bands(where),
        middles=where.middles,
        box=f"-2.2 -.4 {where.columns + 2.6:g} {where.height + 0.9:g}",
        tight=f"-.2 -.2 {where.columns + 0.4:g} {where.height + 0.6:g}",
        tile=TILE,
        places="",
        frames="",
    )


@lru_cache(maxsize=2)
def bands(where: Tiles) -> list[Band]:
    """Underline what is won, drawn and lost in each row."""
    lines = []
    for ply in range(len(where.middles)):
        row = where.ply == ply
        bottom = round(float(where.top[row].max()) + 1 + LINE - 0.02, 2)
        for truth in (1, 0, -1):
            band = where.column[row & (where.truth == truth)]
            if len(band):
                left, width = int(band.min()), int(band.max()) - int(band.min()) + 1
                lines.append(Band(truth * HEAT_STEPS, left + 0.05, bottom, width - 0.1))
    return lines
