"""Q-learning backward over each game: the last move is updated first; symmetric moves share a value."""

import numpy as np

from app.tictactoe.game import GAME
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.sentences import (
    describe_backward_updates,
    describe_shared_boards,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    remove_update_target,
)

ADDED_TARGETS_TEXT = (
    "The targets of this value are added up, so the value grows without limit."
)


class QTableAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-learning that updates the moves of a game from the last one to the first."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the reason, without a target if `update=sum` lets values grow for ever."""
        # In double Q-learning the last reward of a game may update both tables. Then it counts
        # twice.
        terminal_weight = 2.0 if getattr(query.recipe, "last", "") == "both" else 1.0
        reason = build_reason_after_reply(query, self.make_update, terminal_weight)
        return remove_update_target(reason) if query.recipe.update == "sum" else reason

    def describe_settled_value(
        self, query: ValueQuery, reason: ValueReason
    ) -> list[str]:
        return [ADDED_TARGETS_TEXT, *describe_shared_moves(query)]

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        return [
            *super().describe_updates(query, reason),
            *describe_backward_updates(reason),
            *describe_shared_moves(query),
        ]


def describe_shared_moves(query: ValueQuery) -> list[str]:
    """Say how many symmetric moves or boards share the value; [] if none does."""
    if query.recipe.key == "afterstate":
        return describe_shared_boards(query)
    classes = GAME.spread_pairs(GAME.pair_class, -1)
    moves = np.count_nonzero(classes == classes[query.position, query.cell])
    if moves == 1:
        return []
    return [f"This value belongs to {moves} moves, which are the same by symmetry."]
