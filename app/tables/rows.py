"""Split a file into rows, each with a board and its values or its move."""

import csv
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from app.tables.boards import read_board_signs
from app.tables.literals import parse_literal
from app.tables.values import (
    KeyValuePairs,
    TableError,
    TableItem,
    flatten_lists,
    format_item,
    is_whole_number,
    parse_move,
    parse_number,
    quote_item,
)
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.tictactoe.npz import read_array, read_npy

# This is enough for a row for every cell of every position, which are 49,302 rows.
MAX_ROWS = 50_000
# This is enough for a board of nine columns with nine values, which have 18 columns.
MAX_COLUMNS = 40
MAX_UNPACKED_BYTES = 8 << 20
# A text without commas is taken for prose if none of these lines begins with a board.
MAX_PROSE_LINES = 50
CELL_COUNT = 9
BOARD_NAMES = ("board", "state", "position", "key", "s", "obs", "observation")
MOVE_NAMES = ("action", "move", "cell", "a")
MOVES_NAMES = ("actions", "moves")
VALUE_NAMES = ("value", "q", "v", "values", "q_value", "q_values", "qvalue", "qvalues")
TABLE_NAMES = (
    *("q", "q_table", "qtable", "table", "policy", "q_values", "states", "beads"),
    *("v", "values", "state_values", "states_value", "value_function", "estimations"),
)
ROW_NAMES, COLUMN_NAMES = ("row",), ("column", "col")
KNOWN_FIELD_NAMES = {
    *(*BOARD_NAMES, *MOVE_NAMES, *VALUE_NAMES, *ROW_NAMES, *COLUMN_NAMES, "moves")
}
SEAT_NAMES = ({"x", "o"}, {"1", "-1"}, {"1", "2"})
LITERAL_PATTERN = re.compile(r"\s*([{\[(]|[A-Za-z_][\w.]*\()")
ASSIGNMENT_PATTERN = re.compile(
    r"\s*(?:(?:export|default|const|let|var)[^\S\n]+)*"
    r"(?:[A-Za-z_][\w.]*[^\S\n]*=[^\S\n]*)?(?=[{\[(]|[A-Za-z_][\w.]*\()"
)
DECIMAL_COMMA_PATTERN = re.compile(r"-?\d+,\d+(?:[eE]-?\d+)?", re.ASCII)
CHOSEN_CELLS_PATTERN = re.compile(r"[0-8](?:[ ,;][0-8])*")
BOARD_SEPARATORS = ("->", "=>", ":", "=", "|")
# A pickle of protocol 2 or later begins with "\x80"; an earlier one is a text of commands.
PICKLE_PATTERN = re.compile(
    rb"\x80[\x02-\x09]|[(][dl]p\d|c[\w.]{1,80}\n\w{1,80}\n", re.ASCII
)
NPY_SIGNATURE, ZIP_SIGNATURE, GZIP_SIGNATURE = b"\x93NUMPY", b"PK\x03\x04", b"\x1f\x8b"
UTF_16_SIGNATURES = (b"\xff\xfe", b"\xfe\xff")
# Pickles are never loaded here, so users write their table as text with this command.
PICKLE_COMMAND = (
    "python -c \"import pickle; f = lambda x: {f(k): f(v) for k, v in x.items()} if hasattr(x, 'items') "
    "else f(x.tolist()) if hasattr(x, 'tolist') else tuple(map(f, x)) if isinstance(x, (list, tuple)) "
    "else f(vars(x)) if hasattr(x, '__dict__') else x; "
    "open('q.txt', 'w').write(repr(f(pickle.load(open('q.pkl', 'rb')))))\""
)
FOREIGN_SIGNATURES = {
    b"\xac\xed\x00\x05": "an object of Java",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"\x78\x9c": "packed by zlib, as joblib does",
}
ZIPPED_NAMES = {
    b"xl/workbook.xml": "an Excel workbook",
    b"/data.pkl": "a model of PyTorch",
}
PICKLE_FAULT = (
    "this is a pickle, which can run any program and is never loaded here. Write it as text with "
    f"Python, where your program runs, and send q.txt: {PICKLE_COMMAND}"
)
NPY_COMMAND = PICKLE_COMMAND.replace(
    "pickle.load(open('q.pkl', 'rb'))", "numpy.load('q.npy', allow_pickle=True).item()"
).replace("import pickle", "import numpy")

