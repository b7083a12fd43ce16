"""Boards of a table: which of its signs stands for X, O and empty, and which position each is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tables.values import (
    CALLS,
    TableError,
    flatten,
    is_whole,
    parse_number,
    text_of,
)
from app.tictactoe.game import Game

CELLS = 9
CODES = 3**CELLS
EMPTY = {
    "",
    " ",
    ".",
    "_",
    "-",
    "*",
    "#",
    "?",
    "E",
    "EMPTY",
    "B",
    "BLANK",
    "N",
    "NONE",
    "NULL",
}
NINE = re.compile(r"[012]{9}|[XxOo0._\- *#?bBeEnN]{9}")
WITH_MOVE = re.compile(r"(.{9})[\s,;:|/_-]+([0-9])", re.ASCII)
CODE = re.compile(r"\d{1,5}(\.0)?", re.ASCII)
SIGNS = re.compile(
    r"""\"([^"]*)\"|'([^']*)'|([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z]+)|([._*#?-])""",
    re.ASCII,
)
NUMERAL = re.compile(r"-?\d+|\.", re.ASCII)
# How numbers stand for stones: empty, X, O; or empty, the player to move, the other side.
SCHEMES = [
    ("0", "1", "-1"),
    ("0", "1", "2"),
    ("-1", "1", "0"),
    ("-1", "0", "1"),
    ("2", "0", "1"),
    ("2", "1", "0"),
]
NOWHERE = -1  # the number of a board to which no game comes
MOST_SIGNS = 8  # that a message lists
OWN_NAMES, SIDE_NAMES = ("the player to move", "the other side"), ("X", "O")


class Signs(NamedTuple):
    """A board as it is written."""

    tokens: tuple[str, ...]  # nine, "." where a cell is empty for certain
    is_code: bool  # whether they are the digits of a base-3 number
    beside: tuple[
        Any, ...
    ] = ()  # a move, and perhaps a value, that stand beside the board


HIGH_DIGITS, LOW_DIGITS = (list(product("012", repeat=places)) for places in (4, 5))


def _token(text: str) -> str:
    number = parse_number(text)
    if number is not None and number.is_integer():
        return str(int(number))
    text = text.strip().upper()
    return "." if text in EMPTY else text


def read_token(item: Any) -> str:
    """Return what stands in a cell, "." if that means empty."""
    return _token("" if item is None else text_of(item))


def read_signs(board: Any) -> Signs | None:
    """Return the nine signs of a board in any writing, None if it is no board."""
    if isinstance(board, list):
        return _signs_of_list(board)
    if isinstance(board, str):
        return _signs_of_text(board)
    code = parse_number(board)
    return _signs_of_code(int(code)) if is_whole(code) else None


def _signs_of_code(code: int) -> Signs | None:
    if code >= CODES:
        return None
    high, low = divmod(code, len(LOW_DIGITS))
    return Signs(HIGH_DIGITS[high] + LOW_DIGITS[low], is_code=True)


def _signs_of_text(board: str) -> Signs | None:
    joined = re.sub(r"[|/\r\n]", "", board)
    for text in (board, joined, joined.strip()):
        if NINE.fullmatch(text):
            return Signs(tuple(map(_token, text)), is_code=False)
    stripped = board.strip()
    if CODE.fullmatch(stripped):
        return _signs_of_code(int(float(stripped)))
    with_move = WITH_MOVE.fullmatch(stripped)
    if with_move and NINE.fullmatch(with_move[1]):
        return Signs(tuple(map(_token, with_move[1])), False, (float(with_move[2]),))
    parts = [
        "".join(filter(None, found)) for found in SIGNS.findall(CALLS.sub("", board))
    ]
    return _signs_of_list(parts) if len(parts) > 1 else None


def _signs_of_list(board: list[Any]) -> Signs | None:
    items = flatten(board)
    if CELLS <= len(items) <= CELLS + 2:
        tokens = tuple(map(read_token, items[:CELLS]))
        return Signs(tokens, False, tuple(items[CELLS:]))
    if not 2 <= len(items) <= 3:
        return None
    inner = read_signs(items[0])
    return (
        inner._replace(beside=tuple(items[1:])) if inner and not inner.beside else None
    )


class Scheme(NamedTuple):
    """One way to read signs: digits 0 empty, 1 X, 2 O, or of the mover's own board if `is_own`."""

    digits: dict[str, int]
    is_own: bool
    note: str


def list_schemes(used: set[str], boards: str) -> list[Scheme]:
    """List the schemes that the signs of a table allow; `boards` is "x", "mover" or "auto"."""
    if used & {"X", "O"}:
        zero = 2 if "0" in used and "O" not in used and "." in used else 0
        numerals = {token: 0 for token in used if NUMERAL.fullmatch(token)} | {
            "0": zero
        }
        return [
            Scheme(
                numerals | {"X": 1, "O": 2}, False, "Boards: X and O, and X begins."
            ),
            Scheme(
                numerals | {"X": 2, "O": 1},
                False,
                "Boards: X and O, and O begins: it counts as X.",
            ),
        ]
    schemes = []
    for is_own in (False, True):
        if boards == ("x" if is_own else "mover"):
            continue
        first, second = OWN_NAMES if is_own else SIDE_NAMES
        for empty, one, other in SCHEMES:
            if used <= {empty, one, other, "."} and not (is_own and one != "1"):
                note = (
                    f"Boards: {one} is {first}, {other} is {second}, {empty} is empty."
                )
                digits = {empty: 0, ".": 0, one: 1, other: 2}
                schemes.append(Scheme(digits, is_own, note))
    return schemes


