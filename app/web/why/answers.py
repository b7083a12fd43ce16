"""A move whose value is asked for, and the answers to it, each with the target it makes."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.agents import Agent
from app.tictactoe.game import Game, X
from app.web.algorithms import section
from app.web.players import TRUTH, Players


class Pair(NamedTuple):
    """A move in a decision, and whose value of it is asked for."""

    players: Players
    lens: str
    position: int
    cell: int

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.players.game

    @property
    def mover(self) -> int:
        """Who is to move, +1 X or -1 O."""
        return int(self.game.to_move[self.position])

    @property
    def after(self) -> int:
        """The position that the move makes."""
        return int(self.game.successor[self.position, self.cell])

    @property
    def agent(self) -> Agent:
        """Whose value it is; the truth is no agent."""
        return self.players.agents[self.lens]

    @property
    def table(self) -> NDArray[np.floating]:
        """All values of the lens, [D, cells] in the mover's view, NaN where illegal."""
        return self.players.true_values if self.lens == TRUTH else self.agent.q

    @property
    def value(self) -> float:
        """The value that is asked for."""
        return float(self.table[self.position, self.cell])

    @property
    def known(self) -> bool:
        """Whether training ever updated it."""
        return self.lens == TRUTH or self.visits > 0

    @property
    def visits(self) -> int:
        """How often training updated it; of the truth there is no such number."""
        return int(self.agent.visits[self.position, self.cell])

    def parameter(self, name: str) -> float:
        """Return one of the numbers on the agent's card."""
        return float(self.agent.card.parameters[name])

    @property
    def section(self) -> str:
        """The section of /how that explains such values, "" for an unknown algorithm."""
        return "minimax" if self.lens == TRUTH else section(self.agent.card)

    def outcome(self, position: int) -> int | None:
        """How a position ended for who makes the move, -1, 0 or +1; None if it did not end."""
        return self.game.result(position) * self.mover if self.game.is_over(position) else None

    def reward(self, outcome: int, player: int = 0) -> float:
        """What an outcome, -1, 0 or +1, is worth to who makes the move, or to another player."""
        if self.lens == TRUTH:
            return float(outcome)
        worth = self.agent.card.worth
        return float((worth.x if (player or self.mover) == X else worth.o)[outcome + 1])


class Answer(NamedTuple):
    """One way on after the move; all numbers are the view of who made the move, but `found`."""

    cell: int | None  # what the opponent plays; None where the move itself ended the game
    position: int  # what has become of the game
    outcome: int | None  # -1, 0 or +1 where that is its end
    reward: float
    found: float | None  # the value that an update finds there; None where it asks for none
    target: float
    chance: float = 0.0  # that it is given, or its share among those that count; together 1
    weight: float = 0.0  # how much it counts in the average of the targets


class Reason(NamedTuple):
    """What a value is drawn to."""

    answers: list[Answer]
    target: float  # of the next update, on average; NaN where there is none or nobody can say
    hedge: str = ""  # what is said before a target that is not just so: "about ", "at most "

    @property
    def has_target(self) -> bool:
        """Whether there is a next update, and it is known what it draws the value to."""
        return not math.isnan(self.target)

    @property
    def given(self) -> list[Answer]:
        """The answers that count."""
        return [answer for answer in self.answers if answer.chance]

    @property
    def bootstraps(self) -> bool:
        """Whether the target is made of other values, and not of results alone."""
        return any(answer.found is not None for answer in self.given)


def ways_on(pair: Pair) -> list[tuple[int | None, int]]:
    """List the answers to the move with what they make; one without a cell if it ended the game."""
    if pair.game.is_over(pair.after):
        return [(None, pair.after)]
    after = pair.game.successor[pair.after]
    return [(cell, int(after[cell])) for cell in np.flatnonzero(after >= 0).tolist()]


def counting(answers: list[Answer], appeal: list[float]) -> list[Answer]:
    """Let only the answers with the highest appeal count, all of them the same."""
    best = [value == max(appeal) for value in appeal]
    shares = [counts / sum(best) for counts in best]
    return [
        answer._replace(chance=share, weight=share)
        for answer, share in zip(answers, shares, strict=True)
    ]


def averaged(answers: list[Answer]) -> Reason:
    """Draw the value to the average of the targets, by weight."""
    total = sum(answer.weight for answer in answers)
    return Reason(answers, sum(answer.weight * answer.target for answer in answers) / total)
