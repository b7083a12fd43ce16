"""The target of the next update that a value would get if its training continued.

The past updates of a value are not recorded. Therefore the site explains a value by the target of
its next update, averaged over the opponent's replies.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import compute_final_rate
from app.recipes.parameters import BOTH_OPPONENT, SELF_OPPONENT, SELF_OPPONENTS
from app.textbook.loop import Update
from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME, FloatArray, X
from app.tictactoe.tasks import TrainingTask
from app.tictactoe.views import RewardScale
from app.web.algorithms.formula import format_unsigned
from app.web.formatting import format_signed, name_square, spell_bead_count
from app.web.move_values import MoveValues, evaluate_moves
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData

MAX_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class ValueQuery:
    """The value that a page explains: of a move, for an agent or another source."""

    site: SiteData
    # an agent, optimal play, or the exact values of an agent's training task
    value_source: str
    position: int
    # the move whose value is explained
    cell: int
    # the snapshot of the agent's training, None for the last one
    snapshot: int | None = None

    @property
    def mover(self) -> int:
        """The player to move: +1 for X, -1 for O."""
        return int(GAME.to_move[self.position])

    @property
    def next_position(self) -> int:
        return int(GAME.successor[self.position, self.cell])

    @property
    def agent_name(self) -> str:
        """The agent of the value or of its training task; "truth" for optimal play."""
        return self.value_source.removesuffix(TASK_SUFFIX)

    @property
    def is_learned(self) -> bool:
        """Whether an agent learned the value; otherwise it is exact."""
        return self.site.agents.contains_name(self.value_source)

    @property
    def agent(self) -> Agent:
        return self.site.agents[self.agent_name]

    @property
    def recipe(self) -> Any:
        return self.site.get_recipe(self.agent_name)

    @property
    def task(self) -> TrainingTask | None:
        """The agent's training task; None for optimal play, and if it cannot be solved exactly."""
        return (
            None if self.value_source == TRUTH else self.site.get_task(self.agent_name)
        )

    @property
    def gamma(self) -> float:
        return self.task.gamma if self.task else 1.0

    @property
    def epsilon(self) -> float:
        """The exploration rate in the agent's training task; 0 without a training task."""
        return self.task.epsilon if self.task else 0.0

    @property
    def reward_scale(self) -> RewardScale | None:
        """The rewards of a loss, a draw and a win; None for beads."""
        return self.site.get_rewards(self.value_source)

    @cached_property
    def table(self) -> NDArray[np.floating]:
        """All values of the source, [D, cells] in the mover's view, NaN where illegal."""
        return self.site.get_values(self.value_source, self.snapshot)

    @property
    def value(self) -> float:
        return float(self.table[self.position, self.cell])

    @property
    def exact_task_value(self) -> float | None:
        """The exact value of the move in the agent's training task, None if unknown."""
        exact = (
            None
            if self.value_source == TRUTH
            else self.site.get_task_q(self.agent_name)
        )
        return None if exact is None else float(exact[self.position, self.cell])

    @cached_property
    def move_values(self) -> MoveValues:
        return self.evaluate(self.position)

    @property
    def is_known(self) -> bool:
        return self.move_values.is_known[self.cell]

    @property
    def update_count(self) -> int | None:
        """The number of updates; None for exact values and at earlier snapshots."""
        if not self.is_learned or self.snapshot is not None:
            return None
        return int(self.agent.visits[self.position, self.cell])

    @property
    def opponent(self) -> str | None:
        """The last opponent in the training, None if the learner played itself."""
        last = (
            SELF_OPPONENT if self.value_source == TRUTH else self.recipe.phases[-1][0]
        )
        return None if last in SELF_OPPONENTS else last

    @property
    def opponent_explores(self) -> bool:
        """Whether the opponent learned, too, and still explored at the end of the training."""
        if not self.is_learned or self.recipe.phases[-1][0] != BOTH_OPPONENT:
            return False
        return compute_final_rate(self.recipe.epsilon, self.recipe.epsilon_drop) > 0

    @cached_property
    def reply_chances(self) -> FloatArray:
        """The probability of each reply to the move, [cells]."""
        if self.opponent is None:
            return self.evaluate(self.next_position).policy
        reply_chances: FloatArray = self.site.policies[self.opponent][
            self.next_position
        ]
        return reply_chances

    def evaluate(self, position: int, in_source_units: bool = False) -> MoveValues:
        return evaluate_moves(
            self.site, position, self.value_source, self.snapshot, in_source_units
        )

    def find_position_after(self, reply_cell: int | None) -> int:
        """Return the position after a reply to the move, None for no reply."""
        if reply_cell is None:
            return self.next_position
        return int(GAME.successor[self.next_position, reply_cell])

    def get_outcome(self, position: int) -> int | None:
        """Return the mover's result, -1, 0 or +1, None if the game goes on."""
        return (
            GAME.get_result(position) * self.mover if GAME.is_over(position) else None
        )

    def compute_reward(self, position: int) -> float:
        """Return the mover's reward in the position after its move and the reply."""
        outcome = self.get_outcome(position)
        if outcome is None:
            return self.task.step_reward if self.task else 0.0
        # Beads have no rewards, but this method is not called for them.
        assert self.reward_scale is not None
        rewards = self.reward_scale.x if self.mover == X else self.reward_scale.o
        return float(rewards[outcome + 1])


