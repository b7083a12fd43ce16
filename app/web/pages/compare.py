"""One board of a comparison with all that belongs to it, and what several say in sentences."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, redirect, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from app.tictactoe.game import Game
from app.tictactoe.notation import undo_moves
from app.tictactoe.value_map import round_outcomes
from app.web import urls
from app.web.comparison import (
    FIGURES,
    MAX_VIEWS,
    Comparison,
    CurveTitles,
    View,
    next_disagreement,
    parse_comparison,
)
from app.web.formatting import (
    format_count,
    format_updates,
    join_words,
    name_square_briefly,
)
from app.web.match import MatchState, read_integer
from app.web.move_values import (
    OUTCOMES,
    MoveValues,
    can_blunder,
    describe_best_play,
    evaluate_moves,
)
from app.web.pages.parts import learning
from app.web.pages.parts.export import Take, take_curve
from app.web.pictures import minds
from app.web.pictures.boards import Board, BoardSquare, board
from app.web.pictures.curves import Charts
from app.web.rendering import Page, render_page
from app.web.site_data import TASK, TRUTH, SiteData, current_site
from app.web.wording import (
    Legend,
    build_legend,
    describe_status,
    describe_turn,
    name_squares,
)

bp = Blueprint("compare", __name__)


class Panel(NamedTuple):
    """One board of a page; what is left empty belongs to agents only."""

    view: View
    name: str  # the title, and of a snapshot its time
    board: Board
    legend: Legend | None  # legend of a decision; None if the game is over
    plays: str  # what it would do there
    blunder: bool  # whether that can drop the value of the game
    origin: str  # for how long an agent was trained, or how else the values were found
    earlier: str  # the same at the snapshot before
    later: str
    remove: str


def panel(
    comparison: Comparison, state: MatchState, view: View, opinion: MoveValues | None
) -> Panel:
    """Lay out what a view, or optimal play, has to say of a position; None of a finished one."""
    site, views, name = state.site, comparison.views, full_name(state.site, view)
    seen = replace(state, match=comparison.match(view))
    here = (
        views.index(view) if view in views else len(views)
    )  # optimal play is none of them
    before, after = views[:here], views[here + 1 :]
    learned, earlier, later = site.agents.knows(view.lens), "", ""

    def put(step: int | None) -> str:
        """Lead to another snapshot in this place, unless it has one of its own."""
        other = View(view.lens, step)
        if other in views:
            return ""
        return urls.compare(replace(comparison, views=(*before, other, *after)))

    if learned:
        step = site.resolve_step(view.lens, view.step)
        earlier = put(step - 1) if step else ""
        later = "" if view.step is None else put(site.step_for_url(view.lens, step + 1))
    removed = urls.compare(replace(comparison, views=before + after))
    return Panel(
        view=view,
        name=name,
        board=board(
            seen,
            opinion,
            lambda cell: urls.compare(comparison.play(cell)),
            f"board-{view}",
            f"Board of {name}",
        ),
        legend=build_legend(seen, opinion) if opinion else None,
        plays=plays(site.game, opinion) if opinion else "",
        blunder=opinion is not None and can_blunder(state, opinion),
        origin=_trained(site, view) if learned else "Found by solving the game",
        earlier=earlier,
        later=later,
        remove=removed if view in views and len(views) > 1 else "",
    )


def full_name(site: SiteData, view: View) -> str:
    """Name a view in a sentence, where a comma would divide it."""
    title = site.titles[view.lens.removesuffix(TASK)].replace(",", "")
    if view.lens.endswith(TASK):
        return f"the task of {title}"
    if view.lens == TRUTH:
        return "optimal play"
    return title if view.step is None else f"{title} after {_trained(site, view)}"


def plays(game: Game, opinion: MoveValues) -> str:
    """Say what a lens plays in a decision, and what it expects of that."""
    first = opinion.plays[0]
    expected = opinion.truths[first] if opinion.exact else opinion.texts[first]
    places = "mostly " * opinion.draws + name_squares(game, opinion.plays)
    return f"{places.capitalize()}: {expected or opinion.blank}"


def summary(state: MatchState, opinions: Mapping[str, MoveValues]) -> str:
    """Say who plays what in a decision, and who can blunder, by their names."""
    preferences = _preferences(state.site.game, opinions)
    return f"{preferences[0].upper()}{preferences[1:]} {_verdict(state, opinions)}"


def _trained(site: SiteData, view: View) -> str:
    agent = site.agents[view.lens]
    return format_updates(
        int(agent.snapshot_updates[-1 if view.step is None else view.step])
    )


def _preferences(game: Game, opinions: Mapping[str, MoveValues]) -> str:
    """Those who play the same in one breath, the most first."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, view in opinions.items():
        groups.setdefault(tuple(view.plays), []).append(name)
    if len(groups) == 1 < len(opinions):
        who = "Both" if len(opinions) == 2 else "All"
        return f"{who} play {name_squares(game, *groups)}."
    parts = []
    for cells, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        alone = "alone " * (len(names) == 1 and len(groups) < len(opinions))
        verb = "plays" if len(names) == 1 else "play"
        parts.append(f"{join_words(names)} {alone}{verb} {name_squares(game, cells)}")
    return "; ".join(parts) + "."


