"""The runs of a claim, and statistics over their seeds such as "median blunders"."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.experiments import (
    Series,
    compute_sign_test,
    count_higher_pairs,
    find_median_index,
    format_rounded,
    summarize_seeds,
)
from app.recipes import name_recipe, parse_recipe
from training.experiments import check_name
from training.experiments.quantities import Quantity, parse_quantity

# 95% of a normal distribution lie within this many standard deviations of the mean.
Z_SCORE_95 = 1.959964
MAX_SIGNIFICANT_P = 0.05
EMPTY_CELL = "\N{EN DASH}"


@dataclass(frozen=True)
class Results:
    """The runs of each recipe in the order of the seeds 0, 1, 2, ..., by the recipe's label.

    Some labels have runs but no recipe: players that do not learn, which have one run, and the best
    of several recipes.
    """

    # recipes without a seed; "" if the page /lab cannot repeat their runs exactly
    recipe_by_label: Mapping[str, str]
    runs_by_label: Mapping[str, Sequence[Any]]

    def __getitem__(self, label: str) -> Sequence[Any]:
        return self.runs_by_label[label]

    def with_runs(self, runs_by_label: Mapping[str, Sequence[Any]]) -> "Results":
        return Results(self.recipe_by_label, {**self.runs_by_label, **runs_by_label})

    def list_values(self, label: str, quantity: Quantity) -> list[float]:
        return [quantity.measure(run) for run in self.runs_by_label[label]]

    def compute_median(self, label: str, quantity: Quantity) -> float:
        return float(np.median(self.list_values(label, quantity)))

    def describe_sign_test(
        self, first_label: str, second_label: str, quantity: Quantity
    ) -> str:
        """Return a sign test as text, such as "higher for 80 of 100 seeds, p = 0.001".

        The runs of the two recipes are compared seed by seed.
        """
        values = self.list_values(first_label, quantity)
        other_values = self.list_values(second_label, quantity)
        above = count_higher_pairs(values, other_values)
        below = count_higher_pairs(other_values, values)
        if above == below:
            return "neither is higher"
        direction = "higher" if above > below else "lower"
        p = compute_sign_test(values, other_values)
        p_text = f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"
        return (
            f"{direction} for {max(above, below):,} of {len(values):,} seeds, {p_text}"
        )

    def name_typical_recipe(self, label: str, quantity: Quantity) -> str:
        """Return the name of the recipe, with the seed whose run is nearest to the median."""
        seed = find_median_index(self.list_values(label, quantity))
        return name_with_seed(self.recipe_by_label[label], seed)


def name_with_seed(recipe_name: str, seed: int) -> str:
    return name_recipe(parse_recipe(recipe_name).with_seed(seed))


def trace_curve(
    results: Results, label: str, quantity: Quantity, by_games: bool = False
) -> Series:
    """Return the learning curve of a recipe: the median of a quantity over the updates.

    The points are at 1, 2, 5, 10, ... updates, up to the last one that every run reaches, and at
    the end of the runs. With `by_games`, x is the median number of games.
    """
    runs = results[label]
    ends = [run.figures.snapshot_updates[-1] for run in runs]
    # Each run is measured after the game in which it reaches a point. The end of all runs is at
    # their median number of updates.
    points = sorted(
        {stop for run in runs for stop in run.due_checkpoints if 0 < stop < min(ends)}
    )

    def select_points(values: Sequence[float], run: Any) -> list[float]:
        """Return the numbers of a run at the points of the curve, then the number at its end."""
        places = np.searchsorted(run.due_checkpoints[:-1], points, side="right") - 1
        return [*(values[place] for place in places), values[-1]]

    x = np.array([*points, np.median(ends)], float)
    rows = np.array([select_points(quantity.trace(run), run) for run in runs], float)
    if by_games:
        x = np.median([select_points(run.snapshot_games, run) for run in runs], axis=0)
        is_later = np.diff(x, prepend=-1) > 0
        x, rows = x[is_later], rows[:, is_later]
    return summarize_seeds(
        label, results.recipe_by_label[label], x.tolist(), rows.tolist()
    )


def list_higher_points(
    first_curve: Series, second_curve: Series, counted_share: float = 1
) -> list[bool]:
    """Return for each common x of two curves whether the first curve has the higher median.

    `counted_share` is a share of the shorter curve: with 0.5, only its first half counts.
    """
    theirs = dict(zip(second_curve.x, second_curve.median, strict=True))
    last = counted_share * min(first_curve.x[-1], second_curve.x[-1])
    return [
        median > theirs[x]
        for x, median in zip(first_curve.x, first_curve.median, strict=True)
        if x in theirs and x <= last
    ]


AVERAGES: dict[str, Callable[[Sequence[float]], float]] = {
    "median": lambda values: float(np.median(values)),
    "mean": lambda values: sum(values) / len(values),
    "lowest": min,
    "highest": max,
    "range": lambda values: max(values) - min(values),
}
# Statistics of a condition, which is true or false for each run.
CONDITION_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "share": lambda answers: sum(answers) / len(answers),
    "count": sum,
    # the lower end of the 95% confidence interval of the share, in percent
    "limit": lambda answers: (
        100 * compute_wilson_interval(sum(answers), len(answers))[0]
    ),
}
# the highest median of a learning curve minus its last one
FALL_STATISTIC = "fall"


class Statistic:
    """A statistic of a quantity over the seeds of a recipe, such as "median blunders"."""

    def __init__(self, name: str, quantity: Quantity) -> None:
        self.name = name
        self.quantity = quantity

    def compute(self, results: Results, label: str) -> float:
        if self.name == FALL_STATISTIC:
            curve = trace_curve(results, label, self.quantity)
            return max(curve.median) - curve.median[-1]
        values = results.list_values(label, self.quantity)
        return (AVERAGES | CONDITION_STATISTICS)[self.name](values)

    def format(self, results: Results, label: str, digits: int | None = None) -> str:
        """Return the statistic as text, with `digits` decimals.

        A range becomes "3 to 8", and the share of a condition "12 of 1,000".
        """
        if self.name == "limit":
            return format_percentage(self.compute(results, label))
        if self.name in CONDITION_STATISTICS:
            return format_share(results.list_values(label, self.quantity))
        if self.name == "range":
            values = results.list_values(label, self.quantity)
            low, high = (
                self._format_number(end, digits) for end in (min(values), max(values))
            )
            is_one = self.quantity.unit == "%" and low == high
            return low if is_one else f"{low} to {high}"
        return self._format_number(self.compute(results, label), digits)

    def _format_number(self, number: float, digits: int | None) -> str:
        if not np.isfinite(number):
            return EMPTY_CELL
        if self.quantity.unit == "%":
            return format_percentage(number, 1 if digits is None else digits)
        return (
            format_count(number) if digits is None else format_rounded(number, digits)
        )


def parse_statistic(text: str, known_quantities: Mapping[str, Quantity]) -> Statistic:
    """Read a text such as "median blunders"; raises ValueError, with the possible names."""
    name, _, rest = text.partition(" ")
    check_name("statistic", name, (*AVERAGES, *CONDITION_STATISTICS, FALL_STATISTIC))
    return Statistic(name, parse_quantity(rest, known_quantities))


def compute_wilson_interval(count: float, total: int) -> tuple[float, float]:
    """Return the 95% confidence interval of the share `count` / `total`, from 0 to 1.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    share = count / total
    weight = Z_SCORE_95 * Z_SCORE_95 / total
    middle = (share + weight / 2) / (1 + weight)
    variance = share * (1 - share) / total + weight / (4 * total)
    half = Z_SCORE_95 / (1 + weight) * float(np.sqrt(variance))
    # Both ends are exact where the rounding errors of the formula would show.
    low = middle - half if count else 0.0
    high = middle + half if count < total else 1.0
    return low, high


def format_percentage(value: float, digits: int = 1) -> str:
    return f"{format_rounded(value, digits)}%"


def format_count(value: float) -> str:
    """Return a count such as "12,345"; a median between two whole numbers keeps its decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_share(flags: Iterable[float]) -> str:
    every = list(flags)
    return f"{sum(every):,} of {len(every):,}"
