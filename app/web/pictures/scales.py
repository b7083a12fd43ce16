"""From numbers to places, and how numbers are written at an axis."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.web.numbers import MINUS

STEPS = (1, 2, 2.5, 5, 10)
MOST_TICKS = 6
CLOSE = 0.08  # of an axis: nearer to its beginning there is no room for another number
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SHORT = ((1e9, "B"), (1e6, "M"), (1e3, "K"))


class Axis(NamedTuple):
    """An axis: where it begins and ends, and where a number stands on it."""

    low: float
    high: float
    logarithmic: bool
    ticks: Sequence[float]
    more: float = 0.0  # than a value, is what a logarithmic axis takes the logarithm of

    def at(self, value: float) -> float:
        """Return the place of a value, from 0 to 1; what lies outside is at the nearer end."""
        low, high, value = (self._scaled(number) for number in (self.low, self.high, value))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def places(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the places of many values on a straight axis."""
        shares = (np.asarray(values) - self.low) / (self.high - self.low)
        return np.clip(shares, 0.0, 1.0)

    def _scaled(self, value: float) -> float:
        if not self.logarithmic:
            return value
        return log10(max(value, self.low, 1e-300) + self.more)


def scale(values: Iterable[float], zero: bool = False, whole: bool = False) -> Axis:
    """Make a straight axis for values; `zero` is on it if that is asked for.

    With `whole` it ends at ticks, else shortly before and after the outermost values.
    """
    known = [*values, *([0.0] if zero else [])] or [0.0]
    low, high = min(known), max(known)
    if low == high:
        room = abs(low) * 0.1 or 1.0
        low, high = (low, high + room) if zero and low == 0 else (low - room, high + room)
    size = _step(high - low)
    if whole:
        low, high = floor(low / size + 1e-9) * size, ceil(high / size - 1e-9) * size
    else:
        room = 0.02 * (high - low)
        low, high = low - room, high + room
    first, last = ceil(low / size - 1e-9), floor(high / size + 1e-9)
    return Axis(low, high, False, [number * size + 0.0 for number in range(first, last + 1)])


def logarithmic(values: Iterable[float]) -> Axis:
    """Make a logarithmic axis for values above 0 with a tick at powers of ten."""
    known = [value for value in values if value > 0] or [1.0]
    low, high = min(known), max(known)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    ticks = [10.0**power for power in range(first, last + 1)]
    if len(ticks) > MOST_TICKS:
        ticks = ticks[:: ceil(len(ticks) / MOST_TICKS)]
    low, high = (low, high) if log10(low) < log10(high) else (low / 2, high * 2)
    return Axis(low, high, True, [tick for tick in ticks if low <= tick <= high])


def from_zero(highest: float) -> Axis:
    """Make a logarithmic axis that begins with 0: of 1 more than a value, so the first are seen."""
    highest = max(highest, 1.0)  # of an agent that was never updated there is the beginning only
    axis = Axis(0.0, highest, True, [], 1.0)
    powers = (10.0**power for power in range(floor(log10(highest)) + 1))
    return axis._replace(ticks=[0.0, *(tick for tick in powers if axis.at(tick) > CLOSE)])


def number(value: float) -> str:
    """Write a number with four digits, or all of its digits before the point."""
    if abs(value) >= 1_000 or value == int(value):
        return f"{value:,.0f}".replace("-", MINUS)
    digits, _, power = f"{value:.4g}".partition("e")
    small = f" × 10{str(int(power)).translate(RAISED)}" if power else ""
    return digits.replace("-", MINUS) + small


def short(value: float) -> str:
    """Write a number where there is little room: 20k, 1.5M."""
    for size, name in SHORT:
        if abs(value) >= size and (size > 1e3 or abs(value) >= 10_000):
            return f"{value / size:.4g}{name}".replace("-", MINUS)
    return f"{value:,.6g}".replace("-", MINUS)


def tenths(value: float) -> str:
    """Write a number that stands among others: all with one digit after the point."""
    return f"{round(value, 1) + 0.0:,.1f}".replace("-", MINUS)


def with_unit(value: float, unit: str) -> str:
    """Write a number with its unit, if that is percent; any other stands at the figure's title."""
    return number(value) + "%" * unit.startswith("%")


def _step(size: float) -> float:
    rough = size / (MOST_TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))