def _verdict(state: MatchState, opinions: Mapping[str, MoveValues]) -> str:
    value = describe_best_play(state.site, state.position).partition(" ")[0]
    if value == OUTCOMES[-1]:
        return "With optimal play every move loses."
    erring = [name for name, opinion in opinions.items() if can_blunder(state, opinion)]
    if erring:
        return f"With optimal play it is a {value}, and {join_words(erring)} can miss that."
    return f"With optimal play that is right: it keeps the {value}."


HALF = "m.8.1v.7l-.1.1h-.7l-.1-.1z"  # half of a tile, below its diagonal, from the start of TILE


class ComparedMinds(NamedTuple):
    """All of them, at the moments of their trainings that are compared."""

    each: list[tuple[str, str, minds.MindPicture]]  # what it is called, and its address
    # whether they are one picture: the second has the lower half of each tile
    divided: bool
    agree: str  # then in how many positions they expect the same result, and out of how many
    kind: minds.Kind  # how the tiles of one picture are coloured
    film: learning.Film | None  # None where one agent is there at two moments
    step: int  # step of the film that is shown, or the nearest step
    shown: learning.Frame | None  # what is shown, which need not be a frame of the film
    next_step: str  # the address of the next frame, after the last of the first


def compared_minds(site: SiteData, comparison: Comparison) -> ComparedMinds | None:
    """Draw the minds of the agents among the views; None if there are none."""
    views = _learned(site, comparison)
    if not views:
        return None
    names = [view.lens for view in views]
    shown = [site.resolve_step(view.lens, view.step) for view in views]
    divided = len(views) == 2 and all(
        minds.kinds(site, name)[minds.EXPECTS] == minds.KINDS[minds.EXPECTS]
        for name in names
    )
    moving = _moves(views)
    pictures = [
        minds.picture(site, name, step, moving=moving)
        for name, step in zip(names, shown, strict=True)
    ]
    if divided:
        pictures[1] = _halved(pictures[1])
    lasts, frames = [site.last_step(name) for name in names], _frames(site, views)

    def off(frame: int) -> float:
        steps = zip(frames[frame], shown, lasts, strict=True)
        return float(max(abs(step - own) / max(1, last) for step, own, last in steps))

    step = min(range(len(frames)), key=off)
    film = learning.film_of_minds(site, tuple(names)) if moving else None
    return ComparedMinds(
        each=[
            (full_name(site, view), urls.mind(view.lens, view.step), drawn)
            for view, drawn in zip(views, pictures, strict=True)
        ],
        divided=divided,
        agree=format_count(_agreeing(site, names, shown)) if divided else "",
        kind=minds.KINDS[minds.EXPECTS],
        film=film,
        step=step,
        shown=film
        and learning.frame_of_minds(site, names, shown)._replace(x=film.frames[step].x),
        next_step=urls.compare(_at(site, comparison, frames[(step + 1) % len(frames)])),
    )


def at_frame(site: SiteData, comparison: Comparison, text: str) -> Comparison:
    """Return the same comparison with all its agents at a frame of the film, as an address has it.

    Raises BadRequest with a sentence if there is no such frame, or no film.
    """
    views = _learned(site, comparison)
    if not views or not _moves(views):
        raise BadRequest("frame needs agents that learned, and each of them once.")
    frames = _frames(site, views)
    return _at(
        site, comparison, frames[read_integer("frame", text, 0, len(frames) - 1)]
    )


def _learned(site: SiteData, comparison: Comparison) -> list[View]:
    return [view for view in comparison.views if site.agents.knows(view.lens)]


def _moves(views: list[View]) -> bool:
    """Whether all can be at one moment: one training cannot be at two moments at once."""
    return len({view.lens for view in views}) == len(views)


def _frames(site: SiteData, views: list[View]) -> list[tuple[int, ...]]:
    """List the steps of all of them at each frame of the film, which has all of the longest."""
    lasts = [site.last_step(view.lens) for view in views]
    return list(
        zip(*(learning.in_step(last, max(lasts)) for last in lasts), strict=True)
    )


def _at(site: SiteData, comparison: Comparison, steps: tuple[int, ...]) -> Comparison:
    """Return the same comparison with the agents at steps of their trainings, one for each."""
    left = iter(steps)

    def moved(view: View) -> View:
        if not site.agents.knows(view.lens):
            return view
        return View(view.lens, site.step_for_url(view.lens, next(left)))

    return replace(comparison, views=tuple(map(moved, comparison.views)))


def _halved(whole: minds.MindPicture) -> minds.MindPicture:
    paths = [(heat, outline.replace(minds.TILE, HALF)) for heat, outline in whole.paths]
    return whole._replace(tile=HALF, paths=paths)


