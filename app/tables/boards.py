"""Find out how a table writes boards, and to which position each board belongs.

A table may use any signs for X, O and an empty cell. A *scheme* is one possible meaning of these
signs. Positions are numbers in the order of `Game`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tables.options import MARK_CODES, TableOptions, ask_for_option
from app.tables.values import (
    CONSTRUCTOR_PATTERN,
    TableError,
    TableItem,
    flatten_lists,
    format_item,
    is_whole_number,
    parse_number,
)
from app.tictactoe.game import GAME, BoolArray, IndexArray

CELL_COUNT = 9
BASE3_CODE_COUNT = 3**CELL_COUNT
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
NINE_SIGNS_PATTERN = re.compile(r"[012]{9}|[012 ._]{9}|[XxOo0._\- *#?bBeEnN]{9}")
NINE_DIGITS_PATTERN = re.compile(r"[012]{9}")
THREE_ROWS_PATTERN = re.compile(r"(\S{3})\s(\S{3})\s(\S{3})")
BOARD_AND_MOVE_PATTERN = re.compile(r"(.{9})(?:[\s,;:|/_-]+([0-9])|([XOxo]))", re.ASCII)
# Some programs join nine numbers without separators, such as 10-1000000 or 1.00.0-1.0...
JOINED_NUMBERS_PATTERN = re.compile(r"(?:-?[012](?:\.0)?){9}", re.ASCII)
JOINED_NUMBER_PATTERN = re.compile(r"-?[012](?:\.0)?", re.ASCII)
SYMBOL_TRANSLATION = str.maketrans("❌✖×⭕◯○⬜◻□·", "XXXOOO....")
BASE3_CODE_PATTERN = re.compile(r"\d{1,5}(\.0)?", re.ASCII)
TOKEN_PATTERN = re.compile(
    r"""\"([^"]*)\"|'([^']*)'|([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z]+)|([._*#?-])""",
    re.ASCII,
)
SEPARATOR_SIGNS = set(" \t\r\n,;:|/()[]{}='\"")
NUMERAL_PATTERN = re.compile(r"-?\d+|\.", re.ASCII)
# A table has games begun by X and games begun by O if it has this many boards of each kind.
MIN_STARTED_BOARDS = 3
# This stands for the position of a board to which no game leads.
UNREACHABLE = -1
MAX_SIGN_LENGTH = 4
# This is four times the length of nine numbers as numpy prints them.
MAX_BOARD_LENGTH = 600
MAX_LISTED_SIGNS = 8
MOVER_NAMES = ("the player to move", "the other side")
SIDE_NAMES = ("X", "O")


class BoardSigns(NamedTuple):
    """The nine signs of a board, such as "X" or "2", and a move or value in the same table item."""

    tokens: tuple[str, ...]
    is_base3_number: bool
    extra_items: tuple[TableItem, ...] = ()


FIRST_FOUR_DIGITS = list(product("012", repeat=4))
LAST_FIVE_DIGITS = list(product("012", repeat=5))


def _normalize_token(sign_text: str) -> str:
    """Return a sign as a whole number, as "." for an empty cell, or else in upper case."""
    number = parse_number(sign_text)
    if number is not None and number.is_integer():
        return str(int(number))
    sign_text = sign_text.strip().upper()
    return "." if sign_text in EMPTY_SIGNS else sign_text


def read_token(cell_item: TableItem) -> str:
    return _normalize_token("" if cell_item is None else format_item(cell_item))


def read_board_signs(board_item: TableItem) -> BoardSigns | None:
    if isinstance(board_item, list):
        return _parse_board_list(board_item)
    if isinstance(board_item, str):
        is_short = len(board_item) <= MAX_BOARD_LENGTH
        return _parse_board_text(board_item) if is_short else None
    code = parse_number(board_item)
    return _parse_base3_code(int(code)) if is_whole_number(code) else None


def _parse_base3_code(code: int) -> BoardSigns | None:
    if code >= BASE3_CODE_COUNT:
        return None
    high, low = divmod(code, len(LAST_FIVE_DIGITS))
    return BoardSigns(
        FIRST_FOUR_DIGITS[high] + LAST_FIVE_DIGITS[low], is_base3_number=True
    )


