"""The runs of a claim by recipe and seed, and the statistics over seeds that rules and tables use."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from app.experiments import (
    Series,
    compute_sign_test,
    count_higher,
    find_median_index,
    format_rounded,
    summarize_seeds,
)
from app.recipes import name_recipe, parse_recipe
from training.experiments.quantities import Quantity

Z_SCORE_95 = 1.959964  # quantile of the normal distribution for a 95% interval
SIGNIFICANT = 0.05  # largest p-value of a significant difference

Value = TypeVar("Value")


@dataclass(frozen=True)
class Results:
    """The runs of each recipe by its label, one for each seed from 0 on.

    Runs without a recipe belong to a player that does not learn (one run), or to the best of
    several recipes.
    """

    # label -> the canonical name without a seed; "" if the lab cannot repeat the run
    recipe_by_label: Mapping[str, str]
    runs_by_label: Mapping[str, Sequence[Any]]

    def __getitem__(self, label: str) -> Sequence[Any]:
        return self.runs_by_label[label]

    def list_values(self, label: str, get_value: Callable[[Any], Value]) -> list[Value]:
        """Return the value of each run of a recipe, in the order of seeds."""
        return [get_value(run) for run in self.runs_by_label[label]]

    def compute_median(self, label: str, get_number: Callable[[Any], float]) -> float:
        """Return the median of a number over the seeds of a recipe."""
        return float(np.median(self.list_values(label, get_number)))

    def is_higher(
        self,
        first_label: str,
        second_label: str,
        get_number: Callable[[Any], float],
        average: Callable[[Sequence[float]], float] = np.median,
    ) -> bool:
        """Return whether the first recipe has the higher average, and a significant sign test."""
        values = self.list_values(first_label, get_number)
        other_values = self.list_values(second_label, get_number)
        return (
            bool(average(values) > average(other_values))
            and compute_sign_test(values, other_values) < SIGNIFICANT
        )

    def describe_difference(
        self, first_label: str, second_label: str, get_number: Callable[[Any], float]
    ) -> str:
        """Return the sign test of two recipes as text: "higher for 80 of 100 seeds, p = 0.001".

        It is about the number of the first recipe, compared with the second recipe seed by seed.
        """
        values = self.list_values(first_label, get_number)
        other_values = self.list_values(second_label, get_number)
        above = count_higher(values, other_values)
        below = count_higher(other_values, values)
        if above == below:
            return "neither is higher"
        direction = "higher" if above > below else "lower"
        p = format_p(compute_sign_test(values, other_values))
        return f"{direction} for {max(above, below):,} of {len(values):,} seeds, {p}"

    def summarize(
        self,
        label: str,
        x_values: Sequence[float],
        get_numbers: Callable[[Any], Sequence[float]],
        name: str = "",
    ) -> Series:
        """Return the curve of a recipe; `get_numbers` returns a number of a run for each x value."""
        rows = [list(get_numbers(run)) for run in self.runs_by_label[label]]
        return summarize_seeds(
            name or label, self.recipe_by_label[label], x_values, rows
        )

    def name_typical_recipe(
        self, label: str, get_number: Callable[[Any], float]
    ) -> str:
        """Return the name of a recipe with the seed whose number is nearest to the median."""
        seed = find_median_index(self.list_values(label, get_number))
        return name_with_seed(self.recipe_by_label[label], seed)


def name_with_seed(recipe_name: str, seed: int) -> str:
    return name_recipe(parse_recipe(recipe_name).with_seed(seed))


def trace_curve(
    results: Results, label: str, quantity: Quantity, by_games: bool = False
) -> Series:
    """Return the curve of a recipe's runs over the updates at their checkpoints.

    The points are 1, 2, 5, 10, ... updates, as long as all runs have them, and finally the
    median of the ends. A run is evaluated after the game that reaches a point. With
    `by_games`, x is the median number of games that the runs had played at a point.
    """
    runs = results[label]
    ends = [run.figures.snapshot_updates[-1] for run in runs]
    points = sorted(
        {stop for run in runs for stop in run.due_checkpoints if 0 < stop < min(ends)}
    )

    def select_points(values: Sequence[float], run: Any) -> list[float]:
        """Return the numbers of a run at the points of the curve, and at its end."""
        places = np.searchsorted(run.due_checkpoints[:-1], points, side="right") - 1
        return [*(values[place] for place in places), values[-1]]

    x: list[float] = [*points, float(np.median(ends))]
    places: Sequence[int] = range(len(x))
    if by_games:
        games = [select_points(run.snapshot_games, run) for run in runs]
        x = np.median(games, axis=0).tolist()
        places = [
            number
            for number, value in enumerate(x)
            if number == 0 or value > x[number - 1]
        ]
    return results.summarize(
        label,
        [x[place] for place in places],
        lambda run: [select_points(quantity.trace(run), run)[n] for n in places],
    )


def list_higher_points(
    first_curve: Series, second_curve: Series, until: float = 1
) -> list[bool]:
    """Return whether the first curve has the higher median, for each x that both curves have.

    `until` limits the points to the first part of both curves.
    """
    theirs = dict(zip(second_curve.x, second_curve.median, strict=True))
    last = until * min(first_curve.x[-1], second_curve.x[-1])
    return [
        median > theirs[x]
        for x, median in zip(first_curve.x, first_curve.median, strict=True)
        if x in theirs and x <= last
    ]


def compute_wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95% confidence interval of the share `count` / `total`, as numbers from 0 to 1.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical
    inference".
    """
    share = count / total
    weight = Z_SCORE_95 * Z_SCORE_95 / total
    middle = (share + weight / 2) / (1 + weight)
    variance = share * (1 - share) / total + weight / (4 * total)
    half = Z_SCORE_95 / (1 + weight) * float(np.sqrt(variance))
    return max(0.0, middle - half), min(1.0, middle + half)


def format_p(p_value: float) -> str:
    """Return a p-value as text: "p = 0.012", or "p < 0.0001"."""
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"


def format_percent(value: float, digits: int = 1) -> str:
    """Return a percentage as text."""
    return f"{format_rounded(value, digits)}%"


def format_count(value: float) -> str:
    """Return a count as text: 12,345; a median of 0.5 keeps its decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_share(answers: Iterable[bool]) -> str:
    """Return the number of true values as text: "12 of 1,000"."""
    every = list(answers)
    return f"{sum(every):,} of {len(every):,}"
