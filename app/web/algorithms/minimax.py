"""Exact values of optimal play, and of the training tasks of agents."""

from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import (
    COUNTS,
    Algorithm,
    Section,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import (
    Formula,
    format_cases,
)
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_reply_value,
    describe_target,
    name_cell,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    target_after_reply,
    target_before_reply,
)


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    best = reason.given
    if best[0].cell is None:
        return ["The game is over with this move."]
    if len(best) == len(reason.answers):
        return [f"No answer of {MARKS[-pair.mover]} changes that."]
    places = " or ".join(name_cell(pair, answer.cell) for answer in best)
    return [f"{MARKS[-pair.mover]} makes it so by answering at {places}."]


def _task_sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return a sentence on the exact value of a move in the training task."""
    best = reason.given[0]
    if best.cell is None:
        return ["The game is over with this move, and its reward is all there is."]
    if best.found is None or pair.task is None or pair.task.discounted_plies != 1:
        return [describe_target(pair, reason)]
    return [f"The {describe_best_reply(pair, best)}"]


TASK_AFTER_ANSWER = UpdateRule(target_after_reply, _task_sentences)
TASK_BEFORE_ANSWER = UpdateRule(
    target_before_reply,
    _task_sentences,
    describe_reply_value,
    reply_column=COUNTS,
)

ALGORITHM = Algorithm(
    title="Minimax: optimal play",
    rule=UpdateRule(
        target_before_reply, _sentences, describe_reply_value, reply_column=COUNTS
    ),
    update=UpdateStyle(
        family="bounds",
        next_mover="other",
        differs="bounds",
        line=r"v = \min\limits_{a'} v(s', a')",
        words="Nothing is learned: values are computed from the best moves of both players.",
    ),
    section=Section(
        title="Minimax: optimal play",
        lens="truth",
        record="6587",
        sources=(
            "von-neumann-1928",
            "garcia-1990",
        ),
        formula=Formula(
            lines=(
                format_cases(
                    "v(s)",
                    (r"\max\limits_{s'} v(s')", "where X is to move"),
                    (r"\min\limits_{s'} v(s')", "where O is"),
                ),
            ),
            symbol_meanings={
                "v": "the value of a position for X: 1, 0 or −1",
                "s′": "a possible next position",
            },
        ),
    ),
)
