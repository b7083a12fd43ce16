"""The numbers that claims are about: "won as x against minimax", "blunders", "unbeatable", ...

A quantity has a trace: its number at each snapshot of a run, or in each epoch of a network's
training. The last number is the result of the run; networks have the mean of the last epochs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt
from typing import Any

import numpy as np

from app.recipes.names import suggest_word
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES

BEST_RESPONDER = "the best responder"
OUTCOMES = {"won": 0, "drawn": 1, "lost": 2}
# titles of opponents in sentences; other opponents have their id as title
TITLES = {
    "minimax-random": "randomised minimax",
    "random": "the random player",
    "t-hand": "T-hand",
}
END_DIVISOR = 10  # the last 1 / END_DIVISOR of the epochs is the end of a training
AFTER = " after the training"  # an ending of names, for the title
OUTCOME = re.compile(r"(won|drawn|lost)(?: as ([xo]))? (against|to) (.+)")
EPOCHS = re.compile(r"(won|lost|forfeited)(?: as ([xo]))? in training")
COMPARISON = re.compile(r"(.+?) (>=|<=|>|<|=) (-?[\d.]+)")
COMPARISONS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}


# The classes of fields are no dataclasses: msgspec would read those as tables.
class Quantity:
    """A number of each run: its title and unit in figures, and its computation.

    `trace` is a function from a run to its numbers over time, in each epoch if `is_by_epoch`.
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
        """Return the result of a run: the last number, or the mean of the last epochs."""
        numbers = self.trace(run)
        if self.is_by_epoch:
            return float(np.mean(numbers[-(len(numbers) // END_DIVISOR) :]))
        return numbers[-1]


class Condition:
    """Conditions that a run meets or not: "blunders = 0 and unbeatable as x"."""

    def __init__(
        self, terms: Sequence[tuple[Quantity, Callable[[float, float], bool], float]]
    ) -> None:
        self.terms = terms

    def is_met(self, run: Any) -> bool:
        """Return whether a run meets all conditions."""
        return all(
            bool(compare(quantity.measure(run), bound))
            for quantity, compare, bound in self.terms
        )


def single(title: str, unit: str, measure: Callable[[Any], float]) -> Quantity:
    """Return a quantity that a run has only once."""
    return Quantity(title, unit, lambda run: [measure(run)])


QUANTITIES = {
    "blunders": Quantity(
        "Positions in which the learner can blunder",
        "blunders",
        lambda run: run.figures.blunders,
    ),
    "updated positions": Quantity(
        "Positions that the training has updated (of 627)",
        "positions",
        lambda run: run.known_positions,
    ),
    "NashConv": Quantity("NashConv", "NashConv", lambda run: run.figures.nash_conv),
    "value of the empty board": Quantity(
        "The learned value of the empty board (its highest Q-value)",
        "",
        lambda run: run.start_values,
    ),
    "error of the values": Quantity(
        "Mean error of the learned values in reachable positions",
        "of a win",
        lambda run: run.figures.task_distance.mean_reachable_distance,
    ),
    "games": Quantity(
        "Number of games in the training", "games", lambda run: run.snapshot_games
    ),
    "updates": Quantity("Updates", "updates", lambda run: run.figures.snapshot_updates),
    "updates per game": single(
        "Updates per game",
        "updates",
        lambda run: run.figures.snapshot_updates[-1] / run.snapshot_games[-1],
    ),
    "unbeatable as x": Quantity("", "", lambda run: run.is_unbeatable.x),
    "unbeatable as o": Quantity("", "", lambda run: run.is_unbeatable.o),
    "unbeatable": Quantity(
        "",
        "",
        lambda run: [
            x and o
            for x, o in zip(run.is_unbeatable.x, run.is_unbeatable.o, strict=True)
        ],
    ),
    "games to proof": single(
        "Games until the learner is proved unbeatable",
        "games",
        lambda run: np.inf if run.games_to_proof is None else run.games_to_proof,
    ),
    "proved": single("", "", lambda run: run.games_to_proof is not None),
    "proved to the end": single(
        "", "", lambda run: run.games_to_lasting_proof is not None
    ),
    "illegal": Quantity(
        "All positions: the share in which the network's highest output is an illegal move",
        "%",
        lambda run: [100 * share for share in run.illegal_shares],
        is_by_epoch=True,
    ),
    "illegal in games": Quantity(
        "Positions of the network's own games: the share in which its highest output is an "
        "illegal move",
        "%",
        lambda run: [100 * share for share in run.illegal_shares_in_games],
        is_by_epoch=True,
    ),
    "epochs": single("Epochs", "epochs", lambda run: len(run.illegal_shares)),
}


def get_title(opponent: str) -> str:
    """Return the title of an opponent in sentences, given its id."""
    return TITLES.get(opponent, opponent)


def parse_quantity(text: str, own_quantities: Mapping[str, Quantity]) -> Quantity:
    """Return the quantity of a name; raises ValueError, with all names, if there is none.

    `own_quantities` are those of the claim.
    """
    named = QUANTITIES | dict(own_quantities)
    if text in named:
        return named[text]
    if text.endswith(AFTER):
        quantity = parse_quantity(text.removesuffix(AFTER), own_quantities)
        name, comma, seats = quantity.title.partition(", mean of both seats")
        title = f"{name}{AFTER}{comma}{seats}"
        return Quantity(title, quantity.unit, quantity.trace, quantity.is_by_epoch)
    if text.startswith("mean of "):
        over_time = parse_quantity(text.removeprefix("mean of "), own_quantities)
        return single(
            "", over_time.unit, lambda run: float(np.mean(over_time.trace(run)))
        )
    if found := OUTCOME.fullmatch(text):
        return _describe_outcome(*found.groups())
    if found := EPOCHS.fullmatch(text):
        outcome, seat = found.groups()
        return Quantity(
            "",
            "%",
            _average_seats(
                lambda run: getattr(run, outcome), seat, lambda share: share
            ),
            is_by_epoch=True,
        )
    raise ValueError(
        f"there is no quantity {text!r}{suggest_word(text, named)}, only "
        '"won against random", "lost as o to the best responder", "won as x in training" and the like, '
        f'"mean of" a quantity, {", ".join(sorted(named))}'
    )


def _describe_outcome(
    outcome: str, seat: str | None, preposition: str, opponent: str
) -> Quantity:
    """Return the percent of games with an outcome, in a seat or the mean of both.

    Raises ValueError if there is no such opponent.
    """
    opponents = (*BASELINES, BEST_RESPONDER)
    if opponent not in opponents:
        raise ValueError(
            f"there is no player {opponent!r}{suggest_word(opponent, opponents)}, "
            f"only {', '.join(opponents)}"
        )

    def get_seats(run: Any) -> Any:
        """Return the chances of the outcomes in both seats."""
        if opponent == BEST_RESPONDER:
            return run.figures.best_response
        return run.figures.baseline_chances[opponent]

    place = OUTCOMES[outcome]
    ending = f"as {seat.upper()} " if seat else ""
    mean = "" if seat else ", mean of both seats"
    return Quantity(
        f"Games {outcome} {ending}{preposition} {get_title(opponent)}{mean}",
        "%",
        _average_seats(get_seats, seat, lambda chances: chances[place]),
    )


def _average_seats(
    get_seats: Callable[[Any], Any], seat: str | None, get_share: Callable[[Any], float]
) -> Callable[[Any], list[float]]:
    """Return a function from a run to percentages over time, in a seat or the mean of both seats."""

    def trace(run: Any) -> list[float]:
        seats = get_seats(run)
        x, o = (
            [100 * get_share(one) for one in getattr(seats, name)] for name in SEATS
        )
        if seat:
            return x if seat == "x" else o
        return [(a + b) / 2 for a, b in zip(x, o, strict=True)]

    return trace


def parse_condition(text: str, own_quantities: Mapping[str, Quantity]) -> Condition:
    """Return the condition of a text; raises ValueError if it has no such form."""
    terms = []
    for term in text.split(" and "):
        if found := COMPARISON.fullmatch(term):
            name, sign, bound = found.groups()
            quantity = parse_quantity(name, own_quantities)
            terms.append((quantity, COMPARISONS[sign], float(bound)))
        else:
            terms.append((parse_quantity(term, own_quantities), eq, 1.0))
    return Condition(terms)
