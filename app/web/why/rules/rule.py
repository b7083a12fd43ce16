"""What there is to tell of an algorithm's updates."""

from collections.abc import Callable
from typing import NamedTuple

from app.web.why.answers import Answer, Pair, Reason
from app.web.why.equations import discounted
from app.web.why.expression import Node
from app.web.why.phrases import best_next

CHANCE, COUNTS = "Chance", "Counts"
NEVER_UPDATED = (
    "{who} never updated {move}: what it is worth is unknown to it. "
    "The entry is still what it began with, {value}."
)


class Rule(NamedTuple):
    """How an algorithm updates a value, and how that is told.

    What most have is the default: the answers of an opponent, by chance, each followed by a move
    of one's own.
    """

    reason: Callable[[Pair], Reason]  # what a value is drawn to
    sentences: Callable[[Pair, Reason], list[str]]  # the same in words
    equations: Callable[[Pair, Reason], list[Node]]  # and in numbers; asked only if has_target
    follows: Callable[[Pair, Answer], str] = best_next  # what an update finds after an answer
    target: Callable[[Pair, Answer], Node] = discounted  # what an answer draws the value to
    shared: str = CHANCE  # what the answers' shares are, "" where nothing is known of them
    counted: str = "Updates"  # what the visits are
    unknown: str = NEVER_UPDATED  # what is said of a value without visits
