"""Read the entries of a table: moves, values, and moves with their values.

A row has a board and one or more entries. Entries are read before the meaning of the boards is
known, and a move may still be counted from 0 or from 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.tables.rows import ChosenCells, Row
from app.tables.values import (
    KeyValuePairs,
    TableError,
    TableItem,
    flatten_lists,
    format_item,
    parse_move,
    parse_number,
    parse_value,
    quote_item,
)
from app.tictactoe.game import BoolArray, FloatArray, IndexArray

CELL_COUNT = 9
# In fewer lists, values can be rising whole numbers by chance.
MIN_SCORED_LISTS = 5


class EntryKind(IntEnum):
    """The meaning of the numbers in an entry.

    A CELL is counted from 0. An EMPTY_CELL_INDEX counts only the empty cells of the board, from 0.
    MOVE and ROW_AND_COLUMN are counted from 0 or from 1. ONLY_NUMBER is the only number of its row,
    so it may be a move or the value of the board.
    """

    CELL = 0
    MOVE = 1
    ROW_AND_COLUMN = 2
    EMPTY_CELL_INDEX = 3
    ONLY_NUMBER = 4


@dataclass(frozen=True, eq=False)
class TableEntries:
    """The E entries of a table in the order of its rows, as arrays [E].

    `cell_or_row` is the number of a cell, or of its row if there is a column, or -1 without a move.
    A move without a value is a choice: the agent plays it.
    """

    rows: IndexArray
    kinds: NDArray[np.int8]
    cell_or_row: IndexArray
    column: IndexArray
    values: FloatArray
    is_choice: BoolArray

    def locate_cells(
        self,
        free_cells: IndexArray,
        entry_boards: IndexArray,
        first_number: int,
    ) -> IndexArray:
        """Return the cell of each entry, [E], or -1 if the board has no such cell.

        `free_cells`, [B, 10], has the empty cells of each board, padded with -1, and
        `entry_boards`, [E], has the board of each entry. `first_number`, 0 or 1, is the number of
        the top left square.
        """
        numbers = np.where(
            self.kinds == EntryKind.CELL,
            self.cell_or_row,
            self.cell_or_row - first_number,
        )
        columns = self.column - first_number
        cells = np.where((numbers >= 0) & (numbers < CELL_COUNT), numbers, -1)
        is_square = (numbers >= 0) & (numbers < 3) & (columns >= 0) & (columns < 3)
        pairs = np.where(is_square, 3 * numbers + columns, -1)
        cells = np.where(self.kinds == EntryKind.ROW_AND_COLUMN, pairs, cells)
        is_free = self.kinds == EntryKind.EMPTY_CELL_INDEX
        places = np.clip(self.cell_or_row, -1, CELL_COUNT)
        cells[is_free] = free_cells[entry_boards[is_free], places[is_free]]
        return cells


@dataclass(eq=False)
class EntryCollector:
    """Collects the entries of the rows that can be read, and why the others cannot."""

    faults: dict[int, str] = field(default_factory=dict)
    entries: list[tuple[int, int, int, int, float, bool]] = field(default_factory=list)
    # Tables have few different moves, so most of them are parsed already.
    parsed_moves: dict[TableItem, tuple[int, ...]] = field(default_factory=dict)
    has_move_lists: bool = False

    def collect_entries(
        self, rows: Sequence[Row], extra_items: Sequence[tuple[TableItem, ...]]
    ) -> TableEntries:
        """Return the entries of all rows.

        `extra_items` has moves or values that the table writes in one item with a row's board.
        """
        self.has_move_lists = _has_move_lists(rows)
        for row_number, row in enumerate(rows):
            start = len(self.entries)
            try:
                self.add_row(row_number, row, extra_items[row_number])
            except TableError as error:
                self.faults[row_number] = str(error)
                del self.entries[start:]
        columns = list(zip(*self.entries, strict=True)) or [()] * 6
        kinds = np.intp, np.int8, np.intp, np.intp, np.float64, np.bool_
        return TableEntries(
            *(
                np.array(column, kind)
                for column, kind in zip(columns, kinds, strict=True)
            )
        )

    def add_row(
        self, row_number: int, row: Row, extra_items: tuple[TableItem, ...]
    ) -> None:
        if isinstance(row.value, list):
            self.add_item_list(row_number, row.value)
        elif row.move is not None:
            self.add_move(row_number, row.move, parse_value(row.value))
        elif extra_items:
            value = None if row.value is None else parse_value(row.value)
            self.add_move(row_number, list(extra_items), value)
        elif row.value is not None:
            self.add_single_item(row_number, row.value)

    def add_item_list(self, row_number: int, items: list[TableItem]) -> None:
        """Add the entries of a list: moves with values, moves alone, or the values of all cells."""
        if isinstance(items, KeyValuePairs) or _are_moves_with_values(items):
            for move, item in items:
                self.add_move(row_number, move, parse_value(item))
        elif isinstance(items, ChosenCells) or self.has_move_lists:
            for cell in items:
                self.add_move(row_number, float(cell))
        elif _is_scored_move(items):
            self.add_move(row_number, items[1])
        else:
            self.add_listed_values(row_number, flatten_lists(items))

    def add_listed_values(self, row_number: int, items: list[TableItem]) -> None:
        """Add a value for each cell or each empty cell, but read two small numbers as a move."""
        if len(items) == 2 and max(parse_move(items), default=9) <= 3:
            self.add_move(row_number, items)
            return
        kind = (
            EntryKind.CELL if len(items) == CELL_COUNT else EntryKind.EMPTY_CELL_INDEX
        )
        for place, item in enumerate(items):
            self.entries.append((row_number, kind, place, 0, parse_value(item), False))

    def add_single_item(self, row_number: int, item: TableItem) -> None:
        """Add the only number of a row; raises TableError if it is neither a value nor a move."""
        move, value = self.parse_move_cached(item), parse_number(item)
        if len(move) == 2:
            self.add_move(row_number, item)
        elif value is None:
            raise TableError(f"{quote_item(item)} is no move")
        else:
            first = move[0] if move and move[0] <= CELL_COUNT else -1
            self.entries.append(
                (row_number, EntryKind.ONLY_NUMBER, first, 0, value, False)
            )

    def add_move(
        self, row_number: int, move: TableItem, value: float | None = None
    ) -> None:
        """Add a move; without a value it is a move that the agent plays.

        Raises TableError if the item is no move.
        """
        numbers = self.parse_move_cached(move)
        if isinstance(move, list) and len(move) == CELL_COUNT:
            numbers = _parse_one_hot(move)
        if not numbers or max(numbers) > CELL_COUNT:
            raise TableError(f"{quote_item(move)} is no move")
        kind = EntryKind.ROW_AND_COLUMN if len(numbers) == 2 else EntryKind.MOVE
        stored = 1.0 if value is None else value
        self.entries.append(
            (row_number, kind, numbers[0], numbers[-1], stored, value is None)
        )

    def parse_move_cached(self, move: TableItem) -> tuple[int, ...]:
        if isinstance(move, list):
            return parse_move(move)
        numbers = self.parsed_moves.get(move)
        if numbers is None:
            numbers = self.parsed_moves[move] = parse_move(move)
        return numbers


def _is_scored_move(items: list[TableItem]) -> bool:
    """Return whether a list is a value with a row and a column, such as (1, (2, 0))."""
    return (
        len(items) == 2
        and parse_number(items[0]) is not None
        and isinstance(items[1], list)
        and len(parse_move(items[1])) == 2
    )


def _parse_one_hot(items: list[TableItem]) -> tuple[int, ...]:
    """Return the cell of a move such as [0, 0, 1, 0, 0, 0, 0, 0, 0], () for other lists."""
    cells = [cell for cell, item in enumerate(items) if parse_number(item) != 0]
    return tuple(cells) if len(cells) == 1 else ()


def _has_move_lists(rows: Sequence[Row]) -> bool:
    """Return whether all lists seem to contain moves: whole numbers from 0 to 8 in rising order."""
    lists = [row.value for row in rows if type(row.value) is list]
    sizes = {len(numbers) for numbers in lists}
    # Nine numbers may be values, and two may be a row and a column, so they prove nothing alone.
    if len(lists) < MIN_SCORED_LISTS or not sizes - {2, CELL_COUNT}:
        return False
    return all(
        all(isinstance(item, float) and item in range(CELL_COUNT) for item in numbers)
        and all(a < b for a, b in pairwise(numbers))
        for numbers in lists
    )


def _are_moves_with_values(items: list[TableItem]) -> bool:
    are_pairs = all(isinstance(item, list) and len(item) == 2 for item in items)
    return are_pairs and bool(items) and all(parse_move([move]) for move, _ in items)


@dataclass(frozen=True, eq=False)
class EntryPlaces:
    """The positions and cells of E entries, under one reading of the table; all arrays are [E].

    The position is -1 if no game leads to the board, and the cell is -1 if the board has no such
    cell. `is_decision` is true while the game is not over, and `is_taken` if
    the board is possible but a move on the cell is illegal.
    """

    positions: IndexArray
    cells: IndexArray
    is_decision: BoolArray
    is_legal: BoolArray
    is_taken: BoolArray


def split_players(
    rows: Sequence[Row], extra_items: Sequence[tuple[TableItem, ...]]
) -> tuple[list[tuple[TableItem, ...]], NDArray[np.int64]]:
    """Decide whether the items beside the boards are moves or the players to move.

    Returns the items that are moves, and the player of each row, [rows]: 1 for X or the number 1,
    -1 for O or the number -1, and 0 if the row names no player.
    """
    names = [
        format_item(item[0]).strip("'\" ").upper() if len(item) == 1 else ""
        for item in extra_items
    ]
    used = {name for name, item in zip(names, extra_items, strict=True) if item}
    are_values = all(isinstance(row.value, list) for row in rows)
    if (
        not used
        or not used <= {"X", "O", "1", "-1"}
        or not (used & {"X", "O", "-1"} or are_values)
    ):
        return list(extra_items), np.zeros(len(rows), np.int64)
    signs = {"X": 1, "1": 1, "O": -1, "-1": -1, "": 0}
    return [() for _ in rows], np.array([signs[name] for name in names])
