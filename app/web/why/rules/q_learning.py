"""Q-learning against an opponent that is part of the world."""

from app.web.why.answers import Pair, Reason
from app.web.why.equations import update
from app.web.why.phrases import distance, expected, memory
from app.web.why.reasons import after_answer
from app.web.why.rules.rule import Rule


def sentences(pair: Pair, reason: Reason) -> list[str]:
    """Say what the answers lead to, and how much of the past is still in the value."""
    return [expected(pair, reason), *distance(pair, reason), *memory(pair, reason)]


RULE = Rule(after_answer, sentences, update)
