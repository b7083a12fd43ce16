"""The table of all agents in the order that its address asks for."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlencode

from werkzeug.exceptions import BadRequest

from app.web.agents import AGENTS
from app.web.agents.columns import ASCENDING, COLUMNS, DESCENDING, Column, title
from app.web.agents.standings import Standing

ARIA = {ASCENDING: "ascending", DESCENDING: "descending"}
OTHER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}


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
    return AGENTS + ("" if order == Order() else "?" + urlencode(order._asdict()))


def ranked(standings: Iterable[Standing], order: Order) -> list[Standing]:
    """Sort the rows; equal ones stay by title, whichever way the others go."""
    by_title = sorted(standings, key=title)
    value = next(column.value for column in COLUMNS if column.key == order.sort)
    return sorted(by_title, key=value, reverse=order.order == DESCENDING)


def groups(order: Order) -> list[Group]:
    """Lay out the heads; each leads to the table sorted by it, and then to the other way round."""
    heads = [_head(column, order) for column in COLUMNS]
    return [
        Group(name, list(found)) for name, found in groupby(heads, lambda head: head.column.group)
    ]


def _head(column: Column, order: Order) -> Head:
    sorted_by = column.key == order.sort
    way = OTHER[order.order] if sorted_by else column.order
    return Head(column, build_order(Order(column.key, way)), ARIA[order.order] if sorted_by else "")
