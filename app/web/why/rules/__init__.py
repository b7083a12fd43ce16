"""The algorithms' updates, a file each, by the section of /how that explains them."""

from app.web.why.answers import Pair
from app.web.why.rules import (
    afterstates,
    champion,
    double_q,
    dqn,
    minimax,
    mitchell,
    q_iteration,
    q_learning,
    self_play,
    unknown,
)
from app.web.why.rules.rule import Rule

RULES = {
    "q-iteration": q_iteration.RULE,
    "q-learning": q_learning.RULE,
    "afterstates": afterstates.RULE,
    "double-q": double_q.RULE,
    "self-play": self_play.RULE,
    "mitchell": mitchell.RULE,
    "dqn": dqn.RULE,
    "champion": champion.RULE,
    "minimax": minimax.RULE,
}


def rule_of(pair: Pair) -> Rule:
    """Return how the value that is asked for is updated."""
    return RULES.get(pair.section, unknown.RULE)
