"""The champion: what a move is worth at least and at most, by what its answers are."""

import numpy as np

from app.web.numbers import signed
from app.web.why.answers import Pair, Reason
from app.web.why.equations import just
from app.web.why.expression import Node, fenced, fraction, listed, number, row
from app.web.why.phrases import distance, images, worth_to_other
from app.web.why.reasons import before_answer
from app.web.why.rules.rule import COUNTS, Rule

BOUNDS = {  # from a value to what a move is known to be worth at least and at most
    lower + (upper - lower) / 4: (lower, upper)
    for lower in (-1, 0, 1)
    for upper in (-1, 0, 1)
    if lower <= upper
}


def _reason(pair: Pair) -> Reason:
    lower, upper = _bounds(pair)
    return before_answer(pair)._replace(target=lower + (upper - lower) / 4)


def _bounds(pair: Pair) -> tuple[int, int]:
    """Return what a move is worth at least and at most."""
    if (outcome := pair.outcome(pair.after)) is not None:
        return outcome, outcome
    known = _answer_bounds(pair)
    return -max(most for _, most in known), -max(least for least, _ in known)


def _answer_bounds(pair: Pair) -> list[tuple[int, int]]:
    """Return what each answer is known to be worth at least and at most to who gives it."""
    row = pair.table[pair.after]
    return [BOUNDS[value] for value in row[~np.isnan(row)].tolist()]


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    lower, upper = (signed(bound, 0) for bound in _bounds(pair))
    by = "the rules" if pair.game.is_over(pair.after) else "its answers"
    worth = f"just {lower}" if lower == upper else f"at least {lower} and at most {upper}"
    return [f"By {by} it is worth {worth}.", *distance(pair, reason), *images(pair)]


def _equations(pair: Pair, reason: Reason) -> list[Node]:
    """Write what the answers leave of the range from a loss to a win, and what is shown of it."""
    lower, upper = _bounds(pair)
    middle = fraction(row(number(upper, 0), "−", fenced(lower, 0)), row("4"))
    shown = row("Q = L +", middle, "=", number(reason.target))
    if pair.game.is_over(pair.after):
        return [shown]
    known = _answer_bounds(pair)
    most = listed([number(high, 0) for _, high in known], ",")
    least = listed([number(low, 0) for low, _ in known], ",")
    return [
        row("L =", row("− max (", most, ") ="), number(lower, 0)),
        row("U =", row("− max (", least, ") ="), number(upper, 0)),
        shown,
    ]


RULE = Rule(
    _reason,
    _sentences,
    _equations,
    worth_to_other,
    just,
    shared=COUNTS,
    counted="Games through it",
)
