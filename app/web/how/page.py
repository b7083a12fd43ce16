"""How all of it works: sections to read, each with a position that can be played on in place."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest

from app.tictactoe.notation import replay
from app.web import words
from app.web.board_view import Board, board
from app.web.how.sections import (
    SECTIONS,
    boards,
    counts,
    legend,
    made,
    odds,
    parameters,
    start,
    unnoticed,
)
from app.web.lens import match_opinion
from app.web.match import Match, build, parse
from app.web.numbers import count, percent
from app.web.players import Players, losing, players
from app.web.respond import respond

bp = Blueprint("how", __name__)
HOW = "/how"


class Example(NamedTuple):
    """A section's board at some position."""

    headline: str
    caption: str  # whose values it shows, "" where the game is over
    board: Board
    back: str  # the address of the position it began with, "" there
    play: str  # the address of the same view on the play page


@bp.get(HOW)
def how() -> Response:
    """Show the page, or the one board that moves."""
    at, match = requested(request.args, players())
    fragment = "how/_swap.html" if at else ""
    return respond("how.html", view(at, match, players()), fragment=fragment)


def requested(query: Mapping[str, str], players: Players) -> tuple[str, Match]:
    """Read whose board has moved, "" for nobody's, and where it is now.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    at, record = query.get("at", ""), query.get("record", "")
    if not at:
        if record:
            raise BadRequest("record needs at, the section whose board it is, in the same address.")
        return "", Match()
    if at not in boards(players):
        raise BadRequest(f"There is no board {at!r}. There are: {', '.join(boards(players))}.")
    start = SECTIONS[at].start
    return at, start.go(parse(record, {}, players).record) if record else start


def address(at: str, record: str = "") -> str:
    """Return the address of the page with a section's board after a record, or as it begins."""
    query = {"at": at} | ({"record": record} if record else {})
    return f"{HOW}?{urlencode(query)}#{at}"


def view(at: str, match: Match, players: Players) -> dict[str, object]:
    """Gather what the templates write down; what only some of them need is a function."""
    return {
        "id": at,
        "sections": SECTIONS,
        "boards": boards(players),
        "example": lambda id: example(players, id, match if id == at else SECTIONS[id].start),
        "start": partial(start, players),
        "made": partial(made, players),
        "legend": partial(legend, players),
        "parameters": partial(parameters, players),
        "cards": {name: agent.card for name, agent in players.agents.items()},
        "losing": partial(losing, players),
        "counts": counts(players),
        "odds": partial(odds, players),
        "unnoticed": unnoticed,
        "count": count,
        "percent": percent,
    }


def example(players: Players, id: str, match: Match) -> Example:
    """Lay out a section's board."""
    position = replay(players.game, match.record)[-1]
    seen = None if players.game.is_over(position) else match_opinion(match, players, position)
    headline = words.headline(match, players, position)
    return Example(
        headline=headline,
        caption=words.legend(match, players, seen).caption if seen else "",
        board=board(
            players.game,
            match.record,
            seen,
            lambda cell: address(id, match.play(cell).record),
            f"{id}-board",
            f"{SECTIONS[id].title}: {headline}",
        ),
        back=address(id) if match != SECTIONS[id].start else "",
        play=build(match),
    )
