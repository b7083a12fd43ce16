"""The table of all agents: its rows, its columns, and the order that its address asks for."""

from collections.abc import Callable, Iterable, Mapping
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
from app.web.numbers import count
from app.web.pictures.curves import Share, shares
from app.web.respond import Page, respond
from app.web.text import STRENGTHS, Character, character
from app.web.world import BEST_RESPONDER, PolicyJudgement, World, world

bp = Blueprint("agents", __name__)

ASCENDING, DESCENDING = "asc", "desc"
ARIA = {ASCENDING: "ascending", DESCENDING: "descending"}
OTHER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}
DECIMALS = 1  # of a chance in percent: the page of an agent has them all
ANSWERS = {True: "yes", False: "no"}


class Player(NamedTuple):
    """One row: an agent, or a player that follows a rule."""

    title: str
    href: str
    character: Character
    judgement: PolicyJudgement
    card: Card | None  # of those who learned


class RankingEntry(NamedTuple):
    """One line of a cell of the table."""

    text: str = ""
    href: str = ""
    shares: tuple[Share, ...] = ()


class Column(NamedTuple):
    """One figure: `value` is what it is sorted by, `entry` what is shown.

    Those of one group share a column of the table, one below the other.
    """

    key: str
    group: str
    head: str
    order: str  # what a first click on its head sorts to: the best or the most on top
    value: Callable[[Player], Any]
    entry: Callable[[Player], RankingEntry]
    kind: str = "number"  # or "title", "text", "outcome"
    mark: str = ""  # the seat that it is about, if it is about one


class Order(NamedTuple):
    """By which column the table is sorted, and which way."""

    sort: str = "blunders"
    order: str = ASCENDING


class Head(NamedTuple):
    """The head of a column."""

    column: Column
    href: str
    aria_sort: str  # "" where the table is not sorted by it


class ColumnGroup(NamedTuple):
    """A column of the table."""

    id: str
    title: str
    heads: list[Head]

    @property
    def aria_sort(self) -> str:
        """Which way the table is sorted by one of its figures, "" if by none."""
        return "".join(head.aria_sort for head in self.heads)


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


def address(order: Order) -> str:
    """Return where the table has an order."""
    return addresses.AGENTS if order == Order() else addresses.AGENTS.to(**order._asdict())


def ranked(players: Iterable[Player], order: Order) -> list[Player]:
    """Sort the rows; equal ones stay by title, whichever way the others go."""
    by_title = sorted(players, key=_title)
    value = next(column.value for column in COLUMNS if column.key == order.sort)
    return sorted(by_title, key=value, reverse=order.order == DESCENDING)


def groups(order: Order) -> list[ColumnGroup]:
    """Lay out the heads; each leads to the table sorted by it, and then to the other way round."""
    heads = [_head(column, order) for column in COLUMNS]
    return [
        ColumnGroup(title.split()[-1].lower(), title, list(group))
        for title, group in groupby(heads, lambda head: head.column.group)
    ]


def _head(column: Column, order: Order) -> Head:
    sorted_by = column.key == order.sort
    way = OTHER[order.order] if sorted_by else column.order
    return Head(column, address(Order(column.key, way)), ARIA[order.order] if sorted_by else "")


def _title(player: Player) -> str:
    return player.title.lower()


def _outcome(opponent: str, seat: str, group: str) -> Column:
    def chances(player: Player) -> Chances:
        return player.judgement.chances[opponent, seat]

    return Column(
        key=f"{opponent}-{seat}",
        group=group,
        head=f"as {seat.upper()}",
        order=DESCENDING,
        value=chances,  # by games won, then by games drawn
        entry=lambda player: RankingEntry(shares=tuple(shares(chances(player), DECIMALS))),
        kind="outcome",
        mark=seat.upper(),
    )


def _unbeatable(seat: str) -> Column:
    return Column(
        key=f"unbeatable-{seat}",
        group="Unbeatable",
        head=f"as {seat.upper()}",
        order=DESCENDING,
        value=lambda player: player.judgement.unbeatable[seat],
        entry=lambda player: RankingEntry(ANSWERS[player.judgement.unbeatable[seat]]),
        mark=seat.upper(),
    )


def _text(key: str, head: str, entry: Callable[[Card], RankingEntry]) -> Column:
    """Make a column of words that is empty for those who never learned."""
    return Column(
        key=key,
        group="Method",
        head=head,
        order=ASCENDING,
        value=lambda player: entry(player.card).text if player.card else "",
        entry=lambda player: entry(player.card) if player.card else RankingEntry(),
        kind="text",
    )


def _number(key: str, head: str, value: Callable[[Card], int]) -> Column:
    """Make a column of numbers of the training, empty for those who never learned."""
    return Column(
        key=key,
        group="Training",
        head=head,
        order=DESCENDING,
        value=lambda player: value(player.card) if player.card else 0,
        entry=lambda player: (
            RankingEntry(count(value(player.card))) if player.card else RankingEntry()
        ),
    )


def _algorithm(card: Card) -> RankingEntry:
    return RankingEntry(ALGORITHMS[card.algorithm].title, addresses.how(card.algorithm))


COLUMNS = [
    Column(
        key="title",
        group="Agent",
        head="Agent",
        order=ASCENDING,
        value=_title,
        entry=lambda player: RankingEntry(player.title, player.href),
        kind="title",
    ),
    Column(
        key="blunders",
        group="Blunders",
        head="Blunders",
        order=ASCENDING,
        value=lambda player: player.judgement.blunders,
        entry=lambda player: RankingEntry(count(player.judgement.blunders)),
    ),
    *map(_unbeatable, SEATS),
    *(_outcome("random", seat, "Against Random") for seat in SEATS),
    *(_outcome("t-hand", seat, "Against T-hand") for seat in SEATS),
    *(_outcome(BEST_RESPONDER, seat, "Its best responder") for seat in SEATS),
    _text("kind", "Algorithm", _algorithm),
    _text("origin", "Origin", lambda card: RankingEntry(card.origin)),
    _number("updates", "Updates", lambda card: card.updates),
    _number("games", "Games", lambda card: card.games),
]


class AgentsPage(Page, frozen=True):
    """All agents with their exact figures."""

    template: ClassVar = "agents/agents.html"
    fragment: ClassVar = ("ranking",)

    groups: list[ColumnGroup]
    rows: list[Player]
    baselines: list[Player]
    decisions: int  # how many positions could have a blunder
    strengths: Mapping[str, str]  # what each word for a strength means


@bp.get(addresses.AGENTS, strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = parse_order(request.args)
    page = AgentsPage(
        groups=groups(order),
        rows=ranked(players(world(), world().agents), order),
        baselines=ranked(players(world(), BASELINES), order),
        decisions=world().game.decisions,
        strengths=STRENGTHS,
    )
    return respond(page)
