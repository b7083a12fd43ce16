"""Q-learning on afterstates up to symmetry, backward over each game."""

from app.web.why.answers import Pair, Reason
from app.web.why.equations import update
from app.web.why.phrases import backward, images
from app.web.why.reasons import after_answer
from app.web.why.rules import q_learning
from app.web.why.rules.rule import Rule

COUNTED = "Updates of the shared value"


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    return [*q_learning.sentences(pair, reason), *backward(reason), *images(pair)]


RULE = Rule(after_answer, _sentences, update, counted=COUNTED)
