"""The page of a comparison: a position on several boards, one for each value source."""

from collections.abc import Mapping, Sequence
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
    find_next_disagreement,
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
from app.web.pages.parts.export import Export, export_curve
from app.web.pictures import minds
from app.web.pictures.boards import Board, BoardSquare, lay_out_board
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
    """A board of the page; fields that are empty belong to agents only."""

    view: View
    name: str  # the title, with the number of updates for a snapshot
    board: Board
    legend: Legend | None  # legend of a decision; None if the game is over
    plays: str  # its moves and their value
    blunder: bool  # whether its move can lower the value of the game
    origin: str  # the updates of the agent, or the origin of the values
    earlier: str  # URL with the previous snapshot
    later: str
    remove: str


def build_panel(
    comparison: Comparison, state: MatchState, view: View, opinion: MoveValues | None
) -> Panel:
    """Return the board of a view, or of optimal play; `opinion` is None after the end of a game."""
    site = state.site
    views = comparison.views
    name = format_view_name(state.site, view)
    seen = replace(state, match=comparison.match(view))
    # optimal play is not among the views
    here = views.index(view) if view in views else len(views)
    before = views[:here]
    after = views[here + 1 :]
    learned = site.agents.knows(view.lens)
    earlier = ""
    later = ""

    def put(step: int | None) -> str:
        """Return the URL with another snapshot in this panel, "" if a panel has it already."""
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
        board=lay_out_board(
            seen,
            opinion,
            lambda cell: urls.compare(comparison.play(cell)),
            f"board-{view}",
            f"Board of {name}",
        ),
        legend=build_legend(seen, opinion) if opinion else None,
        plays=describe_plays(site.game, opinion) if opinion else "",
        blunder=opinion is not None and can_blunder(state, opinion),
        origin=_format_training(site, view)
        if learned
        else "Computed by solving the game",
        earlier=earlier,
        later=later,
        remove=removed if view in views and len(views) > 1 else "",
    )


def format_view_name(site: SiteData, view: View) -> str:
    """Return the name of a view within a sentence, so without a comma."""
    title = site.titles[view.lens.removesuffix(TASK)].replace(",", "")
    if view.lens.endswith(TASK):
        return f"the task of {title}"
    if view.lens == TRUTH:
        return "optimal play"
    return (
        title if view.step is None else f"{title} after {_format_training(site, view)}"
    )


def describe_plays(game: Game, opinion: MoveValues) -> str:
    """Return the moves of a value source in a decision, and the value that it gives them."""
    first = opinion.plays[0]
    expected = opinion.truths[first] if opinion.exact else opinion.texts[first]
    places = "mostly " * opinion.draws + name_squares(game, opinion.plays)
    return f"{places.capitalize()}: {expected or opinion.blank}"


def summarise_plays(state: MatchState, opinions: Mapping[str, MoveValues]) -> str:
    """Return sentences on who plays what in a decision, and who can blunder."""
    preferences = _describe_preferences(state.site.game, opinions)
    return f"{preferences[0].upper()}{preferences[1:]} {_describe_verdict(state, opinions)}"


def _format_training(site: SiteData, view: View) -> str:
    """Return the number of updates by the snapshot of a view."""
    agent = site.agents[view.lens]
    return format_updates(
        int(agent.snapshot_updates[-1 if view.step is None else view.step])
    )


def _describe_preferences(game: Game, opinions: Mapping[str, MoveValues]) -> str:
    """Return a sentence on who plays which squares; agents with equal moves form a group."""
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


def _describe_verdict(state: MatchState, opinions: Mapping[str, MoveValues]) -> str:
    """Return a sentence on the value of the position, and on the agents that can miss it."""
    value = describe_best_play(state.site, state.position).partition(" ")[0]
    if value == OUTCOMES[-1]:
        return "With optimal play every move loses here."
    erring = [name for name, opinion in opinions.items() if can_blunder(state, opinion)]
    if erring:
        return (
            f"With optimal play the result is a {value}; {join_words(erring)} can lose "
            "it by a blunder."
        )
    return f"These moves are right: with optimal play the result stays a {value}."


HALF_TILE = "m.8.1v.7l-.1.1h-.7l-.1-.1z"  # half of a tile, below its diagonal, from the start of TILE


class ComparedMinds(NamedTuple):
    """The minds of all agents in the comparison, at the compared snapshots."""

    each: list[tuple[str, str, minds.MindPicture]]  # (name, URL, picture) of each agent
    # whether two minds share a picture: the second has the lower half of each tile
    divided: bool
    # In a shared picture, the number of positions with equal expected outcomes.
    agree: str
    kind: minds.Kind  # the colouring of the tiles
    film: learning.Film | None  # None if an agent is compared at two snapshots
    step: int  # step of the film that is shown, or the nearest step
    shown: learning.Frame | None  # the compared snapshots as a frame
    next_step: str  # URL of the next frame; the first follows the last


