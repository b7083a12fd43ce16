"""Reading of a table in any usual notation: its moves and values by position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tables.boards import CELL_COUNT, SignScheme, collect_boards
from app.tables.options import DEFAULT_OPTIONS, TableOptions
from app.tables.rows import Row, read_rows
from app.tables.values import (
    KeyValuePairs,
    TableError,
    TableItem,
    flatten_lists,
    parse_cell,
    parse_move,
    parse_number,
    parse_value,
    parse_values,
    quote_item,
)
from app.tictactoe.game import Game, O
from app.tictactoe.policy import CellMask

MAX_LISTED_ROWS = 20  # maximum number of unreadable rows listed in a message
# From this number of positions on, all in different symmetry classes, each represents its class.
MIN_CLASSES = 20
# Values are in X's view if at least this many winning moves of O have their position's lowest value.
MIN_WINS = 3


@dataclass(frozen=True, eq=False)
class TableReading:
    """The result of reading a table: its moves, its values, and the rows that could not be read."""

    # [D, cells] the moves played; several moves of a decision have equal chances
    chosen_moves: CellMask
    # [D, cells] mover's view, NaN without a value; None if the table has moves only
    q: NDArray[np.float64] | None
    position_count: int  # number of decisions in the table
    notes: list[str]  # sentences for the user on how the table was read
    unread_reasons: list[str]  # the first unreadable rows, with reasons
    unread_count: int  # number of all unreadable rows

    @property
    def summary_sentence(self) -> str:
        """The numbers of positions read and of rows that could not be read, as a sentence."""
        rows = f" {self.unread_count:,} could not be read." if self.unread_count else ""
        return f"Read: {self.position_count:,} of {len(self.chosen_moves):,} positions.{rows}"

    @property
    def fault_sentence(self) -> str:
        """The rows that could not be read, as a sentence; "" if every row could be read."""
        more = self.unread_count - len(self.unread_reasons)
        parts = [*self.unread_reasons]
        if more:
            parts.append(f"{more:,} more rows")
        return "; ".join(parts)


def read_table(
    game: Game, file_content: bytes, options: TableOptions = DEFAULT_OPTIONS
) -> TableReading:
    """Return the moves and values in the bytes of a file: JSON, a Python literal, CSV or npz.

    Raises TableError, naming the row where there is one, if the file holds nothing
    readable.
    """
    if game.cells != CELL_COUNT:
        raise TableError("only tables of boards with nine cells can be read")
    return TableReader(game, read_rows(game, file_content), options).read()


class RowCells(NamedTuple):
    """The cells that a row of a table names, with their values."""

    cells: Sequence[int]
    values: Sequence[float]
    has_values: bool  # False if the row names a move without a value


class TableReader:
    """A reader of the rows of one table; `read` calls the other methods in order."""

    def __init__(self, game: Game, rows: list[Row], options: TableOptions) -> None:
        """Store the rows and the user's options, for `read`."""
        self.game = game
        self.rows = rows
        self.options = options
        self.notes: list[str] = []
        self.faults: dict[int, str] = {}  # row number -> why the row cannot be read
        self.legal = game.legal.tolist()
        # a cache of `parse_move_numbers`, because tables have few different moves
        self.move_numbers: dict[TableItem, tuple[int, ...]] = {}
        self.q = np.full(game.legal.shape, np.nan)
        self.has_values = False
        self.found: NDArray[np.bool_]  # [D] whether the table has the decision

    def read(self) -> TableReading:
        """Return the table's moves and values; raises TableError if no row can be read."""
        boards, self.board_indices, self.extra_items_by_row = collect_boards(
            [row.board for row in self.rows]
        )
        for row in np.flatnonzero(self.board_indices < 0).tolist():
            self.add_fault(row, "this is no board")
        if boards is None:
            raise TableError(f"no board was found in it{self.describe_first_fault()}")
        self.boards = boards
        scheme = boards.find_scheme(self.game, self.options.boards)
        self.notes.append(scheme.description)
        is_reversed = self.are_digits_reversed(scheme)
        positions = boards.find_positions(self.game, scheme, is_reversed)
        self.read_values(positions)
        if not self.found.any():
            raise TableError(
                f"no position that is to be played in was found{self.describe_first_fault()}"
            )
        if self.has_values:
            self.convert_to_movers_view()
        chosen_moves = self.fill_missing_positions(self.choose_best_moves())
        rows = sorted(self.faults)
        return TableReading(
            chosen_moves=chosen_moves,
            q=self.q if self.has_values else None,
            position_count=int(self.found.sum()),
            notes=self.notes,
            unread_reasons=[
                f"{self.rows[row].name}: {self.faults[row]}"
                for row in rows[:MAX_LISTED_ROWS]
            ],
            unread_count=len(rows),
        )

    def add_fault(self, row_index: int, fault: str) -> None:
        """Record the reason why a row cannot be read.

        Rows without a label come from an array indexed by base-3 number. Many of these numbers
        are not boards, so faults of such rows are not recorded.
        """
        if self.rows[row_index].label:
            self.faults[row_index] = fault

    def describe_first_fault(self) -> str:
        """Return the first fault as the end of a sentence, "" if there are no faults."""
        if not self.faults:
            return ""
        row = min(self.faults)
        return f": {self.rows[row].name}: {self.faults[row]}"

    def are_digits_reversed(self, scheme: SignScheme) -> bool:
        """Return whether base-3 numbers are reversed: the top left cell is the last digit."""
        if not self.boards.is_base3_number.any():
            return False
        is_reversed = self.options.digits == "last"
        if self.options.digits == "auto":
            taken = [
                self.count_rows_with_illegal_moves(
                    self.boards.find_positions(self.game, scheme, way)
                )
                for way in (False, True)
            ]
            is_reversed = taken[1] < taken[0]
        digit = "last" if is_reversed else "first"
        self.notes.append(f"Base-3 numbers: the top left square is the {digit} digit.")
        return is_reversed

    def count_rows_with_illegal_moves(self, positions: NDArray[np.intp]) -> int:
        """Return the number of rows with a base-3 number and an illegal move or a value for one."""
        taken = 0
        for row, board in enumerate(self.board_indices.tolist()):
            if board < 0 or not self.boards.is_base3_number[board]:
                continue
            position = positions[board]
            if 0 <= position < self.game.decisions:
                taken += self.uses_illegal_moves(row, self.legal[position])
        return taken

    def uses_illegal_moves(self, row_index: int, legal: list[bool]) -> bool:
        """Return whether a row has an illegal move, or a value for one, in its position."""
        value = self.rows[row_index].value
        if isinstance(value, list) and not isinstance(value, KeyValuePairs):
            given = [parse_number(item) is not None for item in flatten_lists(value)]
            return len(given) == len(legal) and not all(given) and given != legal
        moves = (
            [key for key, _ in value]
            if isinstance(value, KeyValuePairs)
            else [self.find_move(row_index)]
        )
        cells = [parse_cell(self.parse_move_numbers(move), 0) for move in moves]
        return any(cell is not None and not legal[cell] for cell in cells)

    def find_move(self, row_index: int) -> TableItem:
        """Return the move of a row: in its own field, with its board, or as its only value."""
        if self.rows[row_index].move is not None:
            return self.rows[row_index].move
        beside = self.extra_items_by_row[row_index]
        if beside:
            return list(beside) if len(beside) > 1 else beside[0]
        return self.rows[row_index].value

    def parse_move_numbers(self, move_item: TableItem) -> tuple[int, ...]:
        """Return the numbers of a move, () if the item is not a move; results are cached."""
        if isinstance(move_item, list):
            return parse_move(move_item)
        numbers = self.move_numbers.get(move_item)
        if numbers is None:
            numbers = self.move_numbers[move_item] = parse_move(move_item)
        return numbers

    def read_values(self, positions: NDArray[np.intp]) -> None:
        """Store the values of all rows in `q`; a move without a value is stored as 1."""
        first_cell = self.find_first_cell_number()
        finished = 0
        # index of each value in a flat q, which is position * cells + cell, in the order of the rows
        pair_indices: list[int] = []
        pair_values: list[float] = []
        for row, board in enumerate(self.board_indices.tolist()):
            if board < 0:
                continue
            position = int(positions[board])
            if position < 0:
                self.add_fault(row, "no game comes to this board")
            elif position >= self.game.decisions:
                finished += 1
            else:
                try:
                    read = self.read_cells(row, self.legal[position], first_cell)
                except TableError as error:
                    self.add_fault(row, str(error))
                    continue
                first_pair = position * self.game.cells
                pair_indices.extend([first_pair + cell for cell in read.cells])
                pair_values.extend(read.values)
                self.has_values |= read.has_values
        self.store_values(
            np.array(pair_indices, np.intp), np.array(pair_values, np.float64)
        )
        if first_cell:
            self.notes.append("Moves are counted from 1.")
        if finished:
            self.notes.append(f"Finished games, left out: {finished:,}.")

    def store_values(
        self, pairs: NDArray[np.intp], new_values: NDArray[np.float64]
    ) -> None:
        """Store values in `q`; illegal moves are skipped, and a later value replaces an earlier one."""
        is_legal = self.game.legal.reshape(-1)[pairs]
        is_known = is_legal & ~np.isnan(new_values)
        pairs = pairs[is_known]
        new_values = new_values[is_known]
        table = self.q.reshape(-1)
        table[pairs] = new_values
        overwritten = len(np.unique(pairs[table[pairs] != new_values]))
        if overwritten:
            self.notes.append(
                f"Moves with two different values: {overwritten:,}. The last value counts."
            )
        self.found = (~np.isnan(self.q)).any(axis=1)

    def find_first_cell_number(self) -> int:
        """Return the first number of cells, rows and columns: 0 or 1."""
        single_numbers: set[int] = set()
        row_and_column_numbers: set[int] = set()
        for row, board in enumerate(self.board_indices.tolist()):
            for move in self.list_move_items(row) if board >= 0 else []:
                numbers = self.parse_move_numbers(move)
                (
                    single_numbers if len(numbers) == 1 else row_and_column_numbers
                ).update(numbers)
        is_from_1 = (9 in single_numbers and 0 not in single_numbers) or (
            3 in row_and_column_numbers and 0 not in row_and_column_numbers
        )
        return 1 if is_from_1 else 0

    def list_move_items(self, row_index: int) -> list[TableItem]:
        """Return the items of a row that name cells."""
        value = self.rows[row_index].value
        if isinstance(value, KeyValuePairs):
            return [key for key, _ in value]
        if isinstance(value, list) and len(flatten_lists(value)) != 2:
            return []
        return [self.find_move(row_index)]

    def read_cells(
        self, row_index: int, legal: list[bool], first_cell_number: int
    ) -> RowCells:
        """Return the cells and values of a row; raises TableError if they cannot be read."""
        value = self.rows[row_index].value
        move = self.rows[row_index].move
        if isinstance(value, KeyValuePairs):
            cells = [self.read_cell(key, first_cell_number) for key, _ in value]
            return RowCells(cells, parse_values(item for _, item in value), True)
        if isinstance(value, list):
            listed = self.read_listed_values(
                flatten_lists(value), legal, first_cell_number
            )
            if listed:
                return listed
        elif value is None:
            return RowCells([], [], False)
        elif move is not None or self.extra_items_by_row[row_index]:
            cell = self.read_cell(self.find_move(row_index), first_cell_number)
            return RowCells([cell], [parse_value(value)], True)
        cell = self.read_cell(value, first_cell_number)
        if not legal[cell]:
            raise TableError("the move is on a taken square")
        return RowCells([cell], [1.0], False)

    def read_listed_values(
        self, value_items: list[TableItem], legal: list[bool], first_cell_number: int
    ) -> RowCells | None:
        """Return the values of all cells or of the free cells; None if two items name a cell.

        Raises TableError for another number of items.
        """
        if len(value_items) == len(legal):
            return RowCells(range(len(legal)), parse_values(value_items), True)
        free = [cell for cell, is_free in enumerate(legal) if is_free]
        is_move = (
            len(value_items) == 2
            and parse_cell(parse_move(value_items), first_cell_number) is not None
        )
        if len(value_items) == len(free) and not is_move:
            return RowCells(free, parse_values(value_items), True)
        if len(value_items) != 2:
            raise TableError(f"it has {len(value_items)} values, not {len(legal)}")
        return None

    def read_cell(self, move_item: TableItem, first_cell_number: int) -> int:
        """Return the cell of a move; raises TableError if the item is not a move."""
        cell = parse_cell(self.parse_move_numbers(move_item), first_cell_number)
        if cell is None:
            raise TableError(f"{quote_item(move_item)} is no move")
        return cell

    def convert_to_movers_view(self) -> None:
        """Negate the values at O's decisions if the table is in X's view."""
        view = self.options.view
        evidence = ""
        is_o = self.game.to_move == O
        if view == "auto":
            highest, lowest = self.count_wins_of_o()
            view = "x" if lowest > max(highest, MIN_WINS - 1) else "mover"
            if view == "x":
                evidence = (
                    f" Where O can win at once it has the lowest value in {lowest:,} positions, "
                    f"the highest in {highest:,}."
                )
        whom = "X: O plays the lowest" if view == "x" else "the player to move"
        self.notes.append(f"A high value is good for {whom}.{evidence}")
        if view == "x":
            self.q[is_o] *= -1

    def count_wins_of_o(self) -> tuple[int, int]:
        """Return the numbers of winning moves of O with the highest and with the lowest value.

        Positions with equal values only are not counted.
        """
        game = self.game
        known = self.q[(game.to_move == O)]
        wins = find_winning_moves(game)[game.to_move == O]
        highest = np.fmax.reduce(known, axis=1)
        lowest = np.fmin.reduce(known, axis=1)
        differ = highest > lowest
        with_highest = (wins & (known == highest[:, None])).any(axis=1) & differ
        with_lowest = (wins & (known == lowest[:, None])).any(axis=1) & differ
        return int(with_highest.sum()), int(with_lowest.sum())

    def choose_best_moves(self) -> CellMask:
        """Return the moves with the highest value, [D, cells]; none in a position without values."""
        best = np.fmax.reduce(self.q, axis=1)
        best_moves: CellMask = (self.q == best[:, None]) & self.game.legal
        several = int((best_moves.sum(axis=1) > 1).sum())
        is_first = self.options.ties == "first"
        if several and self.has_values:
            which = "the first" if is_first else "any"
            self.notes.append(
                f"Several moves with the highest value in {several:,} positions: the agent "
                f"plays {which} of these moves."
            )
        return keep_first_move(best_moves) if is_first else best_moves

    def fill_missing_positions(self, chosen_moves: CellMask) -> CellMask:
        """Return `chosen_moves` with moves for the missing positions, by the user's option."""
        game = self.game
        rule = self.options.missing
        if rule == "auto":
            classes = game.symmetry_class[: game.decisions][self.found]
            are_canonical = len(classes) >= MIN_CLASSES and len(set(classes)) == len(
                classes
            )
            rule = "image" if are_canonical else "any"
        missing = ~self.found
        copied = (
            self.copy_symmetric_moves(chosen_moves, missing) if rule == "image" else 0
        )
        moves = keep_first_move(game.legal) if rule == "first" else game.legal
        chosen_moves[missing] = moves[missing]
        if copied:
            self.notes.append(
                f"Copied from a symmetric position that the table has: {copied:,} positions."
            )
        if missing.any():
            what = "the first empty square" if rule == "first" else "any empty square"
            self.notes.append(
                f"Missing: {missing.sum():,} positions. In these positions the agent plays {what}."
            )
        return chosen_moves

    def copy_symmetric_moves(
        self, chosen_moves: CellMask, is_missing: NDArray[np.bool_]
    ) -> int:
        """Copy the moves of symmetric positions to missing positions; return the number of copies.

        Updates `chosen_moves`, [D, cells], and `is_missing`, [D], in place.
        """
        game = self.game
        missing_count = int(is_missing.sum())
        for image, cells in zip(game.symmetric_positions, game.symmetries, strict=True):
            sources = np.flatnonzero(self.found)
            targets = image[sources]
            # A symmetry maps different positions to different positions, so no target repeats.
            needs_copy = is_missing[targets]
            sources = sources[needs_copy]
            targets = targets[needs_copy]
            chosen_moves[targets] = chosen_moves[sources][:, cells]
            is_missing[targets] = False
        return missing_count - int(is_missing.sum())


def keep_first_move(chosen_moves: CellMask) -> CellMask:
    """Return a mask of only the first chosen move of each position, [D, cells]."""
    first_moves: CellMask = chosen_moves & (chosen_moves.cumsum(axis=1) == 1)
    return first_moves


def find_winning_moves(game: Game) -> NDArray[np.bool_]:
    """Return whether each move wins at once, [D, cells]."""
    ends = game.successor >= game.decisions
    wins = np.zeros(game.legal.shape, np.bool_)
    outcome = game.outcome[game.successor[ends] - game.decisions]
    wins[ends] = outcome != 0
    return wins