# A line is its number in the file, and the cells of its columns.
NumberedCells: TypeAlias = tuple[int, list[str]]


class ChosenCells(list[int]):
    """The cells that an agent plays with equal probabilities, counted from 0."""


class Row(NamedTuple):
    """A board with its values or its move, as they are in a file.

    Error messages name the row by its label, such as "line 3", and also by its board if the row is
    an entry of a dict (`is_entry`). `fault` is the reason why the row cannot be read, or "".
    """

    label: str
    board: TableItem
    value: TableItem
    move: TableItem = None
    is_entry: bool = False
    fault: str = ""

    @property
    def name(self) -> str:
        return (
            f"{self.label} ({quote_item(self.board)})" if self.is_entry else self.label
        )


def read_rows(file_content: bytes) -> list[Row]:
    if file_content.startswith(GZIP_SIGNATURE):
        file_content = unpack_gzip(file_content)
    if foreign := find_foreign_kind(file_content):
        raise TableError(
            f"this is {foreign}, which is not read here. Write a line with the board, the square and "
            "the value for each entry of the table, separated by commas"
        )
    if file_content.startswith((ZIP_SIGNATURE, NPY_SIGNATURE)):
        return read_array_rows(file_content)
    if PICKLE_PATTERN.match(file_content):
        raise TableError(PICKLE_FAULT)
    is_utf_16 = file_content.startswith(UTF_16_SIGNATURES)
    try:
        text = file_content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise TableError("the file is no text in UTF-8") from None
    rows = read_text_rows(text)
    if len(rows) > MAX_ROWS:
        raise TableError(f"there are more than {MAX_ROWS:,} rows in it")
    return rows


def find_foreign_kind(file_content: bytes) -> str:
    """Return the kind of a file in a foreign format, such as "an Excel workbook", otherwise ""."""
    if file_content.startswith(ZIP_SIGNATURE):
        names = (name for part, name in ZIPPED_NAMES.items() if part in file_content)
    else:
        names = (
            name
            for signature, name in FOREIGN_SIGNATURES.items()
            if file_content.startswith(signature)
        )
    return next(names, "")