def draw_minds(site: SiteData, comparison: Comparison) -> ComparedMinds | None:
    """Return the minds of the agents among the views; None without agents."""
    views = _list_learned(site, comparison)
    if not views:
        return None
    names = [view.lens for view in views]
    shown = [site.resolve_step(view.lens, view.step) for view in views]
    divided = len(views) == 2 and all(
        minds.list_kinds(site, name)[minds.EXPECTS] == minds.KINDS[minds.EXPECTS]
        for name in names
    )
    moving = _can_move(views)
    pictures = [
        minds.draw_mind(site, name, step, moving=moving)
        for name, step in zip(names, shown, strict=True)
    ]
    if divided:
        pictures[1] = _halve_tiles(pictures[1])
    frames = _list_frames(site, views)
    lasts = [site.get_last_step(name) for name in names]
    step = _find_nearest_frame(frames, shown, lasts)
    film = learning.film_agents(site, tuple(names)) if moving else None
    return ComparedMinds(
        each=[
            (format_view_name(site, view), urls.mind(view.lens, view.step), drawn)
            for view, drawn in zip(views, pictures, strict=True)
        ],
        divided=divided,
        agree=format_count(_count_agreeing(site, names, shown)) if divided else "",
        kind=minds.KINDS[minds.EXPECTS],
        film=film,
        step=step,
        shown=film
        and learning.build_agents_frame(site, names, shown)._replace(
            x=film.frames[step].x
        ),
        next_step=urls.compare(
            _move_to_steps(site, comparison, frames[(step + 1) % len(frames)])
        ),
    )


def _find_nearest_frame(
    frames: Sequence[Sequence[int]], shown: Sequence[int], lasts: Sequence[int]
) -> int:
    """Return the frame with the smallest distance from the snapshots shown.

    The distance is the largest of all trainings, as a share of a training.
    """

    def distance(frame: int) -> float:
        steps = zip(frames[frame], shown, lasts, strict=True)
        return float(max(abs(step - own) / max(1, last) for step, own, last in steps))

    return min(range(len(frames)), key=distance)


def move_to_frame(site: SiteData, comparison: Comparison, text: str) -> Comparison:
    """Return the comparison with all agents at a frame of the film, given as text.

    Raises BadRequest with a sentence if there is no such frame, or no film.
    """
    views = _list_learned(site, comparison)
    if not views or not _can_move(views):
        raise BadRequest("frame needs agents that learned, each of them only once.")
    frames = _list_frames(site, views)
    return _move_to_steps(
        site, comparison, frames[read_integer("frame", text, 0, len(frames) - 1)]
    )


def _list_learned(site: SiteData, comparison: Comparison) -> list[View]:
    """Return the views of agents."""
    return [view for view in comparison.views if site.agents.knows(view.lens)]


def _can_move(views: list[View]) -> bool:
    """Return whether the agents can share a frame: a training cannot be at two snapshots at once."""
    return len({view.lens for view in views}) == len(views)


def _list_frames(site: SiteData, views: list[View]) -> list[tuple[int, ...]]:
    """Return the steps of all agents at each frame of the film, as many as the longest training has."""
    lasts = [site.get_last_step(view.lens) for view in views]
    return list(
        zip(*(learning.match_steps(last, max(lasts)) for last in lasts), strict=True)
    )


def _move_to_steps(
    site: SiteData, comparison: Comparison, steps: tuple[int, ...]
) -> Comparison:
    """Return the comparison with the agents at these steps of their trainings."""
    left = iter(steps)

    def moved(view: View) -> View:
        if not site.agents.knows(view.lens):
            return view
        return View(view.lens, site.step_for_url(view.lens, next(left)))

    return replace(comparison, views=tuple(map(moved, comparison.views)))


def _halve_tiles(whole: minds.MindPicture) -> minds.MindPicture:
    """Return a mind with the lower half of each tile only."""
    paths = [
        (heat, outline.replace(minds.TILE, HALF_TILE)) for heat, outline in whole.paths
    ]
    return whole._replace(tile=HALF_TILE, paths=paths)


def _count_agreeing(site: SiteData, names: list[str], steps: list[int]) -> int:
    """Return the number of tiles for which two agents expect equal outcomes."""
    views = [*zip(names, steps, strict=True)]
    first, second = (
        round_outcomes(minds.estimate_tiles(site, *view)[0]) for view in views
    )
    both = np.logical_and(
        *(minds.choose_decisions(site, *view).known[0] for view in views)
    )
    return int(((first == second) & both).sum())