class Reply(NamedTuple):
    """A reply of the opponent to a move, and the target of the move after this reply.

    All numbers are in the view of the player who made the move. Only `next_value` is in the view of
    the player to move in the next state.
    """

    # the cell of the opponent's reply; None if the move ended the game
    cell: int | None
    # the position after the opponent's reply
    position: int
    # the mover's result, -1, 0 or +1; None if the game goes on
    outcome: int | None
    reward: float = 0.0
    # The value of the next state in the view of its player to move. It is None if the target does
    # not use it.
    next_value: float | None = None
    target: float = 0.0
    # the target after each next move, if the learner explores and the targets differ
    possible_targets: Sequence[float] = ()
    # the chance of the reply; if only the best replies count, they have equal chances
    chance: float = 0.0
    # the update of the textbook learner; None if the reply does not determine it
    update: Update | None = None
    # whether the learner makes no update after this reply
    is_ignored: bool = False

    @property
    def square_name(self) -> str:
        return name_square(self.cell or 0)

    def add_update(self, update: Update | None) -> "Reply":
        """Return the reply with an update; None means that the learner makes no update."""
        if update is None:
            return self._replace(is_ignored=True)
        return self._replace(
            reward=update.reward,
            next_value=update.next_value,
            target=update.target or 0.0,
            possible_targets=[update.target or 0.0],
            update=update,
        )


@dataclass(frozen=True)
class ValueReason:
    """The opponent's replies and the target of the next update, which explain a value."""

    value: float
    replies: list[Reply]
    # the mean target of the next update; NaN if there is no next update
    target: float
    # whether pages show how far the value is from the target
    shows_distance: bool
    # "about " or "at most " if the target is not exact
    target_prefix: str = ""
    is_bead_count: bool = False

    @property
    def has_target(self) -> bool:
        return not math.isnan(self.target)

    @property
    def possible_replies(self) -> list[Reply]:
        """The replies that the opponent plays and from which the learner learns."""
        return [each for each in self.replies if each.chance and not each.is_ignored]

    @property
    def next_values(self) -> list[float | None]:
        """The next value after each reply, by cell, None where illegal; [] after the end."""
        values = {reply.cell: reply.next_value for reply in self.replies}
        return [] if None in values else [values.get(cell) for cell in range(9)]

    @property
    def bootstraps(self) -> bool:
        """Whether the target uses values of next states, and not only rewards."""
        return any(reply.next_value is not None for reply in self.possible_replies)

    @property
    def value_minus_target(self) -> float:
        return self.value - self.target

    @cached_property
    def decimals(self) -> tuple[int, int]:
        """The number of decimals of the value and the target, and that of their difference."""
        if not (self.shows_distance and self.has_target):
            return 2, 2
        # With two decimals, 0.386 - 0.214 = 0.172 would read 0.39 - 0.21 = 0.17. For 2/3 - 1/3 no
        # number of decimals is right, unless the difference has one less.
        for fewer in (0, 1):
            for decimals in range(2 + fewer, MAX_DECIMALS + 1):
                shown = round(self.value, decimals) - round(self.target, decimals)
                if round(shown, decimals - fewer) == round(
                    self.value_minus_target, decimals - fewer
                ):
                    return decimals, decimals - fewer
        return MAX_DECIMALS, 2

    def format_value(self, value: float) -> str:
        """Return a value or a target with its sign, or as a number of beads."""
        if not self.is_bead_count:
            return format_signed(value, self.decimals[0])
        if value == round(value):
            return spell_bead_count(value)
        return f"{format_unsigned(value)} beads"


