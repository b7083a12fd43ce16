"""Types of the fields in the file of a claim, which are checked against its recipes and functions."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from string import Formatter
from typing import Any

import msgspec

from app.recipes.names import suggest_word
from training.experiments.quantities import (
    Condition,
    Quantity,
    parse_condition,
    parse_quantity,
)
from training.experiments.results import Results
from training.experiments.statistics import Statistic, parse_statistic


class TomlTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base class of the tables in the file of a claim."""


class Labels(tuple[str, ...]):
    """Labels of recipes: a text, or a list; "gamma {gamma}" stands for each gamma that varies."""

    @property
    def single(self) -> str:
        (label,) = self
        return label


NO_LABELS = Labels()


class LabelTemplate(str):
    """The label of a recipe, in which "{}" stands for the heading of a row or column."""


class Bound:
    """What a statistic is compared with: a number, or the same statistic of each of these recipes."""

    def __init__(self, number: float | None, labels: Labels = NO_LABELS) -> None:
        self.number = number
        self.labels = labels


class Axis:
    """The name of something that varies, and its values."""

    def __init__(self, name: str, values: Sequence[str]) -> None:
        self.name = name
        self.values = values


class Function:
    """A function of the Python file beside the claim; its argument is the results."""

    def __init__(self, call: Callable[[Results], Any]) -> None:
        self.call = call


@dataclass(frozen=True)
class Context:
    """What the fields of a claim may name: its recipes, what varies, and its Python file."""

    labels: Sequence[str]
    values_by_name: Mapping[str, Sequence[str]]
    functions: Mapping[str, Callable[[Results], Any]]
    quantities: Mapping[str, Quantity]

    def read_field(self, kind: type, value: Any) -> Any:
        """Return the value of a field of the types above; raises ValueError if it is wrong."""
        readers: Mapping[type, Callable[[Any], Any]] = {
            Quantity: lambda text: parse_quantity(text, self.quantities),
            Condition: lambda text: parse_condition(text, self.quantities),
            Statistic: lambda text: parse_statistic(text, self.quantities),
            Labels: self._read_labels,
            LabelTemplate: self._read_template,
            Bound: self._read_bound,
            Axis: lambda name: Axis(name, self._find_values(name)),
            Function: self._find_function,
        }
        return readers[kind](value)

    def _read_labels(self, value: str | list[str]) -> Labels:
        texts = [value] if isinstance(value, str) else value
        return Labels(label for text in texts for label in self._expand_label(text))

    def _read_template(self, text: str) -> LabelTemplate:
        """Return the template; raises ValueError if no recipe has such a label."""
        pattern = re.escape(text).replace(re.escape("{}"), ".+")
        if not any(re.fullmatch(pattern, label) for label in self.labels):
            raise ValueError(self._describe_missing(text))
        return LabelTemplate(text)

    def _read_bound(self, value: float | str | list[str]) -> Bound:
        """Return the bound of a number or of labels."""
        if isinstance(value, int | float):
            return Bound(value)
        return Bound(None, self._read_labels(value))

    def _find_function(self, name: str) -> Function:
        """Return the function of the Python file; raises ValueError if there is none."""
        if name not in self.functions:
            raise ValueError(
                f"the Python file of this claim has no function {name!r}, "
                f"only {', '.join(self.functions) or 'none'}"
            )
        return Function(self.functions[name])

    def _expand_label(self, template: str) -> list[str]:
        """Return the labels of a template; raises ValueError if there is no such recipe."""
        names = list_names(template)
        rows = product(*map(self._find_values, names))
        labels = [template.format(**dict(zip(names, row, strict=True))) for row in rows]
        for label in labels:
            if label not in self.labels:
                raise ValueError(self._describe_missing(label))
        return labels

    def _describe_missing(self, label: str) -> str:
        """Return a sentence on a recipe that there is not."""
        return (
            f"there is no recipe {label!r}{suggest_word(label, self.labels)}, "
            f"only {', '.join(map(repr, self.labels))}"
        )

    def _find_values(self, name: str) -> Sequence[str]:
        """Return the values of something that varies; raises ValueError if there is none."""
        if name not in self.values_by_name:
            raise ValueError(
                f"nothing varies under the name {name!r}, only "
                f"{', '.join(self.values_by_name) or 'nothing'}"
            )
        return self.values_by_name[name]


def list_names(template: str) -> list[str]:
    """Return the names in braces in a template."""
    return [name for _, name, _, _ in Formatter().parse(template) if name]
