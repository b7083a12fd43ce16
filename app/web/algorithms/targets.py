"""A move whose value is asked for, and what the next update would draw that value to.

A model keeps nothing of its training but its tables, so a value is explained by the next update:
what it would be drawn to, over all answers, if training went on from the table that is shown.
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
        """The agent whose value or task it is; of optimal play the lens itself."""
        return self.lens.removesuffix(TASK_SUFFIX)

    @property
    def is_learned(self) -> bool:
        """Whether an agent learned the value; values of optimal play and of tasks are exact."""
        return self.site.agents.contains_name(self.lens)

    @property
    def agent(self) -> Agent:
        """Who learned it, or was asked to."""
        return self.site.agents[self.learner]

    @property
    def recipe(self) -> Any:
        """The agent's recipe; its parameters are those of its algorithm."""
        return self.site.get_recipe(self.learner)

    @property
    def task(self) -> Task | None:
        """Its agent's training task, if a table says it exactly; not of optimal play."""
        return None if self.lens == TRUTH else self.site.get_task(self.learner)

    @property
    def gamma(self) -> float:
        """The discount factor of its task; 1 without a task."""
        return self.task.gamma if self.task else 1.0

    @property
    def worth(self) -> RewardScale | None:
        """The rewards of the results; None for beads."""
        return self.site.get_rewards(self.lens)

    @cached_property
    def table(self) -> NDArray[np.floating]:
        """All values of the lens, [D, cells] in the mover's view, NaN where illegal."""
        return self.site.get_values(self.lens, self.step)

    @property
    def value(self) -> float:
        """The value that is asked for."""
        return float(self.table[self.position, self.cell])

    @property
    def exact_in_task(self) -> float | None:
        """The exact value of the move in the agent's training task, None without a task."""
        exact = None if self.lens == TRUTH else self.site.get_task_q(self.learner)
        return None if exact is None else float(exact[self.position, self.cell])

    @cached_property
    def known(self) -> bool:
        """Whether the move has a known value on the board; exact values always are."""
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
            self.game.result(position) * self.mover
            if self.game.is_over(position)
            else None
        )

    def reward(self, outcome: int, player: int = 0) -> float:
        """Return the reward of a result, -1, 0 or +1, for the mover or for another player."""
        assert self.worth is not None  # beads have rules of their own
        worth = self.worth.x if (player or self.mover) == X else self.worth.o
        return float(worth[outcome + 1])


class Reply(NamedTuple):
    """One way on after the move; all numbers are in its mover's view, but `found`."""

    # what the opponent plays; None where the move itself ended the game
    cell: int | None
    position: int  # what has become of the game
    outcome: int | None  # -1, 0 or +1 where that is its end
    reward: float
    # the value that an update finds there; None where it asks for none
    found: float | None
    target: float
    # that it is given, or its share among those that count; together 1
    chance: float = 0.0
    weight: float = 0.0  # how much it counts in the average of the targets


@dataclass(frozen=True)
class ValueReason:
    """The target of the next update of a value, with the answers that make it."""

    value: float
    answers: list[Reply]
    target: float  # mean target of the next update; NaN if there is no target
    compared: bool  # whether it is said how far the value is from the target
    hedge: str = ""  # text before a target that is not exact: "about " or "at most "
    in_beads: bool = False  # whether the value is a number of beads

    @property
    def has_target(self) -> bool:
        """Whether there is a next update."""
        return not math.isnan(self.target)

    @property
    def given(self) -> list[Reply]:
        """The answers that count."""
        return [answer for answer in self.answers if answer.chance]

    @property
    def bootstraps(self) -> bool:
        """Whether the target is made of other values, and not of results alone."""
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
        return f"{format_signed(value, 2).removeprefix('+')} beads"


def ways_on(pair: ValueQuery) -> list[tuple[int | None, int]]:
    """List the answers to the move with what they make; one without a cell if it ended the game."""
    if pair.game.is_over(pair.after):
        return [(None, pair.after)]
    after = pair.game.successor[pair.after]
    return [(cell, int(after[cell])) for cell in np.flatnonzero(after >= 0).tolist()]


def averaged(pair: ValueQuery, answers: list[Reply]) -> ValueReason:
    """Return the reason of a value that moves to the weighted average of the targets."""
    total = sum(answer.weight for answer in answers)
    target = sum(answer.weight * answer.target for answer in answers) / total
    return ValueReason(pair.value, answers, target, pair.known)


def best_only(pair: ValueQuery, answers: list[Reply]) -> ValueReason:
    """Draw the value to the target of the answers in which an update finds most, all alike."""
    most = max(answer.found or 0.0 for answer in answers)
    best = [(answer.found or 0.0) == most for answer in answers]
    counting = [
        answer._replace(chance=counts / sum(best), weight=counts / sum(best))
        for answer, counts in zip(answers, best, strict=True)
    ]
    return averaged(pair, counting)


def next_move(pair: ValueQuery, position: int) -> float:
    """Return the next value of an update in a decision of the mover: the best value there.

    Where exploring is a part of what is valued, it is that and the average by their chances.
    """
    row, epsilon = pair.table[position], pair.task.epsilon if pair.task else 0.0
    best = float(np.nanmax(row))
    return (1 - epsilon) * best + epsilon * float(np.nanmean(row)) if epsilon else best


def target_after_reply(
    pair: ValueQuery,
    ending: float = 1.0,
    finds: Callable[[ValueQuery, int], float] = next_move,
) -> ValueReason:
    """Return the target after an opponent's reply: the next state is the mover's own decision.

    `ending` is the weight of an end of the game; `finds` returns the value that an update
    reads in a decision.
    """
    gamma, step = pair.gamma, pair.task.step_reward if pair.task else 0.0
    answers = []
    for cell, position in ways_on(pair):
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
    # The answers of a side that explores are averaged as if it did not.
    hedge = "about " if pair.answers_explore else ""
    return replace(averaged(pair, answers), hedge=hedge)


def target_before_reply(pair: ValueQuery) -> ValueReason:
    """Return the target whose next state is the opponent's decision, with the best answer."""
    if pair.game.is_over(pair.after):
        return target_after_reply(pair)
    answers = []
    for cell, position in ways_on(pair):
        found = float(pair.table[pair.after, cell or 0])  # the opponent's view
        target = -pair.gamma * found
        answers.append(
            Reply(cell, position, pair.outcome(position), 0.0, found, target)
        )
    return best_only(pair, answers)


def without_target(reason: ValueReason) -> ValueReason:
    """Return the same where no update comes any more."""
    return replace(reason, target=math.nan)
