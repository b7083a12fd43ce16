"""The figures of a claim (charts and boards), built from the results as the claim's file describes.

Each kind of figure is a class; `kind` in the claim's file is the `tag` of the class.
"""

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
    """The base class of the figures.

    By default a figure shows all recipes and has the title of its quantity.
    """

    title: str = ""
    recipes: Labels = NO_LABELS

    def build(self, results: Results) -> Figure | None:
        raise NotImplementedError

    def list_labels(self, results: Results) -> Sequence[str]:
        return self.recipes or [*results.recipe_by_label]


class ReferenceMark(TomlTable, frozen=True):
    """A reference line in a chart: at a fixed number, a computed number, or a player's result."""

    # without a text, the line is named after its player
    text: str = ""
    value: int | float = 0
    function: FunctionType | None = None
    player: Labels = NO_LABELS

    def build(
        self, results: Results, quantity: Quantity | None = None
    ) -> ReferenceLine:
        """Return the line; a player's line is at the player's median of `quantity`."""
        if self.function:
            return ReferenceLine(self.function(results), self.text)
        if self.player and quantity:
            number = results.compute_median(self.player.single, quantity)
            label = self.text or self.player.single
            return ReferenceLine(round_significant(number), label)
        return ReferenceLine(self.value, self.text)


class SeedDots(ClaimFigure, frozen=True, tag="dots"):
    """A chart with one dot for each seed, in a row of dots for each recipe.

    A recipe with an infinite number for any seed is left out.
    """

    quantity: Quantity
    marks: Sequence[ReferenceMark] = ()
    recipes_without_marks: Labels = NO_LABELS
    is_exact: bool = True

    def build(self, results: Results) -> Histogram:
        marks = [mark.build(results, self.quantity) for mark in self.marks]
        groups = []
        for label in self.list_labels(results):
            values = results.list_values(label, self.quantity)
            if np.isfinite(values).all():
                values = [round_significant(value) for value in values]
                own_marks = [] if label in self.recipes_without_marks else marks
                recipe = results.recipe_by_label[label]
                groups.append(RecipeValues(label, recipe, values, own_marks))
        title = self.title or self.quantity.title
        return Histogram(title, self.quantity.unit, groups, self.is_exact)


class NamedCurve(TomlTable, frozen=True):
    name: str
    quantity: Quantity
    recipe: Labels = NO_LABELS


class LearningCurves(ClaimFigure, frozen=True, tag="curves"):
    """Learning curves over updates, games, or the epochs of a network."""

    quantity: Quantity | None = None
    x_unit: Literal["updates", "games", "epochs"] = "updates"
    # With `quantity`, each recipe has a curve of this quantity, named by the recipe's label.
    curves: Sequence[NamedCurve] = ()
    # only for curves over epochs
    point_count: int = 20
    marks: Sequence[ReferenceMark] = ()

    def build(self, results: Results) -> Curves:
        lines = [(line.recipe.single, line.quantity, line.name) for line in self.curves]
        if self.quantity:
            lines = [
                (label, self.quantity, label) for label in self.list_labels(results)
            ]
        quantity = lines[0][1]
        return Curves(
            self.title or quantity.title,
            self.x_unit,
            quantity.unit,
            [self._build_line(results, *line) for line in lines],
            [mark.build(results) for mark in self.marks],
            self.x_unit != "epochs",
        )

    def _build_line(
        self, results: Results, label: str, quantity: Quantity, name: str
    ) -> Series:
        """Return one curve; over epochs, a point is the mean of several successive epochs."""
        if self.x_unit != "epochs":
            return trace_curve(results, label, quantity, self.x_unit == "games")
        traces = np.array([quantity.trace(run) for run in results[label]])
        width = traces.shape[1] // self.point_count
        means = traces.reshape(len(traces), self.point_count, width).mean(axis=2)
        ends = range(width, self.point_count * width + 1, width)
        return summarize_seeds(
            name, results.recipe_by_label[label], ends, means.tolist()
        )


class ParameterCurves(ClaimFigure, frozen=True, tag="parameter"):
    """Curves of results after the training, over a parameter that differs between the recipes."""

    # a parameter of recipes, such as "alpha"
    parameter: str
    x_label: str
    curves: list[NamedCurve]

    def build(self, results: Results) -> Curves:
        recipes = [results.recipe_by_label[label] for label in self.recipes]
        x_values = [getattr(parse_recipe(one), self.parameter) for one in recipes]
        series = []
        for line in self.curves:
            by_recipe = [
                results.list_values(label, line.quantity) for label in self.recipes
            ]
            by_seed = [*zip(*by_recipe, strict=True)]
            # A click on the curve opens a run of its recipe, here the last one.
            series.append(summarize_seeds(line.name, recipes[-1], x_values, by_seed))
        return Curves(self.title, self.x_label, self.curves[0].quantity.unit, series)


class ShareBars(ClaimFigure, frozen=True, tag="shares"):
    """A bar for each recipe: in how many of its seeds a condition is true, with a 95% interval.

    With `conditions` each recipe has a bar for each of them, named after the condition.
    """

    quantity: Quantity | None = None
    conditions: Mapping[str, Quantity] = {}

    def build(self, results: Results) -> Bars:
        bars = []
        for label in self.list_labels(results):
            conditions = {label: self.quantity} if self.quantity else self.conditions
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
    """A bar for each recipe: a statistic over its seeds. An infinite statistic has no bar."""

    statistic: Statistic
    unit: str
    logarithmic: bool = False
    # labels of exact numbers about the empty board, to which their bars link
    of_empty_board: Labels = NO_LABELS

    def build(self, results: Results) -> Bars:
        bars = []
        for label in self.list_labels(results):
            number = self.statistic.compute(results, label)
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
    """A grid of medians: a parameter such as alpha differs between rows, another between columns.

    The rows and columns follow from recipes such as "{alpha}, {gamma}". Each cell also names the
    seed whose run is nearest to the median.
    """

    quantity: Quantity

    def build(self, results: Results) -> Grid:
        (row, rows), (column, columns) = self.recipes.values_by_name.items()
        width = len(columns)
        labels = [
            self.recipes[n : n + width] for n in range(0, len(self.recipes), width)
        ]
        return Grid(
            title=self.title or self.quantity.title,
            unit=self.quantity.unit,
            row_label=row,
            column_label=column,
            rows=[*rows],
            columns=[*columns],
            values=[
                [
                    round_significant(results.compute_median(label, self.quantity))
                    for label in line
                ]
                for line in labels
            ],
            recipes=[
                [results.name_typical_recipe(label, self.quantity) for label in line]
                for line in labels
            ],
            seed_count=len(results[labels[0][0]]),
        )


class FunctionFigure(ClaimFigure, frozen=True, tag="function"):
    function: FunctionType

    def build(self, results: Results) -> Figure | None:
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