def _agreeing(site: SiteData, names: list[str], steps: list[int]) -> int:
    """Count the tiles of which two agents expect the same: a win, a draw or a loss."""
    views = [*zip(names, steps, strict=True)]
    first, second = (round_outcomes(minds.expected(site, *view)[0]) for view in views)
    both = np.logical_and(*(minds.represented(site, *view).known[0] for view in views))
    return int(((first == second) & both).sum())


class ComparePage(Page, frozen=True):
    """A position on several boards."""

    template: ClassVar = "compare/compare.html"
    fragment: ClassVar = ("head_title", "comparison")

    comparison: Comparison
    state: MatchState  # the position

    @property
    def site(self) -> SiteData:
        """The agents and what is known of them."""
        return self.state.site

    @property
    def title(self) -> str:
        """Who is compared."""
        names = [full_name(self.site, view) for view in self.comparison.views]
        return f"{join_words(names)} compared with optimal play"

    # The boards.

    @cached_property
    def _values(self) -> dict[View, MoveValues | None]:
        """The values of each view and of optimal play; None after the end of a game."""
        state = self.state
        return {
            view: None
            if state.over
            else evaluate_moves(state.site, state.position, *view)
            for view in (*self.comparison.views, View(TRUTH))
        }

    @cached_property
    def _learned(self) -> dict[str, MoveValues]:
        """The values of each view by its full name; none after the end of a game."""
        return {
            full_name(self.site, view): values
            for view in self.comparison.views
            if (values := self._values[view])
        }

    @cached_property
    def panels(self) -> list[Panel]:
        """A board for each view, then optimal play."""
        return [
            panel(self.comparison, self.state, *each) for each in self._values.items()
        ]

    @property
    def rows(self) -> list[tuple[str, list[BoardSquare]]]:
        """Each empty square's name, and itself on every board."""
        return _rows(self.site.game, self.panels) if self._learned else []

    @property
    def headline(self) -> str:
        """Whose turn it is."""
        return describe_turn(self.state)

    @property
    def status(self) -> str:
        """What a screen reader is told."""
        return describe_status(self.state)

    @property
    def summary(self) -> str:
        """Where they agree, "" of a finished game."""
        return summary(self.state, self._learned) if self._learned else ""

    @property
    def preview(self) -> str:
        """The address of the picture of the first board, with which a link is shown."""
        return urls.MATCH_PREVIEW.url_for_match(
            self.comparison.match(self.comparison.views[0])
        )

    # Links.

    @property
    def take_back(self) -> str:
        """The address without the last move, "" where there is none."""
        record = self.comparison.record
        return (
            urls.compare(replace(self.comparison, record=undo_moves(record)))
            if record
            else ""
        )

    @property
    def parting(self) -> str:
        """The address of another position in which they part, "" where there is none."""
        record = next_disagreement(
            self.comparison.views, self.site, self.state.position
        )
        return (
            ""
            if record is None
            else urls.compare(replace(self.comparison, record=record))
        )

    @property
    def most(self) -> int:
        """How many views fit."""
        return MAX_VIEWS

    @property
    def taken(self) -> list[str]:
        """The lenses that are there as shipped, so not to be offered again."""
        return [view.lens for view in self.comparison.views if view.step is None]

    # The training of the agents that are compared.

    @property
    def figures(self) -> Mapping[str, CurveTitles]:
        """The figures that the curves can show."""
        return FIGURES

    @property
    def figure(self) -> str:
        """Which of these they do show."""
        return self.comparison.figure or next(iter(FIGURES))

    @property
    def curves(self) -> Charts | None:
        """The learning curves of those that learned."""
        return learning.compared(self.site, self.comparison.views, self.figure)

    @property
    def inks(self) -> Mapping[str, str]:
        """The inks of the curves, by the agent that each is of."""
        return learning.inks_of(self.site, self.comparison.views)

    @property
    def take(self) -> Take | None:
        """How the curves are exported."""
        views = self.comparison.views
        agents = [view.lens for view in views if self.site.agents.knows(view.lens)]
        if not agents:
            return None
        return take_curve(self.site, agents, self.figure, record=self.comparison.record)

    @property
    def minds(self) -> ComparedMinds | None:
        """The minds of those that learned."""
        return compared_minds(self.site, self.comparison)


@bp.get(urls.COMPARE.url(""))
@bp.get(urls.COMPARE)
def compare(record: str = "") -> Response:
    """Show a position on several boards, or lead to it with all agents at a frame of their film."""
    lenses, figure = request.args.getlist("lens"), request.args.get("figure", "")
    comparison, place = parse_comparison(record, lenses, current_site(), figure)
    if frame := request.args.get("frame", ""):
        return redirect(urls.compare(at_frame(current_site(), comparison, frame)), 303)
    return render_page(ComparePage(comparison, place))


def _rows(game: Game, panels: list[Panel]) -> list[tuple[str, list[BoardSquare]]]:
    """List each empty square with the values of all of them."""
    squares = zip(*(panel.board.squares for panel in panels), strict=True)
    return [
        (name_square_briefly(game, cell), list(row))
        for cell, row in enumerate(squares)
        if row[0].mark == "."
    ]
