"""Q-iteration with sticky losses: a value is the last target that was drawn."""

import math

from app.tictactoe.notation import MARKS
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.equations import target_alone
from app.web.why.phrases import distance, expected, square
from app.web.why.reasons import after_answer
from app.web.why.rules.rule import Rule

STICKY = -1.0  # what is never updated again


def _reason(pair: Pair) -> Reason:
    reason = after_answer(pair)
    return reason._replace(target=math.nan) if pair.value == STICKY else reason


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    if not reason.has_target:
        return [_stuck(pair, reason)]
    said = [expected(pair, reason)]
    if not pair.game.is_over(pair.after):
        said += ["An update puts the target of one such answer in its place."]
    return [*said, *distance(pair, reason)]


def _stuck(pair: Pair, reason: Reason) -> str:
    causes = [answer for answer in reason.answers if answer.target == STICKY]
    by = "this answer" if len(causes) == 1 else "one of these answers"
    return (
        f"Once it is −1 it is never updated again. It became so by {by}: {_sticking(pair, causes)}."
    )


def _sticking(pair: Pair, causes: list[Answer]) -> str:
    """Say which answers win at once, and which leave nothing better."""
    kinds = {True: "winning at once", False: f"leaving {MARKS[pair.mover]} only moves that are −1"}
    return "; ".join(
        f"{' or '.join(square(pair, answer.cell) for answer in answers)}, {how}"
        for ended, how in kinds.items()
        if (answers := [cause for cause in causes if (cause.outcome is not None) == ended])
    )


RULE = Rule(_reason, _sentences, target_alone)
