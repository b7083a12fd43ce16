"""Formulas in LaTeX, converted to MathML Core for the pages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from latex2mathml.converter import convert
from markupsafe import Markup

from app.web.formatting import MINUS, format_signed

USUAL_MEANINGS = {
    "s": "the state: a position and the player to move",
    "a": "the action: a move in state s",
    "r": "the reward: the number for the result of the game; 0 while the game goes on",
    "γ": "the discount factor: for each move that a reward comes later, it is multiplied by γ",
    "α": "the step size: an update goes this part of the way to the target",
    "y": "the target",
    "a′": "a possible move in the next position s′",
    "s′": "the next position of the learner, after the opponent’s move",
    "z": "an afterstate: the board after a move",
}
# Each cached formula takes about 2 KB.
MAX_CACHED_FORMULAS = 256
ENTITY_PATTERN = re.compile("&#x([0-9A-F]+);")
# Each pattern in the MathML of the converter has a replacement.
MATHML_CORRECTIONS = (
    # Pages need neither of these attributes: HTML has no namespaces, and CSS aligns columns.
    (
        re.compile(' (?:xmlns|columnalign)="[^"]*"'),
        "",
    ),
    # The prime character is already raised, so <msup> would raise it twice.
    (
        re.compile("<msup>(<mi>.</mi>)<mi>′</mi></msup>"),
        r"<mrow>\1<mo>′</mo></mrow>",
    ),
    (
        re.compile("<mo>(max|min)</mo>"),
        r'<mo lspace="0.167em" rspace="0.167em">\1</mo>',
    ),
)
SYMBOL_PATTERN = re.compile("<mi>(.)</mi>(?:<mo>([′*−])</mo></m(?:row|sup)>)?")


@dataclass(frozen=True)
class Formula:
    """A formula of one or more lines, with the meanings of its symbols.

    A symbol is not explained if neither `symbol_meanings` nor USUAL_MEANINGS has it.
    """

    latex_lines: tuple[str, ...]
    # symbols with another meaning than in USUAL_MEANINGS
    symbol_meanings: Mapping[str, str] = field(default_factory=dict)
    # the title of the formula; "" for the title of the section
    title: str = ""

    def __post_init__(self) -> None:
        self.meanings_html  # noqa: B018 - drawn when the site starts, not at the first request

    @cached_property
    def mathml(self) -> Markup:
        return Markup().join(convert_to_mathml(line) for line in self.latex_lines)

    @cached_property
    def explained_symbols(self) -> list[tuple[str, str]]:
        meanings = {**USUAL_MEANINGS, **self.symbol_meanings}
        found = dict.fromkeys(list_symbols(self.mathml))
        return [(name, meanings[name]) for name in found if name in meanings]

    @cached_property
    def meanings_html(self) -> Markup:
        """The symbols and their meanings, as <dt> and <dd> elements."""
        entry = Markup("<dt>{}</dt><dd>{}</dd>")
        return Markup().join(entry.format(*symbol) for symbol in self.explained_symbols)


def list_symbols(mathml: str) -> list[str]:
    """Return the symbols in MathML, such as "s" and "a′", in their order."""
    found = ("".join(parts) for parts in SYMBOL_PATTERN.findall(mathml))
    return [name.replace(MINUS, "⁻") for name in found]


@lru_cache(maxsize=MAX_CACHED_FORMULAS)
def convert_to_mathml(latex: str) -> Markup:
    drawn = ENTITY_PATTERN.sub(_decode_entity, convert(latex, display="block"))
    for found, instead in MATHML_CORRECTIONS:
        drawn = found.sub(instead, drawn)
    return Markup(drawn)


def _decode_entity(entity: re.Match[str]) -> str:
    character = chr(int(entity[1], 16))
    return entity[0] if character in "<>&" else character


def format_unsigned(value: float, decimals: int = 2) -> str:
    """Return a number without a plus sign, such as "0.42" or "−0.42"."""
    return format_signed(value, decimals).removeprefix("+")


def format_short_unsigned(value: float) -> str:
    """Return a number without a plus sign, with up to four significant digits."""
    return f"{round(value, 6) + 0.0:.4g}".replace("-", MINUS)


def bracket_negative(number: str) -> str:
    """Put a negative number in parentheses, to follow an operator: "(−0.42)"."""
    return f"({number})" if number.startswith(MINUS) else number
