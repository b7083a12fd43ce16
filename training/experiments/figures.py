"""Draw the figures (charts and boards) of a claim from the results, as the claim's file describes."""

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Literal

import numpy as np

from app.experiments import (
    Bar,
    Bars,
    Curves,
    Figure,
    Grid,
    Histogram,
    RecipeValues,
    ReferenceLine,
    Series,
    round_significant,
    summarize_seeds,
)
from app.recipes import parse_recipe
from training.experiments import TomlTable
from training.experiments.fields import NO_LABELS, Labels
from training.experiments.quantities import Quantity
from training.experiments.results import (
    Results,
    Statistic,
    compute_wilson_interval,
    trace_curve,
)


class ClaimFigure(TomlTable, frozen=True, kw_only=True, tag_field="kind"):
    """The base class of the figures; `kind` in the claim's file is the `tag` of a class below.

    By default a figure shows all recipes, and its title is the title of its quantity.
    """

    title: str = ""
    recipes: Labels = NO_LABELS

    def draw(self, results: Results) -> Figure | None:
        raise NotImplementedError

    def list_labels(self, results: Results) -> Sequence[str]:
        return self.recipes or [*results.recipe_by_label]


class ReferenceMark(TomlTable, frozen=True):
    """A reference line at a given number, at one that a function computes, or at a player's result."""

    text: str = ""  # by default the label of the player
    value: int | float = 0
    function: FunctionType | None = None
    player: Labels = NO_LABELS

    def draw(self, results: Results, quantity: Quantity | None = None) -> ReferenceLine:
        """Return the reference line; for a player it is at the player's median of `quantity`."""
        if self.function:
            return ReferenceLine(self.function(results), self.text)
        if self.player and quantity:
            number = results.compute_median(self.player.single, quantity)
            label = self.text or self.player.single
            return ReferenceLine(round_significant(number), label)
        return ReferenceLine(self.value, self.text)


class SeedDots(ClaimFigure, frozen=True, tag="dots"):
    """A chart with a dot for each seed of each recipe."""

    of: Quantity
    marks: Sequence[ReferenceMark] = ()
    unmarked: Labels = NO_LABELS  # recipes that get no reference lines
    is_exact: bool = True

    def draw(self, results: Results) -> Histogram:
        """Return the chart; a recipe is left out if one of its runs has no finite number."""
        marks = [mark.draw(results, self.of) for mark in self.marks]
        groups = []
        for label in self.list_labels(results):
            values = results.list_values(label, self.of)
            if np.isfinite(values).all():
                values = [round_significant(value) for value in values]
                own_marks = [] if label in self.unmarked else marks
                recipe = results.recipe_by_label[label]
                groups.append(RecipeValues(label, recipe, values, own_marks))
        title = self.title or self.of.title
        return Histogram(title, self.of.unit, groups, self.is_exact)


class NamedCurve(TomlTable, frozen=True):
    """A curve that has its own name in the chart."""

    name: str
    of: Quantity
    recipe: Labels = NO_LABELS


class LearningCurves(ClaimFigure, frozen=True, tag="curves"):
    """Curves over the training: over updates, games, or the epochs of a network."""

    of: Quantity | None = None
    over: Literal["updates", "games", "epochs"] = "updates"
    # curves that have their own names; by default each recipe has a curve of the quantity `of`
    lines: Sequence[NamedCurve] = ()
    points: int = 20  # how many points each curve over epochs has
    marks: Sequence[ReferenceMark] = ()

    def draw(self, results: Results) -> Curves:
        """Return the curves; their x axis is logarithmic, except over epochs."""
        lines = [(line.recipe.single, line.of, line.name) for line in self.lines]
        if self.of:
            lines = [(label, self.of, label) for label in self.list_labels(results)]
        quantity = lines[0][1]
        return Curves(
            self.title or quantity.title,
            self.over,
            quantity.unit,
            [self._draw_line(results, *line) for line in lines],
            [mark.draw(results) for mark in self.marks],
            self.over != "epochs",
        )

    def _draw_line(
        self, results: Results, label: str, quantity: Quantity, name: str
    ) -> Series:
        """Return a curve; over epochs each point is the mean of equally many epochs."""
        if self.over != "epochs":
            return trace_curve(results, label, quantity, self.over == "games")
        traces = np.array([quantity.trace(run) for run in results[label]])
        width = traces.shape[1] // self.points
        means = traces.reshape(len(traces), self.points, width).mean(axis=2)
        ends = range(width, self.points * width + 1, width)
        return summarize_seeds(
            name, results.recipe_by_label[label], ends, means.tolist()
        )


