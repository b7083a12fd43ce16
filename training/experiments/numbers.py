"""The table of the numbers behind a verdict, as the file of a claim describes it."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.experiments import Table
from training.experiments.fields import (
    NO_LABELS,
    Function,
    Labels,
    LabelTemplate,
    TomlTable,
)
from training.experiments.quantities import Quantity
from training.experiments.results import (
    Results,
    format_share,
    list_higher_points,
    trace_curve,
)
from training.experiments.statistics import EMPTY_CELL, Statistic

MAX_COLUMNS = 4


class Cell(TomlTable, frozen=True):
    """What a table says of a recipe: one of `value`, `difference`, `points` and `function`."""

    value: Statistic | None = None
    difference: Quantity | None = None  # the sign test against the recipe `than`
    points: Quantity | None = (
        None  # the points of the curve `above` or `below` another recipe's
    )
    function: Function | None = None  # returns a text, or texts by label
    than: Labels = NO_LABELS
    above: Labels = NO_LABELS
    below: Labels = NO_LABELS
    until: float = 1  # the part of the updates in which points count
    # the label of the recipe; "{}" is the heading of the row or column
    recipe: LabelTemplate = LabelTemplate("{}")
    only: Labels = NO_LABELS  # the recipes that have a cell; without labels: all
    test: Labels = NO_LABELS  # two recipes with a sign test for "{test}" in the title
    subject: str = ""  # of the sentence about the test; default: the first recipe
    digits: int | None = None  # decimals of the number
    text: str = "{}"  # the text around the number
    otherwise: str = ""  # the text if the number is infinite
    reported: str = ""  # the author's number, for a row or column that is no recipe

    def __post_init__(self) -> None:
        kinds = (self.value, self.difference, self.points, self.function)
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError("a row has one of value, difference, points and function")
        if self.difference and not self.than:
            raise ValueError("a difference has than: the recipe to compare with")
        if self.points and len(self.above + self.below) != 1:
            raise ValueError(
                "points have above or below: the recipe of the other curve"
            )

    def write(self, results: Results, heading: str = "") -> str:
        """Return the text of the cell for the recipe of a row or column."""
        label = self.recipe.format(heading)
        if self.function:
            text = self.function.call(results)
            return text if isinstance(text, str) else text.get(label, EMPTY_CELL)
        if label not in results.runs_by_label:
            return self.reported or EMPTY_CELL
        is_left_out = self.only and label not in self.only
        if is_left_out or label in (*self.than, *self.above, *self.below):
            return EMPTY_CELL
        return self._write_recipe(results, label)

    def _write_recipe(self, results: Results, label: str) -> str:
        if self.difference:
            measure = self.difference.measure
            return results.describe_difference(label, self.than.single, measure)
        if self.points:
            own = trace_curve(results, label, self.points)
            other = trace_curve(results, (self.above or self.below).single, self.points)
            pair = (own, other) if self.above else (other, own)
            return format_share(list_higher_points(*pair, self.until))
        assert self.value
        if self.otherwise and not np.isfinite(self.value.compute(results, label)):
            return self.otherwise
        return self.text.format(self.value.format(results, label, self.digits))

    def fill_in_title(self, results: Results, title: str) -> str:
        """Return the title with the sign test."""
        if not self.test or not self.value or not self.value.quantity:
            return title
        first, second = self.test
        measure = self.value.quantity.measure
        difference = results.describe_difference(first, second, measure)
        test = f"sign test: {self.subject or first} {difference}"
        return title.replace("{test}", test)


class Numbers(TomlTable, frozen=True):
    """A table of numbers.

    Rows are statistics and columns are recipes, or the other way with more than four recipes.
    With `columns`, which are statistics, rows are recipes. A row of `cells` has its own cells.
    """

    unit: str = ""  # the heading of the first column
    recipes: list[str] | None = (
        None  # headings, with a recipe each; default: all labels
    )
    rows: Mapping[str, Cell] = {}
    columns: Mapping[str, Cell] = {}
    headings: Sequence[str] = ()  # of the columns, if there are only `cells`
    # the cells of a row by its heading, empty at its end; the last rows if not in `recipes`
    cells: Mapping[str, list[Cell | str]] = {}
    function: Function | None = None  # returns the whole table

    def write(self, results: Results) -> Table:
        if self.function:
            table: Table = self.function.call(results)
            return table
        recipes = self._list_headings(results)
        if self.rows:
            texts = {
                row.fill_in_title(results, title): [
                    row.write(results, one) for one in recipes
                ]
                for title, row in self.rows.items()
            }
            if len(recipes) <= MAX_COLUMNS:
                return Table(recipes, texts, self.unit)
            turned = zip(*texts.values(), strict=True)
            rows = {one: [*row] for one, row in zip(recipes, turned, strict=True)}
            return Table([*texts], rows, self.unit)
        headings = [*self.columns] or self.headings
        rows = {one: self._write_row(results, one, len(headings)) for one in recipes}
        return Table([*headings], rows, self.unit)

    def _list_headings(self, results: Results) -> list[str]:
        """Return the headings of recipes, and of the other rows with cells."""
        recipes = self.recipes
        if recipes is None:
            recipes = [*results.recipe_by_label] if self.rows or self.columns else []
        return [*dict.fromkeys([*recipes, *self.cells])]

    def _write_row(self, results: Results, heading: str, length: int) -> list[str]:
        if heading not in self.cells:
            return [cell.write(results, heading) for cell in self.columns.values()]
        texts = [
            cell if isinstance(cell, str) else cell.write(results, heading)
            for cell in self.cells[heading]
        ]
        return texts + [EMPTY_CELL] * (length - len(texts))
