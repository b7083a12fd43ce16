"""How an experiment is written down: as data, with small functions that turn numbers into words.

A file of this package holds the experiments of a source, or of a question:

    @claim.experiment(
        "two-stage",                          # as in app.experiments.ORDER and claims.toml
        claim.Sweep({"two stages": "league", "one stage": "league,stages=one"}, MARKS),
    )
    def two_stage(results: claim.Results) -> claim.Conclusion:

What the author says, what was done, and what each part of the claim comes to in words stands under
its id in `claims.toml`.

A sweep trains each of its recipes, which are named without a seed, with the seeds from 0 on, and
has each run measured (`training.measures.Measure`; write one of your own for what no other finds).
The function gets all that was found and returns the figures, the verdict, which parts of the claim
are so, and a small table of the numbers behind that.  Its cells are formatted from what was found,
and verdict and parts are chosen by rules on the numbers, so that neither can ever say anything else
than the figures.
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

EMPTY_CELL = "\N{EN DASH}"  # a cell of which nothing is asked
MAX_COLUMNS = 4
Z_95 = 1.959964  # of a 95% interval
SIGNIFICANT = 0.05  # p of a difference that is not taken for chance

Value = TypeVar("Value")


@dataclass(frozen=True)
class Sweep:
    """Recipes by the names they have in the figures, and what is measured of each seed."""

    recipes: Mapping[str, str]  # label -> a name of the recipe, without a seed
    measure: Measure[Any]
    seeds: int = 1_000  # as many as are trained if no number is given
    checked: bool = True  # whether a test makes a run of the first recipe again
    # whether a recipe and its seed name a run, so that the lab can open it
    is_named: bool = True


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a claim: what a student could repeat of it, without a number."""

    so: str
    not_so: str


class ClaimTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of a claim; for the meaning of the fields see `app.experiments.Summary`."""

    title: str
    claim: str
    sources: list[str]  # slugs of app.sources; the first says it
    where: str
    done: str
    limits: str
    agents: list[str]
    parts: list[Part]

    def fill_in(self, parts: Sequence[bool], seeds: int) -> dict[str, Any]:
        """Return the words of a summary: which parts are so, and the most seeds of a recipe."""
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
    """Read what is said of every claim, by its id, and the sentences that several share."""
    claims: dict[str, dict[str, Any]] = msgspec.toml.decode(
        Path(__file__).with_name("claims.toml").read_bytes()
    )
    return claims


class Quantity(NamedTuple):
    """A number of each run: what it is called in a figure, its unit, and how it is read."""

    title: str
    unit: str
    compute: Callable[[Any], Any]  # a number, or one a moment


class Axes(NamedTuple):
    """What the recipes of a grid differ in."""

    names: tuple[str, str]  # of what rows and columns are
    rows: Sequence[str]
    columns: Sequence[str]
    label: Callable[[str, str], str]  # of the recipe in a row and a column


@dataclass(frozen=True)
class Conclusion:
    """What the numbers say."""

    figures: Sequence[Figure]
    parts: Sequence[bool]  # which parts of the claim are so, in their order
    numbers: Table  # that force the verdict
    ruled: Verdict | None = None  # where another rule decides than `verdict_on`

    @property
    def verdict(self) -> Verdict:
        """What follows for the claim."""
        return self.ruled or judge_parts(*self.parts)


@dataclass(frozen=True)
class Experiment:
    """A claim and how it is checked."""

    id: str
    conclude: Callable[["Results"], Conclusion]
    sweeps: Sequence[Sweep] = ()

    @property
    def texts(self) -> ClaimTexts:
        """What is said of it."""
        return msgspec.convert(_read_claims()[self.id], ClaimTexts)


def experiment(
    id: str, *sweeps: Sweep
) -> Callable[[Callable[["Results"], Conclusion]], Experiment]:
    """Make the experiment of a claim of the function that tells it."""
    return lambda tell: Experiment(id, tell, sweeps)


@dataclass(frozen=True)
class Results:
    """What was found of each recipe, by its label: one entry a seed, from 0 on.

    Labels are unique within an experiment.  Where a method is given no labels it takes all.
    """

    recipes: Mapping[
        str, str
    ]  # label -> the recipe's one name, without a seed; "" if unnamed
    found: Mapping[
        str, Sequence[Any]
    ]  # label -> what the measure found, in the order of seeds

    def __getitem__(self, label: str) -> Sequence[Any]:
        """Return what was found of the recipe with this label, one a seed."""
        return self.found[label]

    def values(self, label: str, value: Callable[[Any], float]) -> list[float]:
        """Return one number of each seed."""
        return [value(found) for found in self.found[label]]

    def median(self, label: str, value: Callable[[Any], float]) -> float:
        """Return the median of one number over the seeds."""
        return float(np.median(self.values(label, value)))

    def list_values(
        self, value: Callable[[Any], Value], labels: Iterable[str] | None = None
    ) -> dict[str, list[Value]]:
        """Return one number, or one truth, of each seed of some recipes, by label."""
        chosen = self.recipes if labels is None else labels
        return {
            label: [value(found) for found in self.found[label]] for label in chosen
        }

    def medians(
        self, value: Callable[[Any], float], labels: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Return the median of one number over the seeds of some recipes, by label."""
        return {
            label: float(np.median(each))
            for label, each in self.list_values(value, labels).items()
        }

    def sign_test(self, one: str, other: str, value: Callable[[Any], float]) -> float:
        """Return how likely two recipes differ so much by chance, seed by seed."""
        return sign_test(self.values(one, value), self.values(other, value))

    def compare_seeds(self, one: str, other: str, value: Callable[[Any], float]) -> str:
        """Return in words whether most seeds of one are higher or lower, and the p of that."""
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
        """Whether the median of one is higher than that of another, and not by chance; and p."""
        p = self.sign_test(one, other, value)
        return self.median(one, value) > self.median(
            other, value
        ) and p < SIGNIFICANT, p

    def draw_bars(
        self, title: str, unit: str, numbers: Mapping[str, float], log: bool = False
    ) -> Bars:
        """Draw a number about all seeds of some recipes, by label."""
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
        """Draw of how many seeds of some recipes something is true, by label."""
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
        """Draw one number of each seed of some recipes as dots; all have the same marks."""
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
        """Make the curve of one recipe with its bands; `value` gives one number a point of x."""
        rows = [list(value(found)) for found in self.found[label]]
        return summarize_seeds(label, self.recipes[label], x, rows)

    def draw_series_over(
        self, name: str, labels: Mapping[float, str], value: Callable[[Any], float]
    ) -> Series:
        """Make the curve of a number over a parameter, whose values `labels` has the recipes of.

        The curve opens a run of the last recipe.
        """
        columns = [self.values(label, value) for label in labels.values()]
        last = self.recipes[[*labels.values()][-1]]
        return summarize_seeds(name, last, [*labels], [*zip(*columns, strict=True)])

    def draw_grid(self, number: Quantity, axes: Axes) -> Grid:
        """Make the medians of recipes as a grid."""
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
        """Name the recipe with the seed whose number is the median one, or next to it."""
        return name_with_seed(
            self.recipes[label], find_typical(self.values(label, value))
        )


def name_with_seed(recipe: str, seed: int) -> str:
    """Name a recipe with another seed."""
    return name_recipe(parse_recipe(recipe).with_seed(seed))


def compute_wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95% interval of a share of which `count` of `total` were counted, 0 to 1.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
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
    """Make the bar of how many seeds of a recipe something is true of, in percent."""
    count, total = sum(truths), len(truths)
    low, high = compute_wilson_interval(count, total)
    return Bar(label, 100 * count / total, 100 * low, 100 * high, total, recipe)


def judge_parts(*parts: bool) -> Verdict:
    """Judge a claim by its parts: reproduced if all of them are, and partly if any is.

    One part may follow from another, as that some are so does from that all are.
    """
    if all(parts):
        return "reproduced"
    return "partly reproduced" if any(parts) else "not reproduced"


def tabulate_recipes(
    labels: Iterable[str],
    numbers: Mapping[str, tuple[Callable[[Any], str], Mapping[str, Any]]],
    about: str = "",
) -> Table:
    """Write numbers of recipes side by side: how each is written, and what it is, by label.

    A recipe has a column, or, where they are more than four, a row.
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
    """Write how likely something is by chance."""
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def format_percent(value: float, digits: int = 1) -> str:
    """Write a number of percent."""
    return f"{value:.{digits}f}%"


def format_count(value: float) -> str:
    """Write a count: 12,345; a half where there is one."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_share(condition: ArrayLike) -> str:
    """Write how many of some conditions are true: 12 of 1,000."""
    truths = np.asarray(condition, bool)
    return f"{int(truths.sum()):,} of {len(truths):,}"
