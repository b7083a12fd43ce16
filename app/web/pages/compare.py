"""One board of a comparison with all that belongs to it, and what several say in sentences."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, redirect, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from app.tictactoe.game import Game
from app.tictactoe.notation import undo
from app.tictactoe.value_map import nearest_outcomes
from app.web import addresses
from app.web.comparison import FIGURES, MAX_VIEWS, Comparison, CurveTitles, View, parse, parting
from app.web.lens import OUTCOMES, Opinion, best_play, can_blunder, opinion
from app.web.match import Place, read_whole
from app.web.numbers import count, listed, short_name, updates
from app.web.pages.parts import learning
from app.web.pages.parts.export import Take, take_curve
from app.web.pictures import minds
from app.web.pictures.boards import Board, BoardSquare, board
from app.web.pictures.curves import Charts
from app.web.respond import Page, respond
from app.web.text import Legend, headline_of, legend_of, squares, status
from app.web.world import TASK, TRUTH, World, world

bp = Blueprint("compare", __name__)


class Panel(NamedTuple):
    """One board of a page; what is left empty belongs to agents only."""

    view: View
    name: str  # the title, and of a snapshot its time
    board: Board
    legend: Legend | None  # of a decision
    plays: str  # what it would do there
    blunder: bool  # whether that can drop the value of the game
    origin: str  # for how long an agent was trained, or how else the values were found
    earlier: str  # the same at the snapshot before
    later: str
    remove: str


def panel(comparison: Comparison, place: Place, view: View, opinion: Opinion | None) -> Panel:
    """Lay out what a view, or optimal play, has to say of a position; None of a finished one."""
    world, views, name = place.world, comparison.views, full_name(place.world, view)
    seen = replace(place, match=comparison.match(view))
    here = views.index(view) if view in views else len(views)  # optimal play is none of them
    before, after = views[:here], views[here + 1 :]
    learned, earlier, later = world.agents.knows(view.lens), "", ""

    def put(step: int | None) -> str:
        """Lead to another snapshot in this place, unless it has one of its own."""
        other = View(view.lens, step)
        if other in views:
            return ""
        return addresses.compare(replace(comparison, views=(*before, other, *after)))

    if learned:
        step = world.whole_step(view.lens, view.step)
        earlier = put(step - 1) if step else ""
        later = "" if view.step is None else put(world.short_step(view.lens, step + 1))
    removed = addresses.compare(replace(comparison, views=before + after))
    return Panel(
        view=view,
        name=name,
        board=board(
            seen,
            opinion,
            lambda cell: addresses.compare(comparison.play(cell)),
            f"board-{view}",
            f"Board of {name}",
        ),
        legend=legend_of(seen, opinion) if opinion else None,
        plays=plays(world.game, opinion) if opinion else "",
        blunder=opinion is not None and can_blunder(place, opinion),
        origin=_trained(world, view) if learned else "Found by solving the game",
        earlier=earlier,
        later=later,
        remove=removed if view in views and len(views) > 1 else "",
    )


def full_name(world: World, view: View) -> str:
    """Name a view in a sentence, where a comma would divide it."""
    title = world.titles[view.lens.removesuffix(TASK)].replace(",", "")
    if view.lens.endswith(TASK):
        return f"the task of {title}"
    if view.lens == TRUTH:
        return "optimal play"
    return title if view.step is None else f"{title} after {_trained(world, view)}"


def plays(game: Game, opinion: Opinion) -> str:
    """Say what a lens plays in a decision, and what it expects of that."""
    first = opinion.plays[0]
    expected = opinion.truths[first] if opinion.exact else opinion.texts[first]
    places = "mostly " * opinion.draws + squares(game, opinion.plays)
    return f"{places.capitalize()}: {expected or opinion.blank}"


def summary(place: Place, opinions: Mapping[str, Opinion]) -> str:
    """Say who plays what in a decision, and who can blunder, by their names."""
    preferences = _preferences(place.world.game, opinions)
    return f"{preferences[0].upper()}{preferences[1:]} {_verdict(place, opinions)}"


def _trained(world: World, view: View) -> str:
    agent = world.agents[view.lens]
    return updates(int(agent.snapshot_updates[-1 if view.step is None else view.step]))


def _preferences(game: Game, opinions: Mapping[str, Opinion]) -> str:
    """Those who play the same in one breath, the most first."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, view in opinions.items():
        groups.setdefault(tuple(view.plays), []).append(name)
    if len(groups) == 1 < len(opinions):
        who = "Both" if len(opinions) == 2 else "All"
        return f"{who} play {squares(game, *groups)}."
    parts = []
    for cells, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        alone = "alone " * (len(names) == 1 and len(groups) < len(opinions))
        verb = "plays" if len(names) == 1 else "play"
        parts.append(f"{listed(names)} {alone}{verb} {squares(game, cells)}")
    return "; ".join(parts) + "."