def list_move_values(query: ValueQuery, position: int) -> list[float | None]:
    """Return the value of each move, by cell, None where illegal; [] after the end."""
    if GAME.is_over(position):
        return []
    row = query.table[position].tolist()
    return [None if math.isnan(value) else value for value in row]


def list_replies(query: ValueQuery) -> list[tuple[int | None, int]]:
    """Return (reply cell, position after the reply) for each legal reply to the move.

    If the move ended the game, the only item is (None, position after the move).
    """
    if GAME.is_over(query.next_position):
        return [(None, query.next_position)]
    after = GAME.successor[query.next_position]
    return [(cell, int(after[cell])) for cell in np.flatnonzero(after >= 0).tolist()]


def build_average_reason(
    query: ValueQuery, replies: list[Reply], terminal_weight: float = 1.0
) -> ValueReason:
    """Return a reason whose target is the mean over the replies, weighted by their probabilities.

    The probabilities of replies that end the game are first multiplied by `terminal_weight`.
    """
    learned = [reply for reply in replies if not reply.is_ignored]
    weights = [
        reply.chance * (1.0 if reply.outcome is None else terminal_weight)
        for reply in learned
    ]
    targets = [reply.target for reply in learned]
    total = sum(weights)
    target = sum(map(mul, weights, targets)) / total if total else math.nan
    return ValueReason(query.value, replies, target, query.is_known)


def build_best_reply_reason(query: ValueQuery, replies: list[Reply]) -> ValueReason:
    """Return a reason whose target is the mean over the opponent's best replies."""
    most = max(reply.next_value or 0.0 for reply in replies)
    best = [(reply.next_value or 0.0) == most for reply in replies]
    counting = [
        reply._replace(chance=counts / sum(best))
        for reply, counts in zip(replies, best, strict=True)
    ]
    return build_average_reason(query, counting)


def build_reason_after_reply(
    query: ValueQuery,
    make_update: Callable[[ValueQuery, int | None, int | None], Update],
    terminal_weight: float = 1.0,
) -> ValueReason:
    """Return the reason for a value if the next state comes after the opponent's reply.

    `make_update` returns the update after a reply and a next move. `terminal_weight` is as in
    `build_average_reason`.
    """
    replies = []
    for cell, position in list_replies(query):
        chance = 1.0 if cell is None else float(query.reply_chances[cell])
        reply = Reply(cell, position, query.get_outcome(position), chance=chance)
        if reply.outcome is None:
            follow = partial(make_update, query, cell)
            replies.append(_add_next_move_updates(query, reply, follow))
        else:
            reply = reply.add_update(make_update(query, cell, None))
            replies.append(reply._replace(next_value=None))
    # An opponent that learns, too, also explores. Its random moves are neglected, so the target is
    # approximate.
    hedge = "about " if query.opponent_explores else ""
    reason = build_average_reason(query, replies, terminal_weight)
    return replace(reason, target_prefix=hedge)


def _add_next_move_updates(
    query: ValueQuery, reply: Reply, make_update: Callable[[int], Update]
) -> Reply:
    """Return the reply with its fields `update`, `next_value` and `target` filled in.

    The update is made as if the learner played its best next move.
    """
    row = query.table[reply.position]
    best = int(np.nanargmax(row))
    reply = reply.add_update(make_update(best))
    epsilon = query.epsilon
    if reply.update is None or reply.update.next_cell is None or not epsilon:
        return reply
    # The next move of a learner that explores, as in Sarsa, can be any move.
    cells = np.flatnonzero(~np.isnan(row)).tolist()
    updates = [make_update(cell) for cell in cells]
    targets = [each.target or 0.0 for each in updates]
    chances = [epsilon / len(cells) + (1 - epsilon) * (cell == best) for cell in cells]
    return reply._replace(
        next_value=sum(map(mul, chances, [each.next_value for each in updates])),
        target=sum(map(mul, chances, targets)),
        possible_targets=targets,
    )


def build_reason_before_reply(
    query: ValueQuery,
    make_update: Callable[[ValueQuery, int | None, int | None], Update],
) -> ValueReason:
    """Return the reason for a value if the opponent is to move in the next state.

    It plays its best reply. `make_update` returns the update as if this were its only reply.
    """
    replies = []
    for cell, position in list_replies(query):
        reply = Reply(cell, position, query.get_outcome(position))
        reply = reply.add_update(make_update(query, cell, None))
        replies.append(reply if cell is not None else reply._replace(next_value=None))
    return build_best_reply_reason(query, replies)


def remove_update_target(reason: ValueReason) -> ValueReason:
    return replace(reason, target=math.nan)
