"""The target of the next update of a value.

A model keeps only the tables of its training.  So a value is explained by its next update: the
target over all replies, if the training went on from this table.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import compute_final_rate
from app.recipes.parameters import BOTH, SELF, SELF_OPPONENTS
from app.tictactoe.agents import Agent
from app.tictactoe.game import Game, X
from app.tictactoe.tasks import Task
from app.tictactoe.views import RewardScale
from app.web.algorithms.formula import format_number
from app.web.formatting import format_signed, spell_bead_count
from app.web.move_values import evaluate_moves
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData

MOST_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class ValueQuery:
    """A request for an agent's value of a move, at a snapshot of its training or at its end."""

    site: SiteData
    lens: str
    position: int
    cell: int
    step: int | None = None

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.site.game

    @property
    def mover(self) -> int:
        """The player to move: +1 for X, -1 for O."""
        return int(self.game.to_move[self.position])

    @property
    def after(self) -> int:
        """The position that the move makes."""
        return int(self.game.successor[self.position, self.cell])

    @property
    def learner(self) -> str:
        """The id of the agent of the value or of the task; for optimal play the value source."""
        return self.lens.removesuffix(TASK_SUFFIX)

    @property
    def is_learned(self) -> bool:
        """Whether an agent learned the value; values of optimal play and of tasks are exact."""
        return self.site.agents.contains_name(self.lens)

    @property
    def agent(self) -> Agent:
        """The agent of the value or of the task."""
        return self.site.agents[self.learner]

    @property
    def recipe(self) -> Any:
        """The recipe of the agent; its class depends on the algorithm."""
        return self.site.get_recipe(self.learner)

    @property
    def task(self) -> Task | None:
        """The training task of the agent; None if it has no exact table, and for optimal play."""
        return None if self.lens == TRUTH else self.site.get_task(self.learner)

    @property
    def gamma(self) -> float:
        """The discount factor of the training task; 1 without a task."""
        return self.task.gamma if self.task else 1.0

    @property
    def worth(self) -> RewardScale | None:
        """The rewards of the results; None for beads."""
        return self.site.get_rewards(self.lens)

    @cached_property
    def table(self) -> NDArray[np.floating]:
        """All values of the value source, [D, cells] in the mover's view, NaN where illegal."""
        return self.site.get_values(self.lens, self.step)

    @property
    def value(self) -> float:
        """The value to explain."""
        return float(self.table[self.position, self.cell])

    @property
    def exact_in_task(self) -> float | None:
        """The exact value of the move in the agent's training task, None without a task."""
        exact = None if self.lens == TRUTH else self.site.get_task_q(self.learner)
        return None if exact is None else float(exact[self.position, self.cell])

    @cached_property
    def known(self) -> bool:
        """Whether the value is known: it was updated, or is exact."""
        return evaluate_moves(self.site, self.position, self.lens, self.step).is_known[
            self.cell
        ]

    @property
    def visits(self) -> int | None:
        """The number of updates of the value; None if it was not learned or not recorded."""
        if not self.is_learned or self.step is not None:
            return None
        return int(self.agent.visits[self.position, self.cell])

    @property
    def opponent(self) -> str | None:
        """The opponent that replies at the end of the training; None for the learner itself."""
        last = SELF if self.lens == TRUTH else self.recipe.phases[-1][0]
        return None if last in SELF_OPPONENTS else last

    @property
    def answers_explore(self) -> bool:
        """Whether the opponent learns too and explores to the end of the training."""
        if not self.is_learned or self.recipe.phases[-1][0] != BOTH:
            return False
        return compute_final_rate(self.recipe.epsilon, self.recipe.epsilon_drop) > 0

    @cached_property
    def answer_chances(self) -> NDArray[np.float64]:
        """The probability of each answer to the move, [cells]."""
        if self.opponent is None:
            return evaluate_moves(self.site, self.after, self.lens, self.step).policy
        chances: NDArray[np.float64] = self.site.policies[self.opponent][self.after]
        return chances

    def outcome(self, position: int) -> int | None:
        """Return the result of a position for the mover, -1, 0 or +1; None if the game goes on."""
        return (
            self.game.get_result(position) * self.mover
            if self.game.is_over(position)
            else None
        )

    def reward(self, outcome: int, player: int = 0) -> float:
        """Return the reward of a result, -1, 0 or +1, for the mover or for another player."""
        assert self.worth is not None  # beads have rules of their own
        worth = self.worth.x if (player or self.mover) == X else self.worth.o
        return float(worth[outcome + 1])


class Reply(NamedTuple):
    """A reply to the move, and its target; numbers are in the view of the mover, except `found`."""

    # cell of the opponent's reply; None if the move ended the game
    cell: int | None
    position: int  # position after the reply
    outcome: int | None  # result -1, 0 or +1; None if the game goes on
    reward: float
    found: (
        float | None
    )  # next value in the view of its player; None if the update uses none
    target: float
    chance: float = 0.0  # probability of the reply, or its share among the best replies
    weight: float = 0.0  # weight of its target in the average


