"""Parse JSON, and dicts, lists, tuples and arrays as Python prints them, without `eval`."""

import json
import re
from math import inf

import numpy as np

from app.tables.values import KeyValuePairs, TableError, TableItem

MAX_NESTING = 60
# The largest tables, dicts with a numpy number for each move, have 280,000 tokens.
MAX_TOKENS = 400_000
TOKEN_PATTERN = re.compile(
    r"""\s*(?:
    (?:[bu](?=["']))?(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |\[(?P<list>[-+.,\s\dNaeEonul]*)\] | \((?P<tuple>[-+.,\s\dNaeEonul]*)\)  # a list or tuple of numbers
    |(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)
    |(?P<word>[-+]?[A-Za-z_][\w.]*)
    |(?P<sign>[\][(){},:=<>])
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
ESCAPE_PATTERN = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
ESCAPED_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t"}


def parse_literal(literal_text: str) -> TableItem:
    """Parse a text as KeyValuePairs, a list, a str, a float or None.

    Words such as `null`, `nan` and `True` become None. Raises TableError, naming the line.
    """
    if count_nested_brackets(literal_text) <= MAX_NESTING:
        try:
            return json.loads(
                literal_text,
                object_pairs_hook=KeyValuePairs,
                parse_int=float,
                parse_constant=lambda word: None,
            )
        except (ValueError, RecursionError):
            # A text that is no JSON can still be a Python literal.
            pass
    return LiteralParser(literal_text).parse_whole_text()


def count_nested_brackets(literal_text: str) -> int:
    signs = np.frombuffer(literal_text.encode("utf-8", "replace"), np.uint8)
    change = np.zeros(256, np.int8)
    change[list(b"[{(")], change[list(b"]})")] = 1, -1
    return int(change[signs].cumsum(dtype=np.int32).max(initial=0))


class LiteralParser:
    """A recursive-descent parser that looks one token ahead."""

    def __init__(self, literal_text: str) -> None:
        self.text = literal_text
        self.position = self.start = 0
        self.kind, self.value = "", ""
        self.tokens = 0
        self.read_next_token()

    def parse_whole_text(self) -> TableItem:
        value = self.read_value(0)
        if self.kind:
            raise self.make_syntax_error()
        return value

    def read_next_token(self) -> None:
        found = TOKEN_PATTERN.match(self.text, self.position)
        if found is None:
            rest = self.text[self.position :].lstrip()
            self.start = len(self.text) - len(rest)
            self.kind = self.value = ""
            if rest:
                raise self.make_syntax_error()
            return
        self.tokens += 1
        if self.tokens > MAX_TOKENS:
            raise TableError(
                f"there are more than {MAX_TOKENS:,} numbers, words and signs in it"
            )
        self.start, self.position = found.span()
        self.kind = kind = found.lastgroup or ""
        self.value = found[kind]

    def make_syntax_error(self) -> TableError:
        line = self.text.count("\n", 0, self.position if self.kind else self.start) + 1
        reason = "this is neither JSON nor a dict or list of Python"
        if not self.kind and not self.text[self.start :].strip():
            reason += ": the text breaks off before its last bracket"
        return TableError(f"line {line}: {reason}")

    def is_next_sign(self, sign: str) -> bool:
        return self.kind == "sign" and self.value == sign

    def count_angle_bracket(self) -> int:
        return self.is_next_sign("<") - self.is_next_sign(">")

    def read_value(self, depth: int) -> TableItem:
        """Return the value at the current token; `depth` is the number of open brackets."""
        if depth > MAX_NESTING:
            raise TableError(f"there are more than {MAX_NESTING} brackets in brackets")
        kind = self.kind
        value = self.value
        if kind in ("list", "tuple"):
            return self.read_numbers(depth)
        if not kind or (kind == "sign" and value not in "[({"):
            raise self.make_syntax_error()
        self.read_next_token()
        if kind == "text":
            return ESCAPE_PATTERN.sub(_unescape, value[1:-1])
        if kind == "number":
            return float(value)
        if kind == "word":
            return self.read_call(depth)
        if value == "{":
            return self.read_pairs(depth)
        return self.read_items("]" if value == "[" else ")", depth)

    def read_numbers(self, depth: int) -> list[TableItem]:
        """Return the numbers of a list whose text is one token; words such as nan become None."""
        try:
            values = _parse_numbers(self.value)
        except ValueError:
            # Go back to the opening bracket, because only single tokens show where the error is.
            end = "]" if self.kind == "list" else ")"
            self.position -= len(self.value) + 1
            self.read_next_token()
            return self.read_items(end, depth)
        self.read_next_token()
        return values

    def read_call(self, depth: int) -> TableItem:
        """Return the last argument of a call, or None for a word that is no call.

        In `defaultdict(<class 'float'>, {...})` the last argument is the table, in `int64(4)` the
        number.
        """
        if self.kind == "tuple":
            items = self.read_numbers(depth)
        elif self.is_next_sign("("):
            self.read_next_token()
            items = self.read_items(")", depth, is_call=True)
        else:
            return None
        return next((item for item in reversed(items) if item is not None), None)

    def read_items(
        self, closing_bracket: str, depth: int, is_call: bool = False
    ) -> list[TableItem]:
        """Return the items up to a closing bracket, without a call's keywords and `<...>`."""
        parsed_items: list[TableItem] = []
        while not self.is_next_sign(closing_bracket):
            if is_call and self.is_next_sign("<"):
                # Angle brackets can be nested, as in <function <lambda> at 0x7f3c>.
                opened = 0
                while self.kind and (opened := opened + self.count_angle_bracket()):
                    self.read_next_token()
                self.read_next_token()
            else:
                parsed_items.append(self.read_value(depth + 1))
            if is_call and self.is_next_sign("="):
                self.read_next_token()
                self.read_value(depth + 1)
                parsed_items.pop()
            self.skip_comma(closing_bracket)
        self.read_next_token()
        return parsed_items

    def read_pairs(self, depth: int) -> KeyValuePairs:
        pairs = KeyValuePairs()
        while not self.is_next_sign("}"):
            key = self.read_value(depth + 1)
            if not self.is_next_sign(":"):
                raise self.make_syntax_error()
            self.read_next_token()
            pairs.append((key, self.read_value(depth + 1)))
            self.skip_comma("}")
        self.read_next_token()
        return pairs

    def skip_comma(self, closing_bracket: str) -> None:
        if self.is_next_sign(","):
            self.read_next_token()
        elif not self.is_next_sign(closing_bracket):
            raise self.make_syntax_error()


def _unescape(match: re.Match[str]) -> str:
    sign = match[1]
    if len(sign) > 1:
        return chr(int(sign[1:], 16))
    return ESCAPED_CHARACTERS.get(sign, sign)


def _parse_numbers(numbers_text: str) -> list[float | None]:
    """Return numbers that are separated by commas; words such as None become None.

    Raises ValueError for any other content.
    """
    parts = numbers_text.replace("None", "nan").replace("null", "nan").split(",")
    if not parts[-1].strip():
        # Python prints a tuple of one number with a comma after it.
        parts.pop()
    values = list(map(float, parts))
    if inf in values or -inf in values:
        raise ValueError("too large")
    if "n" in numbers_text or "N" in numbers_text:
        return [None if value != value else value for value in values]  # noqa: PLR0124
    return list(values)
