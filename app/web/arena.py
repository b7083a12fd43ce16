"""The arena: everybody as X against everybody as O, and the league that comes of it."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest

from app.tictactoe.arena import Chances, League, league, round_robin, score
from app.web.agents import address
from app.web.lens import HEAT_STEPS
from app.web.match import Match, build
from app.web.numbers import percent, signed
from app.web.players import Players, players
from app.web.respond import respond

bp = Blueprint("arena", __name__)


class Show(NamedTuple):
    """A figure that the table can show, and how it is coloured."""

    title: str
    of: Callable[[Chances], Chances]  # takes it, [...], from chances of win, draw, loss, [..., 3]
    write: Callable[[float], str]
    most: int  # the heat of its 1; that of its 0 is 0
    heats: range  # colours of the legend
    ends: Sequence[tuple[str, ...]]  # what the first colour, the middle and the last stand for
    reading: str


def _signed(score: float) -> str:
    """Write a score, without decimals where every game of a pair ends the same."""
    return signed(score, 0 if score in (-1, 0, 1) else 2)


def _chance(title: str, number: int, most: int, who: str) -> Show:
    of, ends = itemgetter((..., number)), [("0%",), ("50%",), ("100%",)]
    heats = range(0, most + most // 10, most // 10)
    return Show(title, of, percent, most, heats, ends, f"In percent: {who}.")


SHOWS = {
    "score": Show(
        title="Score",
        of=score,
        write=_signed,
        most=HEAT_STEPS,
        heats=range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 4),
        ends=[("O wins", "−1"), ("0",), ("X wins", "+1")],
        reading="The score is the chance that X wins less the chance that O wins.",
    ),
    "win": _chance("X wins", 0, HEAT_STEPS, "how often X wins"),
    "draw": _chance("Draw", 1, HEAT_STEPS, "how often nobody wins"),
    "loss": _chance("O wins", 2, -HEAT_STEPS, "how often O wins, and X loses"),
}


class Cell(NamedTuple):
    """One match of the table."""

    text: str
    heat: int
    label: str  # who plays whom, and all that can come of it
    href: str


class Row(NamedTuple):
    """One player of the table, as X, against everybody."""

    id: str
    title: str
    cells: list[Cell]


class Standing(NamedTuple):
    """One player of the league."""

    rank: int  # equals share one
    title: str
    href: str  # its page, "" for one who never learned
    score: str
    as_x: str
    as_o: str
    chances: list[str]  # of a win, a draw and a loss, in both seats together
    beaten_by: int


@bp.get("/arena")
def arena() -> Response:
    """Show everybody against everybody."""
    show = request.args.get("show") or "score"
    if show not in SHOWS:
        raise BadRequest(f"show={show} in the address is wrong: show is {', '.join(SHOWS)}.")
    return respond("arena.html", view(show, players()))


def view(show: str, players: Players) -> dict[str, object]:
    """Gather what the template writes down; players come best first."""
    chances = all_chances(players)
    table = league(chances)
    names = list(players.policies)
    order = sorted(range(len(names)), key=lambda player: -table.score[player])
    return {
        "show": show,
        "shows": SHOWS,
        "rows": [_row(SHOWS[show], players, chances, player, order) for player in order],
        "standings": [_standing(players, names[player], table, player) for player in order],
    }


@lru_cache
def all_chances(players: Players) -> Chances:
    """Chances of win, draw and loss for X in each pair, [x, o, 3], in the order of `policies`."""
    return round_robin(players.game, list(players.policies.values()))


def _row(show: Show, players: Players, chances: Chances, x: int, order: list[int]) -> Row:
    names = list(players.policies)
    cells = [_cell(show, players, names[x], names[o], chances[x, o]) for o in order]
    return Row(names[x], players.titles[names[x]], cells)


def _cell(show: Show, players: Players, x: str, o: str, chances: Chances) -> Cell:
    win, draw, loss = (percent(chance) for chance in chances)
    shown = float(show.of(chances))
    return Cell(
        text=show.write(shown),
        heat=round(shown * show.most),
        label=f"{players.titles[x]} as X against {players.titles[o]} as O: X wins {win}%, "
        f"draw {draw}%, O wins {loss}%, score {_signed(float(score(chances)))}",
        href=build(Match(x=x, o=o)),
    )


def _standing(players: Players, name: str, table: League, player: int) -> Standing:
    both = (table.as_x[player] + table.as_o[player]) / 2
    return Standing(
        rank=1 + int((table.score > table.score[player]).sum()),
        title=players.titles[name],
        href=address(name) if name in players.agents else "",
        score=signed(table.score[player]),
        as_x=signed(float(score(table.as_x[player]))),
        as_o=signed(float(score(table.as_o[player]))),
        chances=[percent(chance) for chance in both],
        beaten_by=int(table.beaten_by[player]),
    )
