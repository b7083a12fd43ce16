"""The play page: a position, who plays it, and what somebody thinks of it."""

import numpy as np
from flask import Blueprint, Response, current_app, redirect, request
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.notation import replay
from app.tictactoe.policy import mix
from app.web import words
from app.web.board_view import board
from app.web.compare.comparison import address as comparison
from app.web.lens import match_opinion
from app.web.match import Match, build, parse, settings
from app.web.moves import moves
from app.web.play.encodings import encoded
from app.web.play.links import auto, links
from app.web.play.snapshots import settle, snapshots
from app.web.play.value_chart import value_chart
from app.web.players import Players, players
from app.web.respond import respond
from app.web.why.page import why_address

bp = Blueprint("play", __name__)
OFFERED_DELAYS = (0.25, 0.5, 1.0, 2.0, 5.0)  # seconds a move
OFFERED_EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0)


@bp.get("/")
@bp.get("/play/")
@bp.get("/play/<record>")
def play(record: str = "") -> Response:
    """Show a position."""
    match = parse(record, request.args, players())
    return respond("play.html", view(match, players()), fragment="_game.html")


@bp.get("/set/")
def choose() -> AnyResponse:
    """Lead from what a form sends, all of its fields, to the plain address of that view.

    A tally belongs to those who played for it: the form names them.
    """
    query = settle(dict(request.args), players())
    if query.get("tally_of") != f"{query.get('x')} {query.get('o')}":
        query.pop("tally", None)
    return redirect(build(parse(query.pop("record", ""), query, players())), 303)


@bp.get("/reply/")
@bp.get("/reply/<record>")
def reply(record: str = "") -> AnyResponse:
    """Draw one move for whoever is to move, and lead to the position after it."""
    match = parse(record, request.args, players())
    position = replay(players().game, match.shown)[-1]
    if players().game.is_over(position):
        raise Conflict(f"The game is over after {len(match.shown)} moves: nobody is to move.")
    chances = reply_chances(match, players(), position)
    cell = current_app.extensions["random"].choices(range(len(chances)), chances)[0]
    response = redirect(build(match.play(cell)), 303)
    response.cache_control.no_store = True
    return response


def reply_chances(match: Match, players: Players, position: int) -> NDArray[np.float64]:
    """Chance of each cell to be played next, by the agent in the seat.

    Where a person sits it is the lens that plays, any of its best moves.
    """
    if match.is_human(match.to_move):
        best = np.array(match_opinion(match, players, position).best)
        chances: NDArray[np.float64] = best / best.sum()
        return chances
    seat = players.policies[match.seat(match.to_move)]
    return mix(seat[position], players.policies["random"][position], match.epsilon)


def view(match: Match, players: Players) -> dict[str, object]:
    """Gather what the templates write down."""
    positions = replay(players.game, match.record)
    position = positions[len(match.shown)]
    hidden = match.hide or players.game.is_over(position)
    seen = None if hidden else match_opinion(match, players, position)
    going_on = auto(match, players, position)
    played = moves(match, players, positions)

    def move_link(cell: int) -> str:
        return build(match.play(cell))

    return {
        "match": match,
        "settings": settings(match),
        "players": players,
        "board": board(players.game, match.shown, seen, None if going_on else move_link),
        "moves": played,
        "chart": value_chart(
            played, int(players.solution.value[0]), len(match.shown), players.game.cells
        ),
        "encodings": encoded(players, position),
        "snapshots": snapshots(match, players, seen.lens) if seen else None,
        "links": links(match, players, position),
        "compare": comparison(match, players),
        "why": why_address(match) if seen else "",
        "auto": going_on,
        "headline": words.headline(match, players, position),
        "status": words.status(match, players, position, going_on is not None),
        "legend": words.legend(match, players, seen) if seen else None,
        "tally": words.tally(match),
        "delays": tuple(sorted({*OFFERED_DELAYS, match.delay})),
        "epsilons": tuple(sorted({*OFFERED_EPSILONS, match.epsilon})),
    }
