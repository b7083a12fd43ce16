"""Parse single items of a table, such as numbers and moves, and quote items in error messages."""

import re
from math import isfinite, isinf, nan
from typing import Any, TypeAlias, TypeGuard

MAX_QUOTED_LENGTH = 40
# A larger whole number would fill a message with its digits, so it is written with an exponent.
MAX_FORMATTED_INTEGER = 1e21
# Even the difference of two such numbers is finite.
MAX_NUMBER = 1e300
MISSING_VALUE_WORDS = {"", "-", "nan", "none", "null", "-inf", "inf"}
NUMBER_PATTERN = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
# A move can be written as "move 4", as a row and a column in two digits, or as "top left".
MOVE_PREFIX_PATTERN = re.compile(
    r"^\s*(?:a|(?:[Aa]ction|[Cc]ell|[Mm]ove|[Pp]os|[Ss]quare)[\s_]*)(?=\d)"
)
ROW_AND_COLUMN_PATTERN = re.compile(r"\s*([0-3])([0-3])\s*", re.ASCII)
CENTRE_WORDS = dict.fromkeys(("middle", "center", "centre"), 1)
ROW_WORDS = {"top": 0, "upper": 0, **CENTRE_WORDS, "bottom": 2, "lower": 2}
COLUMN_WORDS = {"left": 0, **CENTRE_WORDS, "right": 2}
UNSIGNED_NUMBER_PATTERN = re.compile(r"\d+(?:\.\d*)?", re.ASCII)
# numpy and torch print such names around numbers and lists, as in `np.float64(0.5)`.
CONSTRUCTOR_PATTERN = re.compile(
    r"\b(?:np|numpy|torch|jnp)\.\w+|\b(?:array|tensor|tuple|list)\b|\bdtype=\w+",
    re.ASCII,
)


class TableError(ValueError):
    """Raised for an unreadable table; the message has the reason, and if possible the row."""


# A parsed item of a table is a number, a text, a list, KeyValuePairs or None.
TableItem: TypeAlias = Any


class KeyValuePairs(list[tuple[TableItem, TableItem]]):
    """The keys and values of a dict in order; a key can be a list, and can be repeated."""


def flatten_lists(items: list[TableItem]) -> list[TableItem]:
    """Return the items of nested lists in one list; of a dict, its keys and values."""
    if not any(isinstance(item, list | tuple) for item in items):
        return items
    flat_items: list[TableItem] = []
    for item in items:
        if isinstance(item, list | tuple):
            flat_items.extend(flatten_lists(list(item)))
        else:
            flat_items.append(item)
    return flat_items


def parse_number(table_item: TableItem) -> float | None:
    """Return the number that an item is or contains as text, or None."""
    if isinstance(table_item, str) and NUMBER_PATTERN.fullmatch(table_item.strip()):
        table_item = float(table_item)
    # This comparison also rejects NaN.
    is_number = isinstance(table_item, float) and -MAX_NUMBER < table_item < MAX_NUMBER
    return table_item if is_number else None


def parse_value(table_item: TableItem) -> float:
    """Return a value as a float, NaN if it is missing; raises TableError for any other text."""
    number = parse_number(table_item)
    if number is not None:
        return number
    is_missing = table_item is None or table_item != table_item  # noqa: PLR0124 - NaN differs from itself
    if (
        not is_missing
        and format_item(table_item).strip().lower() not in MISSING_VALUE_WORDS
    ):
        raise TableError(f"{quote_item(table_item)} is no number")
    return nan


def parse_move(move_item: TableItem) -> tuple[int, ...]:
    """Return (cell,) or (row, column) for a move, and () for any other item."""
    if isinstance(move_item, str):
        text = CONSTRUCTOR_PATTERN.sub("", move_item)
        text = MOVE_PREFIX_PATTERN.sub("", text, count=1)
        if re.search("[-a-zA-Z]", text):
            return _parse_square_words(re.findall("[a-z]+", text.lower()))
        if digits := ROW_AND_COLUMN_PATTERN.fullmatch(text):
            return int(digits[1]), int(digits[2])
        items = UNSIGNED_NUMBER_PATTERN.findall(text)
    else:
        items = flatten_lists(move_item) if isinstance(move_item, list) else [move_item]
    numbers = [parse_number(item) for item in items]
    whole = [int(number) for number in numbers if is_whole_number(number)]
    is_move = 1 <= len(numbers) <= 2 and len(whole) == len(numbers)
    return tuple(whole) if is_move else ()


def _parse_square_words(words: list[str]) -> tuple[int, ...]:
    """Return (row, column) for words such as "top left", and () for other words."""
    if len(words) == 1 and words[0] in CENTRE_WORDS:
        return (1, 1)
    if len(words) == 2 and words[0] in ROW_WORDS and words[1] in COLUMN_WORDS:
        return ROW_WORDS[words[0]], COLUMN_WORDS[words[1]]
    return ()


def is_whole_number(number: float | None) -> TypeGuard[float]:
    """Return whether a number is 0, 1, 2 or so on."""
    return (
        number is not None
        and isfinite(number)
        and number >= 0
        and number == int(number)
    )


def format_item(table_item: TableItem) -> str:
    if table_item is None:
        return "nothing"
    if isinstance(table_item, list | tuple):
        return f"[{', '.join(map(format_item, table_item))}]"
    # Python turns a number with too many digits into infinity.
    if isinstance(table_item, float) and isinf(table_item):
        return "Infinity" if table_item > 0 else "-Infinity"
    if (
        isinstance(table_item, float)
        and table_item.is_integer()
        and abs(table_item) < MAX_FORMATTED_INTEGER
    ):
        return str(int(table_item))
    return str(table_item)


def quote_item(table_item: TableItem) -> str:
    """Return an item as text for a message, cut to 40 characters."""
    text = format_item(table_item).encode("utf-8", "replace").decode()
    return (
        text if len(text) <= MAX_QUOTED_LENGTH else f"{text[: MAX_QUOTED_LENGTH - 1]}…"
    )
