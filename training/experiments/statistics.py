"""Statistics over the seeds of a recipe, by name: "median blunders", "share unbeatable"."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from app.experiments import format_rounded
from app.recipes.names import suggest_word
from training.experiments.quantities import (
    Condition,
    Quantity,
    parse_condition,
    parse_quantity,
)
from training.experiments.results import (
    Results,
    compute_wilson_interval,
    format_count,
    format_percent,
    format_share,
    trace_curve,
)

EMPTY_CELL = "\N{EN DASH}"  # a table cell without a number


def compute_mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def compute_lower_limit(answers: Sequence[bool]) -> float:
    """Return the lower 95% limit of the share of true answers, in percent."""
    return 100 * compute_wilson_interval(sum(answers), len(answers))[0]


AVERAGES: dict[str, Callable[[Sequence[float]], float]] = {
    "median": lambda values: float(np.median(values)),
    "mean": compute_mean,
    "lowest": min,
    "highest": max,
    "range": lambda values: max(values) - min(values),
}
# statistics of a condition
COUNTS: dict[str, Callable[[Sequence[bool]], float]] = {
    "share": compute_mean,
    "count": sum,
    "limit": compute_lower_limit,
}
FALL = "fall"  # best median of the curve minus its last median
STATISTICS = (*AVERAGES, *COUNTS, FALL)


class Statistic:
    """A number or a text for the seeds of a recipe; `name` is one of `STATISTICS`."""

    def __init__(
        self,
        name: str,
        quantity: Quantity | None,
        condition: Condition | None = None,
    ) -> None:
        self.name = name
        self.quantity = quantity
        self.condition = condition

    def compute(self, results: Results, label: str) -> float:
        """Return the number of a recipe."""
        if self.condition:
            answers = results.list_values(label, self.condition.is_met)
            return COUNTS[self.name](answers)
        assert self.quantity
        if self.name == FALL:
            curve = trace_curve(results, label, self.quantity)
            return max(curve.median) - curve.median[-1]
        return AVERAGES[self.name](results.list_values(label, self.quantity.measure))

    def format(self, results: Results, label: str, digits: int | None = None) -> str:
        """Return the text of a recipe for a table."""
        if self.condition:
            if self.name == "limit":
                return format_percent(self.compute(results, label))
            return format_share(results.list_values(label, self.condition.is_met))
        assert self.quantity
        if self.name == "range":
            values = results.list_values(label, self.quantity.measure)
            ends = [
                self._format_number(end, digits) for end in (min(values), max(values))
            ]
            is_one = self.quantity.unit == "%" and ends[0] == ends[1]
            return ends[0] if is_one else " to ".join(ends)
        return self._format_number(self.compute(results, label), digits)

    def _format_number(self, number: float, digits: int | None) -> str:
        """Return a number as text, in the unit of its quantity."""
        assert self.quantity
        if not np.isfinite(number):
            return EMPTY_CELL
        if self.quantity.unit == "%":
            return format_percent(number, 1 if digits is None else digits)
        return (
            format_count(number) if digits is None else format_rounded(number, digits)
        )


def parse_statistic(text: str, own_quantities: Mapping[str, Quantity]) -> Statistic:
    """Return the statistic of a text; raises ValueError, with what would be right."""
    name, _, rest = text.partition(" ")
    if name in COUNTS:
        return Statistic(name, None, parse_condition(rest, own_quantities))
    if name in (*AVERAGES, FALL):
        return Statistic(name, parse_quantity(rest, own_quantities))
    raise ValueError(
        f"{text!r} begins with no statistic{suggest_word(name, STATISTICS)}, "
        f"only with {', '.join(STATISTICS)}"
    )
