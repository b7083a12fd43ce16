"""Recognition of boards in a table: the signs for X, O and empty cells, and the position of a board."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tables.values import (
    CONSTRUCTOR_PATTERN,
    TableError,
    TableItem,
    flatten_lists,
    format_item,
    is_whole,
    parse_number,
)
from app.tictactoe.game import Game

CELL_COUNT = 9
CODE_COUNT = 3**CELL_COUNT
EMPTY_SIGNS = {
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
NINE_SIGNS_PATTERN = re.compile(r"[012]{9}|[XxOo0._\- *#?bBeEnN]{9}")
BOARD_AND_MOVE_PATTERN = re.compile(r"(.{9})[\s,;:|/_-]+([0-9])", re.ASCII)
CODE_PATTERN = re.compile(r"\d{1,5}(\.0)?", re.ASCII)
TOKEN_PATTERN = re.compile(
    r"""\"([^"]*)\"|'([^']*)'|([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z]+)|([._*#?-])""",
    re.ASCII,
)
NUMERAL_PATTERN = re.compile(r"-?\d+|\.", re.ASCII)
# The numbers in a table that mean (empty, X, O), or (empty, player to move, opponent).
NUMBER_SCHEMES = [
    ("0", "1", "-1"),
    ("0", "1", "2"),
    ("-1", "1", "0"),
    ("-1", "0", "1"),
    ("2", "0", "1"),
    ("2", "1", "0"),
]
UNREACHABLE = -1  # the position number of a board that no game leads to
MAX_LISTED_SIGNS = 8  # maximum number of signs listed in an error message
MOVER_NAMES = ("the player to move", "the other side")
SIDE_NAMES = ("X", "O")


class BoardSigns(NamedTuple):
    """The signs for the nine cells of a board, as a table writes them."""

    tokens: tuple[str, ...]  # nine tokens; "." is an empty cell under every scheme
    # whether the tokens are the digits of a base-3 number
    is_base3_number: bool
    # a move, and perhaps a value, in the same item as the board
    extra_items: tuple[TableItem, ...] = ()


HIGH_DIGITS = list(product("012", repeat=4))
LOW_DIGITS = list(product("012", repeat=5))


def _normalize_token(sign_text: str) -> str:
    """Return the token of a sign: a whole number, "." for empty, or the sign in upper case."""
    number = parse_number(sign_text)
    if number is not None and number.is_integer():
        return str(int(number))
    sign_text = sign_text.strip().upper()
    return "." if sign_text in EMPTY_SIGNS else sign_text


def read_token(cell_item: TableItem) -> str:
    """Return the token of a cell of a board in a table; "." for an empty cell."""
    return _normalize_token("" if cell_item is None else format_item(cell_item))


def read_signs(board_item: TableItem) -> BoardSigns | None:
    """Return the nine signs of a board in any notation, None if the item is not a board."""
    if isinstance(board_item, list):
        return _parse_board_list(board_item)
    if isinstance(board_item, str):
        return _parse_board_text(board_item)
    code = parse_number(board_item)
    return _parse_code(int(code)) if is_whole(code) else None


def _parse_code(code: int) -> BoardSigns | None:
    """Return the digits of a base-3 number, None if the number is too large for a board."""
    if code >= CODE_COUNT:
        return None
    high, low = divmod(code, len(LOW_DIGITS))
    return BoardSigns(HIGH_DIGITS[high] + LOW_DIGITS[low], is_base3_number=True)


def _parse_board_text(board: str) -> BoardSigns | None:
    """Return the signs of a board written as text, None if the text is not a board."""
    joined = re.sub(r"[|/\r\n]", "", board)
    for text in (board, joined, joined.strip()):
        if NINE_SIGNS_PATTERN.fullmatch(text):
            return BoardSigns(tuple(map(_normalize_token, text)), is_base3_number=False)
    stripped = board.strip()
    if CODE_PATTERN.fullmatch(stripped):
        return _parse_code(int(float(stripped)))
    with_move = BOARD_AND_MOVE_PATTERN.fullmatch(stripped)
    if with_move and NINE_SIGNS_PATTERN.fullmatch(with_move[1]):
        return BoardSigns(
            tuple(map(_normalize_token, with_move[1])), False, (float(with_move[2]),)
        )
    parts = [
        "".join(filter(None, found))
        for found in TOKEN_PATTERN.findall(CONSTRUCTOR_PATTERN.sub("", board))
    ]
    return _parse_board_list(parts) if len(parts) > 1 else None


