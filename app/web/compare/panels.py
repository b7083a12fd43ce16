"""One board of a comparison, with all that belongs to it."""

from dataclasses import replace
from typing import NamedTuple

from app.web import words
from app.web.board_view import Board, board
from app.web.compare import differences
from app.web.compare.comparison import Comparison, View, build
from app.web.lens import Opinion
from app.web.match import build as build_match
from app.web.numbers import updates
from app.web.players import TRUTH, Players


class Panel(NamedTuple):
    """One board of a page; what is left empty belongs to agents only."""

    view: View
    title: str
    name: str  # the title, and of a snapshot its time
    board: Board
    legend: words.Legend | None  # of a decision
    plays: str  # what it would do there
    blunder: bool  # whether that can drop the value of the game
    play: str  # the position on the play page
    trained: str = ""  # for how long, of an agent
    earlier: str = ""  # the same at the snapshot before
    later: str = ""
    remove: str = ""
    others: tuple[tuple[View, ...], tuple[View, ...]] = ((), ())  # views before and after this one


def panel(
    comparison: Comparison, players: Players, position: int, view: View, seen: Opinion | None
) -> Panel:
    """Lay out what a view, or the truth, has to say of a position; None of a finished one."""
    match = comparison.match(view)

    def move_link(cell: int) -> str:
        return build(comparison.play(cell))

    plain = Panel(
        view=view,
        title=players.titles[view.lens],
        name=full_name(players, view),
        board=board(
            players.game,
            comparison.record,
            seen,
            move_link,
            id=f"board-{view}",
            label=f"Board of {full_name(players, view)}",
        ),
        legend=words.legend(match, players, seen) if seen else None,
        plays=differences.plays(players, seen) if seen else "",
        blunder=seen is not None and differences.blundering(players, position, seen),
        play=build_match(match),
    )
    return plain if view.lens == TRUTH else _steered(plain, comparison, players)


def full_name(players: Players, view: View) -> str:
    """Name a view in a sentence, where a comma would divide it."""
    title = players.titles[view.lens].replace(",", "")
    return title if view.step is None else f"{title} after {_trained(players, view)}"


def _steered(panel: Panel, comparison: Comparison, players: Players) -> Panel:
    """Add what makes another comparison of this one."""
    views, here = comparison.views, comparison.views.index(panel.view)
    before, after = views[:here], views[here + 1 :]
    earlier, later = _neighbours(players, panel.view)

    def put(other: View | None) -> str:
        """Lead to another view in this place, unless it has one of its own."""
        if other is None or other in views:
            return ""
        return build(replace(comparison, views=(*before, other, *after)))

    return panel._replace(
        trained=_trained(players, panel.view),
        earlier=put(earlier),
        later=put(later),
        remove=build(replace(comparison, views=before + after)) if before or after else "",
        others=(before, after),
    )


def _neighbours(players: Players, view: View) -> tuple[View | None, View | None]:
    """Return the snapshots of training before and after a view; the last one is as shipped."""
    last = players.last_step(view.lens)
    step = last if view.step is None else view.step
    earlier = View(view.lens, step - 1) if step else None
    if step >= last - 1:
        return earlier, View(view.lens) if view.step is not None else None
    return earlier, View(view.lens, step + 1)


def _trained(players: Players, view: View) -> str:
    agent = players.agents[view.lens]
    return updates(int(agent.snapshot_updates[-1 if view.step is None else view.step]))
