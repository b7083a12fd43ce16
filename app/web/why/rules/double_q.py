"""Double Q-learning on afterstates: two tables learned, and a model holds their average."""

from app.web.why.answers import Pair, Reason
from app.web.why.equations import target_alone
from app.web.why.phrases import backward, distance, expected, images
from app.web.why.reasons import after_answer
from app.web.why.rules.afterstates import COUNTED
from app.web.why.rules.rule import Rule

TWO_TABLES = (
    "Two tables learned, and only their average is kept. Each is drawn to the other's opinion "
    "of its own best move: on average that is at most what is computed here, and just that "
    "where both prefer the same. The end of a game teaches both tables, so it counts twice."
)


def _reason(pair: Pair) -> Reason:
    # An end is learned by both tables, any other target by one of them.
    reason = after_answer(pair, ending=2.0)
    return reason._replace(hedge="at most ") if reason.bootstraps else reason


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    two_tables = [TWO_TABLES] if reason.bootstraps else []
    said = [expected(pair, reason), *distance(pair, reason), *two_tables]
    return [*said, *backward(reason), *images(pair)]


RULE = Rule(_reason, _sentences, target_alone, counted=COUNTED)
