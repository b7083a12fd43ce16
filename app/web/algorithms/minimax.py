"""Exact values of optimal play, and exact values of the training tasks of agents."""

from typing import ClassVar

from msgspec.structs import asdict

from app.reference import ReferenceLearner
from app.textbook.expected_sarsa import ExpectedSarsa
from app.textbook.self_play import SelfPlay
from app.tictactoe.notation import MARKS
from app.tictactoe.tasks import TrainingTask
from app.web.algorithms.algorithm import CHANCE_HEADING, Algorithm
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason


class MinimaxAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Minimax: a value is the result of the opponent's best reply."""

    textbook_learner = SelfPlay

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        best = reason.possible_replies
        if best[0].cell is None:
            return ["The game is over after this move."]
        if len(best) == len(reason.replies):
            return [f"No move of {MARKS[-query.mover]} changes this result."]
        places = " or ".join(reply.square_name for reply in best)
        return [f"{MARKS[-query.mover]} reaches this result by a move to {places}."]


class SelfPlayTask(Algorithm, frozen=True, kw_only=True):
    """The exact values of a training task in which the opponent plays its best replies."""

    textbook_learner: ClassVar[type[ReferenceLearner] | None] = SelfPlay

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        best = reason.possible_replies[0]
        if best.cell is None:
            return ["The game is over after this move, so the value is the reward."]
        if best.next_value is None or self.next_mover == "own":
            return [describe_target(query, reason)]
        return [f"The {describe_best_reply(query, best)}"]


class EnvironmentTask(SelfPlayTask, frozen=True, kw_only=True):
    """The exact values of a training task in which the opponent is part of the environment."""

    # Without exploration, Expected Sarsa has the same targets as Q-learning.
    textbook_learner = ExpectedSarsa


def build_task_algorithm(minimax: Algorithm, task: TrainingTask) -> Algorithm:
    fields = asdict(minimax) | {"slug": "task", "picture_kind": "mean"}
    if task.discounted_plies == 1:
        return SelfPlayTask(**fields)
    own = {
        "next_mover": "own",
        "update_cases": "reply",
        "reply_heading": CHANCE_HEADING,
    }
    return EnvironmentTask(**fields | own)
