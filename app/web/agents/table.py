"""The table of all agents: its columns, and the order that the address asks for."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from werkzeug.exceptions import BadRequest

from app.tictactoe.game import SEATS
from app.tictactoe.report import Chances
from app.web.agents.outcomes import Share, shares
from app.web.agents.standings import BEST_RESPONDER, Standing
from app.web.numbers import count

ASCENDING, DESCENDING = "asc", "desc"
ARIA = {ASCENDING: "ascending", DESCENDING: "descending"}
OTHER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}
ANSWERS = {True: "yes", False: "no"}


class Cell(NamedTuple):
    """What a template writes into one cell of the table."""

    text: str = ""
    href: str = ""
    shares: tuple[Share, ...] = ()


class Column(NamedTuple):
    """One column: `value` is what it is sorted by, `cell` what is shown."""

    key: str
    group: str  # a common heading of neighbours, "" for none
    head: str
    order: str  # what a first click on its head sorts to: the best or the most on top
    value: Callable[[Standing], Any]
    cell: Callable[[Standing], Cell]
    kind: str = "number"  # or "title", "text", "outcome"


class Order(NamedTuple):
    """By which column the table is sorted, and which way."""

    sort: str = "blunders"
    order: str = ASCENDING


class Head(NamedTuple):
    """The head of a column."""

    column: Column
    href: str
    aria_sort: str  # "" where the table is not sorted by it


class Group(NamedTuple):
    """Neighbouring heads; without a title they stand alone."""

    title: str
    heads: list[Head]


def parse_order(query: Mapping[str, str]) -> Order:
    """Read the order from the query of a URL; an empty value is as good as none.

    Raises BadRequest, naming the columns or the two orders, if there is no such.
    """
    sort = query.get("sort") or Order().sort
    column = next((column for column in COLUMNS if column.key == sort), None)
    if column is None:
        keys = ", ".join(column.key for column in COLUMNS)
        raise BadRequest(f"The table cannot be sorted by {sort!r}. There are: {keys}.")
    order = query.get("order") or column.order
    if order not in OTHER:
        raise BadRequest(f"order={order} in the address is wrong: order is asc or desc.")
    return Order(sort, order)


def build_order(order: Order) -> str:
    """Write an order as the address of the table."""
    return "/agents" + ("" if order == Order() else "?" + urlencode(order._asdict()))


def ranked(standings: Iterable[Standing], order: Order) -> list[Standing]:
    """Sort the rows; equal ones stay by title, whichever way the others go."""
    by_title = sorted(standings, key=_title)
    value = next(column.value for column in COLUMNS if column.key == order.sort)
    return sorted(by_title, key=value, reverse=order.order == DESCENDING)


def groups(order: Order) -> list[Group]:
    """Lay out the heads; each leads to the table sorted by it, and then to the other way round."""
    heads = [_head(column, order) for column in COLUMNS]
    return [
        Group(title, list(found)) for title, found in groupby(heads, lambda head: head.column.group)
    ]


def _head(column: Column, order: Order) -> Head:
    sorted_by = column.key == order.sort
    way = OTHER[order.order] if sorted_by else column.order
    return Head(column, build_order(Order(column.key, way)), ARIA[order.order] if sorted_by else "")


def _title(standing: Standing) -> str:
    return standing.title.lower()


def _outcome(opponent: str, seat: str, group: str) -> Column:
    def chances(standing: Standing) -> Chances:
        return standing.chances[opponent, seat]

    return Column(
        key=f"{opponent}-{seat}",
        group=group,
        head=f"as {seat.upper()}",
        order=DESCENDING,
        value=chances,  # by games won, then by games drawn
        cell=lambda standing: Cell(shares=tuple(shares(chances(standing)))),
        kind="outcome",
    )


def _unbeatable(seat: str) -> Column:
    return Column(
        key=f"unbeatable-{seat}",
        group="Unbeatable",
        head=f"as {seat.upper()}",
        order=DESCENDING,
        value=lambda standing: standing.unbeatable[seat],
        cell=lambda standing: Cell(ANSWERS[standing.unbeatable[seat]]),
    )


def _count(key: str, group: str, head: str, order: str, value: Callable[[Standing], int]) -> Column:
    return Column(key, group, head, order, value, lambda standing: Cell(count(value(standing))))


FIGURES = [
    Column("title", "", "Agent", ASCENDING, _title, lambda it: Cell(it.title, it.href), "title"),
    _count("blunders", "", "Blunders", ASCENDING, lambda it: it.blunders),
    *map(_unbeatable, SEATS),
    *(_outcome("random", seat, "Against Random") for seat in SEATS),
    *(_outcome("t-hand", seat, "Against T-hand") for seat in SEATS),
    *(_outcome(BEST_RESPONDER, seat, "Against its best responder") for seat in SEATS),
]
TRAINING = [
    _count("games", "Training", "Games", DESCENDING, lambda it: it.games),
    _count("updates", "Training", "Updates", DESCENDING, lambda it: it.updates),
    Column(
        "kind",
        "",
        "Algorithm",
        ASCENDING,
        lambda it: it.algorithm,
        lambda it: Cell(it.algorithm, it.explained),
        "text",
    ),
    Column(
        "origin", "", "Origin", ASCENDING, lambda it: it.origin, lambda it: Cell(it.origin), "text"
    ),
]
COLUMNS = FIGURES + TRAINING
