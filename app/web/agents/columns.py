"""The columns of the table of all agents: what each is sorted by, and what it shows."""

from collections.abc import Callable
from typing import Any, NamedTuple

from app.tictactoe.game import SEATS
from app.tictactoe.report import Chances
from app.web.agents.outcomes import Share, shares
from app.web.agents.standings import BEST_RESPONDER, Standing, Training
from app.web.numbers import count

ASCENDING, DESCENDING = "asc", "desc"
DECIMALS = 1  # of a chance in percent: the page of an agent has them all
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


def title(standing: Standing) -> str:
    """Return by what equals are sorted."""
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
        cell=lambda standing: Cell(shares=tuple(shares(chances(standing), DECIMALS))),
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


def _trained(
    key: str,
    group: str,
    head: str,
    value: Callable[[Training], Any],
    cell: Callable[[Training], Cell],
    kind: str = "text",
) -> Column:
    """Make a column that is empty for those who never learned."""
    return Column(
        key=key,
        group=group,
        head=head,
        order=ASCENDING if kind == "text" else DESCENDING,
        value=lambda standing: value(standing.training) if standing.training else 0,
        cell=lambda standing: cell(standing.training) if standing.training else Cell(),
        kind=kind,
    )


def _number(key: str, head: str, value: Callable[[Training], int]) -> Column:
    return _trained(key, "Training", head, value, lambda it: Cell(count(value(it))), "number")


def _blunders(standing: Standing) -> int:
    return standing.blunders


COLUMNS = [
    Column("title", "", "Agent", ASCENDING, title, lambda it: Cell(it.title, it.href), "title"),
    _trained("kind", "", "Algorithm", lambda it: it.kind, lambda it: Cell(it.kind, it.explained)),
    Column("blunders", "", "Blunders", ASCENDING, _blunders, lambda it: Cell(count(it.blunders))),
    *map(_unbeatable, SEATS),
    *(_outcome("random", seat, "Against Random") for seat in SEATS),
    *(_outcome("t-hand", seat, "Against T-hand") for seat in SEATS),
    *(_outcome(BEST_RESPONDER, seat, "Against its best responder") for seat in SEATS),
    _number("games", "Games", lambda it: it.games),
    _number("updates", "Updates", lambda it: it.updates),
    _trained("origin", "", "Origin", lambda it: it.origin, lambda it: Cell(it.origin)),
]
