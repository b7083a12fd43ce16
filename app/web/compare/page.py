"""The comparison page: one position as several agents see it, beside the truth."""

from dataclasses import replace

from flask import Blueprint, Response, request

from app.tictactoe.notation import MARKS, replay, undo
from app.web import words
from app.web.board_view import Cell
from app.web.compare import differences
from app.web.compare.comparison import MAX_VIEWS, Comparison, View, build, parse
from app.web.compare.panels import Panel, full_name, panel
from app.web.lens import Opinion, opinion
from app.web.players import TRUTH, Players, players
from app.web.respond import respond

bp = Blueprint("compare", __name__)


@bp.get("/compare/")
@bp.get("/compare/<record>")
def compare(record: str = "") -> Response:
    """Show a position on several boards."""
    comparison = parse(record, request.args.getlist("lens"), players())
    return respond("compare.html", view(comparison, players()), fragment="_compare_swap.html")


def view(comparison: Comparison, players: Players) -> dict[str, object]:
    """Gather what the templates write down."""
    record, views = comparison.record, comparison.views
    position = replay(players.game, record)[-1]
    seen = {each: _opinion(players, position, each) for each in (*views, View(TRUTH))}
    panels = [panel(comparison, players, position, *each) for each in seen.items()]
    names = [full_name(players, each) for each in views]
    learned = {full_name(players, each): found for each in views if (found := seen[each])}
    between_people = comparison.match(View(TRUTH))
    mover = MARKS[between_people.to_move]
    return {
        "title": f"{differences.listed(names)} compared with the truth",
        "comparison": comparison,
        "players": players,
        "panels": panels,
        "rows": _rows(players, panels) if learned else [],
        "headline": words.headline(between_people, players, position),
        "status": words.status(between_people, players, position, False),
        "caption": f"On the squares: what each expects for {mover}, to move",
        "summary": differences.summary(players, position, learned) if learned else "",
        "take_back": build(replace(comparison, record=undo(record))) if record else "",
        "new_game": build(replace(comparison, record="")),
        "most": MAX_VIEWS,
        "taken": [each.lens for each in views if each.step is None],
    }


def _opinion(players: Players, position: int, view: View) -> Opinion | None:
    return None if players.game.is_over(position) else opinion(players, position, *view)


def _rows(players: Players, panels: list[Panel]) -> list[tuple[str, list[Cell]]]:
    """List each empty square with what all of them think of it."""
    squares = zip(*(panel.board.cells for panel in panels), strict=True)
    return [
        (words.place(players, number), list(cells))
        for number, cells in enumerate(squares)
        if cells[0].mark == "."
    ]