def _parse_board_text(board: str) -> BoardSigns | None:
    for split_squares in SQUARE_SPLITTERS:
        if squares := split_squares(board):
            tokens = tuple(map(_normalize_token, squares))
            return BoardSigns(tokens, is_base3_number=False)
    stripped = board.strip()
    if BASE3_CODE_PATTERN.fullmatch(stripped):
        return _parse_base3_code(int(float(stripped)))
    with_move = BOARD_AND_MOVE_PATTERN.fullmatch(stripped)
    if with_move and NINE_SIGNS_PATTERN.fullmatch(with_move[1]):
        extra = float(with_move[2]) if with_move[2] else with_move[3]
        return BoardSigns(tuple(map(_normalize_token, with_move[1])), False, (extra,))
    plain = CONSTRUCTOR_PATTERN.sub("", board)
    if not set(TOKEN_PATTERN.sub("", plain)) <= SEPARATOR_SIGNS:
        return None
    parts = ["".join(filter(None, found)) for found in TOKEN_PATTERN.findall(plain)]
    return _parse_board_list(parts) if len(parts) > 1 else None


def _split_signs(board: str) -> Sequence[str]:
    joined = re.sub(r"[|/\r\n]", "", board).translate(SYMBOL_TRANSLATION)
    ranks = THREE_ROWS_PATTERN.fullmatch(joined.strip())
    for text in (board, joined, "".join(ranks.groups()) if ranks else joined.strip()):
        if NINE_SIGNS_PATTERN.fullmatch(text):
            return text
    return ""


def _split_joined_numbers(board: str) -> Sequence[str]:
    """Split nine numbers without separators, such as 10-1000000 or 1.00.0-1.0..."""
    is_board = JOINED_NUMBERS_PATTERN.fullmatch(board.strip())
    return JOINED_NUMBER_PATTERN.findall(board) if is_board else ""


def _split_numbered_cells(board: str) -> Sequence[str]:
    """Split nine cells if empty ones are written as their numbers, as in X234O6789."""
    board = re.sub(r"[|/\r\n]", "", board)
    for first in (0, 1) if len(board) == CELL_COUNT else ():
        cells = [
            "." if sign == str(cell) else sign for cell, sign in enumerate(board, first)
        ]
        marks = {*cells} - {"."}
        if len(marks) < 3 and all(mark.isalpha() for mark in marks):
            return cells
    return ""


def _split_cells_at_commas(board: str) -> Sequence[str]:
    """Split nine cells at commas or semicolons; an empty cell may be left blank."""
    for separator in ",;" if not set(board) & set("([{'\"") else "":
        cells = [cell.strip() for cell in board.split(separator)]
        is_short = all(len(cell) <= MAX_SIGN_LENGTH for cell in cells)
        if is_short and len(cells) == CELL_COUNT:
            return cells
    return ""


def _split_raw_array(board: str) -> Sequence[str]:
    for kind in ("i1", "<i4", "<i8", "<f4", "<f8"):
        is_size = len(board) == CELL_COUNT * np.dtype(kind).itemsize
        if is_size and not board.isprintable() and max(board) <= "\xff":
            numbers = np.frombuffer(board.encode("latin-1"), kind).tolist()
            if set(numbers) <= {-1, 0, 1, 2}:
                return [str(int(number)) for number in numbers]
    return ""


# Each function returns the nine squares of a board, or "" if it cannot split the text.
SQUARE_SPLITTERS = (
    _split_signs,
    _split_joined_numbers,
    _split_numbered_cells,
    _split_cells_at_commas,
    _split_raw_array,
)


def _parse_board_list(board: list[TableItem]) -> BoardSigns | None:
    """Return the signs of a board written as a list, or None if the list is no board.

    The list has nine cells, or has a board as its first item. A move and a value may follow.
    """
    items = flatten_lists(board)
    if CELL_COUNT <= len(items) <= CELL_COUNT + 2:
        tokens = tuple(map(read_token, items[:CELL_COUNT]))
        return BoardSigns(tokens, False, tuple(items[CELL_COUNT:]))
    if not 2 <= len(items) <= 3:
        return None
    inner = read_board_signs(items[0])
    return (
        inner._replace(extra_items=tuple(items[1:]))
        if inner and not inner.extra_items
        else None
    )


