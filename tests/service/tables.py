"""Measurements as tables, for a terminal and for Markdown."""

import re
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

WIDTH = 126  # characters at least: all tables fit


class Table(NamedTuple):
    """Rows of cells under a header; the first cell of a row names the measurement."""

    name: str  # name of the markers in a Markdown file
    title: str
    header: list[str]
    rows: list[list[str]]
    align: str = "right"  # all but the first column; or "left", for words


def show(table: Table) -> None:
    """Print a table."""
    drawn = RichTable(title=table.title, title_justify="left", show_lines=table.align == "left")
    for number, name in enumerate(table.header):
        if table.align == "right":
            drawn.add_column(name, justify="right" if number else "left", no_wrap=not number)
        else:
            drawn.add_column(name, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(escape, row))
    Console(width=max(WIDTH, Console().width)).print(drawn)


def put_into(path: Path, table: Table) -> None:
    """Replace the table between two markers of a Markdown file.

    Raises ValueError unless each marker occurs once.
    """
    start, end = f"<!-- {table.name} -->", f"<!-- /{table.name} -->"
    pattern = re.escape(start) + ".*" + re.escape(end)
    text, found = re.subn(
        pattern, lambda _: f"{start}\n{_markdown(table)}{end}", path.read_text(), flags=re.DOTALL
    )
    if found != 1:
        raise ValueError(f"{path} has not {start} and then {end}, once each")
    path.write_text(text)


def ms(seconds: float) -> str:
    """Return a time as the text of a cell."""
    return f"{1000 * seconds:,.0f} ms"


def _markdown(table: Table) -> str:
    rule = "---:" if table.align == "right" else "---"
    lines = [table.header, ["---", *[rule] * (len(table.header) - 1)], *table.rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
