"""Definitions of experiments: recipes, measures, and the rules that turn numbers into verdicts.

Each file of this package has the experiments on one source or one question:

    @claim.experiment(
        "two-stage",                          # as in app.experiments.CLAIM_IDS and claims.toml
        claim.Sweep({"two stages": "league", "one stage": "league,stages=one"}, CHECKPOINTS_MEASURE),
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
    Histogram,
    RecipeValues,
    ReferenceLine,
    Series,
    Table,
    Verdict,
    compute_sign_test,
    count_higher,
    find_median_index,
    format_rounded,
    round_significant,
    summarize_seeds,
)
from app.recipes import name_recipe, parse_recipe
from training.measures import Measure

EMPTY_CELL = "\N{EN DASH}"  # a table cell without a number
MAX_COLUMNS = 4
Z_SCORE_95 = 1.959964  # quantile of the normal distribution for a 95% interval
SIGNIFICANT = 0.05  # largest p-value of a significant difference

Value = TypeVar("Value")


@dataclass(frozen=True)
class Sweep:
    """Recipes by their labels in the figures, with the measure applied to each seed."""

    recipe_by_label: Mapping[str, str]  # label -> a name of the recipe, without a seed
    measure: Measure[Any]
    default_seeds: int = 1_000  # number of seeds if the user does not limit it
    # whether a test repeats one run of the first recipe
    is_repeated_in_test: bool = True
    # whether the recipe and the seed determine a run completely, so that the lab can repeat it
    is_reproducible: bool = True


class PartSentences(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"sentence_if_true": "so", "sentence_if_false": "not_so"},
):
    """The sentences on a part of a claim: one if the part holds, one if it fails; no numbers."""

    sentence_if_true: str  # the sentence if the part holds
    sentence_if_false: str  # the sentence if the part does not hold


class ClaimTexts(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"source_location": "where", "method": "done", "part_sentences": "parts"},
):
    """The texts of a claim; `app.experiments.Summary` explains the fields."""

    title: str
    claim: str
    sources: list[str]  # slugs of app.sources; the first makes the claim
    source_location: str
    method: str
    limits: str
    agents: list[str]
    part_sentences: list[PartSentences]

    def fill_in_texts(
        self, parts_reproduced: Sequence[bool], seed_count: int
    ) -> dict[str, Any]:
        """Return the texts of a summary by field, for parts that hold or not and a number of seeds."""
        pairs = zip(self.part_sentences, parts_reproduced, strict=True)
        words = msgspec.structs.asdict(self)
        words["answer"] = " ".join(
            part.sentence_if_true if so else part.sentence_if_false
            for part, so in pairs
        )
        del words["part_sentences"]
        shared = _read_claims()["shared"] | {"seeds": f"{seed_count:,}"}
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
    """A number that a figure shows of each run: its title, its unit, and its computation."""

    title: str
    unit: str
    # function from a run to a number, or to a number for each snapshot
    compute: Callable[[Any], Any]


class GridAxes(NamedTuple):
    """The two parameters that vary between the recipes of a grid."""

    parameter_names: tuple[str, str]  # names of the row and column parameters
    rows: Sequence[str]
    columns: Sequence[str]
    get_label: Callable[[str, str], str]  # label of the recipe in a row and a column


@dataclass(frozen=True)
class Conclusion:
    """The figures, the verdict and the numbers that follow from the results of an experiment."""

    figures: Sequence[Figure]
    parts_reproduced: Sequence[bool]  # whether each part of the claim holds
    number_table: Table  # the numbers behind the verdict
    given_verdict: Verdict | None = None  # replaces the verdict of `judge_parts`

    @property
    def verdict(self) -> Verdict:
        """The verdict on the claim."""
        return self.given_verdict or judge_parts(*self.parts_reproduced)


@dataclass(frozen=True)
class Experiment:
    """A claim, the sweeps that check it, and the function that derives the conclusion."""

    id: str
    conclude: Callable[["Results"], Conclusion]
    sweeps: Sequence[Sweep] = ()

    @property
    def texts(self) -> ClaimTexts:
        """The texts of its claim."""
        return msgspec.convert(_read_claims()[self.id], ClaimTexts)


def experiment(
    claim_id: str, *sweeps: Sweep
) -> Callable[[Callable[["Results"], Conclusion]], Experiment]:
    """Return a decorator that turns a function from results to a conclusion into an experiment."""
    return lambda conclude: Experiment(claim_id, conclude, sweeps)


@dataclass(frozen=True)
class Results:
    """The results of each recipe by its label, one result for each seed from 0 on.

    Labels are unique within an experiment. Methods without given labels use all labels.
    """

    # label -> the canonical name without a seed; "" if unnamed
    recipe_by_label: Mapping[str, str]
    # label -> the results of the measure, in the order of seeds
    results_by_label: Mapping[str, Sequence[Any]]

    def __getitem__(self, label: str) -> Sequence[Any]:
        """Return the results of the recipe with this label, one for each seed."""
        return self.results_by_label[label]

    def compute_values(
        self, label: str, get_number: Callable[[Any], float]
    ) -> list[float]:
        """Return the number of each run of the recipe with this label, in the order of seeds."""
        return [get_number(found) for found in self.results_by_label[label]]

    def compute_median(self, label: str, get_number: Callable[[Any], float]) -> float:
        """Return the median of a number over the seeds of the recipe with this label."""
        return float(np.median(self.compute_values(label, get_number)))

    def list_values(
        self, get_number: Callable[[Any], Value], labels: Iterable[str] | None = None
    ) -> dict[str, list[Value]]:
        """Return the number or boolean of each run, by label of the recipe."""
        chosen = self.recipe_by_label if labels is None else labels
        return {
            label: [get_number(found) for found in self.results_by_label[label]]
            for label in chosen
        }

    def compute_medians(
        self, get_number: Callable[[Any], float], labels: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Return the median of a number over the seeds, by label of the recipe."""
        return {
            label: float(np.median(each))
            for label, each in self.list_values(get_number, labels).items()
        }

    def compute_sign_test(
        self, first_label: str, second_label: str, get_number: Callable[[Any], float]
    ) -> float:
        """Return the p-value of the sign test on pairs of runs of two recipes with equal seeds."""
        return compute_sign_test(
            self.compute_values(first_label, get_number),
            self.compute_values(second_label, get_number),
        )

    def describe_difference(
        self, first_label: str, second_label: str, get_number: Callable[[Any], float]
    ) -> str:
        """Return the sign test of two recipes as text: "higher for 80 of 100 seeds, p = 0.001".

        It is about the number of the first recipe, compared with the second recipe seed by seed.
        """
        values = self.compute_values(first_label, get_number)
        other_values = self.compute_values(second_label, get_number)
        above = count_higher(values, other_values)
        below = count_higher(other_values, values)
        if above == below:
            return "neither is higher"
        direction = "higher" if above > below else "lower"
        count = max(above, below)
        p = format_p(compute_sign_test(values, other_values))
        return f"{direction} for {count:,} of {len(values):,} seeds, {p}"

    def describe_sign_test(
        self,
        first_label: str,
        second_label: str,
        get_number: Callable[[Any], float],
        subject: str = "",
    ) -> str:
        """Return the text of `describe_difference` as a sentence about the first recipe."""
        difference = self.describe_difference(first_label, second_label, get_number)
        return f"sign test: {subject or first_label} {difference}"

    def is_significantly_higher(
        self, first_label: str, second_label: str, get_number: Callable[[Any], float]
    ) -> bool:
        """Return whether the first recipe has the higher median, and a significant sign test."""
        values = self.compute_values(first_label, get_number)
        other_values = self.compute_values(second_label, get_number)
        return (
            bool(np.median(values) > np.median(other_values))
            and compute_sign_test(values, other_values) < SIGNIFICANT
        )

    def draw_bars(
        self,
        title: str,
        unit: str,
        number_by_label: Mapping[str, float],
        is_logarithmic: bool = False,
    ) -> Bars:
        """Return a bar chart with a number for each recipe, given by label."""
        bars = [
            Bar(
                label,
                round_significant(value),
                sample_size=len(self.results_by_label[label]),
                recipe=self.recipe_by_label[label],
            )
            for label, value in number_by_label.items()
        ]
        return Bars(title, unit, bars, exact=True, logarithmic=is_logarithmic)

    def draw_shares(
        self, title: str, answers_by_label: Mapping[str, Sequence[bool]]
    ) -> Bars:
        """Return a bar chart of the shares of seeds with a true answer, one bar for each label."""
        bars = [
            make_share_bar(label, seeds, self.recipe_by_label[label])
            for label, seeds in answers_by_label.items()
        ]
        return Bars(title, "%", bars, exact=False)

    def draw_histogram(
        self,
        quantity: Quantity,
        labels: Iterable[str] | None = None,
        marks: Sequence[ReferenceLine] = (),
        exact: bool = True,
    ) -> Histogram:
        """Return a histogram: a dot for each seed of each recipe, and `marks` for all recipes."""
        groups = [
            RecipeValues(
                label,
                self.recipe_by_label[label],
                [round_significant(one) for one in values],
                list(marks),
            )
            for label, values in self.list_values(quantity.compute, labels).items()
        ]
        return Histogram(quantity.title, quantity.unit, groups, exact)

    def draw_curve_over_x(
        self,
        label: str,
        x_values: Sequence[float],
        get_numbers: Callable[[Any], Sequence[float]],
    ) -> Series:
        """Return the curve of a recipe; `get_numbers` returns a number of a run for each x value."""
        rows = [list(get_numbers(found)) for found in self.results_by_label[label]]
        return summarize_seeds(label, self.recipe_by_label[label], x_values, rows)

    def draw_curve_over_parameter(
        self,
        curve_name: str,
        label_by_value: Mapping[float, str],
        get_number: Callable[[Any], float],
    ) -> Series:
        """Return the curve of a number over a parameter, whose values `label_by_value` maps to recipes.

        On the page, a click on the curve opens a run of the last recipe.
        """
        columns = [
            self.compute_values(label, get_number) for label in label_by_value.values()
        ]
        last = self.recipe_by_label[[*label_by_value.values()][-1]]
        return summarize_seeds(
            curve_name, last, [*label_by_value], [*zip(*columns, strict=True)]
        )

    def draw_grid(self, quantity: Quantity, axes: GridAxes) -> Grid:
        """Return a grid of the medians of a quantity for recipes that differ in two parameters."""
        labels = [
            [axes.get_label(row, column) for column in axes.columns]
            for row in axes.rows
        ]
        return Grid(
            title=quantity.title,
            unit=quantity.unit,
            row_label=axes.parameter_names[0],
            column_label=axes.parameter_names[1],
            rows=list(axes.rows),
            columns=list(axes.columns),
            values=[
                [
                    round_significant(self.compute_median(label, quantity.compute))
                    for label in row
                ]
                for row in labels
            ],
            recipes=[
                [self.name_typical_recipe(label, quantity.compute) for label in row]
                for row in labels
            ],
            seed_count=len(self.results_by_label[labels[0][0]]),
        )

    def name_typical_recipe(
        self, label: str, get_number: Callable[[Any], float]
    ) -> str:
        """Return the name of a recipe with the seed whose number is nearest to the median."""
        return name_with_seed(
            self.recipe_by_label[label],
            find_median_index(self.compute_values(label, get_number)),
        )


