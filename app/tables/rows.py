"""The rows of a file: a board, and beside it its values, or a move."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from app.tables.literals import parse_literal
from app.tables.values import Pairs, TableError, quote, text_of
from app.tictactoe.game import Game
from app.tictactoe.npz import read_array

# More than a table with a row for every move, illegal ones and finished games included.
MOST_ROWS = 50_000
BOARD_NAMES = ("board", "state", "position", "key", "s", "obs", "observation")
MOVE_NAMES = ("action", "move", "cell", "a")
VALUE_NAMES = ("value", "q", "v", "values", "q_value", "q_values", "qvalue", "qvalues")
TABLE_NAMES = ("q", "q_table", "qtable", "table", "policy", "q_values", "states")
NAMES = {*BOARD_NAMES, *MOVE_NAMES, *VALUE_NAMES}
CELLS = tuple("012345678")
LITERAL = re.compile(r"\s*([{\[(]|(defaultdict|OrderedDict|dict|array)\b)")
PICKLE, NPY, ZIP = b"\x80", b"\x93NUMPY", b"PK\x03\x04"


class Row(NamedTuple):
    """A board with its values, as the file has them."""

    place: str  # "entry 3" or "line 3"; "" in an array by number, where no row is named
    board: Any
    value: Any
    move: Any = None
    is_entry: bool = False  # of a dict: its key, the board, names the row too

    @property
    def name(self) -> str:
        """The row in a message."""
        return f"{self.place} ({quote(self.board)})" if self.is_entry else self.place


def read_rows(game: Game, content: bytes) -> list[Row]:
    """Return the rows of a file; raises TableError if it has none."""
    if content.startswith(ZIP):
        return npz_rows(game, content)
    if content.startswith((PICKLE, NPY)):
        raise TableError(
            "this is a pickle or npy file: of these only an npz is read, no pickle ever"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError("the file is no text in UTF-8") from None
    is_literal = LITERAL.match(text)
    rows = literal_rows(game, parse_literal(text)) if is_literal else csv_rows(text)
    if len(rows) > MOST_ROWS:
        raise TableError(f"there are more than {MOST_ROWS:,} rows in it")
    return rows


def literal_rows(game: Game, value: Any) -> list[Row]:
    """Return the rows of a dict or list."""
    if isinstance(value, Pairs):
        return pairs_rows(game, value)
    if not isinstance(value, list) or not value:
        raise TableError("this is no table: neither an object nor a list")
    if len(value) == 3**game.cells:
        return [Row("", float(code), inner) for code, inner in enumerate(value)]
    return [item_row(f"entry {number}", item) for number, item in enumerate(value, 1)]


def pairs_rows(game: Game, pairs: Pairs) -> list[Row]:
    """Return the rows of a dict: of a table inside it, of one table a seat, or of boards."""
    named = {key.lower(): inner for key, inner in pairs if isinstance(key, str)}
    for name in TABLE_NAMES:
        if isinstance(named.get(name), list):
            return literal_rows(game, named[name])
    if pairs and len(named) == len(pairs) and named.keys() <= {"x", "o"}:
        return [row for inner in named.values() for row in literal_rows(game, inner)]
    return [
        Row(f"entry {number}", key, inner, is_entry=True)
        for number, (key, inner) in enumerate(pairs, 1)
    ]


def item_row(place: str, item: Any) -> Row:
    """Return the row of an item of a list: of an object, a pair, or a board, a move and a value."""
    if isinstance(item, Pairs):
        return named_row(place, {text_of(key).lower(): inner for key, inner in item})
    if isinstance(item, list) and len(item) == 2:
        return Row(place, item[0], item[1])
    if isinstance(item, list) and len(item) == 3:
        return Row(place, item[0], item[2], item[1])
    return Row(place, None, None)


def first_of(named: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return what the first of some names has, None if there is none of them."""
    return next((named[name] for name in names if name in named), None)


