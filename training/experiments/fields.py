"""The types of the fields in a claim's file.

`ClaimContext` reads and checks the fields: a label must belong to a recipe of the claim, a function
must be in the claim's Python file, and so on.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from string import Formatter
from types import FunctionType
from typing import Any

from app.recipes import SHIPPED
from app.sources import SOURCES
from app.tictactoe.policy import BASELINES
from training.experiments import check_name
from training.experiments.quantities import Quantity, parse_quantity
from training.experiments.results import Statistic, parse_statistic


class Labels(tuple[str, ...]):
    """The labels of recipes, from one text or a list of texts in a claim's file.

    A name in braces stands for its values in the table `varied_values`: with gamma = ["0.9", "1"],
    "gamma {gamma}" means the two labels "gamma 0.9" and "gamma 1". In a table of numbers, empty
    braces as in "{}, gamma 1" stand for the heading of a row or a column.
    """

    # the text in the file, or the first text of a list
    template = ""
    # the values of the names in braces, by name
    values_by_name: Mapping[str, Sequence[str]] = {}

    @property
    def single(self) -> str:
        (label,) = self
        return label


NO_LABELS = Labels()


class Bound:
    """A number, or the statistic of other recipes, to compare a statistic with."""

    def __init__(self, number: float | None, labels: Labels = NO_LABELS) -> None:
        self.number = number
        self.labels = labels


class Sentences(str):
    """A non-empty text; a name in braces stands for a sentence in shared.toml."""


class SourceName(str):
    """The name of a source in `app/sources.toml`."""


class AgentId(str):
    """The id of a shipped agent."""


class PlayerName(str):
    """The name of a player that does not learn."""


NAME_KINDS: Mapping[type, tuple[str, Collection[str]]] = {
    SourceName: ("source", SOURCES),
    AgentId: ("agent", SHIPPED),
    PlayerName: ("player", BASELINES),
}


@dataclass(frozen=True)
class ClaimContext:
    """The names that the fields of a claim may use."""

    labels: Sequence[str]
    values_by_name: Mapping[str, Sequence[str]]
    functions: Mapping[str, Any]
    quantities: Mapping[str, Quantity]
    shared_sentences: Mapping[str, str]

    def read_field(self, kind: type, value: Any) -> Any:
        readers: Mapping[type, Callable[[Any], Any]] = {
            Quantity: lambda text: parse_quantity(text, self.quantities),
            Statistic: lambda text: parse_statistic(text, self.quantities),
            Labels: self._read_labels,
            Bound: self._read_bound,
            FunctionType: self._find_function,
            Sentences: self._read_sentences,
        }
        if kind in readers:
            return readers[kind](value)
        kind_of_name, known = NAME_KINDS[kind]
        check_name(kind_of_name, value, known)
        return kind(value)

    def _read_labels(self, value: str | list[str]) -> Labels:
        texts = [value] if isinstance(value, str) else value
        labels = Labels(label for text in texts for label in self._expand_label(text))
        labels.template = texts[0]
        names = list_names_in_braces(texts[0])
        labels.values_by_name = {name: self.values_by_name[name] for name in names}
        return labels

    def _expand_label(self, template: str) -> list[str]:
        if "{}" in template:
            pattern = re.escape(template).replace(re.escape("{}"), ".+")
            found = [one for one in self.labels if re.fullmatch(pattern, one)]
            return found or self._check_labels([template])
        labels = [label for label, _ in fill_in_names(template, self.values_by_name)]
        return self._check_labels(labels)

    def _check_labels(self, labels: list[str]) -> list[str]:
        for label in labels:
            check_name("recipe", label, self.labels)
        return labels

    def _read_bound(self, value: float | str | list[str]) -> Bound:
        if isinstance(value, int | float):
            return Bound(value)
        return Bound(None, self._read_labels(value))

    def _find_function(self, name: str) -> Any:
        check_name("function", name, self.functions)
        return self.functions[name]

    def _read_sentences(self, text: str) -> Sentences:
        if not text.strip():
            raise ValueError("the text is empty: write a sentence")
        for name in list_names_in_braces(text):
            check_name("sentence", name, self.shared_sentences)
        return Sentences(text)


def list_names_in_braces(template: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(template) if name]


def fill_in_names(
    template: str, values_by_name: Mapping[str, Collection[str]]
) -> list[tuple[str, dict[str, str]]]:
    """Fill in the names in braces, with every combination of their values.

    With gamma = ["0.9", "1"] the template "gamma {gamma}" gives ("gamma 0.9", {"gamma": "0.9"}) and
    ("gamma 1", {"gamma": "1"}). Raises ValueError if a name is not in `values_by_name`.
    """
    names = list_names_in_braces(template)
    for name in names:
        check_name("varying value", name, values_by_name)
    rows = product(*(values_by_name[name] for name in names))
    values = [dict(zip(names, row, strict=True)) for row in rows]
    return [(template.format(**one), one) for one in values]
