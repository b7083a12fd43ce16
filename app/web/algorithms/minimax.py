"""Exact values of optimal play, and of the training tasks of agents."""

from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import (
    COUNTS_HEADING,
    Algorithm,
    Section,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import (
    Formula,
    format_cases,
)
from app.web.algorithms.learners import compute_reason_before_reply
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_reply_value,
    describe_target,
    name_cell,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
)


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return a sentence on the opponent's best replies to a move."""
    best = reason.possible_replies
    if best[0].cell is None:
        return ["The game is over after this move."]
    if len(best) == len(reason.replies):
        return [f"No move of {MARKS[-query.mover]} changes this result."]
    places = " or ".join(name_cell(query, reply.cell) for reply in best)
    return [f"{MARKS[-query.mover]} reaches this result by a move to {places}."]


def _describe_task_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return a sentence on the exact value of a move in an agent's training task."""
    best = reason.possible_replies[0]
    if best.cell is None:
        return ["The game is over after this move, so the value is the reward."]
    if (
        best.next_value is None
        or query.task is None
        or query.task.discounted_plies != 1
    ):
        return [describe_target(query, reason)]
    return [f"The {describe_best_reply(query, best)}"]


TASK_RULE_AFTER_REPLY = UpdateRule(describe_reason=_describe_task_reason)
TASK_RULE_BEFORE_REPLY = UpdateRule(
    compute_reason_before_reply,
    _describe_task_reason,
    describe_reply_value,
    reply_column_heading=COUNTS_HEADING,
    update_cases="single",
)

ALGORITHM = Algorithm(
    title="Minimax: optimal play",
    update_rule=UpdateRule(
        compute_reason_before_reply,
        _describe_reason,
        describe_reply_value,
        reply_column_heading=COUNTS_HEADING,
        update_cases="single",
    ),
    update_style=UpdateStyle(
        family="bounds",
        next_mover="other",
        differing_part="bounds",
        target_latex=r"v = \min\limits_{a'} v(s', a')",
        difference_text=(
            "Nothing is learned: values are computed from the best moves of both players."
        ),
    ),
    section=Section(
        title="Minimax: optimal play",
        value_source="truth",
        example_record="6587",
        source_slugs=(
            "von-neumann-1928",
            "garcia-1990",
        ),
        formula=Formula(
            latex_lines=(
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
