"""How numbers are written on every page."""

MINUS = "\N{MINUS SIGN}"
BEAD = "\N{BLACK CIRCLE}"


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
