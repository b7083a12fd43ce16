"""How numbers, squares and lists are written on every page."""

from app.tictactoe.game import Game

MINUS = "\N{MINUS SIGN}"
BEAD = "\N{BLACK CIRCLE}"
SHORT_NAMES = (
    *("top left", "top middle", "top right"),
    *("middle left", "centre", "middle right"),
    *("bottom left", "bottom middle", "bottom right"),
)


def signed(value: float, decimals: int = 2) -> str:
    """Write a value with its sign, and zero without one."""
    text = f"{value:+.{decimals}f}"
    if not text.strip("+-0."):
        return text[1:]
    return text.replace("-", MINUS)


def percent(chance: float, decimals: int = 2) -> str:
    """Write a chance in percent, but never as none or all what is not."""
    if chance in (0, 1):
        return f"{100 * chance:.0f}"
    rounded = f"{100 * chance:.{decimals}f}"
    least = 0.1**decimals
    if float(rounded) == 0:
        return f"<{least:.{decimals}f}"
    return f">{100 - least:.{decimals}f}" if float(rounded) == 100 else rounded


def updates(number: int) -> str:
    """Say how many updates there were, in words: three figures of it are enough."""
    for size, name in ((1_000_000, "million"), (1_000, "thousand")):
        if number >= 10 * size or (size == 1_000_000 and number >= size):
            return f"{number / size:.3g} {name} updates"
    return f"{count(number)} update{'s' if number != 1 else ''}"


def bead_count(number: float) -> str:
    """Write a number of beads with their sign, where there is little room: three figures of it."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= 10 * size:
            return f"{number / size:.3g}{name}{BEAD}"
    return f"{number:.0f}{BEAD}"


def beads_in_words(number: float) -> str:
    """Write a number of beads."""
    return f"{count(round(number))} bead{'s' if number != 1 else ''}"


def count(number: int) -> str:
    """Write a whole number with a comma at the thousands."""
    return f"{number:,}"


def square_name(game: Game, cell: int) -> str:
    """Name a cell as the labels of squares do, for who hears them."""
    row, column = game.row_column(cell)
    return f"row {row + 1}, column {column + 1}"


def short_name(game: Game, cell: int) -> str:
    """Name a cell for who sees it; those of another board than 3 x 3 have no shorter name."""
    if (game.rows, game.columns) == (3, 3):
        return SHORT_NAMES[cell]
    return square_name(game, cell)


def listed(names: list[str], word: str = "and") -> str:
    """Name several in a sentence."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