def _verdict(place: Place, opinions: Mapping[str, Opinion]) -> str:
    value = best_play(place.world, place.position).partition(" ")[0]
    if value == OUTCOMES[-1]:
        return "With optimal play every move loses."
    erring = [name for name, opinion in opinions.items() if can_blunder(place, opinion)]
    if erring:
        return f"With optimal play it is a {value}, and {listed(erring)} can miss that."
    return f"With optimal play that is right: it keeps the {value}."


HALF = "m.8.1v.7l-.1.1h-.7l-.1-.1z"  # of a tile, below its diagonal, from where TILE begins


class ComparedMinds(NamedTuple):
    """All of them, at the moments of their trainings that are compared."""

    each: list[tuple[str, str, minds.MindPicture]]  # what it is called, and its address
    divided: bool  # whether they are one picture: the second has the lower half of each tile
    agree: str  # then in how many positions they expect the same result, and out of how many
    kind: minds.Kind  # how the tiles of one picture are coloured
    film: learning.Film | None  # None where one agent is there at two moments
    step: int  # of the film: what is shown, or nearest to it
    shown: learning.Frame | None  # what is shown, which need not be a frame of the film
    next_step: str  # the address of the next frame, after the last of the first


def compared_minds(world: World, comparison: Comparison) -> ComparedMinds | None:
    """Draw the minds of the agents among the views; None if there are none."""
    views = _learned(world, comparison)
    if not views:
        return None
    names = [view.lens for view in views]
    shown = [world.whole_step(view.lens, view.step) for view in views]
    divided = len(views) == 2 and all(
        minds.kinds(world, name)[minds.EXPECTS] == minds.KINDS[minds.EXPECTS] for name in names
    )
    moving = _moves(views)
    pictures = [
        minds.picture(world, name, step, moving=moving)
        for name, step in zip(names, shown, strict=True)
    ]
    if divided:
        pictures[1] = _halved(pictures[1])
    lasts, frames = [world.last_step(name) for name in names], _frames(world, views)

    def off(frame: int) -> float:
        steps = zip(frames[frame], shown, lasts, strict=True)
        return float(max(abs(step - own) / max(1, last) for step, own, last in steps))

    step = min(range(len(frames)), key=off)
    film = learning.film_of_minds(world, tuple(names)) if moving else None
    return ComparedMinds(
        each=[
            (full_name(world, view), addresses.mind(view.lens, view.step), drawn)
            for view, drawn in zip(views, pictures, strict=True)
        ],
        divided=divided,
        agree=count(_agreeing(world, names, shown)) if divided else "",
        kind=minds.KINDS[minds.EXPECTS],
        film=film,
        step=step,
        shown=film and learning.frame_of_minds(world, names, shown)._replace(x=film.frames[step].x),
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
    return [view for view in comparison.views if world.agents.knows(view.lens)]


def _moves(views: list[View]) -> bool:
    """Whether all can be at one moment: one training cannot be at two moments at once."""
    return len({view.lens for view in views}) == len(views)


def _frames(world: World, views: list[View]) -> list[tuple[int, ...]]:
    """List the steps of all of them at each frame of the film, which has all of the longest."""
    lasts = [world.last_step(view.lens) for view in views]
    return list(zip(*(learning.in_step(last, max(lasts)) for last in lasts), strict=True))


def _at(world: World, comparison: Comparison, steps: tuple[int, ...]) -> Comparison:
    """Return the same comparison with the agents at steps of their trainings, one for each."""
    left = iter(steps)

    def moved(view: View) -> View:
        if not world.agents.knows(view.lens):
            return view
        return View(view.lens, world.short_step(view.lens, next(left)))

    return replace(comparison, views=tuple(map(moved, comparison.views)))


def _halved(whole: minds.MindPicture) -> minds.MindPicture:
    paths = [(heat, outline.replace(minds.TILE, HALF)) for heat, outline in whole.paths]
    return whole._replace(tile=HALF, paths=paths)


def _agreeing(world: World, names: list[str], steps: list[int]) -> int:
    """Count the tiles of which two agents expect the same: a win, a draw or a loss."""
    views = [*zip(names, steps, strict=True)]
    first, second = (nearest_outcomes(minds.expected(world, *view)[0]) for view in views)
    both = np.logical_and(*(minds.represented(world, *view).known[0] for view in views))
    return int(((first == second) & both).sum())


class ComparePage(Page, frozen=True):
    """A position on several boards."""

    template: ClassVar = "compare/compare.html"
    fragment: ClassVar = ("head_title", "comparison")

    title: str
    comparison: Comparison
    world: World
    panels: list[Panel]  # a view each, then optimal play
    rows: list[tuple[str, list[BoardSquare]]]  # each empty square's name, and itself on every board
    headline: str
    status: str
    summary: str  # "" of a finished game
    take_back: str  # "" where there is nothing to take back
    parting: str  # another position in which they part, "" where there is none
    inks: Mapping[str, str]  # of the curves, by the agent whose they are
    curves: Charts | None  # how those that learned did so
    take: Take | None  # how these leave the site
    preview: str  # the picture of the first board, with which a link is shown
    figures: Mapping[str, CurveTitles]  # that the curves can show
    figure: str  # which of these they do
    minds: ComparedMinds | None  # of those that learned
    most: int  # views that fit
    taken: list[str]  # lenses that are there as shipped, so not to be offered again


@bp.get(addresses.COMPARE.to(""))
@bp.get(addresses.COMPARE)
def compare(record: str = "") -> Response:
    """Show a position on several boards, or lead to it with all agents at a frame of their film."""
    lenses, figure = request.args.getlist("lens"), request.args.get("figure", "")
    comparison, place = parse(record, lenses, world(), figure)
    if frame := request.args.get("frame", ""):
        return redirect(addresses.compare(at_frame(world(), comparison, frame)), 303)
    return respond(compare_page(comparison, place))


def compare_page(comparison: Comparison, place: Place) -> ComparePage:
    """Gather what the templates write down."""
    world, record, views = place.world, comparison.record, comparison.views
    opinions = {
        view: None if place.over else opinion(world, place.position, *view)
        for view in (*views, View(TRUTH))
    }
    panels = [panel(comparison, place, *each) for each in opinions.items()]
    figure = comparison.figure or next(iter(FIGURES))
    agents = [view.lens for view in views if world.agents.knows(view.lens)]
    elsewhere = parting(views, world, place.position)
    learned = {full_name(world, view): found for view in views if (found := opinions[view])}
    return ComparePage(
        title=f"{listed([full_name(world, view) for view in views])} compared with optimal play",
        comparison=comparison,
        world=world,
        panels=panels,
        rows=_rows(world.game, panels) if learned else [],
        headline=headline_of(place),
        status=status(place),
        summary=summary(place, learned) if learned else "",
        take_back=addresses.compare(replace(comparison, record=undo(record))) if record else "",
        parting=""
        if elsewhere is None
        else addresses.compare(replace(comparison, record=elsewhere)),
        inks=learning.inks_of(world, views),
        curves=learning.compared(world, views, figure),
        take=take_curve(world, agents, comparison.figure or figure, record=record)
        if agents
        else None,
        preview=addresses.MATCH_PREVIEW.of(comparison.match(views[0])),
        figures=FIGURES,
        figure=figure,
        minds=compared_minds(world, comparison),
        most=MAX_VIEWS,
        taken=[view.lens for view in views if view.step is None],
    )


def _rows(game: Game, panels: list[Panel]) -> list[tuple[str, list[BoardSquare]]]:
    """List each empty square with the values of all of them."""
    squares = zip(*(panel.board.squares for panel in panels), strict=True)
    return [
        (short_name(game, cell), list(row))
        for cell, row in enumerate(squares)
        if row[0].mark == "."
    ]
