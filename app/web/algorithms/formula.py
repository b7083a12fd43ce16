"""Formulas: LaTeX, drawn as MathML Core."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from latex2mathml.converter import convert
from markupsafe import Markup

from app.web.formatting import MINUS, format_signed

USUALLY = {
    "s": "the state: a position and the player to move",
    "a": "the action: a move in state s",
    "r": "the reward: the number for the result of the game; 0 while the game goes on",
    "γ": "the discount factor: a reward is multiplied by γ for each move that it comes later",
    "α": "the step size: an update goes this part of the way to the target",
    "y": "the target",
    "a′": "a possible move in the next position s′",
    "s′": "the next position of the learner, after the opponent’s answer",
    "z": "an afterstate: the board after a move",
}
Q_STEP = r"Q(s, a) \leftarrow Q(s, a) + \alpha (y - Q(s, a))"  # towards the target y
FORMULAS = 256  # formulas that are kept, some 2 KB each
ENTITY = re.compile("&#x([0-9A-F]+);")
CORRECTIONS = (  # replacements in the output of the converter
    # superfluous in HTML and with the style sheet
    (
        re.compile(' (?:xmlns|columnalign)="[^"]*"'),
        "",
    ),
    # the prime is already a raised character
    (
        re.compile("<msup>(<mi>.</mi>)<mi>′</mi></msup>"),
        r"<mrow>\1<mo>′</mo></mrow>",
    ),
    (
        re.compile("<mo>(max|min)</mo>"),
        r'<mo lspace="0.167em" rspace="0.167em">\1</mo>',
    ),
)
SYMBOL = re.compile("<mi>(.)</mi>(?:<mo>([′*−])</mo></m(?:row|sup)>)?")


@dataclass(frozen=True)
class Formula:
    """A formula: its lines, and the meanings of symbols that differ from `USUALLY`.

    A symbol without a meaning in both is explained together with another symbol.
    """

    lines: tuple[str, ...]  # LaTeX
    symbol_meanings: Mapping[str, str] = field(default_factory=dict)
    title: str = ""  # "" for the title of the section

    def __post_init__(self) -> None:
        self.explained  # noqa: B018 - drawn when the site starts, not at the first request

    @cached_property
    def drawn(self) -> Markup:
        """All lines, each as a block of MathML."""
        return Markup().join(draw_block(line) for line in self.lines)

    @cached_property
    def symbols(self) -> list[tuple[str, str]]:
        """The symbols with their meanings, in the order of the formula."""
        meanings = {**USUALLY, **self.symbol_meanings}
        found = dict.fromkeys(list_symbols(self.drawn))
        return [(name, meanings[name]) for name in found if name in meanings]

    @cached_property
    def explained(self) -> Markup:
        """The symbols and their meanings as HTML entries of a definition list."""
        entry = Markup("<dt>{}</dt><dd>{}</dd>")
        return Markup().join(entry.format(*symbol) for symbol in self.symbols)


def format_cases(name: str, *rows: tuple[str, str]) -> str:
    """Return the LaTeX of a definition by cases; a row is a value and its condition in words."""
    lines = r" \\ ".join(
        rf"{value} & \text{{{condition}}}" for value, condition in rows
    )
    return rf"{name} = \begin{{cases}} {lines} \end{{cases}}"


def list_symbols(drawn: str) -> list[str]:
    """Return the letters of a drawn formula in order, with their primes and stars."""
    found = ("".join(parts) for parts in SYMBOL.findall(drawn))
    return [name.replace(MINUS, "⁻") for name in found]


@lru_cache(maxsize=FORMULAS)
def draw_block(latex: str) -> Markup:
    """Return a formula as MathML, in a line of its own."""
    drawn = ENTITY.sub(_character, convert(latex, display="block"))
    for found, instead in CORRECTIONS:
        drawn = found.sub(instead, drawn)
    return Markup(drawn)


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity, or the entity if HTML needs it."""
    character = chr(int(entity[1], 16))
    return entity[0] if character in "<>&" else character


def format_number(value: float, decimals: int = 2) -> str:
    """Return a number as text, without a plus."""
    return format_signed(value, decimals).removeprefix("+")


def format_short(value: float) -> str:
    """Return a number with up to four significant digits, without a plus."""
    return f"{round(value, 6) + 0.0:.4g}".replace("-", MINUS)


def add_brackets(number: str) -> str:
    """Return a number for the place after an operator: negative numbers in parentheses."""
    return f"({number})" if number.startswith(MINUS) else number