class ParameterCurves(ClaimFigure, frozen=True, tag="parameter"):
    """Curves of results at the end of the training, over a parameter in which the recipes differ.

    On the page, a click on a curve opens a run of the last recipe.
    """

    parameter: str  # the parameter's name in recipes
    x_label: str
    lines: list[NamedCurve]

    def draw(self, results: Results) -> Curves:
        recipes = [results.recipe_by_label[label] for label in self.recipes]
        x_values = [getattr(parse_recipe(one), self.parameter) for one in recipes]
        series = []
        for line in self.lines:
            by_recipe = [results.list_values(label, line.of) for label in self.recipes]
            by_seed = [*zip(*by_recipe, strict=True)]
            series.append(summarize_seeds(line.name, recipes[-1], x_values, by_seed))
        return Curves(self.title, self.x_label, self.lines[0].of.unit, series)


class ShareBars(ClaimFigure, frozen=True, tag="shares"):
    """The share of seeds that meet a condition, for each recipe, or for each of `conditions`."""

    of: Quantity | None = None
    conditions: Mapping[
        str, Quantity
    ] = {}  # what is true or false for each run, by the name of its bar

    def draw(self, results: Results) -> Bars:
        """Return a bar chart with 95% intervals."""
        bars = []
        for label in self.list_labels(results):
            conditions = {label: self.of} if self.of else self.conditions
            for name, condition in conditions.items():
                answers = results.list_values(label, condition)
                count, total = sum(answers), len(answers)
                low, high = compute_wilson_interval(count, total)
                bars.append(
                    Bar(
                        name=name,
                        value=100 * count / total,
                        low=100 * low,
                        high=100 * high,
                        sample_size=total,
                        recipe=results.recipe_by_label[label],
                    )
                )
        return Bars(self.title, "%", bars, exact=False)


class StatisticBars(ClaimFigure, frozen=True, tag="bars"):
    """A bar chart of a statistic for each recipe; recipes for which it is infinite are left out."""

    value: Statistic
    unit: str
    logarithmic: bool = False
    # exact numbers whose bars link to the empty board
    of_empty_board: Labels = NO_LABELS

    def draw(self, results: Results) -> Bars:
        bars = []
        for label in self.list_labels(results):
            number = self.value.compute(results, label)
            if np.isfinite(number):
                is_fact = label not in results.recipe_by_label
                bar = Bar(
                    name=label,
                    value=round_significant(number),
                    sample_size=None if is_fact else len(results[label]),
                    recipe=results.recipe_by_label.get(label, ""),
                    record="" if label in self.of_empty_board else None,
                )
                bars.append(bar)
        return Bars(self.title, self.unit, bars, True, self.logarithmic)


class MedianGrid(ClaimFigure, frozen=True, tag="grid"):
    """The median for each combination of two parameters, with a typical run in each cell.

    With the recipes "{alpha}, {gamma}", alpha varies from row to row, gamma from column to column.
    """

    of: Quantity

    def draw(self, results: Results) -> Grid:
        (row, rows), (column, columns) = self.recipes.axes.items()
        width = len(columns)
        labels = [
            self.recipes[n : n + width] for n in range(0, len(self.recipes), width)
        ]
        return Grid(
            title=self.title or self.of.title,
            unit=self.of.unit,
            row_label=row,
            column_label=column,
            rows=[*rows],
            columns=[*columns],
            values=[
                [
                    round_significant(results.compute_median(label, self.of))
                    for label in line
                ]
                for line in labels
            ],
            recipes=[
                [results.name_typical_recipe(label, self.of) for label in line]
                for line in labels
            ],
            seed_count=len(results[labels[0][0]]),
        )


class FunctionFigure(ClaimFigure, frozen=True, tag="function"):
    """A figure that a function of the claim's Python file returns."""

    function: FunctionType

    def draw(self, results: Results) -> Figure | None:
        """Return the figure, or None if the function finds nothing to draw."""
        figure: Figure | None = self.function(results)
        return figure


AnyClaimFigure = (
    SeedDots
    | LearningCurves
    | ParameterCurves
    | ShareBars
    | StatisticBars
    | MedianGrid
    | FunctionFigure
)