@dataclass(frozen=True)
class ValueReason:
    """The target of the next update of a value, with the answers that make it."""

    value: float
    answers: list[Reply]
    target: float  # mean target of the next update; NaN if there is no target
    compared: bool  # whether the page gives the distance of the value from the target
    hedge: str = ""  # text before a target that is not exact: "about " or "at most "
    in_beads: bool = False  # whether the value is a number of beads

    @property
    def has_target(self) -> bool:
        """Whether there is a next update."""
        return not math.isnan(self.target)

    @property
    def given(self) -> list[Reply]:
        """The replies with a positive probability or share."""
        return [answer for answer in self.answers if answer.chance]

    @property
    def bootstraps(self) -> bool:
        """Whether the target uses other values, not only results."""
        return any(answer.found is not None for answer in self.given)

    @property
    def above(self) -> float:
        """The value minus its target."""
        return self.value - self.target

    @property
    def decimals(self) -> int:
        """The number of decimals of the value and its target."""
        return self._decimals[0]

    @property
    def decimals_apart(self) -> int:
        """The number of decimals of their difference."""
        return self._decimals[1]

    @cached_property
    def _decimals(self) -> tuple[int, int]:
        """The decimals of the numbers and of their difference, so that the subtraction is right.

        With two decimals, 0.386 - 0.214 = 0.172 would read 0.39 - 0.21 = 0.17, which is wrong.
        If no number of decimals is right, as for 2/3 - 1/3, the difference has one decimal less.
        """
        if not (self.compared and self.has_target):
            return 2, 2
        for fewer in (0, 1):
            for decimals in range(2 + fewer, MOST_DECIMALS + 1):
                shown = round(self.value, decimals) - round(self.target, decimals)
                if round(shown, decimals - fewer) == round(
                    self.above, decimals - fewer
                ):
                    return decimals, decimals - fewer
        return MOST_DECIMALS, 2

    def format(self, value: float) -> str:
        """Return a text with the value, its target, or their difference."""
        if not self.in_beads:
            return format_signed(value, self.decimals)
        if value == round(value):
            return spell_bead_count(value)
        return f"{format_number(value)} beads"


def list_replies(pair: ValueQuery) -> list[tuple[int | None, int]]:
    """Return the reply cells with the positions after them; a single None if the game is over."""
    if pair.game.is_over(pair.after):
        return [(None, pair.after)]
    after = pair.game.successor[pair.after]
    return [(cell, int(after[cell])) for cell in np.flatnonzero(after >= 0).tolist()]


def average_targets(pair: ValueQuery, answers: list[Reply]) -> ValueReason:
    """Return the reason of a value that moves to the weighted average of the targets."""
    total = sum(answer.weight for answer in answers)
    target = sum(answer.weight * answer.target for answer in answers) / total
    return ValueReason(pair.value, answers, target, pair.known)


def keep_best_replies(pair: ValueQuery, answers: list[Reply]) -> ValueReason:
    """Return the reason with the replies that have the highest next value, weighted equally."""
    most = max(answer.found or 0.0 for answer in answers)
    best = [(answer.found or 0.0) == most for answer in answers]
    counting = [
        answer._replace(chance=counts / sum(best), weight=counts / sum(best))
        for answer, counts in zip(answers, best, strict=True)
    ]
    return average_targets(pair, counting)


def compute_next_value(pair: ValueQuery, position: int) -> float:
    """Return the next value of an update at a decision of the mover.

    It is the best value, mixed with the mean value if the training task includes exploration.
    """
    row, epsilon = pair.table[position], pair.task.epsilon if pair.task else 0.0
    best = float(np.nanmax(row))
    return (1 - epsilon) * best + epsilon * float(np.nanmean(row)) if epsilon else best


def target_after_reply(
    pair: ValueQuery,
    ending: float = 1.0,
    finds: Callable[[ValueQuery, int], float] = compute_next_value,
) -> ValueReason:
    """Return the target after an opponent's reply: the next state is the mover's own decision.

    `ending` is the weight of a reply that ends the game; `finds` returns the next value at a
    decision of the mover.
    """
    gamma, step = pair.gamma, pair.task.step_reward if pair.task else 0.0
    answers = []
    for cell, position in list_replies(pair):
        chance = 1.0 if cell is None else float(pair.answer_chances[cell])
        outcome = pair.outcome(position)
        if outcome is None:
            found = finds(pair, position)
            target = step + gamma * found
            answers.append(
                Reply(cell, position, None, step, found, target, chance, chance)
            )
        else:
            reward = pair.reward(outcome)
            weight = chance * ending
            answers.append(
                Reply(cell, position, outcome, reward, None, reward, chance, weight)
            )
    # The average leaves out the exploration of an opponent that learns too.
    hedge = "about " if pair.answers_explore else ""
    return replace(average_targets(pair, answers), hedge=hedge)


def target_before_reply(pair: ValueQuery) -> ValueReason:
    """Return the target by the opponent's best reply: the next state is the opponent's decision."""
    if pair.game.is_over(pair.after):
        return target_after_reply(pair)
    answers = []
    for cell, position in list_replies(pair):
        found = float(pair.table[pair.after, cell or 0])  # in the view of the opponent
        target = -pair.gamma * found
        answers.append(
            Reply(cell, position, pair.outcome(position), 0.0, found, target)
        )
    return keep_best_replies(pair, answers)


def remove_target(reason: ValueReason) -> ValueReason:
    """Return a reason without a target: the value is not updated any more."""
    return replace(reason, target=math.nan)
