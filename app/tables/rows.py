"""Splitting of a file into rows, each a board with its values or its move."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from app.tables.literals import parse_literal
from app.tables.values import (
    KeyValuePairs,
    TableError,
    TableItem,
    format_item,
    quote_item,
)
from app.tictactoe.game import Game
from app.tictactoe.npz import read_array

# Limit for the rows of a table; one with a row for every cell of every position has 49,302 rows.
MAX_ROWS = 50_000
# Limit for the columns of a CSV file; a board of nine columns with nine values has 18.
MAX_COLUMNS = 40
BOARD_NAMES = ("board", "state", "position", "key", "s", "obs", "observation")
MOVE_NAMES = ("action", "move", "cell", "a")
VALUE_NAMES = ("value", "q", "v", "values", "q_value", "q_values", "qvalue", "qvalues")
TABLE_NAMES = ("q", "q_table", "qtable", "table", "policy", "q_values", "states")
KNOWN_FIELD_NAMES = {*BOARD_NAMES, *MOVE_NAMES, *VALUE_NAMES}
CELL_NAMES = tuple("012345678")
LITERAL_PATTERN = re.compile(r"\s*([{\[(]|(defaultdict|OrderedDict|dict|array)\b)")
PICKLE_SIGNATURE, NPY_SIGNATURE, ZIP_SIGNATURE = b"\x80", b"\x93NUMPY", b"PK\x03\x04"


class Row(NamedTuple):
    """A board with its values or its move, as the file writes them."""

    label: str  # "entry 3" or "line 3"; "" in an array indexed by base-3 number
    board: TableItem
    value: TableItem
    move: TableItem = None
    # whether the row is a dict entry, whose key is quoted in messages
    is_entry: bool = False

    @property
    def name(self) -> str:
        """The row's name in a message."""
        return (
            f"{self.label} ({quote_item(self.board)})" if self.is_entry else self.label
        )


def read_rows(game: Game, file_content: bytes) -> list[Row]:
    """Return the rows of a file; raises TableError if the file has no rows."""
    if file_content.startswith(ZIP_SIGNATURE):
        return read_npz_rows(game, file_content)
    if file_content.startswith((PICKLE_SIGNATURE, NPY_SIGNATURE)):
        raise TableError(
            "this is a pickle or npy file: of these only an npz is read, no pickle ever"
        )
    try:
        text = file_content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError("the file is no text in UTF-8") from None
    is_literal = LITERAL_PATTERN.match(text)
    rows = (
        read_literal_rows(game, parse_literal(text))
        if is_literal
        else read_csv_rows(text)
    )
    if len(rows) > MAX_ROWS:
        raise TableError(f"there are more than {MAX_ROWS:,} rows in it")
    return rows


def read_literal_rows(game: Game, literal: TableItem) -> list[Row]:
    """Return the rows of a parsed dict or list."""
    if isinstance(literal, KeyValuePairs):
        return read_pairs_rows(game, literal)
    if not isinstance(literal, list) or not literal:
        raise TableError("this is no table: neither an object nor a list")
    if len(literal) == 3**game.cells:
        return [Row("", float(code), inner) for code, inner in enumerate(literal)]
    return [
        read_item_row(f"entry {number}", item) for number, item in enumerate(literal, 1)
    ]


def read_pairs_rows(game: Game, pairs: KeyValuePairs) -> list[Row]:
    """Return the rows of a dict, which has boards as keys, contains a table, or a table by seat."""
    named = {key.lower(): inner for key, inner in pairs if isinstance(key, str)}
    for name in TABLE_NAMES:
        if isinstance(named.get(name), list):
            return read_literal_rows(game, named[name])
    if pairs and len(named) == len(pairs) and named.keys() <= {"x", "o"}:
        return [
            row for inner in named.values() for row in read_literal_rows(game, inner)
        ]
    return [
        Row(f"entry {number}", key, inner, is_entry=True)
        for number, (key, inner) in enumerate(pairs, 1)
    ]


def read_item_row(label: str, list_item: TableItem) -> Row:
    """Return the row of a list item: an object, a pair, or a board with move and value."""
    if isinstance(list_item, KeyValuePairs):
        return read_named_row(
            label, {format_item(key).lower(): inner for key, inner in list_item}
        )
    if isinstance(list_item, list) and len(list_item) == 2:
        return Row(label, list_item[0], list_item[1])
    if isinstance(list_item, list) and len(list_item) == 3:
        return Row(label, list_item[0], list_item[2], list_item[1])
    return Row(label, None, None)


def get_first_field(
    field_values: Mapping[str, TableItem], field_names: Iterable[str]
) -> TableItem:
    """Return the field with the first of these names that exists, None if there is none."""
    return next(
        (field_values[name] for name in field_names if name in field_values), None
    )


