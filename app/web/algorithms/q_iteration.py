"""Q-iteration with sticky losses: each update replaces a value by the target after a random reply.

A sticky loss is a value that has become the reward of a loss. It is never updated again.
"""

from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    describe_later_changes,
)
from app.web.algorithms.targets import ValueQuery, ValueReason, remove_update_target
from app.web.formatting import format_signed, join_words


class QIterationAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-iteration: a value is the target after a single reply."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the mean target over the replies; a sticky loss has none."""
        reason = super().compute_value_reason(query)
        stuck = (
            query.is_known and query.recipe.sticky and query.value == query.recipe.loss
        )
        return remove_update_target(reason) if stuck else reason

    def describe_settled_value(
        self, query: ValueQuery, reason: ValueReason
    ) -> list[str]:
        return [_describe_sticky_loss(query, reason)]

    def describe_next_move(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if GAME.is_over(query.next_position):
            return []
        return ["Each update replaces the value by the target after one such answer."]

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if not query.is_known or abs(reason.value_minus_target) < MIN_SHOWN_DIFFERENCE:
            return []
        # The value is the target after the last sampled reply, so only replies with this target
        # explain it.
        alike = [
            reply
            for reply in reason.possible_replies
            if abs(reply.target - query.value) < MIN_SHOWN_DIFFERENCE
        ]
        if not alike:
            return [
                "After no move of the opponent the target is equal to the value now. "
                f"{describe_later_changes(query)}"
            ]
        places = join_words([reply.square_name for reply in alike], "or")
        return [
            f"The value is the target after {places}: "
            "perhaps the last update drew this move."
        ]


def _describe_sticky_loss(query: ValueQuery, reason: ValueReason) -> str:
    loss = format_signed(query.value, 0)
    causes = [reply for reply in reason.replies if reply.target == query.value]
    by = "this move of the opponent" if len(causes) == 1 else "one of these moves"
    kinds = {
        True: "winning at once",
        False: f"leaving {MARKS[query.mover]} only moves that are {loss}",
    }
    sticking = "; ".join(
        f"{' or '.join(reply.square_name for reply in replies)}, {how}"
        for ended, how in kinds.items()
        if (
            replies := [
                cause for cause in causes if (cause.outcome is not None) == ended
            ]
        )
    )
    return f"A value of {loss} is never updated again. The value became {loss} by {by}: {sticking}."