def unpack_gzip(packed: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(packed, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise TableError(f"this gzip file cannot be unpacked: {error}") from None
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise TableError(
            f"this gzip file is incomplete, or unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB"
        )
    return content


def read_text_rows(text: str) -> list[Row]:
    """Return the rows of a text: a single literal, a literal on each line, or columns."""
    assignment = ASSIGNMENT_PATTERN.match(text)
    if assignment:
        text = text[assignment.end() :].rstrip().rstrip(";")
    if not LITERAL_PATTERN.match(text):
        return read_line_rows(text)
    try:
        return read_literal_rows(parse_literal(text))
    except TableError:
        rows = list(read_literal_lines(text))
        if not any(row.board is not None for row in rows):
            raise
        return rows


def read_literal_lines(text: str) -> Iterator[Row]:
    """Yield a row for each line, but only one row if the first line has no literal."""
    for number, whole_line in enumerate(text.splitlines()[: MAX_ROWS + 1], 1):
        line = whole_line.strip().rstrip(",")
        if not line:
            continue
        label = f"line {number}"
        row = read_literal_line(label, line)
        yield row or Row(label, None, None, fault="this is neither JSON nor Python")
        if row is None and number == 1:
            return


def read_literal_line(label: str, line: str) -> Row | None:
    """Return the row on a line, or None if the line is no literal.

    The literal is an object, the items of a list without brackets, or a board with its values.
    """
    for opening, closing in ("[]", "{}"):
        try:
            items = parse_literal(f"{opening}{line}{closing}")
        except TableError:
            continue
        if isinstance(items, KeyValuePairs):
            return Row(label, *items[0])
        return read_item_row(label, items[0] if len(items) == 1 else items)
    return None


def read_literal_rows(literal: TableItem) -> list[Row]:
    if isinstance(literal, KeyValuePairs):
        return read_pairs_rows(literal)
    if not isinstance(literal, list) or not literal:
        raise TableError("this is no table: neither an object nor a list")
    if len(literal) == 3**GAME.cells:
        return [Row("", float(code), inner) for code, inner in enumerate(literal)]
    return [
        read_item_row(f"entry {number}", item) for number, item in enumerate(literal, 1)
    ]


def read_pairs_rows(pairs: KeyValuePairs) -> list[Row]:
    """Return the rows of a dict from boards to values or moves, or of the tables inside it."""
    named = {
        format_item(key).lower(): inner
        for key, inner in pairs
        if not isinstance(key, list)
    }
    for name in TABLE_NAMES:
        if isinstance(named.get(name), list):
            return read_literal_rows(named[name])
    if tables := find_inner_tables(pairs, {*named}):
        return [row for table in tables for row in read_pairs_rows(table)]
    return [
        Row(f"entry {number}", key, _unwrap_values(inner), is_entry=True)
        for number, (key, inner) in enumerate(pairs, 1)
    ]


def find_inner_tables(pairs: KeyValuePairs, names: set[str]) -> list[KeyValuePairs]:
    """Return the tables in a dict: one, or one for each seat; [] if the dict itself is a table.

    `names` are the keys of the dict.
    """
    tables = [inner for _, inner in pairs if isinstance(inner, KeyValuePairs)]
    first_keys = [table[0][0] for table in tables if table]
    are_of_boards = bool(first_keys) and all(map(_is_written_board, first_keys))
    if are_of_boards and not any(_is_written_board(key) for key, _ in pairs):
        return tables
    is_by_seat = any(names <= seats for seats in SEAT_NAMES)
    return tables if is_by_seat and len(names) == len(tables) == len(pairs) else []


def _is_written_board(item: TableItem) -> bool:
    """Return whether an item is a board; a short number is none, as it may mean something else."""
    is_number = parse_number(item) is not None and len(str(item)) < CELL_COUNT
    signs = None if is_number else read_board_signs(item)
    return signs is not None and not signs.extra_items


def _unwrap_values(inner: TableItem) -> TableItem:
    """Return the values of an object such as {"q": [...], "visits": 3}, or else the item itself."""
    if not isinstance(inner, KeyValuePairs):
        return inner
    named = {key.lower(): value for key, value in inner if isinstance(key, str)}
    moves = get_first_field(named, MOVES_NAMES)
    if isinstance(moves, list):
        values = _find_value_list(named)
        if values is None:
            return inner
        return KeyValuePairs(zip(moves, values, strict=False))
    if inner and all(isinstance(value, KeyValuePairs) for _, value in inner):
        return KeyValuePairs((move, _unwrap_values(value)) for move, value in inner)
    value = get_first_field(named, VALUE_NAMES)
    return inner if value is None else value


def _find_value_list(named: Mapping[str, TableItem]) -> list[TableItem] | None:
    """Return the list of values in an object, or None if there is not exactly one.

    An object may have a list for each seat, with zeros for the player who is not to move.
    """
    lists = [item for name, item in named.items() if name.startswith("value")]
    used = [item for item in lists if isinstance(item, list) and any(item)]
    found = used or lists[:1]
    return found[0] if len(found) == 1 and isinstance(found[0], list) else None


def read_item_row(label: str, list_item: TableItem) -> Row:
    """Return the row in a list item: an object, or a list that begins with a board."""
    if isinstance(list_item, KeyValuePairs):
        return read_named_row(
            label, {format_item(key).lower(): inner for key, inner in list_item}
        )
    if isinstance(list_item, list) and len(list_item) == 2:
        return Row(label, list_item[0], list_item[1])
    if isinstance(list_item, list) and len(list_item) == 3:
        return Row(label, list_item[0], list_item[2], list_item[1])
    return Row(
        label, None, None, fault=f"{quote_item(list_item)} is no board with values"
    )


def get_first_field(
    field_values: Mapping[str, TableItem], field_names: Iterable[str]
) -> TableItem:
    return next(
        (field_values[name] for name in field_names if name in field_values), None
    )


def read_named_row(label: str, field_values: Mapping[str, TableItem]) -> Row:
    """Return the row in named fields, which come from an object or from a line under a heading.

    If no field has the name of a board, nine fields are its cells. If no field has the name of a
    move or a value, fields with the names of moves have their values.
    """
    find = partial(get_first_field, field_values)
    others = [name for name in field_values if name not in KNOWN_FIELD_NAMES]
    board, value, move = find(BOARD_NAMES), find(VALUE_NAMES), find(MOVE_NAMES)
    if board is None and len(others) == CELL_COUNT:
        board = [field_values[name] for name in others]
    chosen = str(field_values.get("moves", "")).strip()
    # This site offers proofs as files, in which this field lists the cells that the agent plays.
    if CHOSEN_CELLS_PATTERN.fullmatch(chosen):
        return Row(label, board, ChosenCells(map(int, chosen[::2])))
    if move is None and find(ROW_NAMES) is not None:
        move = [find(ROW_NAMES), find(COLUMN_NAMES) or ""]
    if value is not None:
        return Row(label, board, _parse_cell(value), move)
    if move is not None:
        return Row(label, board, move)
    moves = [name for name in others if parse_move(name)]
    return Row(label, board, KeyValuePairs((one, field_values[one]) for one in moves))


def read_line_rows(text: str) -> list[Row]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first_line = next((line for line in text.split("\n") if line.strip()), "")
    if separator := find_board_separator(first_line):
        return list(read_separated_rows(text, separator))
    lines = split_cells(text, first_line)
    if not lines:
        raise TableError("there is nothing in it")
    if heading := find_heading(*lines[0]):
        return read_headed_rows(heading, lines[1:])
    if all(len(cells) in (1, CELL_COUNT) and _are_numbers(cells) for _, cells in lines):
        return read_dense_rows(lines)
    has_short_cells = all(
        len(cell.strip()) <= 2 for _, cells in lines for cell in cells[:CELL_COUNT]
    )
    return [
        read_unheaded_row(f"line {number}", cells, has_short_cells)
        for number, cells in lines
    ]


def split_cells(text: str, first_line: str) -> list[NumberedCells]:
    delimiter = next((sign for sign in "\t;," if sign in first_line), "")
    if first_line.startswith('"'):
        # If a quoted cell has several lines, the delimiter comes only after the first line.
        delimiter = delimiter or ","
    lines = (
        split_csv_lines(text, delimiter) if delimiter else split_lines_at_blanks(text)
    )
    if delimiter == ";":
        lines = [
            (number, [*map(_replace_decimal_comma, cells)]) for number, cells in lines
        ]
    has_empty_column = all(
        len(cells) > 1 and not cells[-1].strip() for _, cells in lines
    )
    if has_empty_column and len(lines) > 1:
        return [(number, cells[:-1]) for number, cells in lines]
    return lines


def _replace_decimal_comma(cell: str) -> str:
    return cell.replace(",", ".") if DECIMAL_COMMA_PATTERN.fullmatch(cell) else cell


def find_heading(number: int, cells: list[str]) -> list[str]:
    """Return the names of the columns if a line is a heading, otherwise [].

    Raises TableError if the heading has no column for the board.
    """
    heading = [cell.strip().lower() for cell in cells]
    known = KNOWN_FIELD_NAMES & {*heading}
    if not known:
        has_moves = len({*map(parse_move, heading[1:])} - {()}) == CELL_COUNT
        is_heading = has_moves and not _is_board(heading[0])
        # pandas writes no heading above the first column, the index. Here the index has the boards.
        return ["board", *heading[1:]] if is_heading else []
    if known.isdisjoint(BOARD_NAMES) and len({*heading} - known) != CELL_COUNT:
        raise TableError(
            f"no board was found in it: line {number}: the heading has no column for the "
            f"board: call it {', '.join(BOARD_NAMES[:3])} or {BOARD_NAMES[3]}"
        )
    return heading


def find_board_separator(line: str) -> str:
    for separator in BOARD_SEPARATORS:
        board, found, rest = line.partition(separator)
        if found and rest.strip() and _is_board(board):
            return separator
    return ""


def _is_board(text: str) -> bool:
    signs = read_board_signs(text) or read_board_signs(text.strip("\"' "))
    return signs is not None and not signs.extra_items


def read_separated_rows(text: str, separator: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n")[: MAX_ROWS + 1], 1):
        if not line.strip():
            continue
        board, _, rest = line.partition(separator)
        board = board if read_board_signs(board) else board.strip("\"' ")
        label = f"line {number}"
        if LITERAL_PATTERN.match(rest):
            yield Row(label, board, _parse_cell(rest))
            continue
        sign = next((sign for sign in (separator, *"\t;,") if sign in rest), None)
        cells = rest.strip().split(sign)
        if len(cells) > 1 and not cells[-1].strip():
            cells.pop()
        yield read_unheaded_row(label, [board, *cells], has_short_cells=False)


def split_lines_at_blanks(text: str) -> list[NumberedCells]:
    """Split lines without commas at blanks, except for blanks in a board at the start of a line."""
    first_lines = text.split("\n", MAX_PROSE_LINES)[:MAX_PROSE_LINES]
    is_table = any(map(_begins_with_board, first_lines))
    # If the text is prose, its first lines are enough to show that it is no table.
    lines = text.split("\n") if is_table else first_lines
    return [
        (number, split_at_blanks(line))
        for number, line in enumerate(lines[: MAX_ROWS + 1], 1)
        if line.strip() and not line.startswith("# ")
    ]


def split_at_blanks(line: str) -> list[str]:
    board, rest = line[:CELL_COUNT], line[CELL_COUNT:]
    has_board = rest[:1].isspace() and " " in board and _is_board(board)
    return [board, *rest.split()] if has_board else line.split(maxsplit=MAX_COLUMNS)


def _begins_with_board(line: str) -> bool:
    words = line.split(maxsplit=1)[:1]
    return _is_board(line[:CELL_COUNT]) or any(
        _is_board(word) or _are_numbers([word]) for word in words
    )


def _are_numbers(cells: list[str]) -> bool:
    return all(
        parse_number(cell) is not None or cell.strip().lower() == "nan"
        for cell in cells
    )


def read_dense_rows(lines: list[NumberedCells]) -> list[Row]:
    """Return rows without boards: line i has the values of the board with the base-3 number i.

    Raises TableError for any other number of lines.
    """
    codes = 3**GAME.cells
    width = len(lines[0][1])
    if len(lines) != codes or any(len(cells) != width for _, cells in lines):
        raise TableError(
            f"no board was found in it: line {lines[0][0]}: this is no board but {width} "
            f"number{'s' * (width > 1)}. Lines without boards are read if there are {codes:,} of "
            f"them, one for each base-3 number of a board, not {len(lines):,}"
        )
    return [
        Row("", float(code), cells if width > 1 else cells[0])
        for code, (_, cells) in enumerate(lines)
    ]


def split_csv_lines(csv_text: str, delimiter: str) -> list[NumberedCells]:
    reader = csv.reader(io.StringIO(csv_text, newline=""), delimiter=delimiter)
    numbered_lines: list[NumberedCells] = []
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


def read_headed_rows(heading: list[str], lines: list[NumberedCells]) -> list[Row]:
    return [
        read_named_row(f"line {number}", dict(zip(heading, cells, strict=False)))
        for number, cells in lines
    ]


def _parse_cell(cell: TableItem) -> TableItem:
    """Parse the list or dict in a cell; other cells stay as they are."""
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("[", "(", "{"):
        return cell
    # numpy prints numbers with blanks instead of commas between them.
    text = re.sub(r"(?<=[\d.\]])\s+(?=[-\d\[])", ", ", cell)
    try:
        return parse_literal(text)
    except TableError:
        return cell


def read_unheaded_row(label: str, cells: list[str], has_short_cells: bool) -> Row:
    """Return the row on a line without a heading, by the number of its cells.

    If `has_short_cells`, no cell of the file is long enough for a board. Then ten cells are the
    nine cells of a board and a move.
    """
    match cells:
        case [board, value]:
            row = Row(label, board, _parse_cell(value))
        case [board, move, value]:
            row = Row(label, board, value, move)
        case [board, line, column, value]:
            row = Row(label, board, value, [line, column])
        case [*board, move] if len(board) == 9 and has_short_cells:
            row = Row(label, board, move)
        case [board, *values] if len(values) == 9:
            row = Row(label, board, values)
        case [board, *pairs] if _are_moves_and_values(board, pairs):
            by_move = KeyValuePairs(zip(pairs[::2], pairs[1::2], strict=True))
            row = Row(label, board, by_move)
        case [*board, move, value] if len(board) == 9:
            row = Row(label, board, value, move)
        case _ if len(cells) == 18:
            row = Row(label, cells[:9], cells[9:])
        case _:
            row = Row(label, None, None, fault=describe_unknown_form(cells))
    return row


def _are_moves_and_values(board: str, cells: list[str]) -> bool:
    """Return whether the cells after a board are moves, each with its value, as in 0, 0.5, 4, -1."""
    moves = [parse_number(cell) for cell in cells[::2]]
    return (
        len(cells) % 2 == 0
        and _is_board(board)
        and all(is_whole_number(move) and move <= CELL_COUNT for move in moves)
        and len(set(moves)) == len(moves)
    )


def describe_unknown_form(cells: list[str]) -> str:
    if not _is_board(cells[0]):
        return describe_no_board(cells[0] if len(cells) == 1 else ",".join(cells))
    if len(cells) == 1:
        return f"the board {quote_item(cells[0])} has no value and no move"
    return (
        f"behind the board {quote_item(cells[0])} there are {len(cells) - 1} columns: a row has a "
        "value, a move and its value, pairs of these, or nine values"
    )


def describe_no_board(item: TableItem, is_quoted: bool = True) -> str:
    """Return a sentence why an item is no board; it quotes the item if `is_quoted`."""
    text = format_item(item)
    if isinstance(item, str) and _is_board(text[:CELL_COUNT]):
        sign = text[CELL_COUNT : CELL_COUNT + 1]
        return (
            f"this is no board: behind the squares {text[:CELL_COUNT]!r} stands {sign!r}. Separate the "
            "columns by commas"
        )
    if isinstance(item, list):
        size = len(flatten_lists(item))
        return f"this is no board: a list of {size} items, not of 9 squares"
    return f"this is no board: {quote_item(item)}" if is_quoted else "this is no board"


def read_array_rows(file_content: bytes) -> list[Row]:
    """Return the rows of an npy file, or of an npz file's array "q" (else its first array)."""
    codes = 3**GAME.cells
    shapes = [
        (GAME.decisions, GAME.cells),
        (codes, GAME.cells),
        (codes,),
        (3,) * GAME.cells + (GAME.cells,),
        # After the cells of the board there are two axes for the row and the column of the move.
        (3,) * (GAME.cells + 2),
        (3,) * GAME.cells,
    ]
    is_npz = file_content.startswith(ZIP_SIGNATURE)
    try:
        table = (
            read_array(file_content, "q", shapes)
            if is_npz
            else read_npy(file_content, shapes)
        )
    except ValueError as error:
        kind = "npz" if is_npz else "npy"
        fault = f"this {kind} cannot be read: {error}"
        if "holds object" in str(error):
            fault += f". It is a pickle, which is never loaded here. Write it as text: {NPY_COMMAND}"
        raise TableError(fault) from None
    numbers = np.where(np.isfinite(table), table, np.nan)
    if len(table) == GAME.decisions:
        return [
            Row("", format_position(GAME, position), row)
            for position, row in enumerate(numbers.tolist())
        ]
    has_cells = table.size > codes
    rows = numbers.reshape((codes, GAME.cells) if has_cells else codes).tolist()
    return [Row("", float(code), row) for code, row in enumerate(rows)]
