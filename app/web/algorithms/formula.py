"""Formulas: one notation for those in letters and those in numbers, drawn as MathML Core.

A formula is written as it is read, `"y = r + γ max_a′ Q(s′, a′)"`, and is its own plain text.

- A letter is a symbol, with its mark if it has one: `s′`, `z*`, `θ⁻`; a number is a number, and a
  minus that touches it belongs to it; `"in quotes"` is text.
- `_` puts the symbol that follows below, `^` what follows above.
- `a / b` is a fraction; parentheses around either side of it are not drawn.
- `{ a : b; c : d }` is a choice of lines, in two columns.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from app.tictactoe.notation import MARKS
from app.web.numbers import MINUS, signed

USUALLY = {
    "s": "a position, with somebody to move",
    "a": "a move there",
    "r": "the reward: what the game’s result is worth, 0 while it goes on",
    "γ": "the discount: how much a reward counts that comes a turn later",
    "α": "the step size: what part of the way to go",
    "y": "the target",
    "a′": "a move in the next position",
    "s′": "the learner’s next position, after the answer",
    "z": "an afterstate: the board that a move makes",
}
CLOSING = {"(": ")", "[": "]", "|": "|"}
TOKEN = re.compile(
    rf'\s*(?:"(?P<text>[^"]*)"|(?P<number>{MINUS}?\d+(?:\.\d+)?)|(?P<operator>arg max|max|min|∑)'
    r"|(?P<symbol>[^\W\d_][′*⁻]?)|(?P<sign>\S))"
)


@dataclass(frozen=True)
class Formula:
    """A formula in letters: its lines, and what its symbols mean where that is not as usual.

    A symbol that has no meaning here or in `USUALLY` is told with another one.
    """

    title: str
    lines: tuple[str, ...]
    here: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def drawn(self) -> Markup:
        """All lines, each as a block of MathML."""
        return Markup().join(block(line) for line in self.lines)

    @cached_property
    def symbols(self) -> list[tuple[str, str]]:
        """The symbols in the order in which they appear, and what each means."""
        meanings = {**USUALLY, **self.here}
        found = dict.fromkeys(name for line in self.lines for name in symbols(line))
        return [(name, meanings[name]) for name in found if name in meanings]

    @cached_property
    def explained(self) -> Markup:
        """The same as entries of a list of definitions."""
        entry = Markup("<dt>{}</dt><dd>{}</dd>")
        return Markup().join(entry.format(*symbol) for symbol in self.symbols)


def block(formula: str) -> Markup:
    """Draw a formula in a line of its own."""
    return _element("math", *_Reader(formula).row(), display="block")


def inline(formula: str) -> Markup:
    """Draw a formula in a line of text."""
    return _element("math", *_Reader(formula).row())


def symbols(formula: str) -> list[str]:
    """List the symbols of a formula as they appear."""
    return [token["symbol"] for token in TOKEN.finditer(formula) if token["symbol"]]


def number(value: float, decimals: int = 2) -> str:
    """Write a number, before which only a minus stands."""
    return signed(value, decimals).removeprefix("+")


def fenced(value: float, decimals: int = 2) -> str:
    """Write a number that follows an operator, in parentheses if it is negative."""
    written = number(value, decimals)
    return f"({written})" if written.startswith(MINUS) else written


def equals(*shown: float, decimals: int = 2) -> str:
    """Return the sign between these numbers and what they make: "=" if none of them is rounded."""
    whole = all(abs(value - round(value, decimals)) < 1e-9 for value in shown)
    return "=" if whole else "≈"


Row = tuple[Markup, ...]  # elements that follow each other


class _Atom(NamedTuple):
    """A part of a formula that is raised, divided or applied as a whole."""

    drawn: Row
    bare: Row  # the same without its parentheses


class _Reader:
    """Draws a formula while it reads it, from the left to the right."""

    def __init__(self, formula: str) -> None:
        found = [(token.lastgroup or "", token) for token in TOKEN.finditer(formula)]
        self.tokens = [(kind, token[kind]) for kind, token in reversed(found)]  # the last is next

    def row(self, ends: str = "") -> Row:
        """Draw everything up to one of these signs, which is left, or up to the end."""
        parts: list[Markup] = []
        last, operand = _Atom((), ()), False  # what was drawn last, and whether it is one
        while self.tokens and not (self.tokens[-1][0] == "sign" and self.tokens[-1][1] in ends):
            kind, text = self.tokens[-1]
            if text == "/":
                self.tokens.pop()
                fraction = _element("mfrac", _one(last.bare), _one(self.atom().bare))
                parts[-len(last.drawn) :] = [fraction]
            elif kind == "sign" and text not in "([{" and (operand or text != "|"):
                self.tokens.pop()
                prefix = {"form": "prefix"} if text == MINUS and not operand else {}
                bar = {"stretchy": "false"} if text == "|" else {}
                parts.append(_element("mo", text, **prefix, **bar))
                operand = False
            else:
                last = self.atom()
                parts += last.drawn
                operand = kind != "text"
        return tuple(parts)

    def atom(self) -> _Atom:
        """Draw one part, with what hangs above and below it and what it is a function of."""
        kind, text = self.tokens.pop()
        if kind == "text":
            return _plain(_element("mtext", text.replace(" ", "\N{NO-BREAK SPACE}")))
        if kind == "number":
            return self.raised(_plain(_element("mn", text)))
        if kind == "operator":
            operator = _element("mo", text, lspace="0.15em", rspace="0.15em", movablelimits="false")
            below = self.hanging("_")
            return _plain(_element("munder", operator, _one(below)) if below else operator)
        if text == "{":
            return _plain(self.choice())
        if text in CLOSING:
            return self.raised(self.group(text))
        return self.applied(text)

    def applied(self, name: str) -> _Atom:
        """Draw a symbol with its index, its power, and what it is a function of."""
        symbol, below = _symbol(name), self.hanging("_")
        drawn = self.raised(
            _plain(_element("msub", _one(symbol), _one(below))) if below else _plain(*symbol)
        ).drawn
        if self.tokens and self.tokens[-1][1] in ("(", "["):
            drawn += self.group(self.tokens.pop()[1]).drawn
        return _plain(*drawn)

    def hanging(self, sign: str) -> Row:
        """Draw the symbol after a sign that hangs it below; nothing without that sign."""
        if not self.tokens or self.tokens[-1] != ("sign", sign):
            return ()
        self.tokens.pop()
        return _symbol(self.tokens.pop()[1])

    def raised(self, base: _Atom) -> _Atom:
        """Draw a part with its power, if it has one."""
        if not self.tokens or self.tokens[-1] != ("sign", "^"):
            return base
        self.tokens.pop()
        return _plain(_element("msup", _one(base.drawn), _one(self.atom().drawn)))

    def group(self, opening: str) -> _Atom:
        """Draw what stands in parentheses, brackets or bars."""
        inside = self.row(CLOSING[opening])
        closing = self.tokens.pop()[1]
        before, after = (
            _element("mo", sign, stretchy="false", form=form)
            for sign, form in ((opening, "prefix"), (closing, "postfix"))
        )
        return _Atom((before, *inside, after), inside)

    def choice(self) -> Markup:
        """Draw lines of which one holds, each with what has to be so."""
        lines, sign = Markup(), ";"
        while sign == ";":
            value = self.row(":")
            self.tokens.pop()
            condition = self.row(";}")
            sign = self.tokens.pop()[1]
            lines += _element("mtr", _element("mtd", *value), _element("mtd", *condition))
        # In a row of its own, so that the brace is as high as these lines.
        return _element("mrow", _element("mo", "{"), _element("mtable", lines))


def _plain(*drawn: Markup) -> _Atom:
    return _Atom(drawn, drawn)


def _one(row: Row) -> Markup:
    """Make one element of a row, where only one can stand."""
    return row[0] if len(row) == 1 else _element("mrow", *row)


def _symbol(name: str) -> Row:
    """Draw a letter with its mark; X and O are players and stand upright."""
    upright = {"mathvariant": "normal"} if name in MARKS.values() else {}
    letter = _element("mi", name[0], **upright)
    if len(name) == 1:
        return (letter,)
    if name[1] == "′":
        return letter, _element("mo", name[1], form="postfix")  # a prime is raised itself
    return (_element("msup", letter, _element("mo", name[1].replace("⁻", MINUS))),)


def _element(tag: str, *inside: str, **attributes: str) -> Markup:
    written = Markup().join(
        Markup(' {}="{}"').format(name, value) for name, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), written, Markup().join(inside))
