"""The arena: every player as X against every player as O, and the league that comes of it."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest

from app.tictactoe.arena import Chances, League, league, score
from app.web import urls
from app.web.facts import play_round_robin
from app.web.formatting import MINUS, format_percent, format_signed, list_choices
from app.web.match import Match, read_word
from app.web.move_values import HEAT_STEPS, HEATS
from app.web.pictures.curves import Share, shares
from app.web.pictures.svg import Sign, inline
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, current_site
from app.web.wording import grade_strength

bp = Blueprint("arena", __name__)


class Show(NamedTuple):
    """A figure that the table can show, and how it is coloured."""

    title: str
    of: Callable[
        [Chances], Chances
    ]  # takes it, [...], from chances of win, draw, loss, [..., 3]
    write: Callable[[float], str]
    heats: range  # colours of the legend: the last is that of its 1, and that of its 0 is 0
    ends: Sequence[
        tuple[str, ...]
    ]  # what the first colour, the middle and the last stand for
    reading: str


def _signed(score: float) -> str:
    """Write a score in whole percent; one that is not all or nothing is never written as that."""
    sign = {True: "+", False: MINUS}[score > 0] if score else ""
    return sign + format_percent(abs(score), 0)


def _chance(title: str, number: int, most: int, who: str) -> Show:
    of, ends = itemgetter((..., number)), [("0%",), ("50%",), ("100%",)]
    heats = range(0, most + most // 10, most // 10)
    return Show(
        title,
        of,
        partial(format_percent, decimals=0),
        heats,
        ends,
        f"In percent: {who}.",
    )


SHOWS = {
    "score": Show(
        title="Score",
        of=score,
        write=_signed,
        heats=HEATS,
        ends=[("O wins", f"{MINUS}100"), ("0",), ("X wins", "+100")],
        reading="The score is the chance that X wins less the chance that O wins, in percent.",
    ),
    "win": _chance("X wins", 0, HEAT_STEPS, "how often X wins"),
    "draw": _chance("Draw", 1, HEAT_STEPS, "how often the game is drawn"),
    "loss": _chance("O wins", 2, -HEAT_STEPS, "how often O wins, and X loses"),
}


class Pairing(NamedTuple):
    """One match of the table."""

    text: str
    heat: int
    label: str  # who plays whom, and all that can come of it
    href: str


class ArenaRow(NamedTuple):
    """One player of the table, as X, against all."""

    id: str
    title: str
    pairings: list[Pairing]


class Standing(NamedTuple):
    """One player of the league."""

    rank: int  # equals share one
    title: str
    href: str  # its page, "" for one who never learned
    strength: str
    score: str
    as_x: str
    as_o: str
    shares: list[Share]  # won, drawn and lost, in both seats together
    beaten_by: int


class ArenaPage(Page, frozen=True):
    """Every player against every player, the weakest first."""

    template: ClassVar = "arena/arena.html"

    show: str  # which of `shows` the table has
    shows: dict[str, Show]
    rows: list[ArenaRow]
    here: int  # the number of the player whose matches are listed one by one
    add: str  # who is there besides, by a recipe; "" without one
    sketch: Markup
    standings: list[Standing]  # the best first


@bp.get(urls.ARENA)
def arena() -> Response:
    """Show every player against every player."""
    site = current_site()
    show = read_word("show", request.args, SHOWS, "score")
    player, add = request.args.get("player", ""), request.args.get("add", "")
    for name in (player, add):
        if name and not site.policies.knows(name):
            raise BadRequest(
                f"There is no player {name!r}. {list_choices(site.policies)}"
            )
    return render_page(arena_page(show, site, player, add))


def arena_page(show: str, site: SiteData, player: str = "", add: str = "") -> ArenaPage:
    """Gather what the template writes down; without a player it is the weakest who learned.

    One more can be added, by a recipe: it is the player, where no other is named.
    """
    names = list(site.policies)
    add = next((name for name in (add, player) if name and name not in names), "")
    player, names = player or add, [*names, add] if add else names
    chances = play_round_robin(site, add)
    table = league(chances)
    order = sorted(range(len(names)), key=lambda number: table.score[number])
    rows = [
        ArenaRow(
            id=names[x],
            title=site.titles[names[x]],
            pairings=[
                _pairing(SHOWS[show], site, names[x], names[o], chances[x, o])
                for o in order
            ],
        )
        for x in order
    ]
    able = [player] if player else site.agents
    here = next(number for number, row in enumerate(rows) if row.id in able)
    return ArenaPage(
        show=show,
        shows=SHOWS,
        rows=rows,
        here=here,
        add=add,
        sketch=_sketch(rows, here),
        standings=[
            _standing(site, names[number], table, number) for number in reversed(order)
        ],
    )


def _pairing(show: Show, site: SiteData, x: str, o: str, chances: Chances) -> Pairing:
    win, draw, loss = (format_percent(chance) for chance in chances)
    shown = float(show.of(chances))
    text = show.write(shown)
    return Pairing(
        text=text,
        heat=round(shown * show.heats[-1]),
        label=f"{text}: {site.titles[x]} as X against {site.titles[o]} as O: X wins {win}%, "
        f"draw {draw}%, O wins {loss}%",
        href=urls.play(Match(x=x, o=o)),
    )


def _sketch(rows: list[ArenaRow], chosen: int) -> Markup:
    """Draw the table; the row and the column of one player stand out, a little apart."""
    size = len(rows)

    def place(number: int) -> float:
        return (
            number
            + (0.25 if number >= chosen else 0)
            + (0.25 if number > chosen else 0)
        )

    squares = sorted(
        (pairing.heat, f"M{place(o):g} {place(x):g}h.9v.9h-.9z")
        for x, row in enumerate(rows)
        for o, pairing in enumerate(row.pairings)
    )
    paths = [
        (heat, "".join(outline for _, outline in alike))
        for heat, alike in groupby(squares, itemgetter(0))
    ]
    label = (
        f"The whole table: {size} players as X, weakest on top, against the same as O"
    )
    box = f'viewBox="0 0 {size + 0.4:g} {size + 0.4:g}" role="img" aria-label="{label}"'
    return inline(
        [Sign("", outline, ("heat", heat)) for heat, outline in paths], "sketch", box
    )


def _standing(site: SiteData, name: str, table: League, player: int) -> Standing:
    win, draw, loss = ((table.as_x[player] + table.as_o[player]) / 2).tolist()
    return Standing(
        rank=int(table.rank[player]),
        title=site.titles[name],
        href=urls.agent(name) if site.agents.knows(name) else "",
        strength=grade_strength(site, name),
        score=format_signed(table.score[player]),
        as_x=format_signed(float(score(table.as_x[player]))),
        as_o=format_signed(float(score(table.as_o[player]))),
        shares=shares((win, draw, loss), 1),
        beaten_by=int(table.beaten_by[player]),
    )
