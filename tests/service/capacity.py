"""How many cores a million people a day would need: a calculation from what was measured."""

from tests.service.rates import Measured
from tests.service.tables import Table

PEOPLE = 1_000_000
PAGES = 10  # a person looks at in a day
MOVES = 60  # a person sees in a day, half of them an agent's
REPLIES = MOVES // 2  # an agent's move is a redirect, and the move that it leads to
FILES = 5  # a new browser loads, once
PEAK = 5  # times the mean of the day
DAY = 24 * 60 * 60  # seconds
FOUND = {"none is": "new", "all are": "kept"}


def table(measured: list[Measured]) -> Table:
    """Add up a day for the rates of one core, if no page or move is kept, and if all are."""
    rates = {each.case.name: each.rate for each in measured}
    requests = PEOPLE * (PAGES + MOVES + REPLIES + FILES)
    rows = []
    for name, word in FOUND.items():
        seconds = PEOPLE * (
            PAGES / rates[f"page, {word}, gzip"]
            + MOVES / rates[f"move, {word}, gzip"]
            + REPLIES / rates["reply"]
            + FILES / rates["htmx itself, gzip"]
        )
        rows.append(
            [
                name,
                f"{requests / DAY:,.0f}",
                f"{PEAK * requests / DAY:,.0f}",
                f"{seconds / DAY:.1f}",
                f"{PEAK * seconds / DAY:.1f}",
            ]
        )
    return Table(
        "capacity",
        f"{PEOPLE:,} people a day: {PAGES} pages, {MOVES} moves, {REPLIES} replies and {FILES} "
        f"files each; at peak {PEAK} times the mean",
        [
            "of pages and moves the server has kept",
            "requests/s",
            "at peak",
            "cores busy",
            "at peak",
        ],
        rows,
    )
