"""The page that says why a value is what it is."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, Conflict

from app.tictactoe.notation import DIGITS, replay
from app.web.board_view import board
from app.web.lens import match_opinion
from app.web.match import Match, build, parse
from app.web.players import TRUTH, Players, players
from app.web.respond import respond
from app.web.why.answers import Pair
from app.web.why.explanation import explain
from app.web.words import place

bp = Blueprint("why", __name__)
WHY = "/why/"


@bp.get(WHY)
@bp.get(f"{WHY}<record>")
def why(record: str = "") -> Response:
    """Explain the value of a move in the position shown; without a cell, of the lens's best."""
    match = parse(record, request.args, players())
    if match.step is not None:
        raise BadRequest(
            "Only the values as shipped can be explained, not those of a step: how often a pair "
            "had been updated by then is not recorded."
        )
    cell = _cell(match, players(), request.args.get("cell", ""))
    return respond("why.html", view(match, cell, players()), fragment="_why.html")


def why_address(match: Match, cell: int | None = None) -> str:
    """Return where the value of a cell, or of the best one, is explained.

    "" for a snapshot, which is not.
    """
    if match.step is not None:
        return ""
    address = build(match, WHY)
    if cell is None:
        return address
    return f"{address}{'&' if '?' in address else '?'}cell={DIGITS[cell]}"


def view(match: Match, cell: int, players: Players) -> dict[str, object]:
    """Gather what the templates write down."""
    position = replay(players.game, match.shown)[-1]
    seen = match_opinion(match, players, position)
    pair = Pair(players, seen.lens, position, cell)
    explanation = explain(pair)

    return {
        "match": match,
        "why": explanation,
        "lens": players.titles[seen.lens],
        "section_of_how": pair.section,
        "board": board(
            players.game,
            match.shown,
            seen,
            partial(why_address, match),
            "why-board",
            "The position",
            cell,
        ),
        "after": {row.cell: _after(match, cell, row.cell) for row in explanation.rows},
        "here": why_address(match, cell),
        "back": build(match),
        "other_lens": "" if seen.exact else why_address(replace(match, lens=TRUTH), cell),
    }


def _cell(match: Match, players: Players, text: str) -> int:
    """Read which cell is asked for, or choose it.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    position = replay(players.game, match.shown)[-1]
    if players.game.is_over(position):
        raise Conflict(f"The game is over after {len(match.shown)} moves: no move has a value.")
    if not text:
        return match_opinion(match, players, position).best.index(True)
    cells = DIGITS[: players.game.cells]
    if len(text) != 1 or text not in cells:
        raise BadRequest(f"cell={text} in the address is wrong: cell is 0 to {cells[-1]}.")
    cell = cells.index(text)
    if not players.game.legal[position, cell]:
        raise Conflict(f"The square at {place(players, cell)} is taken: no move there has a value.")
    return cell


def _after(match: Match, cell: int, answer: int) -> str:
    """Return where the position after the move and an answer is shown; there nobody moves on."""
    played = match.play(cell).play(answer)
    return build(replace(played, pause=match.pause or match.watched))
