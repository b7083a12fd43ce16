"""Definitions of experiments: recipes, measures, and the rules that turn numbers into verdicts.

A file of this package holds the experiments of a source, or of a question:

    @claim.experiment(
        "two-stage",                          # as in app.experiments.ORDER and claims.toml
        claim.Sweep({"two stages": "league", "one stage": "league,stages=one"}, MARKS),
    )
    def conclude_two_stage(results: claim.Results) -> claim.Conclusion:

The texts of a claim are in `claims.toml` under its id: the author's statement, the method,
and a sentence for each outcome of each part.

A sweep trains each of its recipes with the seeds from 0 on; recipes are named without a
seed. Each run is measured by a `training.measures.Measure`; an experiment may define its
own measure. The function receives all results and returns the figures, the verdict, the
parts of the claim that hold, and a small table of the numbers behind the verdict. Table
cells are formatted from the results, and verdict and parts follow from rules on the
numbers, so neither can contradict the figures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from app.experiments import (
    Bar,
    Bars,
    Figure,
    Grid,
    Group,
    Histogram,
    Mark,
    Series,
    Table,
    Verdict,
    drop_noise,
    find_typical,
    sign_test,
    summarize_seeds,
)
from app.recipes import name_recipe, parse_recipe
from training.measures import Measure

EMPTY_CELL = "\N{EN DASH}"  # a table cell without a number
MAX_COLUMNS = 4
Z_95 = 1.959964  # quantile of the normal distribution for a 95% interval
SIGNIFICANT = 0.05  # largest p-value of a significant difference

Value = TypeVar("Value")


@dataclass(frozen=True)
class Sweep:
    """Recipes by their labels in the figures, with the measure applied to each seed."""

    recipes: Mapping[str, str]  # label -> a name of the recipe, without a seed
    measure: Measure[Any]
    seeds: int = 1_000  # the default number of seeds
    checked: bool = True  # whether a test repeats a run of the first recipe
    # whether a recipe and its seed name a run, so that the lab can open it
    is_named: bool = True


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The two sentences on a part of a claim, without numbers: if it holds, and if it does not."""

    so: str
    not_so: str


class ClaimTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of a claim; for the meaning of the fields see `app.experiments.Summary`."""

    title: str
    claim: str
    sources: list[str]  # slugs of app.sources; the first makes the claim
    where: str
    done: str
    limits: str
    agents: list[str]
    parts: list[Part]

    def fill_in(self, parts: Sequence[bool], seeds: int) -> dict[str, Any]:
        """Return the texts of a summary, given which parts hold and the number of seeds."""
        pairs = zip(self.parts, parts, strict=True)
        words = msgspec.structs.asdict(self)
        words["answer"] = " ".join(part.so if so else part.not_so for part, so in pairs)
        del words["parts"]
        shared = _read_claims()["shared"] | {"seeds": f"{seeds:,}"}
        return {
            field: " ".join(text.format(**shared).split())
            if isinstance(text, str)
            else text
            for field, text in words.items()
        }


@cache
def _read_claims() -> dict[str, dict[str, Any]]:
    """Return the texts of all claims by id, and the sentences that several claims share."""
    claims: dict[str, dict[str, Any]] = msgspec.toml.decode(
        Path(__file__).with_name("claims.toml").read_bytes()
    )
    return claims


class Quantity(NamedTuple):
    """A number of each run, with its title in a figure, its unit, and a function that computes it."""

    title: str
    unit: str
    compute: Callable[[Any], Any]  # a number, or a number for each snapshot


class Axes(NamedTuple):
    """The two parameters by which the recipes of a grid differ."""

    names: tuple[str, str]  # names of the row and column parameters
    rows: Sequence[str]
    columns: Sequence[str]
    label: Callable[[str, str], str]  # label of the recipe in a row and a column


@dataclass(frozen=True)
class Conclusion:
    """The figures, the verdict and the numbers that follow from the results."""

    figures: Sequence[Figure]
    parts: Sequence[bool]  # whether each part of the claim holds
    numbers: Table  # the numbers behind the verdict
    ruled: Verdict | None = None  # a verdict by another rule than `judge_parts`

    @property
    def verdict(self) -> Verdict:
        """The verdict on the claim."""
        return self.ruled or judge_parts(*self.parts)


@dataclass(frozen=True)
class Experiment:
    """A claim, the sweeps that check it, and the function that concludes."""

    id: str
    conclude: Callable[["Results"], Conclusion]
    sweeps: Sequence[Sweep] = ()

    @property
    def texts(self) -> ClaimTexts:
        """The texts of its claim."""
        return msgspec.convert(_read_claims()[self.id], ClaimTexts)


def experiment(
    id: str, *sweeps: Sweep
) -> Callable[[Callable[["Results"], Conclusion]], Experiment]:
    """Return a decorator that turns a function from results to a conclusion into an experiment."""
    return lambda tell: Experiment(id, tell, sweeps)


@dataclass(frozen=True)
class Results:
    """The results of each recipe by its label, one result for each seed from 0 on.

    Labels are unique within an experiment. Methods without given labels use all labels.
    """

    # label -> the canonical name without a seed; "" if unnamed
    recipes: Mapping[str, str]
    # label -> the results of the measure, in the order of seeds
    found: Mapping[str, Sequence[Any]]

    def __getitem__(self, label: str) -> Sequence[Any]:
        """Return the results of the recipe with this label, one for each seed."""
        return self.found[label]

    def values(self, label: str, value: Callable[[Any], float]) -> list[float]:
        """Return a number of each seed."""
        return [value(found) for found in self.found[label]]

    def median(self, label: str, value: Callable[[Any], float]) -> float:
        """Return the median of a number over the seeds."""
        return float(np.median(self.values(label, value)))

    def list_values(
        self, value: Callable[[Any], Value], labels: Iterable[str] | None = None
    ) -> dict[str, list[Value]]:
        """Return a number, or a truth value, of each seed of some recipes, by label."""
        chosen = self.recipes if labels is None else labels
        return {
            label: [value(found) for found in self.found[label]] for label in chosen
        }

    def medians(
        self, value: Callable[[Any], float], labels: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Return the median of a number over the seeds of some recipes, by label."""
        return {
            label: float(np.median(each))
            for label, each in self.list_values(value, labels).items()
        }

    def sign_test(self, one: str, other: str, value: Callable[[Any], float]) -> float:
        """Return the p-value of the sign test between two recipes, seed by seed."""
        return sign_test(self.values(one, value), self.values(other, value))

    def compare_seeds(self, one: str, other: str, value: Callable[[Any], float]) -> str:
        """Return a text: whether the first recipe is higher in most seeds, and the p-value."""
        pairs = list(
            zip(self.values(one, value), self.values(other, value), strict=True)
        )
        above, below = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
        if above == below:
            return "neither is higher"
        direction, count = ("higher", above) if above > below else ("lower", below)
        p = format_p(self.sign_test(one, other, value))
        return f"{direction} in {count:,} of {len(pairs):,}, {p}"

    def is_higher(
        self, one: str, other: str, value: Callable[[Any], float]
    ) -> tuple[bool, float]:
        """Return whether the first median is significantly higher than the second, and the p-value."""
        p = self.sign_test(one, other, value)
        return self.median(one, value) > self.median(
            other, value
        ) and p < SIGNIFICANT, p

    def draw_bars(
        self, title: str, unit: str, numbers: Mapping[str, float], log: bool = False
    ) -> Bars:
        """Return a bar for each recipe, with a number about all of its seeds, by label."""
        bars = [
            Bar(
                label,
                drop_noise(value),
                n=len(self.found[label]),
                recipe=self.recipes[label],
            )
            for label, value in numbers.items()
        ]
        return Bars(title, unit, bars, exact=True, logarithmic=log)

    def draw_shares(self, title: str, holding: Mapping[str, Sequence[bool]]) -> Bars:
        """Return a bar for each recipe: the share of its seeds for which something holds."""
        bars = [
            make_share_bar(label, seeds, self.recipes[label])
            for label, seeds in holding.items()
        ]
        return Bars(title, "%", bars, exact=False)

    def draw_strips(
        self,
        number: Quantity,
        labels: Iterable[str] | None = None,
        marks: Sequence[Mark] = (),
        exact: bool = True,
    ) -> Histogram:
        """Return a dot for each seed of some recipes at its number; all recipes have these marks."""
        groups = [
            Group(
                label,
                self.recipes[label],
                [drop_noise(one) for one in values],
                list(marks),
            )
            for label, values in self.list_values(number.compute, labels).items()
        ]
        return Histogram(number.title, number.unit, groups, exact)

    def draw_series(
        self, label: str, x: Sequence[float], value: Callable[[Any], Sequence[float]]
    ) -> Series:
        """Return the curve of a recipe with its bands; `value` returns a number for each point of x."""
        rows = [list(value(found)) for found in self.found[label]]
        return summarize_seeds(label, self.recipes[label], x, rows)

    def draw_series_over(
        self, name: str, labels: Mapping[float, str], value: Callable[[Any], float]
    ) -> Series:
        """Return the curve of a number over a parameter; `labels` maps its values to recipes.

        A click on the curve opens a run of the last recipe.
        """
        columns = [self.values(label, value) for label in labels.values()]
        last = self.recipes[[*labels.values()][-1]]
        return summarize_seeds(name, last, [*labels], [*zip(*columns, strict=True)])

    def draw_grid(self, number: Quantity, axes: Axes) -> Grid:
        """Return the medians of recipes as a grid."""
        labels = [
            [axes.label(row, column) for column in axes.columns] for row in axes.rows
        ]
        return Grid(
            title=number.title,
            unit=number.unit,
            row_label=axes.names[0],
            column_label=axes.names[1],
            rows=list(axes.rows),
            columns=list(axes.columns),
            values=[
                [drop_noise(self.median(label, number.compute)) for label in row]
                for row in labels
            ],
            recipes=[
                [self.typical_recipe(label, number.compute) for label in row]
                for row in labels
            ],
            n=len(self.found[labels[0][0]]),
        )

    def typical_recipe(self, label: str, value: Callable[[Any], float]) -> str:
        """Return the recipe with the seed whose number is nearest to the median."""
        return name_with_seed(
            self.recipes[label], find_typical(self.values(label, value))
        )


