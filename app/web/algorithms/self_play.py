"""Q-learning in self-play: both sides share a table, and the opponent's next value is subtracted."""

from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_distance,
    describe_final_target,
    describe_past_targets,
)
from app.web.algorithms.targets import ValueQuery, ValueReason


class SelfPlayAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-learning in self-play: the target subtracts the value of the opponent's best reply."""

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        best = reason.possible_replies[0]
        sentence = (
            describe_final_target(query, reason)
            if best.cell is None
            else "One table serves both sides, and nothing is left to chance: the "
            f"{describe_best_reply(query, best)} The target is {reason.format_value(best.target)}."
        )
        # The recipe has the initial value in X's view.
        initial = query.mover * query.recipe.initial
        return [
            sentence,
            *describe_distance(reason),
            *describe_past_targets(query, reason, initial),
        ]