def _parse_board_list(board: list[TableItem]) -> BoardSigns | None:
    """Return the signs of a board written as a list, None if the list is not a board.

    The list has nine cells, perhaps followed by a move and a value, or it is a board with
    its move.
    """
    items = flatten_lists(board)
    if CELL_COUNT <= len(items) <= CELL_COUNT + 2:
        tokens = tuple(map(read_token, items[:CELL_COUNT]))
        return BoardSigns(tokens, False, tuple(items[CELL_COUNT:]))
    if not 2 <= len(items) <= 3:
        return None
    inner = read_signs(items[0])
    return (
        inner._replace(extra_items=tuple(items[1:]))
        if inner and not inner.extra_items
        else None
    )


class SignScheme(NamedTuple):
    """A meaning of the signs: the digit of each sign.

    0 is empty, 1 X, 2 O; if `is_movers_view`, 1 is the player to move and 2 the opponent.
    `description` is a
    sentence on the meaning for the user.
    """

    digits: dict[str, int]
    is_movers_view: bool
    description: str


def list_schemes(used_tokens: set[str], boards_option: str) -> list[SignScheme]:
    """List the possible meanings of the signs `used_tokens` in a table: X, O, empty.

    `boards_option` is the option that `TableOptions` explains.
    """
    if used_tokens & {"X", "O"}:
        return list_letter_schemes(used_tokens)
    schemes = []
    for is_own in (False, True):
        if boards_option == ("x" if is_own else "mover"):
            continue
        first, second = MOVER_NAMES if is_own else SIDE_NAMES
        for empty, one, other in NUMBER_SCHEMES:
            if used_tokens <= {empty, one, other, "."} and not (is_own and one != "1"):
                note = (
                    f"Boards: {one} is {first}, {other} is {second}, {empty} is empty."
                )
                digits = {empty: 0, ".": 0, one: 1, other: 2}
                schemes.append(SignScheme(digits, is_own, note))
    return schemes


def list_letter_schemes(used_tokens: set[str]) -> list[SignScheme]:
    """List the schemes of a table with the letters X and O; a 0 may stand for O."""
    has_zero_for_o = (
        "0" in used_tokens and "O" not in used_tokens and "." in used_tokens
    )
    digits = {token: 0 for token in used_tokens if NUMERAL_PATTERN.fullmatch(token)}
    digits["0"] = 2 if has_zero_for_o else 0
    x_begins = "Boards: X and O, and X begins."
    o_begins = "Boards: X and O, and O begins: it counts as X."
    return [
        SignScheme(digits | {"X": 1, "O": 2}, False, x_begins),
        SignScheme(digits | {"X": 2, "O": 1}, False, o_begins),
    ]