class SignScheme(NamedTuple):
    """A possible meaning of the signs in a table: a digit for each sign, and who begins.

    The digit 0 is an empty cell. With the `starter` "x" or "o", 1 is X and 2 is O, and the starter
    makes the first move of a game. If O begins, O is read as X and X as O. With the `starter`
    "mover", 1 is the player to move and 2 is the opponent. A meaning is usual if the
    documentation of /judge names it.
    """

    digits: dict[str, int]
    starter: str
    meaning: str
    is_usual: bool = True

    @property
    def description(self) -> str:
        if self.starter == "o":
            return f"{self.meaning}, and O begins: it counts as X"
        return f"{self.meaning}, and X begins" if "X" in self.digits else self.meaning


def list_schemes(used_tokens: set[str], options: TableOptions) -> list[SignScheme]:
    """Return the meanings that the signs of a table can have, the usual ones first."""
    if used_tokens & {"X", "O"}:
        scheme = make_letter_scheme(used_tokens)
        begins = "xo" if options.begins == "auto" else options.begins
        return [scheme._replace(starter=starter) for starter in begins]
    letters = sorted(token for token in used_tokens if token.isalpha())
    if 0 < len(letters) < 3:
        return list_letter_schemes(letters, used_tokens)
    return list(list_number_schemes(used_tokens, options))


def list_letter_schemes(letters: list[str], used_tokens: set[str]) -> list[SignScheme]:
    """Return the possible meanings of letters such as A and B; either may begin."""
    blanks = dict.fromkeys(used_tokens - {*letters}, 0)
    return [
        SignScheme(
            blanks | {one: 1, other: 2}, "x", f"{one} begins, the other is {other}"
        )
        for one, other in permutations([*letters, "nobody"][:2])
    ]


def list_number_schemes(
    used_tokens: set[str], options: TableOptions
) -> Iterator[SignScheme]:
    """Yield the possible meanings of numbers such as 1 and 2.

    They are X and O in the first meanings, the player to move and the opponent in the later ones.
    """
    starters = ["o" if options.begins == "o" else "x", "mover"]
    if options.boards != "auto":
        starters = starters[:1] if options.boards == "x" else starters[1:]
    for starter, (code, marks) in product(starters, MARK_CODES.items()):
        empty, one, other = marks
        is_chosen = options.marks in ("auto", code)
        is_usual = empty == "0"
        is_known = starter != "mover" or is_usual or options.boards == "mover"
        if is_chosen and is_known and used_tokens <= {*marks, "."}:
            first, second = MOVER_NAMES if starter == "mover" else SIDE_NAMES
            blank = empty if empty in used_tokens else "a blank"
            meaning = f"{one} is {first}, {other} is {second}, {blank} is empty"
            digits = {empty: 0, ".": 0, one: 1, other: 2}
            yield SignScheme(digits, starter, meaning, is_usual)


def make_letter_scheme(used_tokens: set[str]) -> SignScheme:
    """Return the meaning of signs with X and O, where 0 may stand for O."""
    has_zero_for_o = (
        "0" in used_tokens and "O" not in used_tokens and "." in used_tokens
    )
    digits = {token: 0 for token in used_tokens if NUMERAL_PATTERN.fullmatch(token)}
    digits |= {"0": 2 if has_zero_for_o else 0, "X": 1, "O": 2}
    return SignScheme(digits, "x", "X and O")


