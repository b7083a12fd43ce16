"""Double Q-learning backward over each game, with two tables; the site stores only their average."""

from dataclasses import replace

from app.web.algorithms.q_table import QTableAlgorithm, describe_shared_moves
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    ROUNDING_TOLERANCE,
    describe_backward_updates,
    describe_later_changes,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_signed

TWO_TABLES_TEXT = (
    "Two tables learned, and the agent has only their average. Each table moves "
    "towards the other table's value of its own best next move: on average this "
    "target is at most the number above, and equal to it if both tables prefer the "
    "same move."
)
LAST_MOVE_TEXTS = {
    "both": "The last move of a game updates both tables.",
    "coin": "The last move of a game, too, updates only the table that a coin picks.",
}


class DoubleQAlgorithm(QTableAlgorithm, frozen=True, kw_only=True):
    """Double Q-learning; only the average of its two tables is stored and shown."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the reason, with "at most" before the target: see TWO_TABLES_TEXT."""
        reason = super().compute_value_reason(query)
        prefix = reason.target_prefix or "at most " * reason.bootstraps
        return replace(reason, target_prefix=prefix)

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        two_tables = f"{TWO_TABLES_TEXT} {LAST_MOVE_TEXTS[query.recipe.last]}"
        return [
            *_describe_past_targets(query, reason),
            *([two_tables] if reason.bootstraps else []),
            *describe_backward_updates(reason),
            *describe_shared_moves(query),
        ]


def _describe_past_targets(query: ValueQuery, reason: ValueReason) -> list[str]:
    if not query.is_known or abs(reason.value_minus_target) < MIN_SHOWN_DIFFERENCE:
        return []
    targets, initial = (
        [reply.target for reply in reason.possible_replies],
        query.recipe.initial,
    )
    if query.value > max(*targets, initial) + ROUNDING_TOLERANCE:
        return [
            f"The value is more than every target that is possible now. {describe_later_changes(query)}"
        ]
    sentences = []
    if len(targets) > 1:
        sentences = [
            "Each target was computed from one move of the opponent, drawn at random, "
            "and the last targets count most."
        ]
    if (
        query.update_count
        and (1 - query.recipe.alpha) ** query.update_count >= MIN_SHOWN_DIFFERENCE
    ):
        sentences += [
            "There were so few updates that the initial value "
            f"{format_signed(initial)} is still a part of the value."
        ]
    return sentences
