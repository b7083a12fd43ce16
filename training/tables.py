"""Somebody else's table, in any usual writing, read into values and moves.

`static/tables.js` does the same in the browser, by the same rules and in the same words; a test
reads the same files with both.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from app.tictactoe.game import Game, O
from app.tictactoe.policy import Choice, completing
from training.literals import Pairs, literal

LARGEST = 64 << 20  # bytes of a file, or of what it unpacks to
NAMED = 20  # rows that are named where they cannot be read
CANONICAL = 20  # positions, no two of them images of each other, from which a rule is seen
TOLD = 3  # positions from which a view of the values is seen
CODES = 3**9
EMPTY = {"", " ", ".", "_", "-", "*", "#", "?", "E", "EMPTY", "B", "BLANK", "N", "NONE", "NULL"}
BOARD_NAMES = ("board", "state", "position", "key", "s", "obs", "observation")
MOVE_NAMES = ("action", "move", "cell", "a")
VALUE_NAMES = ("value", "q", "v", "values", "q_value", "q_values", "qvalue", "qvalues")
TABLE_NAMES = ("q", "q_table", "qtable", "table", "policy", "q_values", "states")
NINE_DIGITS = re.compile(r"[012]{9}", re.ASCII)
NINE_MARKS = re.compile(r"[XxOo0._\- *#?bBeEnN]{9}", re.ASCII)
WITH_MOVE = re.compile(r"(.{9})[\s,;:|/_-]+([0-9])", re.ASCII)
CALLS = re.compile(
    r"\b(?:np|numpy|torch|jnp)\.\w+|\b(?:array|tensor|tuple|list)\b|\bdtype=\w+", re.ASCII
)
TOKENS = re.compile(
    r""""([^"]*)"|'([^']*)'|([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z]+)|([._*#?-])""",
    re.ASCII,
)
# How numbers stand for stones: empty, X, O; or empty, whoever is to move, the other side.
SCHEMES = {
    "0 1 -1": ("0", "1", "-1"),
    "0 1 2": ("0", "1", "2"),
    "-1 1 0": ("-1", "1", "0"),
    "-1 0 1": ("-1", "0", "1"),
    "2 0 1": ("2", "0", "1"),
    "2 1 0": ("2", "1", "0"),
}


# The nine tokens of a board, whether they are a base-3 number, and what stands beside it.
_Tokens: TypeAlias = tuple[list[str], bool, list[Any]]


class TableError(ValueError):
    """A table that cannot be read at all: the message says why."""


class Options(NamedTuple):
    """How a table is to be read, where that is not to be found out."""

    boards: str = "auto"  # auto, x: 1 is X, mover: 1 is whoever is to move
    digits: str = "auto"  # auto, first, last: which digit of a base-3 number is the top left square
    view: str = "auto"  # auto, mover, x: for whom a high value is good
    ties: str = "any"  # any, first: what is played among equals
    missing: str = "auto"  # auto, any, first, image: what is played where the table has nothing


@dataclass(frozen=True, eq=False)
class Reading:
    """What a table was read as."""

    q: NDArray[np.float64]  # [D, cells] mover's view, NaN where nothing is known
    choice: Choice  # [D, cells] what is played
    found: NDArray[np.bool_]  # [D] whether the table has the position
    valued: bool  # whether it has values, and not only moves
    notes: list[str]
    unread: list[str]  # what could not be read, by row
    unread_count: int


class _Row(NamedTuple):
    """One row of a file."""

    name: str
    board: Any
    value: Any
    move: Any = None
    quiet: bool = False  # of an array by base-3 number, most rows of which are no position


class _Board(NamedTuple):
    """A row whose board has been taken apart."""

    row: _Row
    tokens: list[str]
    is_code: bool
    more: list[Any]  # what stands beside the board in its key


def read_table(game: Game, content: bytes, options: Options | None = None) -> Reading:
    """Read a table of tic-tac-toe: JSON, what Python prints, CSV, or an npz.

    Raises TableError if nothing of it can be read.
    """
    if len(content) > LARGEST:
        raise TableError("the file is larger than 64 MB")
    rows = _rows(game, content)
    return _Tables(game, options or Options()).read(rows)


