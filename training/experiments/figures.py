"""The figures of a claim, as its file describes them, drawn from the results."""

from collections.abc import Mapping, Sequence
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
from training.experiments.fields import NO_LABELS, Axis, Function, Labels, TomlTable
from training.experiments.quantities import Condition, Quantity
from training.experiments.results import Results, compute_wilson_interval, trace_curve
from training.experiments.statistics import Statistic


class Drawing(TomlTable, frozen=True, tag_field="kind"):
    """Base class of the figures: `kind` is a name in quotation marks below.

    Without recipes a figure has all recipes; without a title it has that of its quantity.
    """

    def draw(self, results: Results) -> Figure | None:
        raise NotImplementedError


class Mark(TomlTable, frozen=True):
    """A reference line at a number, at a function's number, or at that of a player."""

    text: str = ""  # default: the label of the player
    value: int | float | None = None
    function: Function | None = None
    player: Labels = NO_LABELS

    def draw(self, results: Results, quantity: Quantity | None = None) -> ReferenceLine:
        """Return the reference line; `quantity` is measured of the player."""
        if self.value is not None:
            return ReferenceLine(self.value, self.text)
        if self.function:
            return ReferenceLine(self.function.call(results), self.text)
        assert quantity
        label = self.player.single
        number = results.compute_median(label, quantity.measure)
        return ReferenceLine(round_significant(number), self.text or label)


class Dots(Drawing, frozen=True, tag="dots"):
    """A dot for each seed of each recipe."""

    of: Quantity
    recipes: Labels = NO_LABELS
    title: str = ""
    marks: Sequence[Mark] = ()
    unmarked: Labels = NO_LABELS  # the recipes without the marks
    is_exact: bool = True

    def draw(self, results: Results) -> Histogram:
        """Return the histogram; runs without a number are left out with all of their recipe."""
        marks = [mark.draw(results, self.of) for mark in self.marks]
        groups = []
        for label in self.recipes or results.recipe_by_label:
            values = results.list_values(label, self.of.measure)
            if np.isfinite(values).all():
                values = [round_significant(value) for value in values]
                own_marks = [] if label in self.unmarked else marks
                recipe = results.recipe_by_label[label]
                groups.append(RecipeValues(label, recipe, values, own_marks))
        title = self.title or self.of.title
        return Histogram(title, self.of.unit, groups, self.is_exact)


class Line(TomlTable, frozen=True):
    """A curve with a name of its own."""

    name: str
    of: Quantity
    recipe: Labels = NO_LABELS


class LearningCurves(Drawing, frozen=True, tag="curves"):
    """Curves over the training: over updates, games, or the epochs of a network."""

    of: Quantity | None = None
    over: Literal["updates", "games", "epochs"] = "updates"
    recipes: Labels = NO_LABELS
    lines: Sequence[Line] = ()  # instead of `of` for each of `recipes`
    title: str = ""
    points: int = 20  # number of points over epochs
    marks: Sequence[Mark] = ()

    def draw(self, results: Results) -> Curves:
        """Return the curves; their x axis is logarithmic, except over epochs."""
        if self.of:
            lines = [
                (label, self.of, label)
                for label in self.recipes or results.recipe_by_label
            ]
        else:
            lines = [(line.recipe.single, line.of, line.name) for line in self.lines]
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
        epochs = len(quantity.trace(results[label][0]))
        width = epochs // self.points

        def compute_means(run: object) -> list[float]:
            rows = np.reshape(quantity.trace(run), (self.points, width))
            means: list[float] = rows.mean(axis=1).tolist()
            return means

        ends = range(width, epochs + 1, width)
        return results.summarize(label, ends, compute_means, name)