@dataclass(eq=False)
class Boards:
    """The boards of a table, each of them once."""

    signs: list[Signs]
    counts: NDArray[np.int64]  # [B] in how many rows each is
    tokens: NDArray[np.intp] = field(init=False)  # [B, 9] numbers of `vocabulary`
    vocabulary: list[str] = field(init=False)
    is_code: NDArray[np.bool_] = field(init=False)  # [B]

    def __post_init__(self) -> None:
        """Number the signs."""
        tokens = [token for signs in self.signs for token in signs.tokens]
        self.vocabulary = list(dict.fromkeys(tokens))
        numbers = {token: number for number, token in enumerate(self.vocabulary)}
        self.tokens = np.array([numbers[token] for token in tokens]).reshape(-1, CELLS)
        self.is_code = np.array([signs.is_code for signs in self.signs])

    def find_scheme(self, game: Game, boards: str) -> Scheme:
        """Return the scheme by which most rows are positions; raises TableError if none fits."""
        used = set(self.vocabulary)
        schemes = list_schemes(used, boards)
        if not schemes:
            strange = ", ".join(sorted(used)[:MOST_SIGNS])
            raise TableError(
                f"what stands for X, O and empty cannot be told: there are {strange}"
            )
        fitting = [
            int(self.counts[self.find_positions(game, scheme) != NOWHERE].sum())
            for scheme in schemes
        ]
        return schemes[fitting.index(max(fitting))]

    def find_positions(
        self, game: Game, scheme: Scheme, is_reversed: bool = False
    ) -> NDArray[np.intp]:
        """Return the position of each board, [B], NOWHERE where no game comes to it.

        Base-3 numbers are read from their last digit if `is_reversed`.
        """
        digits = np.array([scheme.digits.get(token, 0) for token in self.vocabulary])
        stones = digits[self.tokens]
        if is_reversed:
            stones[self.is_code] = stones[self.is_code][:, ::-1]
        ones, twos = (stones == 1).sum(axis=1), (stones == 2).sum(axis=1)
        if scheme.is_own:  # with as many stones X is to move, and the board is X's own
            is_of_o = ones < twos
            stones[is_of_o] = np.array([0, 2, 1])[stones[is_of_o]]
        codes = stones @ (3 ** np.arange(CELLS - 1, -1, -1))
        found = positions_of_codes(game)[codes]
        return np.where(ones > twos, NOWHERE, found) if scheme.is_own else found


@lru_cache(maxsize=2)
def positions_of_codes(game: Game) -> NDArray[np.intp]:
    """Return the position of every base-3 number, NOWHERE where no game comes to it."""
    positions = np.full(CODES, NOWHERE)
    positions[game.code] = np.arange(game.positions)
    return positions


class RowBoards(NamedTuple):
    """The boards of the rows of a table."""

    boards: Boards | None  # each once; None if no row has one
    rows: NDArray[np.intp]  # which of them each row has, -1 if it has none
    beside: list[
        tuple[Any, ...]
    ]  # what stands beside the board of each row, as its move


def collect_boards(written: Sequence[Any]) -> RowBoards:
    """Return the boards of rows, by what each row has as its board."""
    numbers: dict[Any, int] = {}
    signs: list[Signs | None] = []
    rows, beside = np.empty(len(written), np.intp), []
    for row, whole in enumerate(written):
        board, more = split_board(whole)
        try:
            key = tuple(board) if isinstance(board, list) else board
            number = numbers.get(key)
        except TypeError:  # of lists in lists
            key = _key(board)
            number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(signs)
            signs.append(read_signs(board))
        found = signs[number]
        rows[row] = number
        beside.append(more or (found.beside if found else ()))
    is_board = np.array([one is not None for one in signs], np.bool_)
    number_of_board = np.where(is_board, is_board.cumsum() - 1, -1)
    known = [one for one in signs if one is not None]
    rows = number_of_board[rows] if len(rows) else rows
    counts = np.bincount(rows[rows >= 0], minlength=len(known))
    return RowBoards(Boards(known, counts) if known else None, rows, beside)


def split_board(written: Any) -> tuple[Any, tuple[Any, ...]]:
    """Split what stands beside a board from it, in `((0, 1, ...), 4)`; many rows have one board."""
    if isinstance(written, list) and 2 <= len(written) <= 3:
        board, *more = written
        beside = flatten(more)
        if isinstance(board, list) and len(board) == CELLS and len(beside) <= 2:
            return board, tuple(beside)
    return written, ()


def _key(board: Any) -> Any:
    """Return something that is equal for equal boards, and can be a key."""
    if isinstance(board, list | tuple):
        return tuple(map(_key, board))
    return board