@dataclass(eq=False)
class DistinctBoards:
    """The B different boards of a table."""

    signs: list[BoardSigns]
    row_counts: NDArray[np.int64]  # [B] number of rows with each board
    tokens: NDArray[np.intp] = field(init=False)  # [B, 9] indices into `vocabulary`
    vocabulary: list[str] = field(init=False)
    # [B] whether each board is written as a base-3 number
    is_base3_number: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """Set `vocabulary`, the different tokens, and `tokens`, their indices."""
        tokens = [token for signs in self.signs for token in signs.tokens]
        self.vocabulary = list(dict.fromkeys(tokens))
        numbers = {token: number for number, token in enumerate(self.vocabulary)}
        indices = np.array([numbers[token] for token in tokens])
        self.tokens = indices.reshape(-1, CELL_COUNT)
        self.is_base3_number = np.array([signs.is_base3_number for signs in self.signs])

    def find_scheme(self, game: Game, boards_option: str) -> SignScheme:
        """Return the scheme that makes most rows positions; raises TableError if none fits."""
        used = set(self.vocabulary)
        schemes = list_schemes(used, boards_option)
        if not schemes:
            strange = ", ".join(sorted(used)[:MAX_LISTED_SIGNS])
            raise TableError(
                f"what stands for X, O and empty cannot be told: there are {strange}"
            )
        fitting = [
            int(self.row_counts[self.find_positions(game, scheme) != UNREACHABLE].sum())
            for scheme in schemes
        ]
        return schemes[fitting.index(max(fitting))]

    def find_positions(
        self, game: Game, scheme: SignScheme, is_reversed: bool = False
    ) -> NDArray[np.intp]:
        """Return the position of each board, [B], UNREACHABLE if no game leads to the board.

        If `is_reversed`, base-3 numbers are read from the last digit to the first.
        """
        digits = np.array([scheme.digits.get(token, 0) for token in self.vocabulary])
        stones = digits[self.tokens]
        if is_reversed:
            stones[self.is_base3_number] = stones[self.is_base3_number][:, ::-1]
        ones = (stones == 1).sum(axis=1)
        twos = (stones == 2).sum(axis=1)
        # The digit 1 is the player to move.  If this is O, the digits 1 and 2 are swapped.
        if scheme.is_movers_view:
            is_of_o = ones < twos
            stones[is_of_o] = np.array([0, 2, 1])[stones[is_of_o]]
        codes = stones @ (3 ** np.arange(CELL_COUNT - 1, -1, -1))
        found = map_codes_to_positions(game)[codes]
        return (
            np.where(ones > twos, UNREACHABLE, found)
            if scheme.is_movers_view
            else found
        )


@lru_cache(maxsize=2)
def map_codes_to_positions(game: Game) -> NDArray[np.intp]:
    """Return the position of every base-3 number, UNREACHABLE if no game leads to the board."""
    positions = np.full(CODE_COUNT, UNREACHABLE)
    positions[game.code] = np.arange(game.positions)
    return positions


class RowBoards(NamedTuple):
    """The boards of the rows of a table."""

    # the different boards of the table, None if there are none
    distinct_boards: DistinctBoards | None
    # index of the board of each row, -1 if the row has none
    board_indices: NDArray[np.intp]
    # the move and value in the same item as the board of each row, () if there are none
    extra_items: list[tuple[TableItem, ...]]


def collect_boards(board_items: Sequence[TableItem]) -> RowBoards:
    """Return the different boards of a table; `board_items` has the board of each row as parsed."""
    board_numbers: dict[TableItem, int] = {}
    signs: list[BoardSigns | None] = []
    rows = np.empty(len(board_items), np.intp)
    beside = []
    for row, item in enumerate(board_items):
        board, board_extras = split_board(item)
        try:
            key = tuple(board) if isinstance(board, list) else board
            number = board_numbers.get(key)
        except TypeError:  # a list inside the board is not hashable
            key = _make_hashable(board)
            number = board_numbers.get(key)
        if number is None:
            number = board_numbers[key] = len(signs)
            signs.append(read_signs(board))
        found_signs = signs[number]
        rows[row] = number
        beside.append(board_extras or (found_signs.extra_items if found_signs else ()))
    is_board = np.array([one is not None for one in signs], np.bool_)
    number_of_board = np.where(is_board, is_board.cumsum() - 1, -1)
    known = [one for one in signs if one is not None]
    rows = number_of_board[rows] if len(rows) else rows
    counts = np.bincount(rows[rows >= 0], minlength=len(known))
    return RowBoards(DistinctBoards(known, counts) if known else None, rows, beside)


def split_board(board_item: TableItem) -> tuple[TableItem, tuple[TableItem, ...]]:
    """Split an item of a table into its board and the tuple of its other numbers.

    The others are a move, a value, or both: `[[0, 1, ...], 4]` is split into the board and `(4,)`.
    """
    if isinstance(board_item, list) and 2 <= len(board_item) <= 3:
        board, *more = board_item
        beside = flatten_lists(more)
        if isinstance(board, list) and len(board) == CELL_COUNT and len(beside) <= 2:
            return board, tuple(beside)
    return board_item, ()


def _make_hashable(board_item: TableItem) -> TableItem:
    """Return a dictionary key for a board: nested lists become tuples."""
    if isinstance(board_item, list | tuple):
        return tuple(map(_make_hashable, board_item))
    return board_item
