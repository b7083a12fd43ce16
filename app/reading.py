"""Reading of a text that a visitor sends, for a process that has nothing else of the site."""

from app.doctor import Diagnosis, examine_text, is_trace
from app.tables.options import TableOptions
from app.tables.reader import TableReading, read_table
from app.tictactoe.game import tic_tac_toe


def read_or_diagnose(
    content: bytes, options: TableOptions, max_rows: int
) -> TableReading | Diagnosis:
    """Return the reading of a table, or the doctor's diagnosis of a trace of at most `max_rows`.

    Raises TableError as `read_table` does.
    """
    text = content.decode("utf-8-sig", "replace")
    if not is_trace(text):
        return read_table(tic_tac_toe(), content, options)
    diagnosis: Diagnosis = examine_text(text, max_rows=max_rows)
    return diagnosis