class ParameterCurves(Drawing, frozen=True, tag="parameter"):
    """Curves over a parameter in which the recipes differ, at the end of the training.

    On the page, a click on a curve opens a run of the last recipe.
    """

    parameter: str  # its name in recipes
    x_label: str
    recipes: Labels
    lines: list[Line]
    title: str

    def draw(self, results: Results) -> Curves:
        recipes = [results.recipe_by_label[label] for label in self.recipes]
        x_values = [getattr(parse_recipe(one), self.parameter) for one in recipes]
        series = []
        for line in self.lines:
            by_recipe = [
                results.list_values(label, line.of.measure) for label in self.recipes
            ]
            by_seed = [*zip(*by_recipe, strict=True)]
            series.append(summarize_seeds(line.name, recipes[-1], x_values, by_seed))
        return Curves(self.title, self.x_label, self.lines[0].of.unit, series)


class Shares(Drawing, frozen=True, tag="shares"):
    """The share of seeds that meet a condition, for each recipe, or for each of `conditions`."""

    title: str
    of: Condition | None = None
    recipes: Labels = NO_LABELS
    conditions: Mapping[str, Condition] = {}  # by the name of the bar

    def draw(self, results: Results) -> Bars:
        """Return a bar chart with 95% intervals."""
        recipes = self.recipes or results.recipe_by_label
        bars = [
            _draw_share(results, label, label, condition)
            for label in recipes
            for condition in ([self.of] if self.of else [])
        ]
        bars += [
            _draw_share(results, name, label, condition)
            for name, condition in self.conditions.items()
            for label in recipes
        ]
        return Bars(self.title, "%", bars, exact=False)


def _draw_share(results: Results, name: str, label: str, condition: Condition) -> Bar:
    """Return the bar of the share of a recipe's seeds that meet a condition."""
    answers = results.list_values(label, condition.is_met)
    count, total = sum(answers), len(answers)
    low, high = compute_wilson_interval(count, total)
    recipe = results.recipe_by_label[label]
    return Bar(name, 100 * count / total, 100 * low, 100 * high, total, recipe)


class StatisticBars(Drawing, frozen=True, tag="bars"):
    """A statistic for each recipe; recipes for which it is infinite are left out."""

    value: Statistic
    title: str
    unit: str
    recipes: Labels = NO_LABELS
    logarithmic: bool = False

    def draw(self, results: Results) -> Bars:
        """Return a bar chart."""
        numbers = {
            label: self.value.compute(results, label)
            for label in self.recipes or results.recipe_by_label
        }
        bars = [
            Bar(
                label,
                round_significant(number),
                sample_size=len(results[label]),
                recipe=results.recipe_by_label[label],
            )
            for label, number in numbers.items()
            if np.isfinite(number)
        ]
        return Bars(
            self.title, self.unit, bars, exact=True, logarithmic=self.logarithmic
        )


class MedianGrid(Drawing, frozen=True, tag="grid"):
    """The median for each combination of two parameters, with a typical run in each cell."""

    of: Quantity
    row: Axis
    column: Axis
    recipes: Labels  # row by row
    title: str = ""

    def draw(self, results: Results) -> Grid:
        width = len(self.column.values)
        rows = [self.recipes[n : n + width] for n in range(0, len(self.recipes), width)]
        return Grid(
            title=self.title or self.of.title,
            unit=self.of.unit,
            row_label=self.row.name,
            column_label=self.column.name,
            rows=[*self.row.values],
            columns=[*self.column.values],
            values=[
                [
                    round_significant(results.compute_median(label, self.of.measure))
                    for label in row
                ]
                for row in rows
            ],
            recipes=[
                [results.name_typical_recipe(label, self.of.measure) for label in row]
                for row in rows
            ],
            seed_count=len(results[rows[0][0]]),
        )


class FunctionFigure(Drawing, frozen=True, tag="function"):
    """A figure that a function of the claim's Python file returns."""

    function: Function

    def draw(self, results: Results) -> Figure | None:
        """Return the figure, None if these results have none."""
        figure: Figure | None = self.function.call(results)
        return figure


AnyDrawing = (
    Dots
    | LearningCurves
    | ParameterCurves
    | Shares
    | StatisticBars
    | MedianGrid
    | FunctionFigure
)
