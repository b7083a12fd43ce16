"""The results of experiments: claims, measured figures, verdicts, and statistics over seeds.

`training.experiments` writes the files `models/experiments/<id>.json`, and the pages show them as
charts. What an author claims and what we measured is in separate fields. Every point of a chart
names the recipe or the position that it comes from.
"""

import os
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import comb
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from app.sources import SOURCES
from app.tictactoe.files import read_plain_file

# The order on the site. A claim that is not listed comes after the other claims of its source.
CLAIM_ORDER = tuple(
    """
    random-opponent q-iteration-parts q-iteration-or-q-learning q-table-results
    bad-runs draw-reward double-q better-than-minimax trained-on-minimax running-sum
    feedback alpha-gamma gamma self-play-unbeatable boyan win-plots first-move
    guard-rails encodings network-size separate-networks perfect-opponent beat-fixed
    two-stage observing k-start symmetry fills-fastest counting sutton-barto-1
    sutton-barto-2 sutton-barto-3 sutton-barto-4 sutton-barto-5 menace
    games-to-proof teachers
    """.split()  # noqa: SIM905 - a list of strings needs a line each
)

ClaimVerdict = Literal[
    "reproduced", "partly reproduced", "not reproduced", "inconclusive"
]
MAX_FILE_BYTES = 1 << 20
# Temporary files are private, but all users may read a results file.
FILE_MODE = 0o644
# Rounding errors only change later digits of a number.
SIGNIFICANT_DIGITS = 12

Id = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]
Text = Annotated[str, Meta(min_length=1, max_length=2_000)]
Label = Annotated[str, Meta(min_length=1, max_length=120)]
RecipeName = Annotated[str, Meta(max_length=120)]
Unit = Annotated[str, Meta(max_length=60)]
Record = Annotated[str, Meta(pattern="^[0-8]{0,9}$")]
SampleSize = Annotated[int, Meta(ge=1)]
Numbers = list[float]


