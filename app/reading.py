"""Read what a visitor sends: a table, a trace of updates, or a list of links.

This runs in a process of its own, which imports nothing else of the site.
"""

import re
from typing import NamedTuple

from app.doctor import Diagnosis, examine_text, is_trace
from app.tables.options import TableOptions
from app.tables.reader import TableReading, read_table

# The longest link, to a judged table, has about 2,800 characters.
MAX_LINE_LENGTH = 4_000
LINK_PATTERN = re.compile(r"/(teach/|judge\?)(\S*)")


class ClassLine(NamedTuple):
    """A line of a class list that a teacher pasted: a student's name, and a link in two parts.

    The `kind` is "teach/" or "judge?", and `rest` is what follows it; both are "" without a link.
    """

    number: int
    is_too_long: bool
    name: str = ""
    kind: str = ""
    rest: str = ""


def read_class_lines(text: str, max_lines: int) -> tuple[list[ClassLine], int | None]:
    """Return the first `max_lines` lines with text, and the number of the next one, or None."""
    numbered = enumerate(text.splitlines(), 1)
    lines = [(number, line.strip()) for number, line in numbered if line.strip()]
    next_number = lines[max_lines][0] if len(lines) > max_lines else None
    return [_read_class_line(*line) for line in lines[:max_lines]], next_number


def _read_class_line(number: int, line: str) -> ClassLine:
    if len(line) > MAX_LINE_LENGTH:
        return ClassLine(number, is_too_long=True)
    found = LINK_PATTERN.search(line)
    if not found:
        return ClassLine(number, is_too_long=False)
    before = line[: found.start()]
    # The link begins after the last blank, and the name is all that comes before it.
    name = before[: len(before) - len(re.split(r"\s", before)[-1])].strip(" :,;\t")
    kind, rest = found.groups()
    return ClassLine(number, is_too_long=False, name=name, kind=kind, rest=rest)


def read_table_or_diagnose_trace(
    content: bytes, options: TableOptions, max_rows: int
) -> TableReading | Diagnosis:
    """Read a table, or let the doctor diagnose the first `max_rows` rows of a trace.

    Raises TableError if the table cannot be read.
    """
    text = content.decode("utf-8-sig", "replace")
    if not is_trace(text):
        return read_table(content, options)
    diagnosis: Diagnosis = examine_text(text, max_rows=max_rows)
    return diagnosis