def _rows(game: Game, content: bytes) -> list[_Row]:
    if content[:4] == b"PK\x03\x04":
        return _npz_rows(game, content)
    if content[:1] == b"\x80" or content[:6] == b"\x93NUMPY":
        raise TableError(
            "this is a pickle or npy file: of these only an npz is read, no pickle ever"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError("the file is no text in UTF-8") from None
    if re.match(r"\s*([{\[(]|(defaultdict|OrderedDict|dict|array)\b)", text):
        try:
            return _literal_rows(literal(text))
        except TableError:
            raise
        except ValueError as error:
            raise TableError(str(error)) from None
    return _csv_rows(text)


def _literal_rows(value: Any) -> list[_Row]:
    if isinstance(value, Pairs):
        named = {key.lower(): inner for key, inner in value if isinstance(key, str)}
        for name in TABLE_NAMES:
            if isinstance(named.get(name), list):
                return _literal_rows(named[name])
        if value and named.keys() <= {"x", "o"} and len(named) == len(value):
            return [row for inner in named.values() for row in _literal_rows(inner)]
        return [
            _Row(f"entry {number} ({_short(key)})", key, inner)
            for number, (key, inner) in enumerate(value, 1)
        ]
    if not isinstance(value, list) or not value:
        raise TableError("this is no table: neither an object nor a list")
    if len(value) == CODES:
        return [_Row(f"row {code}", code, inner, quiet=True) for code, inner in enumerate(value)]
    return [_item_row(f"entry {number}", item) for number, item in enumerate(value, 1)]


def _item_row(name: str, item: Any) -> _Row:
    if isinstance(item, Pairs):
        named = {str(key).lower(): inner for key, inner in item}
        board = next((named[key] for key in BOARD_NAMES if key in named), None)
        move = next((named[key] for key in MOVE_NAMES if key in named), None)
        value = next((named[key] for key in VALUE_NAMES if key in named), None)
        return _Row(name, board, move if value is None else value, None if value is None else move)
    if isinstance(item, list) and len(item) == 2:
        return _Row(name, item[0], item[1])
    if isinstance(item, list) and len(item) == 3:
        return _Row(name, item[0], item[2], item[1])
    return _Row(name, None, None)


def _csv_rows(text: str) -> list[_Row]:
    text = re.sub(r"\r\n?", "\n", text)
    first = text.lstrip().split("\n", 1)[0]
    delimiter = "\t" if "\t" in first else ";" if ";" in first else ","
    try:
        cells_of_lines = [*csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as error:
        raise TableError(f"this is no CSV: {error}") from None
    lines = [
        (number, cells)
        for number, cells in enumerate(cells_of_lines, 1)
        if any(cell.strip() for cell in cells)
    ]
    if not lines:
        raise TableError("there is nothing in it")
    heading = [cell.strip().lower() for cell in lines[0][1]]
    if set(heading) & {*BOARD_NAMES, *MOVE_NAMES, *VALUE_NAMES}:
        return [_headed(f"line {number}", heading, cells) for number, cells in lines[1:]]
    short = all(len(cell.strip()) <= 2 for _, cells in lines for cell in cells[:9])
    return [_unheaded(f"line {number}", cells, short) for number, cells in lines]


def _headed(name: str, heading: list[str], cells: list[str]) -> _Row:
    named = dict(zip(heading, cells, strict=False))
    board = next((named[key] for key in BOARD_NAMES if key in named), None)
    move: Any = next((named[key] for key in MOVE_NAMES if key in named), None)
    if move is None and "row" in named:
        move = [named["row"], named.get("column", named.get("col", ""))]
    value = next((named[key] for key in VALUE_NAMES if key in named), None)
    if value is None and move is None:
        rest = [
            cell for key, cell in zip(heading, cells, strict=False) if re.search(r"[0-8]$", key)
        ]
        return _Row(name, board, rest)
    return _Row(name, board, move if value is None else value, None if value is None else move)


def _unheaded(name: str, cells: list[str], short: bool) -> _Row:
    """Read a line by how many cells it has; `short` if the first nine may be a board."""
    board, value, move = {
        2: (cells[:1], cells[1:], []),
        3: (cells[:1], cells[2:], cells[1:2]),
        4: (cells[:1], cells[3:], cells[1:3]),
        10: (cells[:9], cells[9:], []) if short else (cells[:1], cells[1:], []),
        11: (cells[:9], cells[10:], cells[9:10]),
        18: (cells[:9], cells[9:], []),
    }.get(len(cells), ([], [], []))
    return _Row(name, _alone(board), _alone(value), _alone(move))


def _alone(cells: list[str]) -> Any:
    """Return the one cell of a list itself, None of an empty list."""
    return None if not cells else cells[0] if len(cells) == 1 else cells


def _npz_rows(game: Game, content: bytes) -> list[_Row]:
    """Take the array `q` out of an npz, or the first of a shape that is known."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = sorted(archive.infolist(), key=lambda member: member.filename != "q.npy")
            arrays = [_array(archive, member) for member in members[:1]]
    except Exception as error:  # a forged file can make the readers raise nearly anything
        raise TableError(f"this npz cannot be read: {error}") from None
    if not arrays:
        raise TableError("this npz is empty")
    (array,) = arrays
    if array.shape == game.legal.shape:
        codes = game.code[: game.decisions].tolist()
    elif array.shape == (CODES, game.cells):
        codes = list(range(CODES))
    else:
        raise TableError(f"the array is {list(array.shape)}, not [4520, 9] or [19683, 9]")
    values = [
        [value if isfinite(value) else None for value in row]
        for row in array.astype(np.float64).tolist()
    ]
    return [
        _Row(f"row {number}", code, row, quiet=True)
        for number, (code, row) in enumerate(zip(codes, values, strict=True))
    ]


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.file_size > LARGEST:
        raise ValueError("it unpacks to more than 64 MB")
    with archive.open(member) as packed:
        stream = io.BytesIO(packed.read(member.file_size))
    array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return array


class _Tables:
    """Reads the rows of one table."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        self.notes: list[str] = []
        self.faults: dict[str, str] = {}  # by the name of a row
        self.rows: list[_Row] = []

    def read(self, rows: list[_Row]) -> Reading:
        """Read all of them."""
        self.rows = rows
        boards = [board for row in rows if (board := self.board_of(row)) is not None]
        if not boards:
            raise TableError(f"no board was found in it{self.first_fault()}")
        scheme, own = self.scheme(boards)
        reversed_digits = self.reversed_digits(boards, scheme, own)
        q, found, valued = self.values(boards, scheme, own, reversed_digits)
        if not found.any():
            raise TableError(f"no position that is to be played in was found{self.first_fault()}")
        if valued:
            q = self.in_movers_view(q, found)
        choice = self.choice(q, found, valued)
        unread = [f"{row.name}: {self.faults[row.name]}" for row in rows if row.name in self.faults]
        return Reading(q, choice, found, valued, self.notes, unread[:NAMED], len(unread))

    def fault(self, row: _Row, what: str) -> None:
        """Name a row that cannot be read."""
        if not row.quiet:
            self.faults[row.name] = what

    def first_fault(self) -> str:
        """Say what is wrong with the first row that cannot be read."""
        faults = (row.name for row in self.rows if row.name in self.faults)
        name = next(faults, "")
        return f": {name}: {self.faults[name]}" if name else ""

    def board_of(self, row: _Row) -> _Board | None:
        """Take the board of a row apart."""
        taken = _tokens(row.board)
        if taken is None:
            self.fault(row, "this is no board")
            return None
        tokens, is_code, more = taken
        return _Board(row, tokens, is_code, more)

    def scheme(self, boards: list[_Board]) -> tuple[dict[str, int], bool]:
        """Find out what stands for 0, empty, 1 and 2, stones, and whether 1 is one's own."""
        used = {token for board in boards for token in board.tokens}
        letters = used & {"X", "O"}
        if letters:
            zero = 2 if "0" in used and "O" not in used and "." in used else 0
            blank = {token: 0 for token in used if re.fullmatch(r"-?\d+|\.", token)} | {"0": zero}
            options = [
                ({**blank, "X": 1, "O": 2}, False, "Boards: X and O, and X begins."),
                (
                    {**blank, "X": 2, "O": 1},
                    False,
                    "Boards: X and O, and O begins: it counts as X.",
                ),
            ]
        else:
            options = []
            for own, (empty, one, other) in product((False, True), SCHEMES.values()):
                if not used <= {empty, one, other, "."} or (own and one != "1"):
                    continue
                if (self.options.boards, own) in (("x", True), ("mover", False)):
                    continue
                is_one = "whoever is to move" if own else "X"
                is_other = "the other side" if own else "O"
                note = f"Boards: {one} is {is_one}, {other} is {is_other}, {empty} is empty."
                options.append(({empty: 0, ".": 0, one: 1, other: 2}, own, note))
        if not options:
            strange = ", ".join(sorted(used)[:8])
            raise TableError(f"what stands for X, O and empty cannot be told: there are {strange}")
        fitting = [
            sum(self.position(board, scheme, own, False) is not None for board in boards)
            for scheme, own, _ in options
        ]
        scheme, own, note = options[fitting.index(max(fitting))]
        self.notes.append(note)
        return scheme, own

    def position(
        self, board: _Board, scheme: dict[str, int], own: bool, reverse: bool
    ) -> int | None:
        """Return the number of a board's position, None if no game reaches it."""
        stones = [scheme.get(token, 0) for token in board.tokens]
        if reverse and board.is_code:
            stones.reverse()
        mine, theirs = stones.count(1), stones.count(2)
        if own and mine > theirs:
            return None
        if own and mine < theirs:
            stones = [(0, 2, 1)[stone] for stone in stones]
        return _numbers(self.game).get(tuple(stones))

    def reversed_digits(self, boards: list[_Board], scheme: dict[str, int], own: bool) -> bool:
        """Find out whether the top left square is the last digit of base-3 numbers."""
        coded = [board for board in boards if board.is_code]
        if not coded:
            return False
        reverse = self.options.digits == "last"
        if self.options.digits == "auto":
            taken = [
                sum(self.plays_taken(board, scheme, own, way) for board in coded)
                for way in (False, True)
            ]
            reverse = taken[1] < taken[0]
        which = "last" if reverse else "first"
        self.notes.append(f"Base-3 numbers: the top left square is the {which} digit.")
        return reverse

    def plays_taken(self, board: _Board, scheme: dict[str, int], own: bool, reverse: bool) -> bool:
        """Whether a row has values of other squares than the empty ones, or plays a taken one."""
        position = self.position(board, scheme, own, reverse)
        if position is None or position >= self.game.decisions:
            return False
        legal = self.game.legal[position].tolist()
        value = board.row.value
        if isinstance(value, list) and not isinstance(value, Pairs):
            flat = _flat(value)
            given = [_number(item) is not None for item in flat]
            return len(flat) == 9 and not all(given) and given != legal
        moves = [key for key, _ in value] if isinstance(value, Pairs) else [self.move_beside(board)]
        cells = [_cell(move, False) for move in moves]
        return any(cell is not None and cell < 9 and not legal[cell] for cell in cells)

    def move_beside(self, board: _Board) -> Any:
        """Return the move that stands beside a board, or that is all a row has."""
        if board.row.move is not None:
            return board.row.move
        if board.more:
            return board.more if len(board.more) > 1 else board.more[0]
        return board.row.value

    def values(
        self, boards: list[_Board], scheme: dict[str, int], own: bool, reverse: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], bool]:
        """Read the values of every position, as they are written."""
        game = self.game
        one_based = self.counts_from_one(boards)
        q, found = np.full(game.legal.shape, np.nan), np.zeros(game.decisions, np.bool_)
        finished, valued = 0, False
        for board in boards:
            position = self.position(board, scheme, own, reverse)
            if position is None:
                self.fault(board.row, "no game comes to this board")
                continue
            if position >= game.decisions:
                finished += 1
                continue
            try:
                cells, has_values = self.cells(board, game.legal[position].tolist(), one_based)
            except ValueError as error:
                self.fault(board.row, str(error))
                continue
            for cell, value in cells.items():
                if game.legal[position, cell]:
                    q[position, cell] = value
                    found[position] = True
            valued |= has_values
        if one_based:
            self.notes.append("Moves are counted from 1.")
        if finished:
            self.notes.append(f"Finished games, left out: {finished:,}.")
        return q, found, valued

    def counts_from_one(self, boards: list[_Board]) -> bool:
        """Whether moves are 1 to 9, or rows and columns 1 to 3."""
        single: set[int] = set()
        double: set[int] = set()
        for board in boards:
            value = board.row.value
            if isinstance(value, Pairs):
                moves = [key for key, _ in value]
            elif isinstance(value, list) and len(_flat(value)) != 2:
                continue
            else:
                moves = [self.move_beside(board)]
            for move in moves:
                numbers = _move_numbers(move)
                (single if len(numbers) == 1 else double).update(numbers)
        return (9 in single and 0 not in single) or (3 in double and 0 not in double)

    def cells(
        self, board: _Board, legal: list[bool], one_based: bool
    ) -> tuple[dict[int, float], bool]:
        """Read the values of a row by cell, and whether they are values and not a move alone.

        Raises ValueError with what is wrong.
        """
        value = board.row.value
        if isinstance(value, Pairs):
            given = {self.checked_cell(key, one_based): item for key, item in value}
            return _numbers_of(given), True
        if isinstance(value, list):
            flat = _flat(value)
            if len(flat) == 9:
                return _numbers_of(dict(enumerate(flat))), True
            if len(flat) == sum(legal) and not (
                len(flat) == 2 and _cell(flat, one_based) is not None
            ):
                empty = [cell for cell in range(9) if legal[cell]]
                return _numbers_of(dict(zip(empty, flat, strict=True))), True
            if len(flat) != 2:
                raise ValueError(f"it has {len(flat)} values, not 9")
        elif value is None:
            return {}, False
        elif board.row.move is not None or board.more:
            beside = self.move_beside(board)
            return _numbers_of({self.checked_cell(beside, one_based): value}), True
        cell = self.checked_cell(value, one_based)
        if not legal[cell]:
            raise ValueError("the move is on a taken square")
        return {cell: 1.0}, False

    def checked_cell(self, move: Any, one_based: bool) -> int:
        """Return the cell of a move; raises ValueError if it is none."""
        cell = _cell(move, one_based)
        if cell is None:
            raise ValueError(f"{_short(move)} is no move")
        return cell

    def in_movers_view(
        self, q: NDArray[np.float64], found: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Turn the values of O round if high ones are good for X."""
        game = self.game
        board = game.board[: game.decisions]
        wins = completing(game, board == game.to_move[:, None])
        view, told = self.options.view, ""
        if view == "auto":
            here = found & (game.to_move == O) & wins.any(axis=1)
            known = ~np.isnan(q)
            low, high = (np.where(known, q, fill).T for fill in (np.inf, -np.inf))
            best, worst = high.max(axis=0), low.min(axis=0)
            here &= best > worst
            as_best = ((q == best[:, None]) & wins).any(axis=1) & here
            as_worst = ((q == worst[:, None]) & wins).any(axis=1) & here
            view = "x" if as_worst.sum() > max(as_best.sum(), TOLD - 1) else "mover"
            if view == "x":
                told = (
                    f" Where O can win at once it has the lowest value in {as_worst.sum():,} "
                    f"positions, the highest in {as_best.sum():,}."
                )
        whom = "X: O plays the lowest" if view == "x" else "whoever is to move"
        self.notes.append(f"A high value is good for {whom}.{told}")
        return np.where((game.to_move == O)[:, None], -q, q) if view == "x" else q

    def choice(self, q: NDArray[np.float64], found: NDArray[np.bool_], valued: bool) -> Choice:
        """Say what is played everywhere, with a rule for what is missing."""
        game = self.game
        legal = game.legal
        best = np.where(np.isnan(q), -np.inf, q)
        choice = (best == best.max(axis=1, keepdims=True)) & ~np.isnan(q) & legal
        several = int((choice.sum(axis=1) > 1)[found].sum())
        if self.options.ties == "first":
            choice &= choice.cumsum(axis=1) == 1
        if several and valued:
            which = "the first of them" if self.options.ties == "first" else "any of them"
            self.notes.append(f"Equal highest values in {several:,} positions: it plays {which}.")
        rule = self.options.missing
        classes = game.symmetry_class[: game.decisions]
        if rule == "auto":
            there = classes[found]
            alone = len(there) >= CANONICAL and len(np.unique(there)) == len(there)
            rule = "image" if alone else "any"
        missing = ~found
        copied = 0
        if rule == "image":
            for image, cells in zip(game.image, game.symmetry, strict=True):
                of = np.flatnonzero(found & missing[image[: game.decisions]])
                to = image[of]
                choice[to] = choice[of][:, cells]
                copied += len(np.unique(to))
                missing[to] = False
        left = legal.cumsum(axis=1) == 1 if rule == "first" else legal
        choice[missing] = (left & legal)[missing]
        if copied:
            self.notes.append(
                f"Taken from a mirror image that the table has: {copied:,} positions."
            )
        if missing.any():
            what = "the first empty square" if rule == "first" else "any empty square"
            self.notes.append(f"Missing: {missing.sum():,} positions. There it plays {what}.")
        played: Choice = choice
        return played


def _tokens(board: Any) -> _Tokens | None:
    """Take a board apart, None if it is none."""
    if isinstance(board, list):
        return _tokens_of_list(board)
    if isinstance(board, str):
        return _tokens_of_text(board)
    code = _number(board)
    if code is None or code != int(code) or not 0 <= code < CODES:
        return None
    return [str(int(code) // 3**place % 3) for place in range(8, -1, -1)], True, []


def _tokens_of_text(board: str) -> _Tokens | None:
    plain = re.sub(r"[|/\r\n]", "", board)
    for text in (board, plain, plain.strip()):
        if NINE_DIGITS.fullmatch(text) or NINE_MARKS.fullmatch(text):
            return [_token(sign) for sign in text], False, []
    if re.fullmatch(r"\d{1,5}(\.0)?", board.strip(), re.ASCII):
        return _tokens(float(board))
    beside = WITH_MOVE.fullmatch(board.strip())
    if beside and (NINE_DIGITS.fullmatch(beside[1]) or NINE_MARKS.fullmatch(beside[1])):
        return [_token(sign) for sign in beside[1]], False, [int(beside[2])]
    parts: list[Any] = ["".join(groups) for groups in TOKENS.findall(CALLS.sub("", board))]
    return _tokens_of_list(parts) if len(parts) > 1 else None


def _tokens_of_list(board: list[Any]) -> _Tokens | None:
    flat = _flat(board)
    if 9 <= len(flat) <= 11:
        return [_token(item) for item in flat[:9]], False, flat[9:]
    if 2 <= len(flat) <= 3:
        inner = _tokens(flat[0])
        return None if inner is None or inner[2] else (inner[0], inner[1], flat[1:])
    return None


def _token(item: Any) -> str:
    """Write what is in a square in one way."""
    number = _number(item)
    if number is not None and number == int(number):
        return str(int(number))
    text = "" if item is None else str(item).strip().upper()
    return "." if text in EMPTY else text


def _flat(value: list[Any]) -> list[Any]:
    return [
        inner for item in value for inner in (_flat(item) if isinstance(item, list) else [item])
    ]


def _number(item: Any) -> float | None:
    """Return a number that is written in some way, None for what is none."""
    if isinstance(item, bool) or item is None:
        return None
    if isinstance(item, str):
        text = item.strip()
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text, re.ASCII):
            return None
        item = float(text)
    if isinstance(item, int | float) and abs(item) < 1e300:
        return float(item)
    return None


def _numbers_of(given: dict[int, Any]) -> dict[int, float]:
    """Keep the cells that have a number; raises ValueError for what is neither that nor nothing."""
    cells = {}
    for cell, item in given.items():
        number = _number(item)
        if number is not None:
            cells[cell] = number
        elif item is not None and str(item).strip().lower() not in (
            "",
            "nan",
            "none",
            "null",
            "-inf",
            "inf",
        ):
            raise ValueError(f"{_short(item)} is no number")
    return cells


def _move_numbers(move: Any) -> list[int]:
    """Return the one number or the two of which a move is made, [] if it is none."""
    numbers: list[float | None]
    if isinstance(move, str):
        numbers = [
            float(text) for text in re.findall(r"\d+(?:\.\d*)?", CALLS.sub("", move), re.ASCII)
        ]
        if re.search(r"[-a-zA-Z]", CALLS.sub("", move)):
            return []
    else:
        numbers = [_number(item) for item in _flat(move if isinstance(move, list) else [move])]
    if not 1 <= len(numbers) <= 2 or any(n is None or n != int(n) or n < 0 for n in numbers):
        return []
    return [int(number) for number in numbers if number is not None]


def _cell(move: Any, one_based: bool) -> int | None:
    """Return the cell of a move, None if it is none."""
    numbers = [number - one_based for number in _move_numbers(move)]
    match numbers:
        case [cell] if 0 <= cell <= 8:
            return cell
        case [row, column] if 0 <= row <= 2 and 0 <= column <= 2:
            return 3 * row + column
    return None


def _short(item: Any) -> str:
    text = item if isinstance(item, str) else _written(item)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _written(item: Any) -> str:
    if isinstance(item, list):
        return f"[{', '.join(_written(inner) for inner in item)}]"
    if item is None:
        return "nothing"
    if isinstance(item, float) and item == int(item):
        return str(int(item))
    return str(item)


@lru_cache(maxsize=2)
def _numbers(game: Game) -> dict[tuple[int, ...], int]:
    """Map the digits of every position to its number."""
    return {tuple(digits): number for number, digits in enumerate((game.board % 3).tolist())}


def summary(game: Game, reading: Reading) -> str:
    """Say how much of a table was read."""
    unread = f" {reading.unread_count:,} could not be read." if reading.unread_count else ""
    return f"Read: {reading.found.sum():,} of {game.decisions:,} positions.{unread}"


def lines(game: Game, reading: Reading) -> Iterable[str]:
    """Tell how a table was read."""
    yield summary(game, reading)
    yield from reading.notes
    yield from reading.unread