def name_with_seed(recipe_name: str, seed: int) -> str:
    """Return the name of a recipe with this seed."""
    return name_recipe(parse_recipe(recipe_name).with_seed(seed))


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


def make_share_bar(label: str, seed_answers: Sequence[bool], recipe: str) -> Bar:
    """Return the bar of the share of seeds with a true answer, in percent, with its 95% interval."""
    count = sum(seed_answers)
    total = len(seed_answers)
    low, high = compute_wilson_interval(count, total)
    return Bar(label, 100 * count / total, 100 * low, 100 * high, total, recipe)


def judge_parts(*parts_reproduced: bool) -> Verdict:
    """Return the verdict: reproduced if all parts of a claim hold, partly if at least one holds.

    Parts may be implied by other parts: "some are" follows from "all are".
    """
    if all(parts_reproduced):
        return "reproduced"
    return "partly reproduced" if any(parts_reproduced) else "not reproduced"


def tabulate_recipes(
    labels: Iterable[str],
    numbers_by_title: Mapping[str, tuple[Callable[[Any], str], Mapping[str, Any]]],
    unit: str = "",
) -> Table:
    """Return a table of numbers; `numbers_by_title` has a format function and values by label for each.

    Numbers are rows and recipes are columns; with more than four recipes, recipes are rows.
    """
    labels = list(labels)
    rows = {
        name: [
            format_value(values[label]) if label in values else EMPTY_CELL
            for label in labels
        ]
        for name, (format_value, values) in numbers_by_title.items()
    }
    if len(labels) <= MAX_COLUMNS:
        return Table(labels, rows, unit)
    turned = zip(*rows.values(), strict=True)
    return Table(
        [*rows],
        {label: [*row] for label, row in zip(labels, turned, strict=True)},
        unit,
    )


def format_p(p_value: float) -> str:
    """Return a p-value as text: "p = 0.012", or "p < 0.0001"."""
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"


def format_percent(value: float, digits: int = 1) -> str:
    """Return a percentage as text."""
    return f"{format_rounded(value, digits)}%"


def format_count(value: float) -> str:
    """Return a count as text: 12,345; a median of 0.5 keeps its decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_share(condition: ArrayLike) -> str:
    """Return the number of true values as text: "12 of 1,000"."""
    answers = np.asarray(condition, bool)
    return f"{int(answers.sum()):,} of {len(answers):,}"
