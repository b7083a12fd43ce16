"""The whole minds of those that are compared, and their trainings as one film.

Two minds are one picture: each tile is divided between them.
"""

from dataclasses import replace
from typing import NamedTuple

from werkzeug.exceptions import BadRequest

from app.web import addresses
from app.web.compare.panels import full_name
from app.web.comparison import Comparison, View
from app.web.film import Film, Frame, film_of_minds, frame_of_minds, in_step
from app.web.lens import HEAT_STEPS
from app.web.match import read_whole
from app.web.mind_picture import EXPECTS, KINDS, TILE, Kind, Picture, colouring, kinds, picture
from app.web.numbers import count
from app.web.world import World

HALF = "m.8.1v.7l-.1.1h-.7l-.1-.1z"  # of a tile, below its diagonal, from where TILE begins


class Mind(NamedTuple):
    """One of them."""

    name: str
    href: str
    picture: Picture


class Minds(NamedTuple):
    """All of them, at the moments of their trainings that are compared."""

    each: list[Mind]
    divided: bool  # whether they are one picture: the second has the lower half of each tile
    agree: str  # then in how many positions they expect the same result, and out of how many
    tiles: str
    kind: Kind  # how the tiles of one picture are coloured
    film: Film | None  # None where one agent is there at two moments
    step: int  # of the film: what is shown, or nearest to it
    shown: Frame | None  # what is shown, which need not be a frame of the film
    next_step: str  # the address of the next frame, after the last of the first


def minds(world: World, comparison: Comparison) -> Minds | None:
    """Draw the minds of the agents among the views; None if there are none."""
    views = _learned(world, comparison)
    if not views:
        return None
    names = [view.lens for view in views]
    shown = [world.whole_step(view.lens, view.step) for view in views]
    divided = len(views) == 2 and all(
        kinds(world, name)[EXPECTS] == KINDS[EXPECTS] for name in names
    )
    moving = _moves(views)
    pictures = [
        picture(world, name, step, moving=moving) for name, step in zip(names, shown, strict=True)
    ]
    if divided:
        pictures[1] = _halved(pictures[1])
    lasts, frames = [world.last_step(name) for name in names], _frames(world, views)

    def off(frame: int) -> float:
        steps = zip(frames[frame], shown, lasts, strict=True)
        return float(max(abs(step - own) / max(1, last) for step, own, last in steps))

    step = min(range(len(frames)), key=off)
    film = film_of_minds(world, tuple(names)) if moving else None
    return Minds(
        each=[
            Mind(full_name(world, view), addresses.mind(view.lens, view.step), drawn)
            for view, drawn in zip(views, pictures, strict=True)
        ],
        divided=divided,
        agree=count(_agreeing(world, names, shown)) if divided else "",
        tiles=count(len(world.tiles.decision)),
        kind=KINDS[EXPECTS],
        film=film,
        step=step,
        shown=film and frame_of_minds(world, names, shown)._replace(x=film.frames[step].x),
        next_step=addresses.compare(_at(world, comparison, frames[(step + 1) % len(frames)])),
    )


def at_frame(world: World, comparison: Comparison, text: str) -> Comparison:
    """Return the same comparison with all its agents at a frame of the film, as an address has it.

    Raises BadRequest with a sentence if there is no such frame, or no film.
    """
    views = _learned(world, comparison)
    if not views or not _moves(views):
        raise BadRequest("frame needs agents that learned, and each of them once.")
    frames = _frames(world, views)
    return _at(world, comparison, frames[read_whole("frame", text, 0, len(frames) - 1)])


def _learned(world: World, comparison: Comparison) -> list[View]:
    return [view for view in comparison.views if view.lens in world.agents]


def _moves(views: list[View]) -> bool:
    """Whether all can be at one moment: one training cannot be at two moments at once."""
    return len({view.lens for view in views}) == len(views)


def _frames(world: World, views: list[View]) -> list[tuple[int, ...]]:
    """List the steps of all of them at each frame of the film, which has all of the longest."""
    lasts = [world.last_step(view.lens) for view in views]
    return list(zip(*(in_step(last, max(lasts)) for last in lasts), strict=True))


def _at(world: World, comparison: Comparison, steps: tuple[int, ...]) -> Comparison:
    """Return the same comparison with the agents at steps of their trainings, one for each."""
    left = iter(steps)

    def moved(view: View) -> View:
        if view.lens not in world.agents:
            return view
        return View(view.lens, world.short_step(view.lens, next(left)))

    return replace(comparison, views=tuple(map(moved, comparison.views)))


def _halved(whole: Picture) -> Picture:
    paths = [(heat, outline.replace(TILE, HALF)) for heat, outline in whole.paths]
    return whole._replace(tile=HALF, paths=paths)


def _agreeing(world: World, names: list[str], steps: list[int]) -> int:
    """Count the tiles of which two agents expect the same: a win, a draw or a loss."""
    first, second = (
        colouring(world, name, EXPECTS, step) for name, step in zip(names, steps, strict=True)
    )
    results = [(colours.heat[0] / HEAT_STEPS).round() for colours in (first, second)]
    return int(((results[0] == results[1]) & first.known[0] & second.known[0]).sum())