class ResultsPart(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Base class of the parts of a results file: immutable, without unknown fields.

    The description of the API quotes the docstrings of these classes.
    """


class ReferenceLine(ResultsPart, frozen=True):
    """A line in a chart that shows a value to compare with: a reported value, or a bound.

    Attributes:
        value: The value of the reference line, in the unit of the chart.
        text: The label of the reference line.
    """

    value: float
    text: Label


class RecipeValues(ResultsPart, frozen=True):
    """The final values of a recipe's runs, one for each seed.

    Attributes:
        name: The label of the recipe in the chart.
        recipe: The full name of the recipe, without a seed.
        values: The result of each seed, in the order of the seeds: the first value belongs to the seed
            first_seed.
        marks: Reference lines in the chart of these values.
    """

    name: Label
    recipe: RecipeName
    values: Annotated[Numbers, Meta(min_length=1)]
    marks: list[ReferenceLine] = []


class Histogram(ResultsPart, frozen=True, tag="histogram"):
    """A chart of what some trainings reach in the end, with a dot for each seed.

    Attributes:
        title: The title of the chart.
        unit: The unit of the values in the chart.
        groups: The recipes of the chart, with their values.
        exact: Whether each value was computed exactly for its training run, not estimated from sampled
            games.
    """

    title: Label
    unit: Unit
    groups: Annotated[list[RecipeValues], Meta(min_length=1)]
    exact: bool


class Series(
    ResultsPart, frozen=True, rename={"typical_seed": "typical", "seed_count": "n"}
):
    """A curve of a chart: statistics over the seeds of one recipe at each x value.

    Attributes:
        name: The label of the recipe in the chart.
        recipe: The full name of the recipe, without a seed.
        x: The x values of the points of the curve, in increasing order.
        median: The median over the seeds at each point of the curve.
        low: The value that 10% of the seeds are below, at each point of the curve.
        high: The value that 90% of the seeds are below, at each point of the curve.
        least: The lowest value of all seeds at each point of the curve.
        most: The highest value of all seeds at each point of the curve.
        seed_count: The number of seeds of the recipe.
        typical_seed: A typical seed: the last value of its curve is the median of all seeds, or next to
            the median.
    """

    name: Label
    recipe: RecipeName
    x: Annotated[Numbers, Meta(min_length=1)]
    median: Numbers
    low: Numbers
    high: Numbers
    least: Numbers
    most: Numbers
    seed_count: SampleSize
    typical_seed: Annotated[int, Meta(ge=0)]

    def __post_init__(self) -> None:
        lines = (self.median, self.low, self.high, self.least, self.most)
        if any(len(line) != len(self.x) for line in lines):
            raise ValueError(f"the lines of {self.name} do not have one value a point")


class Curves(ResultsPart, frozen=True, tag="curves"):
    """A chart of curves: values during training, or for several values of a parameter.

    Attributes:
        title: The title of the chart.
        x_label: The label of the chart's x axis.
        unit: The unit of the values in the chart.
        series: The recipes of the chart, with their values.
        marks: Vertical reference lines of the chart, each at an x value.
        logarithmic: Whether the x axis of the chart is logarithmic.
    """

    title: Label
    x_label: Label
    unit: Unit
    series: Annotated[list[Series], Meta(min_length=1)]
    marks: list[ReferenceLine] = []
    logarithmic: bool = False


class Grid(ResultsPart, frozen=True, tag="grid", rename={"seed_count": "n"}):
    """A table of medians over the seeds, one for each combination of two parameters' values.

    Attributes:
        title: The title of the chart.
        unit: The unit of the values in the chart.
        row_label: The name of the parameter that differs from row to row.
        column_label: The name of the parameter that differs from column to column.
        rows: The value of the parameter in each row.
        columns: The value of the parameter in each column.
        values: The median in each cell of the table, row by row.
        recipes: The full name of the recipe of each cell of the table, with the seed of a typical
            training run.
        seed_count: The number of seeds of the recipe.
    """

    title: Label
    unit: Unit
    row_label: Label
    column_label: Label
    rows: Annotated[list[str], Meta(min_length=1)]
    columns: Annotated[list[str], Meta(min_length=1)]
    values: list[Numbers]
    recipes: list[list[str]]
    seed_count: SampleSize

    def __post_init__(self) -> None:
        lengths = [len(self.columns)] * len(self.rows)
        for table in (self.values, self.recipes):
            if [len(row) for row in table] != lengths:
                raise ValueError(
                    f"the grid is not {len(self.rows)} by {len(self.columns)}"
                )


class Bar(ResultsPart, frozen=True, rename={"sample_size": "n"}):
    """A bar of a bar chart: its label, its number, and the 95% interval if that is an estimate.

    Attributes:
        name: The label of the bar.
        value: The number that the bar shows.
        low: The lower end of the 95% confidence interval (Wilson), if the number is an estimate.
        high: The upper end of the 95% confidence interval (Wilson), if the number is an estimate.
        sample_size: The sample size: the number of seeds or games from which the number is estimated.
        recipe: The recipe of the bar, with a seed if the number is from one training run.
        record: The moves that lead to the bar's position.
    """

    name: Label
    value: float
    low: float | None = None
    high: float | None = None
    sample_size: SampleSize | None = None
    recipe: RecipeName = ""
    record: Record | None = None


class Bars(ResultsPart, frozen=True, tag="bars"):
    """A bar chart of single numbers.

    Attributes:
        title: The title of the chart.
        unit: The unit of the values in the chart.
        bars: The bars of the chart.
        exact: Whether the numbers of the bars are exact, not estimated.
        logarithmic: Whether the axis of the chart is logarithmic.
    """

    title: Label
    unit: Unit
    bars: Annotated[list[Bar], Meta(min_length=1)]
    exact: bool
    logarithmic: bool = False


class Board(ResultsPart, frozen=True, rename={"value_source": "lens"}):
    """A position drawn as a board, with the values of an agent.

    Attributes:
        record: The moves that lead to the position on the board.
        value_source: The source of the values: a recipe, the name of an agent, or truth for the results
            of optimal play.
        text: The text below the board.
    """

    record: Record
    value_source: Label
    text: Text


class Boards(ResultsPart, frozen=True, tag="boards"):
    """Some positions that show a result by example.

    Attributes:
        title: The title of the chart.
        boards: The boards, each with a position.
    """

    title: Label
    boards: Annotated[list[Board], Meta(min_length=1)]


Figure = Histogram | Curves | Grid | Bars | Boards


class Table(ResultsPart, frozen=True, rename={"unit": "about"}):
    """A table of a few numbers, formatted as text.

    Attributes:
        columns: The headings of the table's columns.
        rows: The rows of the table: the heading of each row, and the texts of its cells.
        unit: The heading of the first column, which explains the numbers of the table.
    """

    columns: Annotated[list[Label], Meta(min_length=1)]
    rows: Annotated[dict[Label, list[str]], Meta(min_length=1)]
    unit: Unit = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows.values()):
            raise ValueError(f"the rows do not have {len(self.columns)} cells each")


class RunDigest(ResultsPart, frozen=True, rename={"result_digest": "digest"}):
    """The checksum of a training run's result; a test repeats the run and compares the result.

    Attributes:
        recipe: The recipe of the training run, with its seed.
        measure: The name of the function that measured the training run.
        result_digest: The SHA-256 checksum of the result of the training run, without its duration.
    """

    recipe: RecipeName
    measure: Label
    result_digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class ClaimSummary(
    ResultsPart,
    frozen=True,
    rename={"source_location": "where", "method": "done", "parts_reproduced": "parts"},
):
    """A claim, the experiment that checks it, and the verdict.

    Attributes:
        id: The name of the experiment in the URLs of this site.
        title: The title of the experiment's page.
        effect: The most important numbers in a few words, for lists of experiments.
        claim: The claim of the author, in the words of this site.
        sources: The names of the sources on the page of sources; the first source makes the claim.
        source_location: The place of the claim in its source.
        method: How the experiment checks the claim.
        verdict: The verdict on the claim.
        parts_reproduced: For each part of the claim, whether it was reproduced.
        answer: The result of the experiment in words, with the numbers that show the size of an effect.
        numbers: The numbers from which the verdict follows.
        limits: What the experiment does not show.
        agents: The names of the agents of this site that the experiment is about.
        figures: The charts of the experiment, with all their numbers.
        command: The command that repeats the experiment.
        versions: The versions of the software that made the experiment.
        first_seed: The first seed of the training runs.
        seeds: The number of training runs of each recipe; 0 if nothing is trained.
        runs: The number of all training runs in the experiment.
        seconds: The duration of all trainings and their evaluation, in seconds.
        date: The date of the experiment.
        checks: Checksums of a few training runs, which a test repeats.
    """

    id: Id
    title: Annotated[str, Meta(min_length=1, max_length=60)]
    effect: Annotated[str, Meta(min_length=1, max_length=60)]
    claim: Text
    sources: Annotated[list[Id], Meta(min_length=1)]
    source_location: Text
    method: Text
    verdict: ClaimVerdict
    parts_reproduced: Annotated[list[bool], Meta(min_length=1)]
    answer: Text
    numbers: Table
    limits: Text
    agents: list[Id]
    figures: Annotated[list[Figure], Meta(min_length=1)]
    command: Text
    versions: dict[str, str]
    first_seed: Annotated[int, Meta(ge=0)]
    seeds: Annotated[int, Meta(ge=0)]
    runs: Annotated[int, Meta(ge=0)]
    seconds: Annotated[float, Meta(ge=0)]
    date: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    checks: list[RunDigest] = []

    @property
    def recipes(self) -> list[str]:
        recipes: list[str] = []
        for figure in self.figures:
            match figure:
                case Histogram():
                    recipes += [group.recipe for group in figure.groups]
                case Curves():
                    recipes += [series.recipe for series in figure.series]
                case Grid():
                    recipes += [recipe for row in figure.recipes for recipe in row]
                case Bars():
                    recipes += [bar.recipe for bar in figure.bars]
        return recipes


def load_summary(path: Path) -> ClaimSummary:
    """Return the summary of an experiment from its file.

    Raises ValueError, naming the file and the reason, if the file is not valid.
    """
    content = read_plain_file(path, MAX_FILE_BYTES)
    try:
        summary = msgspec.json.decode(content, type=ClaimSummary)
        if summary.id != path.stem:
            raise ValueError(f"id {summary.id!r} is not the file's name")
        if unknown := sorted({*summary.sources} - SOURCES.keys()):
            raise ValueError(f"there is no source {unknown[0]!r}")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return summary


def load_summaries(folder: Path) -> dict[str, ClaimSummary]:
    """Return {id: summary} for all files in a folder, in the order of the site.

    Raises ValueError if a file is broken.
    """
    loaded = {path.stem: load_summary(path) for path in folder.glob("*.json")}
    sources = {claim_id: one.sources[0] for claim_id, one in loaded.items()}
    return {claim_id: loaded[claim_id] for claim_id in sort_claims(sources)}


def sort_claims(source_by_claim: Mapping[str, str]) -> list[str]:
    """Return the ids of claims in the order of the site; `source_by_claim` is {id: source}."""
    order = {claim_id: place for place, claim_id in enumerate(CLAIM_ORDER)}
    known_first = sorted(
        source_by_claim, key=lambda one: (order.get(one, len(order)), one)
    )
    sources = [source_by_claim[one] for one in known_first]
    return sorted(known_first, key=lambda one: sources.index(source_by_claim[one]))


def save_summary(folder: Path, summary: ClaimSummary) -> Path:
    """Write a summary into `<id>.json`, completely or not at all, and return the path."""
    text = msgspec.json.format(msgspec.json.encode(summary), indent=1).decode()
    # A line for each number would be hard to read. Texts have no line breaks, so only lists match.
    text = re.sub(
        r"\[(\n[^][{}\"]*)\]", lambda found: f"[{_join_numbers(found[1])}]", text
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{summary.id}.json"
    with NamedTemporaryFile(dir=folder, prefix=".saving-", delete=False) as file:
        file.write(text.encode() + b"\n")
    os.chmod(file.name, FILE_MODE)
    os.replace(file.name, path)
    return path


def _join_numbers(number_list: str) -> str:
    return re.sub(r"\.0\b", "", " ".join(number_list.split()))


def summarize_seeds(
    recipe_label: str,
    recipe: str,
    x_values: Sequence[float],
    numbers_by_seed: Sequence[Sequence[float]],
    first_seed: int = 0,
) -> Series:
    """Return the curve of a recipe: statistics over its seeds at each x value.

    `numbers_by_seed` has a list for each seed, with a number for each of `x_values`.
    """
    low, median, high = np.quantile(numbers_by_seed, (0.1, 0.5, 0.9), axis=0)
    least, most = np.min(numbers_by_seed, axis=0), np.max(numbers_by_seed, axis=0)
    x, median, low, high, least, most = (
        [round_significant(value) for value in line]
        for line in (x_values, median, low, high, least, most)
    )
    typical_seed = first_seed + find_median_index([row[-1] for row in numbers_by_seed])
    return Series(
        name=recipe_label,
        recipe=recipe,
        x=x,
        median=median,
        low=low,
        high=high,
        least=least,
        most=most,
        seed_count=len(numbers_by_seed),
        typical_seed=typical_seed,
    )


def find_median_index(values: Sequence[float]) -> int:
    """Return the index of the first value that is closest to the median."""
    distance = np.abs(np.asarray(values, float) - np.median(values))
    return int(np.argmin(distance))


def round_significant(value: float) -> float:
    """Round a number to twelve digits, which removes the errors of floating-point sums."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0


def format_rounded(value: float, decimals: int) -> str:
    """Round a number half up, as people do: 79.35 becomes 79.4.

    The float for 79.35 is a little smaller than 79.35, so `format` alone would give 79.3.
    """
    exact = Decimal(repr(round_significant(value)))
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{rounded + 0:,}"


def format_probability(probability: float, decimals: int = 2) -> str:
    """Return a probability as percent without the sign "%", such as "12.34".

    Only exactly 0 and 1 become "0" and "100"; values near 0 and 1 become "<0.01" and ">99.99".
    """
    if probability in (0, 1):
        return f"{100 * probability:.0f}"
    rounded = format_rounded(100 * probability, decimals)
    least = 0.1**decimals
    if float(rounded) == 0:
        return f"<{least:.{decimals}f}"
    if float(rounded) == 100:
        return f">{100 - least:.{decimals}f}"
    return rounded


def count_higher_pairs(
    first_numbers: Sequence[float], second_numbers: Sequence[float]
) -> int:
    """Return for how many i `first_numbers[i]` is higher than `second_numbers[i]`."""
    return sum(a > b for a, b in zip(first_numbers, second_numbers, strict=True))


def compute_sign_test(
    first_numbers: Sequence[float], second_numbers: Sequence[float]
) -> float:
    """Return the p-value of the sign test on the pairs `first_numbers[i]`, `second_numbers[i]`.

    If both lists were equally good, each pair with a difference would be the toss of a fair coin;
    equal pairs do not count. The p-value is the probability of a result that is at least as
    unequal. The test is exact and two-sided. Source: Arbuthnot (1710); Conover (1999), "Practical
    nonparametric statistics", section 3.4.
    """
    above = count_higher_pairs(first_numbers, second_numbers)
    below = count_higher_pairs(second_numbers, first_numbers)
    total = above + below
    fewer = min(above, below)
    tail = sum(comb(total, k) for k in range(fewer + 1))
    return float(min(1.0, 2 * tail / 2**total))
