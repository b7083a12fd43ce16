"""An algorithm that nothing is known of: what may be answered, but not what follows from it."""

import math

from app.web.why.answers import Pair, Reason
from app.web.why.equations import just
from app.web.why.expression import Node
from app.web.why.phrases import worth_to_other
from app.web.why.reasons import before_answer
from app.web.why.rules.rule import Rule


def _reason(pair: Pair) -> Reason:
    return before_answer(pair)._replace(target=math.nan)


def _sentences(_pair: Pair, _reason: Reason) -> list[str]:
    return ["How its algorithm updates a value is not known here."]


def _equations(_pair: Pair, _reason: Reason) -> list[Node]:
    return []


RULE = Rule(_reason, _sentences, _equations, worth_to_other, just, shared="")
