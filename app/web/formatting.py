"""Text for numbers, squares, positions and lists, shared by all pages."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context
from itertools import pairwise
from typing import Any

import numpy as np

from app.experiments import format_probability, format_rounded, round_significant
from app.recipes.parameters import format_value
from app.tictactoe import encodings
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

MAX_LISTED_NAMES = 24
FOUR_DIGITS = Context(4, ROUND_HALF_UP)
MINUS = "\N{MINUS SIGN}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NUMBER_SUFFIXES = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
BEAD_SIGN = "\N{BLACK CIRCLE}"
SQUARE_NAMES = (
    *(gettext_noop("top left"), gettext_noop("top middle"), gettext_noop("top right")),
    *(
        gettext_noop("middle left"),
        gettext_noop("centre"),
        gettext_noop("middle right"),
    ),
    *(
        gettext_noop("bottom left"),
        gettext_noop("bottom middle"),
        gettext_noop("bottom right"),
    ),
)


def format_signed(value: float, decimals: int = 2) -> str:
    """Return a value with its sign, such as "+0.42"; zero has no sign."""
    text = f"{value:+.{decimals}f}"
    if not text.strip("+-0."):
        return localize_number(text[1:])
    return localize_number(text.replace("-", MINUS))


def format_percent(probability: float, decimals: int = 2) -> str:
    """Return a probability in percent without %, such as "12.34" for 0.1234."""
    return localize_number(format_probability(probability, decimals))


def format_updates(update_count: int) -> str:
    """Return a number of updates, such as "1.52 million updates"."""
    if update_count >= 1_000_000:
        millions = update_count / 1_000_000
        return ngettext(
            "%(number)s million updates",
            "%(number)s million updates",
            int(millions),  # in French 1,67 million, but 2,95 millions
            number=localize_number(f"{millions:.3g}"),
        )
    if update_count >= 10_000:
        thousands = localize_number(f"{update_count / 1_000:.3g}")
        return gettext("%(number)s thousand updates", number=thousands)
    return ngettext("%(count)s update", "%(count)s updates", update_count)


def format_beads(bead_count: float) -> str:
    """Return a number of beads with the bead symbol, such as "12k●"."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if bead_count >= 10 * size:
            return localize_number(f"{bead_count / size:.3g}{name}{BEAD_SIGN}")
    return f"{bead_count:.0f}{BEAD_SIGN}"


def spell_bead_count(bead_count: float) -> str:
    return ngettext("%(count)s bead", "%(count)s beads", round(bead_count))


def format_count(number: int) -> str:
    """Return a whole number with separators of thousands, such as "4,520"."""
    return localize_number(f"{number:,}")


def format_count_of(number: int, noun: str) -> str:
    """Return a count with its noun, such as "1 seed" or "20 seeds"."""
    return f"{format_count(number)} {noun}{'s' * (number != 1)}"


def format_parameter(value: bool | float | str) -> str:
    """Return the value of a parameter as text; whole numbers get separators of thousands."""
    return format_count(value) if type(value) is int else format_value(value)


def format_number(value: float) -> str:
    """Return a number with four significant digits or, from 1,000 on, as a whole number."""
    if abs(value) >= 1_000 or value == int(value):
        # The median of whole numbers can be a half.
        is_half = value % 1 == 0.5
        return format_rounded(value, int(is_half)).replace("-", MINUS)
    rounded = FOUR_DIGITS.create_decimal(repr(round_significant(value)))
    digits, _, power = f"{float(rounded):.4g}".partition("e")
    small = f" × 10{str(int(power)).translate(SUPERSCRIPTS)}" if power else ""
    return digits.replace("-", MINUS) + small


def format_short_number(value: float) -> str:
    """Return a number for a label, such as "20K" or "1.5M"."""
    for size, name in NUMBER_SUFFIXES:
        if abs(value) >= size and (size > 1e3 or abs(value) >= 10_000):
            return f"{value / size:.4g}{name}".replace("-", MINUS)
    return f"{value:,.6g}".replace("-", MINUS)


def format_one_decimal(value: float) -> str:
    return format_rounded(value, 1).replace("-", MINUS)


def format_with_unit(value: float, unit: str) -> str:
    """Return a number, followed by "%" if its unit begins with it; other units are not shown."""
    return format_number(value) + "%" * unit.startswith("%")


def name_square(cell: int) -> str:
    return gettext(SQUARE_NAMES[cell])


def format_valid_names(names: Iterable[str]) -> str:
    """Return a sentence for an error that lists up to MAX_LISTED_NAMES valid names."""
    several = [*names]
    words = gettext_noop("Possible names: %(names)s.")
    if len(several) > MAX_LISTED_NAMES:
        words = gettext_noop("Possible names: %(names)s and %(more)s more.")
    named = ", ".join(several[:MAX_LISTED_NAMES])
    return gettext(
        words, names=named, more=format_count(len(several) - MAX_LISTED_NAMES)
    )


def lower_first_letter(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def capitalize_first_letter(text: str) -> str:
    """Return the text with a capital first letter; the other letters keep their case."""
    return f"{text[:1].upper()}{text[1:]}"


def join_words(names: list[str], conjunction: str = "and") -> str:
    if len(names) < 2:
        return "".join(names)
    *others, last = names
    words = gettext_noop("%(others)s and %(last)s")
    if conjunction == "or":
        words = gettext_noop("%(others)s or %(last)s")
    return gettext(words, others=", ".join(others), last=last)


def encode_position(position: int) -> dict[str, Any]:
    """Return a position in every encoding that the pages /how explain, by name."""
    packed = encodings.pack_position(GAME, position)
    read = []
    if not GAME.is_over(position):
        units = "".join(
            map(str, encodings.encode_one_hot(GAME)[position].astype(np.int8).tolist())
        )
        ends = [*range(0, 3 * GAME.cells + 1, 3), 3 * GAME.cells + 2, len(units)]
        read = [units[start:end] for start, end in pairwise(ends)]
    return {
        "position_text": format_position(GAME, position),
        "base3_code": int(GAME.code[position]),
        "position_number": position,
        "position_count": GAME.positions,
        # The first position of a symmetry class represents it.
        "representative": format_position(GAME, int(GAME.symmetry_class[position])),
        "symmetric_count": encodings.count_symmetric_positions(GAME, position),
        "packed_bits": packed,
        "bits": f"{packed:0{2 * GAME.cells + 2}b}",
        "flat": encodings.encode_flat(GAME)[position].tolist(),
        # These are three digits for each cell, two for the player to move, and a last 0. The list
        # is empty after the end of the game.
        "network_inputs": read,
    }
