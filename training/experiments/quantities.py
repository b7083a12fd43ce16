"""The numbers of a run that claims are about (quantities), such as "blunders" or "won against random".

The trace of a quantity has its number at each snapshot of a run, or in each epoch of a network's
training. The last number is the result of the run; for epochs, which vary more, it is the mean of
the last ones. `quantities.toml` and the files of the claims define quantities. Others need no
definition, because `parse_quantity` builds them from their names.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter, eq, ge, gt, le, lt
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from training.experiments import TomlTable, check_name

BEST_RESPONDER = "the best responder"
OUTCOMES = {"won": 0, "drawn": 1, "lost": 2}
# Charts call all other opponents by their ids.
OPPONENT_TITLES = {
    "minimax-random": "randomised minimax",
    "random": "the random player",
    "t-hand": "T-hand",
}
# The result of a network is the mean of the last tenth of its epochs.
LAST_EPOCHS_DIVISOR = 10
# "blunders after the training" has the numbers of "blunders"; only the title of the chart differs.
AFTER_TRAINING_SUFFIX = " after the training"
# "mean of blunders" is the mean over all snapshots of a run.
MEAN_PREFIX = "mean of "
AND_SEPARATOR = " and "
OUTCOME_PATTERN = re.compile(r"(won|drawn|lost)(?: as ([xo]))? (against|to) (.+)")
EPOCHS_PATTERN = re.compile(r"(won|lost|forfeited)(?: as ([xo]))? in training")
CONDITION_PATTERN = re.compile(r"(.+?) (>=|<=|>|<|=) (-?[\d.]+|inf)")
COMPARISONS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}


# msgspec would read a dataclass as a table of the TOML file, so this is a plain class.
class Quantity:
    """A number that each run has, with its title and unit in charts.

    `trace` is a function from a run to a number for each snapshot or, if `is_by_epoch`, for each
    epoch. A quantity that is true or false is called a condition.
    """

    def __init__(
        self,
        title: str,
        unit: str,
        trace: Callable[[Any], Sequence[float]],
        is_by_epoch: bool = False,
    ) -> None:
        self.title = title
        self.unit = unit
        self.trace = trace
        self.is_by_epoch = is_by_epoch

    def measure(self, run: Any) -> float:
        """Return the result of a run: its last number, or the mean of its last tenth of epochs."""
        numbers = self.trace(run)
        if self.is_by_epoch:
            return float(np.mean(numbers[-(len(numbers) // LAST_EPOCHS_DIVISOR) :]))
        return numbers[-1]


class QuantityDefinition(TomlTable, frozen=True):
    """How a claim's file defines a number of each run: by a field, a condition or a function."""

    title: str = ""
    unit: str = ""
    field: str = ""
    # If given, the last number of `field` is divided by the last number of this field.
    divisor_field: str = ""
    factor: float = 1
    is_by_epoch: bool = False
    condition: str = ""
    # the name of a function from a run to a number
    function: str = ""


def build_single_quantity(
    title: str, unit: str, measure: Callable[[Any], float]
) -> Quantity:
    return Quantity(title, unit, lambda run: [measure(run)])


def build_quantities(
    definitions: Mapping[str, QuantityDefinition],
    known_quantities: Mapping[str, Quantity],
    functions: Mapping[str, Any],
) -> dict[str, Quantity]:
    quantities = {**known_quantities}
    for name, definition in definitions.items():
        if definition.condition:
            quantities[name] = parse_quantity(definition.condition, quantities)
        elif definition.function:
            check_name("function", definition.function, functions)
            function = functions[definition.function]
            quantities[name] = build_single_quantity(
                definition.title, definition.unit, function
            )
        else:
            quantities[name] = _build_field_quantity(definition)
    return quantities


def _build_field_quantity(definition: QuantityDefinition) -> Quantity:
    title, unit = definition.title, definition.unit
    get_value = attrgetter(definition.field)
    if definition.divisor_field:
        get_divisor = attrgetter(definition.divisor_field)
        return build_single_quantity(
            title, unit, lambda run: get_value(run)[-1] / get_divisor(run)[-1]
        )

    def trace(run: Any) -> Sequence[float]:
        value = get_value(run)
        if isinstance(value, list):
            return [definition.factor * number for number in value]
        return [np.inf if value is None else value]

    return Quantity(title, unit, trace, definition.is_by_epoch)