class ComparePage(Page, frozen=True):
    """The page with one position on several boards, each with another agent's values."""

    template: ClassVar = "compare/compare.html"
    fragment: ClassVar = ("head_title", "comparison")

    comparison: Comparison
    state: MatchState  # the position

    @property
    def site(self) -> SiteData:
        """The agents and the facts about them."""
        return self.state.site

    @property
    def title(self) -> str:
        """The names of the compared agents."""
        names = [format_view_name(self.site, view) for view in self.comparison.views]
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
            format_view_name(self.site, view): values
            for view in self.comparison.views
            if (values := self._values[view])
        }

    @cached_property
    def panels(self) -> list[Panel]:
        """A board for each view, then optimal play."""
        return [
            build_panel(self.comparison, self.state, *each)
            for each in self._values.items()
        ]

    @property
    def rows(self) -> list[tuple[str, list[BoardSquare]]]:
        """The name of each empty square, and the square on every board."""
        return _list_rows(self.site.game, self.panels) if self._learned else []

    @property
    def headline(self) -> str:
        """The player to move."""
        return describe_turn(self.state)

    @property
    def status(self) -> str:
        """The text for screen readers."""
        return describe_status(self.state)

    @property
    def summary(self) -> str:
        """The agreement of the agents, "" of a finished game."""
        return summarise_plays(self.state, self._learned) if self._learned else ""

    @property
    def preview(self) -> str:
        """The URL of the picture of the first board, for link previews."""
        return urls.MATCH_PREVIEW.url_for_match(
            self.comparison.match(self.comparison.views[0])
        )

    # Links.

    @property
    def take_back(self) -> str:
        """The URL without the last move, "" without a move."""
        record = self.comparison.record
        return (
            urls.compare(replace(self.comparison, record=undo_moves(record)))
            if record
            else ""
        )

    @property
    def disagreement_url(self) -> str:
        """The URL of the next position in which the agents disagree, "" if there is none."""
        record = find_next_disagreement(
            self.comparison.views, self.site, self.state.position
        )
        return (
            ""
            if record is None
            else urls.compare(replace(self.comparison, record=record))
        )

    @property
    def most(self) -> int:
        """The largest number of views."""
        return MAX_VIEWS

    @property
    def shipped_views(self) -> list[str]:
        """The value sources that are shown as shipped, which are not offered again."""
        return [view.lens for view in self.comparison.views if view.step is None]

    # The training of the agents that are compared.

    @property
    def figures(self) -> Mapping[str, CurveTitles]:
        """The figures that the curves can show."""
        return FIGURES

    @property
    def figure(self) -> str:
        """The figure that the curves show."""
        return self.comparison.figure or next(iter(FIGURES))

    @property
    def curves(self) -> Charts | None:
        """The learning curves of the agents."""
        return learning.chart_comparison(self.site, self.comparison.views, self.figure)

    @property
    def inks(self) -> Mapping[str, str]:
        """The colours of the curves, by agent."""
        return learning.choose_inks(self.site, self.comparison.views)

    @property
    def take(self) -> Export | None:
        """The export of the curves."""
        views = self.comparison.views
        agents = [view.lens for view in views if self.site.agents.knows(view.lens)]
        if not agents:
            return None
        return export_curve(
            self.site, agents, self.figure, record=self.comparison.record
        )

    @property
    def minds(self) -> ComparedMinds | None:
        """The minds of the agents."""
        return draw_minds(self.site, self.comparison)


@bp.get(urls.COMPARE.url(""))
@bp.get(urls.COMPARE)
def show_comparison(record: str = "") -> Response:
    """Show a position on several boards, or redirect to a frame of the agents' film."""
    lenses = request.args.getlist("lens")
    figure = request.args.get("figure", "")
    comparison, place = parse_comparison(record, lenses, current_site(), figure)
    if frame := request.args.get("frame", ""):
        return redirect(
            urls.compare(move_to_frame(current_site(), comparison, frame)), 303
        )
    return render_page(ComparePage(comparison, place))


def _list_rows(game: Game, panels: list[Panel]) -> list[tuple[str, list[BoardSquare]]]:
    """Return each empty square with its values on all boards."""
    squares = zip(*(panel.board.squares for panel in panels), strict=True)
    return [
        (name_square_briefly(game, cell), list(row))
        for cell, row in enumerate(squares)
        if row[0].mark == "."
    ]
