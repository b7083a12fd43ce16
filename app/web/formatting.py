"""How numbers, squares, positions and lists are written on every page."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.recipes.parameters import written
from app.tictactoe import encodings
from app.tictactoe.game import Game
from app.tictactoe.notation import position_text
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

MOST_NAMED = 24  # of what there is to choose from
MINUS = "\N{MINUS SIGN}"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SHORT = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
BEAD = "\N{BLACK CIRCLE}"
SHORT_NAMES = (
    *(gettext_noop("top left"), gettext_noop("top middle"), gettext_noop("top right")),
    *(gettext_noop("middle left"), gettext_noop("centre"), gettext_noop("middle right")),
    *(gettext_noop("bottom left"), gettext_noop("bottom middle"), gettext_noop("bottom right")),
)


def format_signed(value: float, decimals: int = 2) -> str:
    """Write a value with its sign, and zero without one."""
    text = f"{value:+.{decimals}f}"
    if not text.strip("+-0."):
        return localize_number(text[1:])
    return localize_number(text.replace("-", MINUS))


def format_percent(chance: float, decimals: int = 2) -> str:
    """Write a chance in percent, but never as none or all what is not."""
    if chance in (0, 1):
        return f"{100 * chance:.0f}"
    rounded = f"{100 * chance:.{decimals}f}"
    least = 0.1**decimals
    if float(rounded) == 0:
        rounded = f"<{least:.{decimals}f}"
    elif float(rounded) == 100:
        rounded = f">{100 - least:.{decimals}f}"
    return localize_number(rounded)


def format_updates(number: int) -> str:
    """Say how many updates there were, in words: three figures of it are enough."""
    for size, words in (
        (1_000_000, gettext_noop("%(number)s million updates")),
        (1_000, gettext_noop("%(number)s thousand updates")),
    ):
        if number >= 10 * size or (size == 1_000_000 and number >= size):
            return gettext(words, number=localize_number(f"{number / size:.3g}"))
    return ngettext("%(count)s update", "%(count)s updates", number)


def format_beads(number: float) -> str:
    """Write a number of beads with their sign, where there is little room: three figures of it."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= 10 * size:
            return localize_number(f"{number / size:.3g}{name}{BEAD}")
    return f"{number:.0f}{BEAD}"


def spell_beads(number: float) -> str:
    """Write a number of beads."""
    return ngettext("%(count)s bead", "%(count)s beads", round(number))


def format_count(number: int) -> str:
    """Write a whole number with its thousands apart."""
    return localize_number(f"{number:,}")


def format_parameter(value: bool | float | str) -> str:
    """Write the value of a parameter: a count with its thousands apart, others as they are."""
    return format_count(value) if type(value) is int else written(value)


def format_number(value: float) -> str:
    """Write a number with four digits, or all of its digits before the point."""
    if abs(value) >= 1_000 or value == int(value):
        return f"{value:,.0f}".replace("-", MINUS)
    digits, _, power = f"{value:.4g}".partition("e")
    small = f" × 10{str(int(power)).translate(RAISED)}" if power else ""
    return digits.replace("-", MINUS) + small


def format_short(value: float) -> str:
    """Write a number where there is little room: 20k, 1.5M."""
    for size, name in SHORT:
        if abs(value) >= size and (size > 1e3 or abs(value) >= 10_000):
            return f"{value / size:.4g}{name}".replace("-", MINUS)
    return f"{value:,.6g}".replace("-", MINUS)


def format_tenths(value: float) -> str:
    """Write a number that stands among others: all with one digit after the point."""
    return f"{round(value, 1) + 0.0:,.1f}".replace("-", MINUS)


def format_with_unit(value: float, unit: str) -> str:
    """Write a number with its unit, if that is percent; any other stands at the figure's title."""
    return format_number(value) + "%" * unit.startswith("%")


def name_square(game: Game, cell: int) -> str:
    """Name a cell as the labels of squares do, for who hears them."""
    row, column = game.row_column(cell)
    return gettext("row %(row)s, column %(column)s", row=row + 1, column=column + 1)


def name_square_briefly(game: Game, cell: int) -> str:
    """Name a cell for who sees it; those of another board than 3 x 3 have no shorter name."""
    if (game.rows, game.columns) == (3, 3):
        return gettext(SHORT_NAMES[cell])
    return name_square(game, cell)


def list_choices(names: Iterable[str]) -> str:
    """Name what there is to choose from in a refusal: all, or the first of many."""
    several = [*names]
    words = gettext_noop("There are: %(names)s.")
    if len(several) > MOST_NAMED:
        words = gettext_noop("There are: %(names)s and %(more)s more.")
    named = ", ".join(several[:MOST_NAMED])
    return gettext(words, names=named, more=format_count(len(several) - MOST_NAMED))


def join_words(names: list[str], word: str = "and") -> str:
    """Name several in a sentence, joined by "and" or by "or"."""
    *others, last = names
    if not others:
        return last
    words = gettext_noop("%(others)s and %(last)s")
    if word == "or":
        words = gettext_noop("%(others)s or %(last)s")
    return gettext(words, others=", ".join(others), last=last)


class Encodings(NamedTuple):
    """A position in all the ways that programs write one down."""

    text: str
    code: int  # in base 3
    position: int  # its number
    positions: int  # how many there are
    stands: str  # the position that stands for all its images
    images: int  # how many these are
    packed: int
    bits: str  # the same in base 2
    flat: list[int]
    # What a network reads: a cell each, who is to move, the padding; none at an end.
    read: list[str]


def encode_position(game: Game, position: int) -> Encodings:
    """Write a position in all the ways."""
    packed, read = encodings.bit_packed(game, position), []
    if not game.is_over(position):
        units = "".join(map(str, encodings.one_hot(game)[position].astype(np.int8).tolist()))
        ends = [*range(0, 3 * game.cells + 1, 3), 3 * game.cells + 2, len(units)]
        read = [units[start:end] for start, end in pairwise(ends)]
    return Encodings(
        text=position_text(game, position),
        code=int(game.code[position]),
        position=position,
        positions=game.positions,
        stands=position_text(game, int(game.symmetry_class[position])),
        images=encodings.images(game, position),
        packed=packed,
        bits=f"{packed:0{2 * game.cells + 2}b}",
        flat=encodings.flat(game)[position].tolist(),
        read=read,
    )
