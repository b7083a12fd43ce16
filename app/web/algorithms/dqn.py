"""Deep Q-learning (DQN): a neural network computes all values in place of a table."""

from app.textbook.q_learning import QLearning
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_count


class DqnAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Deep Q-learning: its targets are like those of Q-learning, with values from the network."""

    textbook_learner = QLearning

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        played, often = "", {0: "never played", 1: "played once"}
        if query.update_count is not None:
            times = often.get(
                query.update_count, f"played {format_count(query.update_count)} times"
            )
            played = f", and this move was {times} in training"
        return [
            "One network gives the values of all moves, so its outputs only come near "
            f"the targets{played}."
        ]