def parse_quantity(text: str, known_quantities: Mapping[str, Quantity]) -> Quantity:
    """Return the quantity with this name; raises ValueError, with the possible names, if none has it.

    A name may combine others: "blunders < 10", "blunders = 0 and unbeatable as x", "mean of
    blunders".
    """
    if text in known_quantities:
        return known_quantities[text]
    if AND_SEPARATOR in text:
        terms = [
            parse_quantity(term, known_quantities) for term in text.split(AND_SEPARATOR)
        ]
        return build_single_quantity(
            "", "", lambda run: all(term.measure(run) == 1 for term in terms)
        )
    if found := CONDITION_PATTERN.fullmatch(text):
        name, sign, bound = found.groups()
        left, compare = parse_quantity(name, known_quantities), COMPARISONS[sign]
        return build_single_quantity(
            "", "", lambda run: bool(compare(left.measure(run), float(bound)))
        )
    if text.endswith(AFTER_TRAINING_SUFFIX):
        quantity = parse_quantity(
            text.removesuffix(AFTER_TRAINING_SUFFIX), known_quantities
        )
        name, comma, seats = quantity.title.partition(" (mean of X and O)")
        title = f"{name}{AFTER_TRAINING_SUFFIX}{comma}{seats}"
        return Quantity(title, quantity.unit, quantity.trace, quantity.is_by_epoch)
    if text.startswith(MEAN_PREFIX):
        over_time = parse_quantity(text.removeprefix(MEAN_PREFIX), known_quantities)
        return build_single_quantity(
            "", over_time.unit, lambda run: float(np.mean(over_time.trace(run)))
        )
    return _parse_outcome_quantity(text, known_quantities)


def _parse_outcome_quantity(text: str, known_quantities: Collection[str]) -> Quantity:
    """Return a quantity such as "won against random"; raises ValueError for any other text."""
    if found := OUTCOME_PATTERN.fullmatch(text):
        return _build_outcome_quantity(*found.groups())
    if found := EPOCHS_PATTERN.fullmatch(text):
        outcome, seat = found.groups()
        trace = _make_percentage_function(
            attrgetter(outcome), seat, lambda share: share
        )
        return Quantity("", "%", trace, is_by_epoch=True)
    patterns = (
        '"won against random"',
        '"lost as o to the best responder"',
        '"won as x in training" and the like',
        '"mean of" a quantity',
    )
    check_name("quantity", text, (*patterns, *sorted(known_quantities)))
    raise AssertionError("the text is no quantity")


def _build_outcome_quantity(
    outcome: str, seat: str | None, preposition: str, opponent: str
) -> Quantity:
    """Return a quantity such as "lost as o to the best responder", in percent of the games.

    Without a seat, it is the mean of both seats. Raises ValueError for an unknown opponent.
    """
    check_name("player", opponent, (*BASELINES, BEST_RESPONDER))

    def get_seats(run: Any) -> Any:
        if opponent == BEST_RESPONDER:
            return run.figures.best_response
        return run.figures.outcome_chances_by_baseline[opponent]

    place = OUTCOMES[outcome]
    as_seat = f"as {seat.upper()} " if seat else ""
    mean = "" if seat else " (mean of X and O)"
    if outcome == "lost":
        preposition = "to"
    return Quantity(
        f"Games {outcome} {as_seat}{preposition} {OPPONENT_TITLES.get(opponent, opponent)}{mean}",
        "%",
        _make_percentage_function(get_seats, seat, lambda chances: chances[place]),
    )


def _make_percentage_function(
    get_seats: Callable[[Any], Any], seat: str | None, get_share: Callable[[Any], float]
) -> Callable[[Any], list[float]]:
    """Return a function from a run to percentages over time; without a seat, the mean of both."""

    def trace(run: Any) -> list[float]:
        seats = get_seats(run)
        x, o = (
            [100 * get_share(one) for one in getattr(seats, name)] for name in SEATS
        )
        if seat:
            return x if seat == "x" else o
        return [(a + b) / 2 for a, b in zip(x, o, strict=True)]

    return trace


QUANTITIES = build_quantities(
    msgspec.toml.decode(
        Path(__file__).with_suffix(".toml").read_bytes(),
        type=dict[str, QuantityDefinition],
    ),
    {},
    {},
)
