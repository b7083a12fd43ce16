"""Formulas: LaTeX, drawn as MathML Core, and the equations of an update with its numbers.

In the equations Q is the value that is asked for, y its target.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from latex2mathml.converter import convert
from markupsafe import Markup

from app.web.algorithms.targets import MOST_DECIMALS, Reply, ValueQuery, ValueReason
from app.web.formatting import MINUS, format_signed
from app.web.site_data import TRUTH

USUALLY = {
    "s": "the state: a position, with a player to move",
    "a": "a move there",
    "r": "the reward: what the game’s result is worth, 0 while it goes on",
    "γ": "the discount factor: what a reward is multiplied by for each move that it comes later",
    "α": "the step size: what part of the way to the target an update goes",
    "y": "the target",
    "a′": "a move in the next position",
    "s′": "the learner’s next position, after the answer",
    "z": "an afterstate: the board that a move makes",
}
Q_STEP = r"Q(s, a) \leftarrow Q(s, a) + \alpha (y - Q(s, a))"  # towards the target y
FIGURES = 3  # significant digits of a parameter
ROUNDED = 1e-7  # part of the last decimal; a smaller difference is no rounding
SHAPES = 1024  # formulas that are kept, whatever numbers stand in them, some 2 KB each
NUMBER = re.compile(rf"{MINUS}?\d+(?:\.\d+)?(?:e{MINUS}\d+)?")
ENTITY = re.compile("&#x([0-9A-F]+);")
CORRECTIONS = (  # replacements in the output of the converter
    # HTML knows it, the style sheet says it
    (
        re.compile(' (?:xmlns|columnalign)="[^"]*"'),
        "",
    ),
    # is raised
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
        self.explained  # noqa: B018 - drawn when the site starts, not when it is first asked for

    @cached_property
    def drawn(self) -> Markup:
        """All lines, each as a block of MathML."""
        return Markup().join(block(line) for line in self.lines)

    @cached_property
    def symbols(self) -> list[tuple[str, str]]:
        """The symbols in the order in which they appear, and what each means."""
        meanings = {**USUALLY, **self.symbol_meanings}
        found = dict.fromkeys(symbols(self.drawn))
        return [(name, meanings[name]) for name in found if name in meanings]

    @cached_property
    def explained(self) -> Markup:
        """The symbols and their meanings as HTML entries of a definition list."""
        entry = Markup("<dt>{}</dt><dd>{}</dd>")
        return Markup().join(entry.format(*symbol) for symbol in self.symbols)


def cases(name: str, *rows: tuple[str, str]) -> str:
    """Return the LaTeX of a definition by cases; a row is a value and its condition in words."""
    lines = r" \\ ".join(
        rf"{value} & \text{{{condition}}}" for value, condition in rows
    )
    return rf"{name} = \begin{{cases}} {lines} \end{{cases}}"


def block(latex: str) -> Markup:
    """Draw a formula in a line of its own."""
    return _drawn(latex, "block")


def inline(latex: str) -> Markup:
    """Draw a formula in a line of text."""
    return _drawn(latex, "inline")


def symbols(drawn: str) -> list[str]:
    """List the letters of a drawn formula as they appear, with what is raised beside them."""
    found = ("".join(parts) for parts in SYMBOL.findall(drawn))
    return [name.replace(MINUS, "⁻") for name in found]


def _drawn(latex: str, display: str) -> Markup:
    """Draw a formula: its shape is converted once, and its numbers are put in their places."""
    numbers = iter(NUMBER.findall(latex))
    shape = _shape(NUMBER.sub("0", latex), display)
    return Markup(re.sub("<mn>0</mn>", lambda _: f"<mn>{next(numbers)}</mn>", shape))


@lru_cache(maxsize=SHAPES)
def _shape(latex: str, display: str) -> str:
    """Convert a formula whose numbers are all 0."""
    drawn = ENTITY.sub(_character, convert(latex, display=display))
    for found, instead in CORRECTIONS:
        drawn = found.sub(instead, drawn)
    return drawn


def _character(entity: re.Match[str]) -> str:
    """Write a character as itself, where HTML lets it."""
    character = chr(int(entity[1], 16))
    return entity[0] if character in "<>&" else character


def number(value: float, decimals: int = 2) -> str:
    """Write a number, before which only a minus stands."""
    return format_signed(value, decimals).removeprefix("+")


def written(value: float) -> str:
    """Write a number with up to four figures, before which only a minus stands."""
    return f"{round(value, 6) + 0.0:.4g}".replace("-", MINUS)


def bracketed(number: str) -> str:
    """Put a number that follows an operator in parentheses if it is negative."""
    return f"({number})" if number.startswith(MINUS) else number


def fenced(value: float, decimals: int = 2) -> str:
    """Write a number that follows an operator."""
    return bracketed(number(value, decimals))


def parameter(value: float, figures: int = FIGURES) -> str:
    """Write a number with as many decimals as it needs, at most so many figures."""
    return f"{value:.{figures}g}".replace("-", MINUS)


def equals(*shown: float, decimals: int = 2) -> str:
    """Return the sign between these numbers and what they make: "=" if none of them is rounded."""
    off = ROUNDED * 10.0**-decimals
    whole = all(abs(value - round(value, decimals)) < off for value in shown)
    return "=" if whole else r"\approx"


def enough(
    makes: Callable[[int], float], result: float, decimals: int = 2, least: int = 2
) -> int:
    """Return how many decimals terms need so that, as written, they make the result as written.

    `makes` computes the result of terms that are rounded to so many decimals; the result itself
    is written with `decimals`, and terms with `least` or more.
    """
    written, off = round(result, decimals), (0.5 + ROUNDED) * 10.0**-decimals
    for places in range(least, MOST_DECIMALS):
        if abs(makes(places) - written) <= off:
            return places
    return MOST_DECIMALS


def just(pair: ValueQuery, answer: Reply) -> str:
    """Write what an answer draws the value to."""
    return number(answer.target, 0 if pair.lens == TRUTH else 2)


def discounted(pair: ValueQuery, answer: Reply) -> str:
    """Write what an answer draws the value to: what an update finds there, discounted."""
    return combined(answer, pair.gamma)


def opposed(pair: ValueQuery, answer: Reply) -> str:
    """Write the same where what an update finds is the opponent's: its gain is the mover's loss."""
    return combined(answer, -pair.gamma)


def combined(answer: Reply, gamma: float, least: float | None = None) -> str:
    """Write a target as it is made of a reward and of a value that is found, where there is one.

    A value below `least` counts as much as that.
    """
    target, value = number(answer.target), answer.found
    if value is None:
        return target
    counted = value if least is None else max(least, value)
    exact = equals(answer.reward) == "="

    def makes(places: int) -> float:
        return round(answer.reward, 2 if exact else places) + gamma * round(
            counted, places
        )

    places = enough(makes, answer.target)
    reward = (
        f"{number(answer.reward, 2 if exact else places)} + " if answer.reward else ""
    )
    found = fenced(value, places)
    if least is not None:
        found = rf"\max({parameter(least)}, {number(value, places)})"
    sign = equals(answer.target, answer.reward, value)
    return rf"{reward}{parameter(gamma, MOST_DECIMALS)} \times {found} {sign} {target}"


def mean(pair: ValueQuery, reason: ValueReason) -> str:
    """Write the target of an update, or where several answers make it, the average."""
    counted = [answer for answer in reason.answers if answer.weight]
    if len(counted) == 1:
        return f"y = {discounted(pair, counted[0])}"
    unit = min(answer.weight for answer in counted)
    total = sum(answer.weight for answer in counted)

    def averaged(places: int) -> float:
        return (
            sum(answer.weight * round(answer.target, places) for answer in counted)
            / total
        )

    places = enough(averaged, reason.target, reason.decimals)
    times: Counter[str] = Counter()
    for answer in sorted(counted, key=lambda answer: -answer.target):
        times[fenced(answer.target, places)] += round(answer.weight / unit)
    terms = [
        rf"{share} \times {target}" if share > 1 else target
        for target, share in times.items()
    ]
    sign = equals(reason.target, *(answer.target for answer in counted))
    target = number(reason.target, reason.decimals)
    return rf"E[y] = \frac{{{' + '.join(terms)}}}{{{times.total()}}} {sign} {target}"


def moved(pair: ValueQuery, alpha: float, reason: ValueReason) -> list[str]:
    """Write what the next update makes of the value on average; nothing of an unknown one."""
    if not pair.known:
        return []
    value, target, decimals = reason.value, reason.target, reason.decimals
    after = value + alpha * (target - value)

    def figures(places: int) -> int:
        return FIGURES + places - 2

    def goes(places: int) -> float:
        start, part = round(value, places), float(f"{alpha:.{figures(places)}g}")
        return start + part * (round(target, places) - start)

    places = enough(goes, after, decimals, decimals)
    part = parameter(alpha, figures(places))
    way = rf"{part} \times ({number(target, places)} - {fenced(value, places)})"
    whole = math.isclose(alpha, float(f"{alpha:.{figures(places)}g}"))
    sign = equals(after, value, target, decimals=decimals) if whole else r"\approx"
    return [
        rf"Q + \alpha (y - Q) = {number(value, places)} + {way} {sign} {number(after, decimals)}"
    ]


def update(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Write the target, and the value on its way there with a fixed step size."""
    return [mean(pair, reason), *moved(pair, pair.recipe.alpha, reason)]


def target_alone(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Write the target, where what becomes of the value is not known, or is the target itself."""
    return [mean(pair, reason)]
