"""Deep Q-learning: a network has no entries, and its outputs only come near their targets."""

from app.web.why.answers import Pair, Reason
from app.web.why.equations import mean
from app.web.why.expression import Node, equals, fenced, number, row
from app.web.why.phrases import above, distance, expected
from app.web.why.reasons import after_answer
from app.web.why.rules.rule import Rule


def _reason(pair: Pair) -> Reason:
    # A draw is worth no more than a move that ends nothing.
    return after_answer(pair, otherwise=pair.reward(0))


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    return [
        expected(pair, reason),
        *distance(pair, reason),
        "One network gives the values of all moves, and no move has an entry of its own: its "
        "outputs only come near the targets.",
    ]


def _equations(pair: Pair, reason: Reason) -> list[Node]:
    """Write the target, and by how much the network is wrong."""
    if not pair.known:
        return [mean(pair, reason)]
    value, target = pair.value, reason.target
    terms = row(number(value), "−", fenced(target), equals(value, target))
    return [mean(pair, reason), row("Q − E [ y ] =", terms, number(above(pair, reason)))]


RULE = Rule(
    _reason,
    _sentences,
    _equations,
    counted="Times played in training",
    unknown=(
        "{who} never played {move} in training: what it is worth is unknown to it, and "
        "{value} is what its network makes of other moves."
    ),
)