@dataclass(eq=False)
class DistinctBoards:
    """The B different boards of a table; `tokens`, [B, 9], has indices of signs in `vocabulary`."""

    board_signs: list[BoardSigns]
    tokens: IndexArray = field(init=False)
    vocabulary: list[str] = field(init=False)
    is_base3_number: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        tokens = [token for signs in self.board_signs for token in signs.tokens]
        self.vocabulary = list(dict.fromkeys(tokens))
        numbers = {token: number for number, token in enumerate(self.vocabulary)}
        indices = np.array([numbers[token] for token in tokens])
        self.tokens = indices.reshape(-1, CELL_COUNT)
        is_base3 = [signs.is_base3_number for signs in self.board_signs]
        self.is_base3_number = np.array(is_base3)

    def choose_scheme(
        self, options: TableOptions, weights: NDArray[np.int64]
    ) -> tuple[SignScheme, str, BoolArray]:
        """Return (the scheme with most possible boards, a note on it, a mask of ignored boards).

        The note tells the user the evidence for the scheme. The mask, [B], has boards that only
        occur in games begun by the other player. `weights`, [B], counts the rows of each board.
        Raises TableError if no scheme fits, or if several fit equally well and give different
        positions.
        """
        used = set(self.vocabulary)
        schemes = list_schemes(used, options)
        if not schemes:
            strange = ", ".join(sorted(used)[:MAX_LISTED_SIGNS])
            raise TableError(
                f"what stands for X, O and empty cannot be told: there are {strange}"
            )
        positions = [self.find_positions(scheme) for scheme in schemes]
        fits = [int(weights[found != UNREACHABLE].sum()) for found in positions]
        best = fits.index(max(fits))
        for other, fit in enumerate(fits):
            differs = (positions[other] != positions[best])[weights > 0].any()
            if fit == fits[best] > 0 and differs and not schemes[best].is_usual:
                raise ask_for_option(
                    "marks",
                    f"{fit:,} rows have boards of games if {schemes[best].meaning}, and "
                    f"as many if {schemes[other].meaning}.",
                )
        return self.choose_starter(schemes, schemes[best], weights)

    def choose_starter(
        self,
        schemes: list[SignScheme],
        best: SignScheme,
        weights: NDArray[np.int64],
    ) -> tuple[SignScheme, str, BoolArray]:
        """Choose who begins under the best scheme; return (scheme, note, mask of ignored boards).

        If some games begin with X and others with O, the games of O are ignored, unless the user
        chose O.
        """
        of_x, of_o = (
            self.find_positions(best._replace(starter=starter)) != UNREACHABLE
            for starter in "xo"
        )
        only_x, only_o = of_x & ~of_o, of_o & ~of_x
        counts = int(weights[only_x].sum()), int(weights[only_o].sum())
        starters = {one.starter: one for one in schemes if one.digits == best.digits}
        has_side = best.starter != "mover" or "x" in starters
        if not has_side or min(counts) < max(MIN_STARTED_BOARDS, sum(counts) / 20):
            note = f"Boards: {best.description}"
            if best.starter == "o" or (best.starter == "x" and counts[1]):
                note += f" (boards with one X more: {counts[0]:,}, with one O more: {counts[1]:,})"
            return best, f"{note}.", np.zeros_like(of_x)
        best = starters.get("x", best)
        is_left_out, other = (only_x, "X") if best.starter == "o" else (only_o, "O")
        note = (
            f"Boards: {best.description}. Either mark begins in this table: the "
            f"{int(weights[is_left_out].sum()):,} boards that only games begun by {other} have "
            f"are left out (begins={other.lower()} judges these)."
        )
        return best, note, is_left_out

    def find_positions(
        self, scheme: SignScheme, is_reversed: bool = False
    ) -> IndexArray:
        """Return the position of each board, [B], or UNREACHABLE if no game leads to the board.

        If `is_reversed`, the first cell of a board is the last digit of its base-3 number.
        """
        digits = np.array([scheme.digits.get(token, 0) for token in self.vocabulary])
        if scheme.starter == "o":
            digits = np.array([0, 2, 1])[digits]
        stones = digits[self.tokens]
        if is_reversed:
            stones[self.is_base3_number] = stones[self.is_base3_number][:, ::-1]
        ones = (stones == 1).sum(axis=1)
        twos = (stones == 2).sum(axis=1)
        is_own = scheme.starter == "mover"
        if is_own:
            # The digit 1 is the player to move. So if O is to move, 1 is O, and 2 is X.
            is_of_o = ones < twos
            stones[is_of_o] = np.array([0, 2, 1])[stones[is_of_o]]
        codes = stones @ (3 ** np.arange(CELL_COUNT - 1, -1, -1))
        found = map_codes_to_positions()[codes]
        return np.where(ones > twos, UNREACHABLE, found) if is_own else found


