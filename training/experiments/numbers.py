"""The table of the numbers behind a verdict, built as the claim's file describes it."""

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
    """One kind of number in the table: in a cell, a row or a column.

    Exactly one of `statistic`, `difference`, `points` and `function` is given.
    """

    statistic: Statistic | None = None
    # The recipe is compared with `compared_with` in this quantity, by a sign test.
    difference: Quantity | None = None
    # The cell counts the points at which the recipe's curve of this quantity is above the curve of
    # `lower_recipe`, or below the curve of `higher_recipe`.
    points: Quantity | None = None
    # A function of the results returns the text of this cell, or {label: text} for all recipes.
    function: FunctionType | None = None
    compared_with: Labels = NO_LABELS
    lower_recipe: Labels = NO_LABELS
    higher_recipe: Labels = NO_LABELS
    # `points` counts up to this share of the updates: 0.5 is the first half of the training.
    counted_share: float = 1
    # In the label of the recipe, the heading of the row or column replaces "{}".
    recipe: Labels = NO_LABELS
    # If this is not empty, only these recipes have a number in the cell.
    only_recipes: Labels = NO_LABELS
    decimals: int | None = None
    # The number replaces "{}".
    text: str = "{}"
    infinity_text: str = ""

    def __post_init__(self) -> None:
        kinds = (self.statistic, self.difference, self.points, self.function)
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError(
                "a row has one of statistic, difference, points and function"
            )
        if self.difference and not self.compared_with:
            raise ValueError("a difference has compared_with: the other recipe")
        if self.points and len(self.lower_recipe + self.higher_recipe) != 1:
            raise ValueError(
                "points have lower_recipe or higher_recipe: that of the other curve"
            )

    def format(self, results: Results, heading: str = "") -> str:
        """Return the text of a cell; `heading` is the heading of its row or column."""
        label = self.recipe.template.format(heading) or heading
        if self.function:
            text = self.function(results)
            return text if isinstance(text, str) else text.get(label, EMPTY_CELL)
        is_left_out = self.only_recipes and label not in self.only_recipes
        is_other = label in (
            *self.compared_with,
            *self.lower_recipe,
            *self.higher_recipe,
        )
        if is_left_out or is_other or label not in results.runs_by_label:
            return EMPTY_CELL
        if self.difference:
            return results.describe_sign_test(
                label, self.compared_with.single, self.difference
            )
        if self.points:
            higher, lower = (
                trace_curve(results, one, self.points)
                for one in (*self.higher_recipe, label, *self.lower_recipe)
            )
            return format_share(list_higher_points(higher, lower, self.counted_share))
        assert self.statistic
        if self.infinity_text and not np.isfinite(
            self.statistic.compute(results, label)
        ):
            return self.infinity_text
        return self.text.format(self.statistic.format(results, label, self.decimals))


class NumberTable(TomlTable, frozen=True):
    """A claim's table of numbers.

    With `rows`, each row shows one kind of number, and each column is a recipe. With `columns`,
    each column shows one kind of number, and each row is a recipe. `cells` has further rows, whose
    cells are described one by one.
    """

    # the heading of the first column
    unit: str = ""
    # the headings of the recipes; without them, the labels of all recipes
    recipes: list[str] | None = None
    rows: Mapping[str, NumberCell] = {}
    columns: Mapping[str, NumberCell] = {}
    # the headings of the columns, for a table with `cells` and no `columns`
    headings: Sequence[str] = ()
    # {heading: cells}. A heading in `recipes` replaces the row of that recipe, and another one adds a
    # row at the end. Missing cells at the end of a row are empty.
    cells: Mapping[str, list[NumberCell | str]] = {}
    # a function of the results that returns the whole table
    function: FunctionType | None = None

    def format(self, results: Results) -> Table:
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
                title: [row.format(results, one) for one in recipes]
                for title, row in self.rows.items()
            }
            return Table(recipes, texts, self.unit)
        headings = [*self.columns] or [*self.headings]
        rows = {
            one: self._format_row(results, one, len(headings))
            for one in (*recipes, *self.cells)
        }
        return Table(headings, rows, self.unit)

    def _format_row(self, results: Results, heading: str, length: int) -> list[str]:
        if heading not in self.cells:
            return [cell.format(results, heading) for cell in self.columns.values()]
        texts = [
            cell if isinstance(cell, str) else cell.format(results, heading)
            for cell in self.cells[heading]
        ]
        return texts + [EMPTY_CELL] * (length - len(texts))
