"""Single values of a table: numbers, cells, and how messages quote them."""

import re
from collections.abc import Iterable
from math import isfinite, isinf, nan
from typing import Any, TypeGuard

MOST_QUOTED = 40  # characters
LONGEST_WHOLE = 1e21  # larger numbers are written with an exponent
LARGEST = 1e300  # of a value: the double of it is still a number
NO_VALUES = {"", "nan", "none", "null", "-inf", "inf"}
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
UNSIGNED = re.compile(r"\d+(?:\.\d*)?", re.ASCII)
# The constructors around a number or a list in what Python prints.
CALLS = re.compile(
    r"\b(?:np|numpy|torch|jnp)\.\w+|\b(?:array|tensor|tuple|list)\b|\bdtype=\w+",
    re.ASCII,
)


class TableError(ValueError):
    """A table that cannot be read: the message says why, and names the row."""


class Pairs(list[tuple[Any, Any]]):
    """The keys and values of a dict, in order: keys may be lists, and may be repeated."""


def flatten(items: list[Any]) -> list[Any]:
    """Return the items of nested lists as one list; a dict inside stays as its pairs."""
    if not any(isinstance(item, list | tuple) for item in items):
        return items
    flat: list[Any] = []
    for item in items:
        if isinstance(item, list | tuple):
            flat.extend(flatten(list(item)))
        else:
            flat.append(item)
    return flat


def parse_number(item: Any) -> float | None:
    """Return a number or the text of one as a float, None if it is neither or too large."""
    if isinstance(item, str) and NUMBER.fullmatch(item.strip()):
        item = float(item)
    is_number = isinstance(item, float) and -LARGEST < item < LARGEST  # NaN is not
    return item if is_number else None


def parse_values(items: Iterable[Any]) -> list[float]:
    """Return values as floats, NaN where there is none; raises TableError at any other text."""
    return [parse_value(item) for item in items]


def parse_value(item: Any) -> float:
    """Return a value as a float, NaN if there is none; raises TableError at any other text."""
    number = parse_number(item)
    if number is not None:
        return number
    is_missing = item is None or item != item  # noqa: PLR0124 - NaN differs from itself
    if not is_missing and text_of(item).strip().lower() not in NO_VALUES:
        raise TableError(f"{quote(item)} is no number")
    return nan


def parse_move(move: Any) -> tuple[int, ...]:
    """Return the one or two whole numbers of a move, () if it has none.

    One number is a cell, two are a row and a column.
    """
    if isinstance(move, str):
        text = CALLS.sub("", move)
        if re.search("[-a-zA-Z]", text):
            return ()
        numbers: list[float | None] = [float(found) for found in UNSIGNED.findall(text)]
    else:
        numbers = [
            parse_number(item)
            for item in (flatten(move) if isinstance(move, list) else [move])
        ]
    whole = [int(number) for number in numbers if is_whole(number)]
    is_move = 1 <= len(numbers) <= 2 and len(whole) == len(numbers)
    return tuple(whole) if is_move else ()


def is_whole(number: float | None) -> TypeGuard[float]:
    """Return whether a number is a whole one, from 0."""
    return (
        number is not None
        and isfinite(number)
        and number >= 0
        and number == int(number)
    )


def cell_of(numbers: tuple[int, ...], first: int) -> int | None:
    """Return the cell, from 0, of the numbers of a move, which count from `first`.

    Returns None if there is no such cell.
    """
    places = [number - first for number in numbers]
    if len(places) == 1 and 0 <= places[0] <= 8:
        return places[0]
    if len(places) == 2 and all(0 <= place <= 2 for place in places):
        return 3 * places[0] + places[1]
    return None


def text_of(item: Any) -> str:
    """Return a value as it is written in a table."""
    if item is None:
        return "nothing"
    if isinstance(item, list | tuple):
        return f"[{', '.join(map(text_of, item))}]"
    if isinstance(item, float) and isinf(item):  # it was written with too many digits
        return "Infinity" if item > 0 else "-Infinity"
    if isinstance(item, float) and item.is_integer() and abs(item) < LONGEST_WHOLE:
        return str(int(item))
    return str(item)


def quote(item: Any) -> str:
    """Return a value for a message: at most 40 characters, without half characters of JSON."""
    text = text_of(item).encode("utf-8", "replace").decode()
    return text if len(text) <= MOST_QUOTED else f"{text[: MOST_QUOTED - 1]}…"
