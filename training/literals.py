"""What people paste: JSON, or what Python prints of a dict, a list, a tuple or an array.

`static/tables.js` has the same for the browser, by the same rules.  Nothing is ever evaluated.
"""

import json
import re
from typing import Any

DEEPEST = 60  # brackets in brackets
TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    |(?P<word>[-+]?[A-Za-z_][\w.]*)
    |(?P<sign>[][(){},:=<>])
    )""",
    re.VERBOSE | re.ASCII,
)
CLOSING = {"[": "]", "(": ")"}
ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
SIGNS = {"n": "\n", "r": "\r", "t": "\t"}


def literal(text: str) -> Any:
    """Read a value; pairs of a dict come as a list of [key, value], for keys may be boards.

    A tuple is a list, NaN and infinity and every other word are None, and of a call like
    `np.float64(0.5)` or `array([1, 2])` its argument counts.
    Raises ValueError, naming the line, if it is none.
    """
    try:
        return json.loads(text, object_pairs_hook=Pairs, parse_constant=lambda _: None)
    except ValueError:
        pass
    except RecursionError:
        raise ValueError(f"there are more than {DEEPEST} brackets in brackets") from None
    return _Reader(text).whole()


class Pairs(list[tuple[Any, Any]]):
    """The pairs of a dict."""


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else SIGNS.get(sign, sign)


class _Reader:
    """Reads a text from its start to its end."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.next()

    def next(self) -> None:
        """Go on to the next token: its kind and what it is; "" at the end."""
        found = TOKEN.match(self.text, self.at)
        if found is None:
            rest = self.text[self.at :].lstrip()
            if rest:
                self.at = len(self.text) - len(rest)
                raise self.fault()
            self.kind, self.token = "", ""
            return
        self.at = found.end()
        self.kind = found.lastgroup or ""
        self.token = found[self.kind]

    def fault(self) -> ValueError:
        """Return what is wrong, with where."""
        line = self.text.count("\n", 0, self.at) + 1
        return ValueError(f"line {line}: this is neither JSON nor a dict or list of Python")

    def whole(self) -> Any:
        """Read the one value of the text."""
        value = self.value(0)
        if self.kind:
            raise self.fault()
        return value

    def value(self, depth: int) -> Any:
        """Read one value."""
        kind, token = self.kind, self.token
        if depth > DEEPEST:
            raise ValueError(f"there are more than {DEEPEST} brackets in brackets")
        if not kind:
            raise self.fault()
        self.next()
        if kind == "text":
            return ESCAPED.sub(_unescaped, token[1:-1])
        if kind == "number":
            return float(token) if re.search("[.eE]", token) else int(token)
        if kind == "word":
            return self.argument(depth) if self.token == "(" else None
        if token in CLOSING:
            return self.items(CLOSING[token], depth)
        if token == "{":
            return self.pairs(depth)
        raise self.fault()

    def argument(self, depth: int) -> Any:
        """Read what a call is made with: of several arguments the last that is no word."""
        self.next()
        items = self.items(")", depth, named=True)
        return next((item for item in reversed(items) if item is not None), None)

    def items(self, end: str, depth: int, named: bool = False) -> list[Any]:
        """Read values up to a bracket."""
        items = []
        while self.token != end or self.kind != "sign":
            if named and self.token == "<":  # <class 'float'>
                while self.token not in (">", ""):
                    self.next()
                self.next()
            else:
                items.append(self.value(depth + 1))
            if named and self.token == "=":
                self.next()
                self.value(depth + 1)
                items.pop()
            self.comma(end)
        self.next()
        return items

    def pairs(self, depth: int) -> Pairs:
        """Read what a dict has."""
        pairs = Pairs()
        while self.token != "}" or self.kind != "sign":
            key = self.value(depth + 1)
            if self.token != ":":
                raise self.fault()
            self.next()
            pairs.append((key, self.value(depth + 1)))
            self.comma("}")
        self.next()
        return pairs

    def comma(self, end: str) -> None:
        """Go past a comma, which the last one need not have."""
        if self.kind == "sign" and self.token == ",":
            self.next()
        elif self.kind != "sign" or self.token != end:
            raise self.fault()