def named_row(place: str, named: Mapping[str, Any]) -> Row:
    """Return the row of named fields."""
    board, value, move = (
        first_of(named, names) for names in (BOARD_NAMES, VALUE_NAMES, MOVE_NAMES)
    )
    return Row(place, board, move) if value is None else Row(place, board, value, move)


def csv_rows(text: str) -> list[Row]:
    """Return the rows of a CSV, with a heading or without."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first_line = text.lstrip().partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first_line), ",")
    lines = csv_lines(text, delimiter)
    if not lines:
        raise TableError("there is nothing in it")
    heading = [cell.strip().lower() for cell in lines[0][1]]
    if NAMES & set(heading):
        return headed_rows(heading, lines[1:])
    is_short = all(len(cell.strip()) <= 2 for _, cells in lines for cell in cells[:9])
    return [unheaded_row(f"line {number}", cells, is_short) for number, cells in lines]


def csv_lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the cells of each record that has any, with the number of its first line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines: list[tuple[int, list[str]]] = []
    number = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((number, cells))
            if len(lines) > MOST_ROWS + 1:
                raise TableError(f"there are more than {MOST_ROWS:,} rows in it")
            number = reader.line_num + 1
    except csv.Error as error:
        raise TableError(f"line {number}: this is no CSV: {error}") from None
    return lines


def headed_rows(heading: list[str], lines: list[tuple[int, list[str]]]) -> list[Row]:
    """Return the rows of lines under a heading; cells that a line lacks are None."""
    columns = {name: column for column, name in enumerate(heading)}
    board, value, move = (
        first_of(columns, names) for names in (BOARD_NAMES, VALUE_NAMES, MOVE_NAMES)
    )
    row, column = columns.get("row"), columns.get("column", columns.get("col"))
    digits = [column for column, name in enumerate(heading) if name[-1:] in CELLS]

    def read_row(place: str, cells: list[str]) -> Row:
        def cell(column: int | None) -> str | None:
            return cells[column] if column is not None and column < len(cells) else None

        played: Any = cell(move)
        if played is None and cell(row) is not None:
            played = [cell(row), cell(column) or ""]
        if cell(value) is not None:
            return Row(place, cell(board), cell(value), played)
        if played is not None:
            return Row(place, cell(board), played)
        return Row(
            place, cell(board), [cells[one] for one in digits if one < len(cells)]
        )

    return [read_row(f"line {number}", cells) for number, cells in lines]


def unheaded_row(place: str, cells: list[str], is_short: bool) -> Row:
    """Return the row of cells without a heading, by how many there are.

    `is_short` is whether no cell is a whole board: then ten cells are a board and a move.
    """
    match cells:
        case [board, value]:
            row = Row(place, board, value)
        case [board, move, value]:
            row = Row(place, board, value, move)
        case [board, line, column, value]:
            row = Row(place, board, value, [line, column])
        case [*board, move] if len(board) == 9 and is_short:
            row = Row(place, board, move)
        case [board, *values] if len(values) == 9:
            row = Row(place, board, values)
        case [*board, move, value] if len(board) == 9:
            row = Row(place, board, value, move)
        case _ if len(cells) == 18:
            row = Row(place, cells[:9], cells[9:])
        case _:
            row = Row(place, None, None)
    return row


def npz_rows(game: Game, content: bytes) -> list[Row]:
    """Return the rows of the table in an npz: `q`, or the first array by name."""
    shapes = [(game.decisions, game.cells), (3**game.cells, game.cells)]
    try:
        table = read_array(content, "q", shapes)
    except ValueError as error:
        raise TableError(f"this npz cannot be read: {error}") from None
    codes = (
        game.code[: game.decisions]
        if len(table) == game.decisions
        else range(len(table))
    )
    numbers = np.where(np.isfinite(table), table, np.nan).tolist()
    return [Row("", float(code), row) for code, row in zip(codes, numbers, strict=True)]
