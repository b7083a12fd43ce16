"""Write the table of the numbers behind a verdict, as the claim's file describes it."""

import re
from collections.abc import Mapping, Sequence
from types import FunctionType

import msgspec
import numpy as np

from app.experiments import Table
from training.experiments import TomlTable
from training.experiments.fields import NO_LABELS, Labels
from training.experiments.quantities import Quantity
from training.experiments.results import (
    EMPTY_CELL,
    Results,
    Statistic,
    format_share,
    list_higher_points,
    trace_curve,
)

MINUS_SIGN_PATTERN = re.compile(r"(?<![\w-])-(?=\d)")


class NumberCell(TomlTable, frozen=True):
    """A cell in a claim's table of numbers, which says what number of a recipe is shown.

    It has exactly one of `value`, `difference`, `points` and `function`.
    """

    value: Statistic | None = None
    # the quantity in a sign test against the recipe `than`
    difference: Quantity | None = None
    # how many points of the recipe's curve lie above the curve of `above`, or below the curve of `below`
    points: Quantity | None = None
    # a function that gets the results and returns the text of the cell, or texts by label
    function: FunctionType | None = None
    than: Labels = NO_LABELS
    above: Labels = NO_LABELS
    below: Labels = NO_LABELS
    until: float = 1  # the part of all updates whose points count
    # the recipe; "{}" is replaced by the heading of the row or column
    recipe: Labels = NO_LABELS
    only: Labels = NO_LABELS  # the recipes that have a cell; by default all
    test: Labels = NO_LABELS  # two recipes with a sign test for "{test}" in the title
    subject: str = ""  # of the sentence about the test; by default the first recipe
    digits: int | None = None  # how many decimals the number has
    text: str = "{}"  # the text around the number
    otherwise: str = ""  # the text if the number is infinite

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
        """Return the text of the cell in the row or column with this heading."""
        label = self.recipe.template.format(heading) or heading
        if self.function:
            text = self.function(results)
            return text if isinstance(text, str) else text.get(label, EMPTY_CELL)
        is_left_out = self.only and label not in self.only
        is_other = label in (*self.than, *self.above, *self.below)
        if is_left_out or is_other or label not in results.runs_by_label:
            return EMPTY_CELL
        if self.difference:
            return results.describe_difference(label, self.than.single, self.difference)
        if self.points:
            higher, lower = (
                trace_curve(results, one, self.points)
                for one in (*self.below, label, *self.above)
            )
            return format_share(list_higher_points(higher, lower, self.until))
        assert self.value
        if self.otherwise and not np.isfinite(self.value.compute(results, label)):
            return self.otherwise
        return self.text.format(self.value.format(results, label, self.digits))

    def fill_in_title(self, results: Results, title: str) -> str:
        """Return the title, with the result of the sign test in place of "{test}"."""
        if not self.test or not self.value:
            return title
        first, second = self.test
        difference = results.describe_difference(first, second, self.value.quantity)
        return title.replace(
            "{test}", f"sign test: {self.subject or first} {difference}"
        )


class NumberTable(TomlTable, frozen=True):
    """A claim's table of numbers.

    With `rows`, each row shows a statistic, and each column a recipe; with `columns` it is the
    other way round. `cells` has rows whose cells are written one by one.
    """

    unit: str = ""  # the heading of the first column
    # a heading for each recipe; by default the labels of all recipes
    recipes: list[str] | None = None
    rows: Mapping[str, NumberCell] = {}
    columns: Mapping[str, NumberCell] = {}
    headings: Sequence[
        str
    ] = ()  # the headings of the columns, if there are only `cells`
    # the cells of rows by heading; those left out at the end are empty. Headings that are not in
    # `recipes` make the last rows.
    cells: Mapping[str, list[NumberCell | str]] = {}
    function: FunctionType | None = None  # a function that returns the whole table

    def write(self, results: Results) -> Table:
        """Return the table, with typographic minus signs before negative numbers."""
        table: Table = (self.function or self._build_table)(results)
        text = msgspec.json.encode(table).decode()
        return msgspec.json.decode(
            MINUS_SIGN_PATTERN.sub("\N{MINUS SIGN}", text), type=Table
        )

    def _build_table(self, results: Results) -> Table:
        recipes = self.recipes
        if recipes is None:
            recipes = [*results.recipe_by_label] if self.rows or self.columns else []
        if self.rows:
            texts = {
                row.fill_in_title(results, title): [
                    row.write(results, one) for one in recipes
                ]
                for title, row in self.rows.items()
            }
            return Table(recipes, texts, self.unit)
        headings = [*self.columns] or [*self.headings]
        rows = {
            one: self._write_row(results, one, len(headings))
            for one in (*recipes, *self.cells)
        }
        return Table(headings, rows, self.unit)

    def _write_row(self, results: Results, heading: str, length: int) -> list[str]:
        if heading not in self.cells:
            return [cell.write(results, heading) for cell in self.columns.values()]
        texts = [
            cell if isinstance(cell, str) else cell.write(results, heading)
            for cell in self.cells[heading]
        ]
        return texts + [EMPTY_CELL] * (length - len(texts))
