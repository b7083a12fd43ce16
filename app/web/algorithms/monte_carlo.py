"""Monte Carlo control: a value is the average discounted result of whole games."""

from typing import Any

import numpy as np

from app.textbook.loop import Update
from app.textbook.table import get_reward
from app.tictactoe.game import GAME, FloatArray
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.tasks import evaluate_policy
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.learners import load_learner
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData, cached_per_site


@cached_per_site(4)
def _compute_mean_returns(
    site: SiteData, value_source: str, snapshot: int | None
) -> FloatArray:
    """Return the mean return from each decision, [D], if both players move as in training."""
    policy, task = site.get_policy(value_source, snapshot), site.get_task(value_source)
    # The task is never None for agents of this algorithm.
    assert task is not None
    brings = evaluate_policy(GAME, task, policy)
    played, explored = np.nansum(policy * brings, axis=1), np.nanmean(brings, axis=1)
    mean_returns: FloatArray = (1 - task.epsilon) * played + task.epsilon * explored
    return mean_returns


class MonteCarloAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Monte Carlo control: the target is the return of a whole game, not a value of the table."""

    def make_update(
        self, query: ValueQuery, reply_cell: int | None, next_cell: int | None
    ) -> Update:
        """Return the update by a game whose return after the reply is the mean return."""
        returns = _compute_mean_returns(query.site, query.value_source, query.snapshot)
        position = query.find_position_after(reply_cell)
        reward = query.compute_reward(position)
        mean = 0.0 if next_cell is None else float(returns[position])
        return _update_by_return(query, reward, mean)._replace(
            reward=reward, next_value=mean
        )

    def update_after_game(
        self, query: ValueQuery, final_board: str, later_own_moves: int
    ) -> Update:
        learner: Any = load_learner(query)
        later = get_reward(learner.game, query.recipe, final_board, MARKS[query.mover])
        for _ in range(later_own_moves):
            later = learner.compute_return(0.0, later)
        return _update_by_return(query, later)

    def describe_next_move(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if not reason.bootstraps:
            return []
        how = ", now and then with a random move" if query.epsilon else ""
        return [
            "The target uses no other value: the learner plays each game to its "
            f"end{how}."
        ]

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if not query.is_known or query.update_count is None:
            return []
        if query.update_count == 1:
            return [
                "The value is the return of the only game in which the move was played, "
                f"{format_signed(query.value)}."
            ]
        games = f"{format_count(query.update_count)} games"
        if reason.bootstraps:
            games += ", played with the policy that the learner had at that time"
        return [f"The value is the average return of {games}."]

    def describe_reply(self, query: ValueQuery, reply: Reply) -> str:
        if reply.next_value is None:
            return super().describe_reply(query, reply)
        return f"{self.next_value_phrase} {format_signed(reply.next_value)}"


def _update_by_return(
    query: ValueQuery, reward: float, next_return: float = 0.0
) -> Update:
    learner: Any = load_learner(query)
    board = format_position(GAME, query.position)
    learner.visits[board, query.cell] = query.update_count or 0
    episode_return = learner.compute_return(reward, next_return)
    update: Update = learner.update(board, query.cell, episode_return)
    return update
