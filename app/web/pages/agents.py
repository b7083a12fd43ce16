"""The table of all agents: its rows, its columns, and the order that its address asks for."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from flask import Blueprint, Response, request

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web import addresses
from app.web.algorithms import ALGORITHMS
from app.web.match import read_word
from app.web.pictures.curves import Share, shares
from app.web.respond import Page, respond
from app.web.text import STRENGTHS, Character, character
from app.web.world import BEST_RESPONDER, PolicyJudgement, World, world

bp = Blueprint("agents", __name__)

ASCENDING, DESCENDING = "asc", "desc"
ARIA = {ASCENDING: "ascending", DESCENDING: "descending"}
OTHER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}
DECIMALS = 1  # of a chance in percent: the page of an agent has them all


class Player(NamedTuple):
    """One row: an agent, or a player that follows a rule."""

    title: str
    href: str
    character: Character
    judgement: PolicyJudgement
    card: Card | None  # of those who learned


class Column(NamedTuple):
    """One figure; those of one group share a column of the table, one below the other."""

    key: str
    group: str
    head: str
    order: str  # what a first click on its head sorts to: the best or the most on top
    value: Callable[[Player], Any]  # "" for those who never learned, where it is of a training
    kind: str = "number"  # or "title", "text", "outcome"
    mark: str = ""  # the seat that it is about, if it is about one


class Order(NamedTuple):
    """By which column the table is sorted, and which way."""

    sort: str = "blunders"
    order: str = ASCENDING

    @property
    def address(self) -> str:
        """Where the table has this order."""
        return addresses.AGENTS if self == Order() else addresses.AGENTS.to(**self._asdict())

    @property
    def aria(self) -> str:
        """The way, as browsers know it."""
        return ARIA[self.order]

    def by(self, column: Column) -> "Order":
        """Return the order by another column, or by the same the other way round."""
        return Order(column.key, OTHER[self.order] if column.key == self.sort else column.order)


def players(world: World, names: Iterable[str]) -> list[Player]:
    """List players; the link of a baseline is a game against it."""
    return [
        Player(
            world.titles[name],
            addresses.agent(name) if name in world.agents else addresses.play_against(name),
            character(world, name),
            world.judgement(name),
            world.agents[name].card if name in world.agents else None,
        )
        for name in names
    ]


def parse_order(query: Mapping[str, str]) -> Order:
    """Read the order from the query of an address; an empty value is as good as none.

    Raises BadRequest, naming the columns or the two orders, if there is no such.
    """
    columns = {column.key: column for column in COLUMNS}
    sort = read_word("sort", query, columns, Order().sort)
    return Order(sort, read_word("order", query, OTHER, columns[sort].order))


def ranked(players: Iterable[Player], order: Order) -> list[Player]:
    """Sort the rows; equal ones stay by title, whichever way the others go."""
    by_title = sorted(players, key=_title)
    value = next(column.value for column in COLUMNS if column.key == order.sort)
    return sorted(by_title, key=value, reverse=order.order == DESCENDING)


def _title(player: Player) -> str:
    return player.title.lower()


def _learned(value: Callable[[Card], Any]) -> Callable[[Player], Any]:
    return lambda player: value(player.card) if player.card else ""


def _by_seat(
    key: str, group: str, value: Callable[[PolicyJudgement, str], Any], kind: str = "number"
) -> list[Column]:
    def column(seat: str) -> Column:
        return Column(
            key=f"{key}-{seat}",
            group=group,
            head=f"as {seat.upper()}",
            order=DESCENDING,
            value=lambda player: value(player.judgement, seat),
            kind=kind,
            mark=seat.upper(),
        )

    return [column(seat) for seat in SEATS]


def _against(opponent: str, group: str) -> list[Column]:
    """Make the columns of the chances, sorted by games won, then by games drawn."""
    return _by_seat(opponent, group, lambda judged, seat: judged.chances[opponent, seat], "outcome")


COLUMNS = [
    Column("title", "Agent", "Agent", ASCENDING, _title, "title"),
    Column("blunders", "Blunders", "Blunders", ASCENDING, lambda player: player.judgement.blunders),
    *_by_seat("unbeatable", "Unbeatable", lambda judged, seat: judged.unbeatable[seat]),
    *_against("random", "Against Random"),
    *_against("t-hand", "Against T-hand"),
    *_against(BEST_RESPONDER, "Its best responder"),
    Column(
        "kind",
        "Method",
        "Algorithm",
        ASCENDING,
        _learned(lambda card: ALGORITHMS[card.algorithm].title),
        "text",
    ),
    Column("origin", "Method", "Origin", ASCENDING, _learned(lambda card: card.origin), "text"),
    Column("updates", "Training", "Updates", DESCENDING, _learned(lambda card: card.updates)),
    Column("games", "Training", "Games", DESCENDING, _learned(lambda card: card.games)),
]
GROUPS = {title: [*of] for title, of in groupby(COLUMNS, lambda column: column.group)}


class AgentsPage(Page, frozen=True):
    """All agents with their exact figures."""

    template: ClassVar = "agents/agents.html"
    fragment: ClassVar = ("ranking",)

    order: Order
    groups: Mapping[str, list[Column]]  # by title
    shares: Callable[[Chances], list[Share]]  # a cell of chances
    rows: list[Player]
    baselines: list[Player]
    decisions: int  # how many positions could have a blunder
    strengths: Mapping[str, str]  # what each word for a strength means


@bp.get(addresses.AGENTS, strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = parse_order(request.args)
    page = AgentsPage(
        order=order,
        groups=GROUPS,
        shares=partial(shares, decimals=DECIMALS),
        rows=ranked(players(world(), world().agents), order),
        baselines=ranked(players(world(), BASELINES), order),
        decisions=world().game.decisions,
        strengths=STRENGTHS,
    )
    return respond(page)
