"""The comparison page: one position as several lenses show it, beside best play."""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.tictactoe.notation import undo
from app.web import addresses, words
from app.web.board_view import Square
from app.web.charts import Charts
from app.web.compare.minds import Minds, at_frame, minds
from app.web.compare.panels import Panel, full_name, panel, summary
from app.web.comparison import FIGURES, MAX_VIEWS, Comparison, View, parse, parting
from app.web.learning import WORDS, compared
from app.web.lens import opinion
from app.web.match import Place
from app.web.respond import Page, respond
from app.web.take import Take, take_curve
from app.web.world import TRUTH, World, world

bp = Blueprint("compare", __name__)


class Figure(NamedTuple):
    """A figure that the curves can show."""

    id: str
    title: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class ComparePage(Page):
    """A position on several boards."""

    template: ClassVar = "compare.html"
    fragment: ClassVar = "_compare_swap.html"

    title: str
    comparison: Comparison
    world: World
    panels: list[Panel]  # a view each, then best play
    rows: list[tuple[str, list[Square]]]  # each empty square's name, and itself on every board
    headline: str
    status: str
    summary: str  # "" of a finished game
    take_back: str  # "" where there is nothing to take back
    new_game: str
    parting: str  # another position in which they part, "" where there is none
    curves: Charts | None  # how those that learned did so
    take: Take | None  # how these leave the site
    figures: list[Figure]  # that the curves can show
    reading: str  # what the one shown says
    minds: Minds | None  # of those that learned
    most: int  # views that fit
    taken: list[str]  # lenses that are there as shipped, so not to be offered again


@bp.get("/compare/")
@bp.get("/compare/<record>")
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
    agents = [view.lens for view in views if view.lens in world.agents]
    elsewhere = parting(views, world, place.position)
    learned = {full_name(world, view): found for view in views if (found := opinions[view])}
    return ComparePage(
        title=f"{words.listed([full_name(world, view) for view in views])} compared with best play",
        comparison=comparison,
        world=world,
        panels=panels,
        rows=_rows(panels) if learned else [],
        headline=words.headline(place),
        status=words.status(place),
        summary=summary(place, learned) if learned else "",
        take_back=addresses.compare(replace(comparison, record=undo(record))) if record else "",
        new_game=addresses.compare(replace(comparison, record="")),
        parting=""
        if elsewhere is None
        else addresses.compare(replace(comparison, record=elsewhere)),
        curves=compared(world, views, figure),
        take=take_curve(world, agents, comparison.figure or figure, record=record)
        if agents
        else None,
        figures=[
            Figure(id, title, addresses.compare(replace(comparison, figure=id)), id == figure)
            for id, title in FIGURES.items()
        ],
        reading=WORDS[figure],
        minds=minds(world, comparison),
        most=MAX_VIEWS,
        taken=[view.lens for view in views if view.step is None],
    )


def _rows(panels: list[Panel]) -> list[tuple[str, list[Square]]]:
    """List each empty square with what all of them think of it."""
    squares = zip(*(panel.board.squares for panel in panels), strict=True)
    return [
        (words.short_name(cell), list(row))
        for cell, row in enumerate(squares)
        if row[0].mark == "."
    ]