@lru_cache(maxsize=2)
def map_codes_to_positions() -> IndexArray:
    """Return the position for each base-3 number, or UNREACHABLE if no game leads to its board."""
    positions = np.full(BASE3_CODE_COUNT, UNREACHABLE)
    positions[GAME.code] = np.arange(GAME.positions)
    return positions


NUMERAL_DESCRIPTIONS = {
    10: "The digits of a number are the nine squares; zeros at its start are left out.",
    4: "A board is a number with two bits for each square.",
}


def convert_board_numbers(
    board_items: Sequence[TableItem],
) -> tuple[Sequence[TableItem], str]:
    """Convert boards written as decimal or base-4 numbers, and return a note for the user.

    A decimal number becomes a text of nine digits, and a base-4 number becomes a base-3 number.
    Other boards stay as they are, with the note "".
    """
    numbers = [parse_number(item) for item in board_items]
    codes = [int(number) for number in numbers if is_whole_number(number)]
    has_large_codes = max(codes, default=0) >= BASE3_CODE_COUNT
    if len(codes) < len(numbers) or not has_large_codes:
        return board_items, ""
    if all(len(format_item(item)) == CELL_COUNT for item in board_items):
        return board_items, ""
    for base, description in NUMERAL_DESCRIPTIONS.items():
        boards = [np.base_repr(code, base).zfill(CELL_COUNT) for code in codes]
        if all(map(NINE_DIGITS_PATTERN.fullmatch, boards)):
            if base == 10:
                return boards, description
            return [float(int(board, 3)) for board in boards], description
    return board_items, ""


def collect_boards(
    board_items: Sequence[TableItem],
) -> tuple[DistinctBoards | None, IndexArray, list[tuple[TableItem, ...]], str]:
    """Return (different boards or None, board index of each row, other items of each row, note).

    The index is -1 for a row without a board. Other items are a move or a value in the same item as
    the board. The note tells the user how boards that are decimal or base-4 numbers were read.
    """
    board_items, numeral_note = convert_board_numbers(board_items)
    board_numbers: dict[TableItem, int] = {}
    signs: list[BoardSigns | None] = []
    rows = np.empty(len(board_items), np.intp)
    beside = []
    for row, item in enumerate(board_items):
        board, board_extras = split_board(item)
        try:
            key = tuple(board) if isinstance(board, list) else board
            number = board_numbers.get(key)
        except TypeError:
            # A list inside the board is not hashable.
            key = _make_hashable(board)
            number = board_numbers.get(key)
        if number is None:
            number = board_numbers[key] = len(signs)
            signs.append(read_board_signs(board))
        found_signs = signs[number]
        rows[row] = number
        beside.append(board_extras or (found_signs.extra_items if found_signs else ()))
    is_board = np.array([one is not None for one in signs], np.bool_)
    number_of_board = np.where(is_board, is_board.cumsum() - 1, -1)
    known = [one for one in signs if one is not None]
    rows = number_of_board[rows] if len(rows) else rows
    distinct = DistinctBoards(known) if known else None
    return distinct, rows, beside, numeral_note


def split_board(board_item: TableItem) -> tuple[TableItem, tuple[TableItem, ...]]:
    """Split a table item into its board and a move, a value or both.

    `[[0, 1, ...], 4]` is split into the board and `(4,)`.
    """
    if isinstance(board_item, list) and 2 <= len(board_item) <= 3:
        board, *more = board_item
        beside = flatten_lists(more)
        if isinstance(board, list) and len(board) == CELL_COUNT and len(beside) <= 2:
            return board, tuple(beside)
    return board_item, ()


def _make_hashable(board_item: TableItem) -> TableItem:
    if isinstance(board_item, list | tuple):
        return tuple(map(_make_hashable, board_item))
    return board_item