def read_named_row(label: str, field_values: Mapping[str, TableItem]) -> Row:
    """Convert an object with named fields, such as {"board": ..., "value": ...}, to a row."""
    board = get_first_field(field_values, BOARD_NAMES)
    value = get_first_field(field_values, VALUE_NAMES)
    move = get_first_field(field_values, MOVE_NAMES)
    return Row(label, board, move) if value is None else Row(label, board, value, move)


def read_csv_rows(csv_text: str) -> list[Row]:
    """Return the rows of a CSV file, with or without a heading line."""
    csv_text = csv_text.replace("\r\n", "\n").replace("\r", "\n")
    first_line = csv_text.lstrip().partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first_line), ",")
    lines = split_csv_lines(csv_text, delimiter)
    if not lines:
        raise TableError("there is nothing in it")
    heading = [cell.strip().lower() for cell in lines[0][1]]
    if KNOWN_FIELD_NAMES & set(heading):
        return read_headed_rows(heading, lines[1:])
    has_short_cells = all(
        len(cell.strip()) <= 2 for _, cells in lines for cell in cells[:9]
    )
    return [
        read_unheaded_row(f"line {number}", cells, has_short_cells)
        for number, cells in lines
    ]


def split_csv_lines(csv_text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the non-empty records of a CSV file, each with the number of its first line."""
    reader = csv.reader(io.StringIO(csv_text, newline=""), delimiter=delimiter)
    numbered_lines: list[tuple[int, list[str]]] = []
    number = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                numbered_lines.append((number, cells))
            if len(cells) > MAX_COLUMNS:
                raise TableError(
                    f"line {number}: there are more than {MAX_COLUMNS} columns in it"
                )
            if len(numbered_lines) > MAX_ROWS + 1:
                raise TableError(f"there are more than {MAX_ROWS:,} rows in it")
            number = reader.line_num + 1
    except csv.Error as error:
        raise TableError(f"line {number}: this is no CSV: {error}") from None
    return numbered_lines


def read_headed_rows(
    heading: list[str], lines: list[tuple[int, list[str]]]
) -> list[Row]:
    """Return the rows of lines below a heading; missing cells are None."""
    columns = {name: column for column, name in enumerate(heading)}
    board = get_first_field(columns, BOARD_NAMES)
    value = get_first_field(columns, VALUE_NAMES)
    move = get_first_field(columns, MOVE_NAMES)
    row = columns.get("row")
    column = columns.get("column", columns.get("col"))
    digits = [column for column, name in enumerate(heading) if name[-1:] in CELL_NAMES]

    def read_row(label: str, cells: list[str]) -> Row:
        """Return the row that a line of the file describes, given the texts between its separators."""
        cell = partial(_get_cell, cells)
        played: TableItem = cell(move)
        if played is None and cell(row) is not None:
            played = [cell(row), cell(column) or ""]
        if cell(value) is not None:
            return Row(label, cell(board), cell(value), played)
        if played is not None:
            return Row(label, cell(board), played)
        values = [cells[one] for one in digits if one < len(cells)]
        return Row(label, cell(board), values)

    return [read_row(f"line {number}", cells) for number, cells in lines]


def _get_cell(cells: list[str], column: int | None) -> str | None:
    """Return the cell in a column, None if there is none."""
    if column is None or column >= len(cells):
        return None
    return cells[column]


def read_unheaded_row(label: str, cells: list[str], has_short_cells: bool) -> Row:
    """Return the row of a line without a heading, recognised by its number of cells.

    If `has_short_cells`, no cell of the file has a whole board, so a line of ten cells is a board
    and a move.
    """
    match cells:
        case [board, value]:
            row = Row(label, board, value)
        case [board, move, value]:
            row = Row(label, board, value, move)
        case [board, line, column, value]:
            row = Row(label, board, value, [line, column])
        case [*board, move] if len(board) == 9 and has_short_cells:
            row = Row(label, board, move)
        case [board, *values] if len(values) == 9:
            row = Row(label, board, values)
        case [*board, move, value] if len(board) == 9:
            row = Row(label, board, value, move)
        case _ if len(cells) == 18:
            row = Row(label, cells[:9], cells[9:])
        case _:
            row = Row(label, None, None)
    return row


def read_npz_rows(game: Game, file_content: bytes) -> list[Row]:
    """Return the rows of an npz file: its array `q`, or else its first array by name."""
    shapes = [(game.decisions, game.cells), (3**game.cells, game.cells)]
    try:
        table = read_array(file_content, "q", shapes)
    except ValueError as error:
        raise TableError(f"this npz cannot be read: {error}") from None
    codes = (
        game.code[: game.decisions]
        if len(table) == game.decisions
        else range(len(table))
    )
    numbers = np.where(np.isfinite(table), table, np.nan).tolist()
    return [Row("", float(code), row) for code, row in zip(codes, numbers, strict=True)]
