"""Read a table in any usual notation: find its moves and values for each position.

A *reading* is one way to understand a table: the order of the digits in base-3 numbers, and the
number of the first cell. Values on taken squares speak against a reading.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from app.tables.board_values import read_board_values
from app.tables.boards import (
    CELL_COUNT,
    UNREACHABLE,
    collect_boards,
)
from app.tables.entries import EntryCollector, EntryKind, EntryPlaces, split_players
from app.tables.evidence import (
    could_be_probabilities,
    find_most_common,
    find_winning_moves,
    is_clearly_supported,
    is_contradicted,
)
from app.tables.options import DEFAULT_OPTIONS, TableOptions, ask_for_option
from app.tables.rows import Row, describe_no_board, read_rows
from app.tables.values import TableError, TableItem, format_item
from app.tictactoe.game import GAME, BoolArray, FloatArray, IndexArray, O, X
from app.tictactoe.policy import (
    CellMask,
    Policy,
    find_completing_cells,
    policy_from_values,
)

MAX_LISTED_ROWS = 20
# In a table with fewer positions it can be chance that no two are symmetric. In a larger one it
# means that each position stands for all symmetric ones.
MIN_POSITION_COUNT = 20
# Fewer moves on taken squares do not show that the boards were stored after the moves.
MIN_TAKEN_MOVES = 3
MIN_TAKEN_SHARE = 0.95


@dataclass(frozen=True, eq=False)
class TableReading:
    """The moves and values in a table, and the rows that could not be read.

    The values `q`, [D, cells], are in the mover's view, NaN where there is none; `q` is
    None if the table has moves only. `position_count` counts the unfinished positions of the table.
    The notes tell the user how the table was read. If `is_proportional`, the agent
    chooses moves at random, in proportion to their values.
    """

    policy: Policy
    q: FloatArray | None
    position_count: int
    notes: list[str]
    unread_reasons: list[str]
    unread_count: int
    is_proportional: bool

    @property
    def chosen_moves(self) -> CellMask:
        moves: CellMask = self.policy > 0
        return moves

    @property
    def summary_sentence(self) -> str:
        rows = f" {self.unread_count:,} could not be read." if self.unread_count else ""
        return f"Read: {self.position_count:,} of {len(self.policy):,} positions.{rows}"

    @property
    def fault_sentence(self) -> str:
        more = self.unread_count - len(self.unread_reasons)
        parts = [*self.unread_reasons]
        if more:
            parts.append(f"{more:,} more rows")
        return "; ".join(parts)


def read_table(
    file_content: bytes, options: TableOptions = DEFAULT_OPTIONS
) -> TableReading:
    """Read the moves and values in a file: JSON, a Python literal, CSV, npy or npz.

    Raises TableError if nothing can be read; the message names the first row with a fault.
    """
    return TableReader(read_rows(file_content), options).read()


class TableReader:
    def __init__(self, rows: list[Row], options: TableOptions) -> None:
        self.rows = rows
        self.options = options
        self.notes: list[str] = []
        self.faults: dict[int, str] = {}
        self.cell_evidence = ""
        # In a table with a row for every base-3 number, these rows still have initial values. No game
        # may lead to their boards, and this is no fault.
        self.is_untouched = np.zeros(len(rows), np.bool_)
        self.has_values = False
        self.q = np.full(GAME.legal.shape, np.nan)
        self.has_position: BoolArray
        # The last row stands for finished and impossible positions, which have no free cells to play.
        self.free_cells = np.full((GAME.decisions + 1, CELL_COUNT + 1), -1)
        for position, is_free in enumerate(GAME.legal):
            cells = np.flatnonzero(is_free)
            self.free_cells[position, : len(cells)] = cells

    def read(self) -> TableReading:
        extra_items = self.read_boards()
        moves, self.players = split_players(self.rows, extra_items)
        collector = EntryCollector()
        self.entries = collector.collect_entries(self.rows, moves)
        self.entry_faults = collector.faults
        self.scheme, note, self.is_left_out = self.boards.choose_scheme(
            self.options, self.count_informative_rows()
        )
        self.notes.append(note)
        if self.has_board_values():
            self.read_values_of_boards()
        else:
            self.read_values_of_moves()
            if reading := self.read_games_of_o():
                return reading
        self.has_position = (~np.isnan(self.q)).any(axis=1)
        if not self.has_position.any():
            raise TableError(
                f"no position that is to be played in was found{self.describe_first_fault()}"
            )
        policy = self.fill_missing_positions(self.choose_moves())
        rows = sorted(self.faults)
        return TableReading(
            policy=policy,
            q=self.q if self.has_values else None,
            position_count=int(self.has_position.sum()),
            notes=self.notes,
            unread_reasons=[
                f"{self.rows[row].name}: {self.faults[row]}"
                for row in rows[:MAX_LISTED_ROWS]
            ],
            unread_count=len(rows),
            is_proportional=self.options.play == "proportional",
        )

    def read_boards(self) -> list[tuple[TableItem, ...]]:
        """Store the boards of all rows; return moves or values that are written with the boards.

        Raises TableError if no row has a board.
        """
        boards, self.board_indices, extra_items, numeral_note = collect_boards(
            [row.board for row in self.rows]
        )
        self.notes += [numeral_note] if numeral_note else []
        for number in np.flatnonzero(self.board_indices < 0).tolist():
            row = self.rows[number]
            fault = row.fault or describe_no_board(row.board, not row.is_entry)
            self.add_fault(number, fault)
        if boards is None:
            raise TableError(f"no board was found in it{self.describe_first_fault()}")
        self.boards = boards
        return extra_items

    def read_games_of_o(self) -> TableReading | None:
        """Read the table as games that O began; return None if it has games that X began."""
        if self.options.begins != "auto" or not self.is_left_out.any():
            return None
        # A board with as many X as O can come from games of either starter. Its values show whose
        # turn it was.
        of_x, of_o = self.count_completed_lines()
        if not is_clearly_supported(of_o, of_x):
            return None
        options = self.options._replace(begins="o")
        reading = TableReader(self.rows, options).read()
        reading.notes.append(
            "Boards with as many X as O belong to the games of either starter. Their values are "
            "those of O: where X and O could each complete a line, the value of O's square is "
            f"higher on {of_o:,} boards, that of X's on {of_x:,}. So the games that O began are "
            "judged."
        )
        return reading

    def add_fault(self, row_index: int, fault: str) -> None:
        # A table with a row for every base-3 number has many rows that are no boards of any game.
        # These are no faults.
        if self.rows[row_index].label and not self.is_untouched[row_index]:
            self.faults.setdefault(row_index, fault)

    def describe_first_fault(self) -> str:
        if not self.faults:
            return ""
        row = min(self.faults)
        return f": {self.rows[row].name}: {self.faults[row]}"

    def count_informative_rows(self) -> NDArray[np.int64]:
        """Return for each board, [B], the number of its rows, without rows of initial values."""
        entries = self.entries
        untouched = find_most_common(entries.values[~entries.is_choice])
        counts = entries.is_choice | (entries.values != untouched)
        counts &= ~np.isnan(entries.values) | (entries.kinds != EntryKind.CELL)
        is_informative = np.zeros(len(self.rows), np.bool_)
        is_informative[entries.rows[counts]] = True
        is_board = self.board_indices >= 0
        is_number = is_board & self.boards.is_base3_number[self.board_indices]
        # A table with a row for every base-3 number has rows for boards that no game reaches. They
        # keep their initial values.
        if (is_number & is_informative).any():
            self.is_untouched = is_number & ~is_informative
        indices = self.board_indices[is_board & ~self.is_untouched]
        return np.bincount(indices, minlength=len(self.boards.board_signs))

    def find_positions(self, is_reversed: bool) -> IndexArray:
        positions = self.boards.find_positions(self.scheme, is_reversed)
        positions[self.is_left_out] = UNREACHABLE
        row_positions = np.where(
            self.board_indices >= 0, positions[self.board_indices], UNREACHABLE
        )
        self.leave_out_wrong_players(row_positions)
        return row_positions[self.entries.rows]

    def leave_out_wrong_players(self, row_positions: IndexArray) -> None:
        """Set the positions of rows to UNREACHABLE if they name a player who is not to move.

        If at least half of the rows do so, the names mean something else, and nothing is changed.
        """
        is_decision = (row_positions >= 0) & (row_positions < GAME.decisions)
        if not self.players.any() or self.scheme.starter == "mover":
            return
        movers = self.players * (-1 if self.scheme.starter == "o" else 1)
        is_other = is_decision & (movers != 0)
        is_other[is_decision] &= (
            movers[is_decision] != GAME.to_move[row_positions[is_decision]]
        )
        if is_other.sum() < is_decision.sum() / 2:
            row_positions[is_other] = UNREACHABLE

    def locate_entries(self, is_reversed: bool, first_number: int) -> EntryPlaces:
        positions = self.find_positions(is_reversed)
        is_decision = (positions >= 0) & (positions < GAME.decisions)
        row = np.where(is_decision, positions, GAME.decisions)
        cells = self.entries.locate_cells(self.free_cells, row, first_number)
        is_legal = np.zeros(len(cells), np.bool_)
        inside = is_decision & (cells >= 0)
        is_legal[inside] = GAME.legal[row[inside], cells[inside]]
        is_taken = (positions >= 0) & (cells >= 0) & ~is_legal
        return EntryPlaces(positions, cells, is_decision, is_legal, is_taken)

    def count_taken_squares(self, places: EntryPlaces) -> int:
        """Return how many moves and values are on taken squares.

        Rows of nine numbers have a filler, such as 0, on taken squares; it is not counted.
        """
        entries = self.entries
        is_counted = places.is_taken & places.is_decision & ~np.isnan(entries.values)
        sizes = np.bincount(entries.rows, minlength=len(self.rows))[entries.rows]
        is_full = (sizes == CELL_COUNT) & ~entries.is_choice
        filler = find_most_common(entries.values[is_counted & is_full])
        is_counted &= ~(is_full & (entries.values == filler))
        return int(is_counted.sum())

    def has_board_values(self) -> bool:
        """Return whether the only number in a row is the value of the board, and not a move."""
        entries = self.entries
        is_single = entries.kinds == EntryKind.ONLY_NUMBER
        if not is_single.any() or self.options.numbers == "moves":
            return False
        if self.options.numbers == "boards":
            return True
        if 0 < is_single.sum() <= (~is_single).sum() or self.are_taken_moves(is_single):
            return False
        is_number = is_single & (
            (entries.cell_or_row < 0) | (entries.cell_or_row > CELL_COUNT)
        )
        number_count = int(is_number.sum())
        misfits = min(
            int((is_single & ~self.locate_entries(way, first).is_legal).sum())
            for way, first in product(self.list_base3_digit_orders(), (0, 1))
        )
        total = int(is_single.sum())
        are_values = number_count * 5 > total or (
            misfits * 5 > total and misfits >= MIN_POSITION_COUNT
        )
        if are_values:
            self.notes.append(
                f"The numbers are values of boards: {misfits:,} of {total:,} are no possible move."
            )
        return are_values

    def are_taken_moves(self, is_single: BoolArray) -> bool:
        if len(np.unique(self.entries.cell_or_row[is_single])) < MIN_TAKEN_MOVES:
            return False
        return any(
            self.locate_entries(way, first).is_taken[is_single].mean() > MIN_TAKEN_SHARE
            for way, first in product(self.list_base3_digit_orders(), (0, 1))
        )

    def list_base3_digit_orders(self) -> list[bool]:
        """Return the possible orders of digits in base-3 numbers; True is the reversed order."""
        ways = {"first": [False], "last": [True]}.get(self.options.digits)
        return ways or ([False, True] if self.boards.is_base3_number.any() else [False])

    def choose_reading(self) -> EntryPlaces:
        """Choose the reading with the fewest entries on taken squares; return its EntryPlaces."""
        ways = self.list_base3_digit_orders()
        numbers = self.list_first_numbers()
        self.check_taken_moves(ways, numbers)
        taken = {
            (way, number): self.count_taken_squares(self.locate_entries(way, number))
            for way, number in product(ways, numbers)
        }
        fewest = {way: min(taken[way, number] for number in numbers) for way in ways}
        self.is_reversed, number = ways[0], numbers[0]
        if len(ways) > 1:
            self.is_reversed = self.choose_digit_order(fewest[False], fewest[True])
        if len(numbers) > 1:
            number = self.choose_first_number(
                taken[self.is_reversed, 0], taken[self.is_reversed, 1]
            )
        elif number == 1:
            self.notes.append(f"Moves are counted from 1{self.cell_evidence}.")
        if self.boards.is_base3_number.any():
            self.note_digit_order(fewest)
        return self.locate_entries(self.is_reversed, number)

    def choose_digit_order(self, taken_if_first: int, taken_if_last: int) -> bool:
        """Return whether base-3 numbers are reversed; raises TableError if this is not clear.

        The arguments count entries on taken squares, if the top left square is the first or the
        last digit.
        """
        if is_contradicted(taken_if_first, taken_if_last):
            return True
        if is_contradicted(taken_if_last, taken_if_first):
            return False
        places = [self.locate_entries(way, 0) for way in (False, True)]
        is_same = (places[0].positions == places[1].positions).all()
        values = self.entries.values[~self.entries.is_choice]
        has_moves = (
            self.entries.is_choice | (self.entries.kinds == EntryKind.ONLY_NUMBER)
        ).any()
        is_empty = not has_moves and len(np.unique(values)) < 2
        if is_same or is_empty:
            return False
        raise ask_for_option(
            "digits",
            f"If it is the first digit, {taken_if_first:,} moves and values are on taken squares, if it "
            f"is the last digit, {taken_if_last:,}.",
        )

    def note_digit_order(self, fewest_taken: dict[bool, int]) -> None:
        """Tell the user which digit is the top left square.

        `fewest_taken` has the number of entries on taken squares for each order of the digits.
        """
        digit = "last" if self.is_reversed else "first"
        evidence = ""
        if len(fewest_taken) > 1:
            chosen, other = (
                fewest_taken[self.is_reversed],
                fewest_taken[not self.is_reversed],
            )
            evidence = (
                f" (moves and values on taken squares: {chosen:,} against {other:,})"
            )
        self.notes.append(
            f"Base-3 numbers: the top left square is the {digit} digit{evidence}."
        )

    def list_first_numbers(self) -> list[int]:
        """Return the numbers that the top left square can have: [0], [1] or [0, 1]."""
        if self.options.cells != "auto":
            return [int(self.options.cells)]
        entries = self.entries
        is_single = (entries.kinds == EntryKind.MOVE) | (
            entries.kinds == EntryKind.ONLY_NUMBER
        )
        is_pair = entries.kinds == EntryKind.ROW_AND_COLUMN
        numbers = np.concatenate(
            [entries.cell_or_row[is_pair], entries.column[is_pair]]
        )
        lowest = int((entries.cell_or_row[is_single] == 0).sum() + (numbers == 0).sum())
        highest = int(
            (entries.cell_or_row[is_single] == 9).sum() + (numbers == 3).sum()
        )
        self.cell_evidence = f" (0 is in {lowest:,} moves, 9 or row 3 in {highest:,})"
        if is_contradicted(highest, lowest):
            return [1]
        return [0] if lowest or not (is_single | is_pair).any() else [0, 1]

    def choose_first_number(self, taken_from_0: int, taken_from_1: int) -> int:
        """Return the number of the top left square, 0 or 1, and tell the user about it.

        The arguments count moves on taken squares, if moves are counted from 0 or from 1.
        """
        evidence = (
            f"{taken_from_0:,} on taken squares if from 0, {taken_from_1:,} if from 1"
        )
        if is_clearly_supported(taken_from_0, taken_from_1):
            self.notes.append(f"Moves are counted from 1 ({evidence}).")
            return 1
        self.notes.append(
            f"Moves are counted from 0. No number shows it ({evidence}): if 1 is the top left "
            "square, choose cells=1."
        )
        return 0

    def check_taken_moves(
        self, digit_orders: list[bool], first_numbers: list[int]
    ) -> None:
        """Raise TableError if most moves are on squares that are taken on their boards.

        The arguments are results of `list_base3_digit_orders` and `list_first_numbers`.
        """
        entries = self.entries
        is_move = entries.kinds != EntryKind.CELL
        is_move &= entries.kinds != EntryKind.EMPTY_CELL_INDEX
        is_move &= ~np.isnan(entries.values)
        for way in digit_orders:
            places = self.locate_entries(way, first_numbers[0])
            legal = np.unique(entries.rows[is_move & places.is_legal])
            taken = np.setdiff1d(entries.rows[is_move & places.is_taken], legal)
            is_enough = len(taken) >= (
                MIN_TAKEN_MOVES if len(digit_orders) == 1 else MIN_POSITION_COUNT
            )
            if is_enough and len(taken) > 4 * len(legal):
                first = np.flatnonzero(is_move & (entries.rows == taken[0]))[0]
                raise TableError(
                    f"the boards already contain the moves: square {places.cells[first]} of "
                    f"{self.rows[taken[0]].name} is already taken, and so it is in {len(taken):,} of "
                    f"{len(taken) + len(legal):,} rows. The board was changed before it was stored: "
                    "store a copy of the board before the move, and train again"
                )

    def read_values_of_moves(self) -> None:
        """Store the values of all moves in `q`; a move without a value gets the value 1."""
        entries = self.entries
        places = self.choose_reading()
        self.add_row_faults(places)
        is_choice = entries.is_choice | (entries.kinds == EntryKind.ONLY_NUMBER)
        values = np.where(is_choice, 1.0, entries.values)
        rows_with_fault = np.isin(entries.rows, [*self.faults])
        is_stored = places.is_legal & ~np.isnan(values) & ~rows_with_fault
        self.has_values = bool(
            (places.is_decision & ~is_choice & ~rows_with_fault).any()
        )
        pairs = places.positions * GAME.cells + places.cells
        self.store_values(pairs[is_stored], values[is_stored])
        self.note_finished_games(places)
        self.note_taken_squares(places)
        if self.has_values:
            self.convert_to_movers_view()

    def add_row_faults(self, places: EntryPlaces) -> None:
        boards = self.board_indices
        positions = self.boards.find_positions(self.scheme, self.is_reversed)
        is_judged = (boards >= 0) & ~self.is_left_out[boards]
        position = np.where(is_judged, positions[boards], UNREACHABLE)
        for row in np.flatnonzero(is_judged & (position < 0)).tolist():
            self.add_fault(row, "no game comes to this board")
        is_played = (position >= 0) & (position < GAME.decisions)
        for row, fault in self.entry_faults.items():
            if is_played[row]:
                self.add_fault(row, fault)
        is_free = self.entries.kinds == EntryKind.EMPTY_CELL_INDEX
        sizes = np.bincount(self.entries.rows[is_free], minlength=len(self.rows))
        free = GAME.legal.sum(axis=1)
        for row in np.flatnonzero((sizes > 0) & is_played).tolist():
            if sizes[row] != free[position[row]]:
                self.add_fault(row, f"it has {sizes[row]} values, not 9")
        self.add_move_faults(places)

    def add_move_faults(self, places: EntryPlaces) -> None:
        entries = self.entries
        is_wrong = places.is_decision & (places.cells < 0)
        is_wrong &= entries.kinds != EntryKind.EMPTY_CELL_INDEX
        is_choice = entries.is_choice | (entries.kinds == EntryKind.ONLY_NUMBER)
        is_impossible = places.is_taken & is_choice & places.is_decision
        for entry in np.flatnonzero(is_wrong | is_impossible).tolist():
            fault = "the move is on a taken square"
            if is_wrong[entry]:
                fault = f"{self.describe_entry(entry)} is no move"
            self.add_fault(int(entries.rows[entry]), fault)

    def describe_entry(self, entry: int) -> str:
        entries = self.entries
        if entries.kinds[entry] == EntryKind.ROW_AND_COLUMN:
            return f"{entries.cell_or_row[entry]}, {entries.column[entry]}"
        if entries.cell_or_row[entry] < 0:
            return format_item(float(entries.values[entry]))
        return str(entries.cell_or_row[entry])

    def note_finished_games(self, places: EntryPlaces) -> None:
        is_finished = places.positions >= GAME.decisions
        finished = len(np.unique(self.entries.rows[is_finished]))
        if finished and self.rows[0].label:
            self.notes.append(f"Finished games, left out: {finished:,}.")

    def note_taken_squares(self, places: EntryPlaces) -> None:
        taken = self.count_taken_squares(places)
        if taken and self.has_values:
            self.notes.append(f"Values on taken squares, left out: {taken:,}.")

    def store_values(self, pairs: IndexArray, new_values: FloatArray) -> None:
        table = self.q.reshape(-1)
        table[pairs] = new_values
        overwritten = len(np.unique(pairs[table[pairs] != new_values]))
        if overwritten:
            self.notes.append(
                f"Moves with two different values: {overwritten:,}. The last value counts."
            )

    def convert_to_movers_view(self) -> None:
        """Negate the values of each player for whom low values are good."""
        view = self.options.view
        evidence = ""
        if view == "auto":
            highest, lowest = self.count_wins_of_o()
            view = "x" if is_clearly_supported(lowest, highest) else "mover"
            count = (
                f"here O can win at once it has the lowest value in {lowest:,} positions, the "
                f"highest in {highest:,}"
            )
            if view == "x":
                evidence = f" W{count}."
            elif not highest + lowest:
                evidence = " No position shows it: with view=x, O plays the lowest."
            elif not is_clearly_supported(highest, lowest):
                evidence = (
                    f" It is not clear: w{count}. With view=x, O plays the lowest."
                )
        whom = {
            "x": "X: O plays the lowest",
            "o": "O: X plays the lowest",
            "moved": "the player of the move",
        }.get(view, "the player to move")
        self.notes.append(f"A high value is good for {whom}.{evidence}")
        if view in ("x", "o"):
            opponent = O if view == "x" else X
            self.q[GAME.to_move == opponent] *= -1

    def count_wins_of_o(self) -> tuple[int, int]:
        """Count O's winning moves with the highest value, and with the lowest value.

        Positions in which all values are equal do not count.
        """
        known = self.q[(GAME.to_move == O)]
        wins = find_winning_moves()[GAME.to_move == O]
        highest = np.fmax.reduce(known, axis=1)
        lowest = np.fmin.reduce(known, axis=1)
        differ = highest > lowest
        with_highest = (wins & (known == highest[:, None])).any(axis=1) & differ
        with_lowest = (wins & (known == lowest[:, None])).any(axis=1) & differ
        return int(with_highest.sum()), int(with_lowest.sum())

    def count_completed_lines(self) -> tuple[int, int]:
        """Count the boards where the table prefers to complete a line of X, and to block a line of O.

        Only boards count on which X is to move, and on which X and O could each complete a line.
        """
        of_x = find_winning_moves()
        of_o = find_completing_cells(GAME, GAME.board[: GAME.decisions] == O)
        values = [
            np.fmax.reduce(np.where(one, self.q, np.nan), axis=1)
            for one in (of_x & ~of_o, of_o & ~of_x)
        ]
        is_of_x = GAME.to_move != O
        return (
            int((is_of_x & (values[0] > values[1])).sum()),
            int((is_of_x & (values[1] > values[0])).sum()),
        )

    def read_values_of_boards(self) -> None:
        entries = self.entries
        positions = self.find_positions(self.options.digits == "last")
        is_value = (positions >= 0) & (entries.kinds == EntryKind.ONLY_NUMBER)
        values = np.full(GAME.positions, np.nan)
        values[positions[is_value]] = entries.values[is_value]
        for row in np.unique(entries.rows[positions < 0]).tolist():
            if (
                self.board_indices[row] >= 0
                and not self.is_left_out[self.board_indices[row]]
            ):
                self.add_fault(row, "no game comes to this board")
        for row, fault in self.entry_faults.items():
            self.add_fault(row, fault.replace("move", "number"))
        self.q, notes = read_board_values(values, self.options.view)
        self.notes += notes
        self.has_values = True

    def choose_moves(self) -> Policy:
        policy = np.zeros(self.q.shape)
        q = self.q[self.has_position]
        if self.options.play == "proportional" and self.has_values:
            if (q < 0).any():
                raise TableError(
                    "moves cannot be drawn in proportion to values below 0, as it has in "
                    f"{int((q < 0).any(axis=1).sum()):,} positions"
                )
            policy[self.has_position] = policy_from_values(q, "proportional")
            self.notes.append("Moves are drawn in proportion to the values.")
            return policy
        is_first = self.options.ties == "first"
        policy[self.has_position] = policy_from_values(
            q, "first" if is_first else "greedy"
        )
        best = np.fmax.reduce(q, axis=1)
        several = int(((q == best[:, None]).sum(axis=1) > 1).sum())
        if several and self.has_values:
            which = "the first" if is_first else "any"
            self.notes.append(
                f"Several moves with the highest value in {several:,} positions: the agent "
                f"plays {which} of these moves."
            )
        if self.has_values and could_be_probabilities(q):
            self.notes.append(
                "The move with the highest value is played. If the numbers are beads or "
                "probabilities, by which the agent draws its moves, choose play=proportional."
            )
        return policy

    def fill_missing_positions(self, policy: Policy) -> Policy:
        rule = self.options.missing
        if rule == "auto":
            classes = GAME.symmetry_class[: GAME.decisions][self.has_position]
            are_canonical = len(classes) >= MIN_POSITION_COUNT and len(
                set(classes)
            ) == len(classes)
            rule = "image" if are_canonical else "any"
        missing = ~self.has_position
        copied = self.copy_symmetric_moves(policy, missing) if rule == "image" else 0
        no_values = np.where(GAME.legal, 0.0, np.nan)
        policy[missing] = policy_from_values(
            no_values[missing], "first" if rule == "first" else "greedy"
        )
        if copied:
            self.notes.append(
                f"Copied from a symmetric position that the table has: {copied:,} positions."
            )
        if missing.any():
            what = "the first empty square" if rule == "first" else "any empty square"
            self.notes.append(
                f"Missing: {missing.sum():,} positions. In these positions the agent plays {what}."
            )
        return policy

    def copy_symmetric_moves(self, policy: Policy, is_missing: BoolArray) -> int:
        """Copy moves to missing positions from symmetric ones; return how many positions got moves.

        `policy`, [D, cells], and `is_missing`, [D], are changed in place.
        """
        missing_count = int(is_missing.sum())
        for image, cells in zip(GAME.symmetric_positions, GAME.symmetries, strict=True):
            sources = np.flatnonzero(self.has_position)
            targets = image[sources]
            # No two positions have the same image, so no target is set twice in this step.
            needs_copy = is_missing[targets]
            sources = sources[needs_copy]
            targets = targets[needs_copy]
            policy[targets] = policy[sources][:, cells]
            is_missing[targets] = False
        return missing_count - int(is_missing.sum())