def name_with_seed(recipe: str, seed: int) -> str:
    """Return the name of a recipe with another seed."""
    return name_recipe(parse_recipe(recipe).with_seed(seed))


def compute_wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95% interval of a share, 0 to 1, given `count` of `total`.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical
    inference".
    """
    share, weight = count / total, Z_95 * Z_95 / total
    middle = (share + weight / 2) / (1 + weight)
    half = (
        Z_95
        / (1 + weight)
        * float(np.sqrt(share * (1 - share) / total + weight / (4 * total)))
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def make_share_bar(label: str, truths: Sequence[bool], recipe: str) -> Bar:
    """Return the bar of the share of seeds, in percent, for which something is true."""
    count, total = sum(truths), len(truths)
    low, high = compute_wilson_interval(count, total)
    return Bar(label, 100 * count / total, 100 * low, 100 * high, total, recipe)


def judge_parts(*parts: bool) -> Verdict:
    """Return the verdict by the parts of a claim: reproduced if all hold, partly if any holds.

    A part may follow from another: "some are" follows from "all are".
    """
    if all(parts):
        return "reproduced"
    return "partly reproduced" if any(parts) else "not reproduced"


def tabulate_recipes(
    labels: Iterable[str],
    numbers: Mapping[str, tuple[Callable[[Any], str], Mapping[str, Any]]],
    about: str = "",
) -> Table:
    """Return a table of numbers of recipes: a row for each number, given its format and its values.

    Each recipe has a column; with more than four recipes, each has a row instead.
    """
    labels = list(labels)
    rows = {
        name: [
            write(values[label]) if label in values else EMPTY_CELL for label in labels
        ]
        for name, (write, values) in numbers.items()
    }
    if len(labels) <= MAX_COLUMNS:
        return Table(labels, rows, about)
    turned = zip(*rows.values(), strict=True)
    return Table(
        [*rows],
        {label: [*row] for label, row in zip(labels, turned, strict=True)},
        about,
    )


def format_p(p: float) -> str:
    """Return a p-value as text: "p = 0.012", or "p < 0.0001"."""
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def format_percent(value: float, digits: int = 1) -> str:
    """Return a percentage as text."""
    return f"{value:.{digits}f}%"


def format_count(value: float) -> str:
    """Return a count as text: 12,345; a half keeps its decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_share(condition: ArrayLike) -> str:
    """Return the number of true conditions as text: 12 of 1,000."""
    truths = np.asarray(condition, bool)
    return f"{int(truths.sum()):,} of {len(truths):,}"
