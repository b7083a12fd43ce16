"""Sarsa: what is found after the answer is the value of the move that is really played next."""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.sources import sources
from app.tictactoe.notation import replay
from app.tictactoe.tasks import task_q
from app.tictactoe.values import TIE
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import STEP, Formula
from app.web.algorithms.q_learning import games_from
from app.web.algorithms.sentences import distance, expected, explores, exploring, past
from app.web.algorithms.story import Story, drawn_to
from app.web.algorithms.targets import Pair, ValueReason
from app.web.numbers import count, signed
from app.web.world import World

AGENT, START = "sarsa", "7"  # one of the few positions in which exploration makes a difference
BY_MOVES = "one answer and one next move"


def next_targets(pair: Pair, reason: ValueReason) -> list[float]:
    """List all that one update can draw the value to, by the answer and the move after it."""
    if not explores(pair):
        return []
    ends = [answer.target for answer in reason.given if answer.found is None]
    values = [
        value
        for answer in reason.given
        if answer.found is not None
        for value in pair.table[answer.position].tolist()
        if value == value  # noqa: PLR0124 - an illegal move is NaN
    ]
    return [*ends, *(pair.gamma * value for value in values)]


def past_by_moves(pair: Pair, reason: ValueReason) -> list[str]:
    """Say what its targets were, of which each came by an answer and the move after it."""
    targets = next_targets(pair, reason)
    by = [BY_MOVES] if targets and reason.bootstraps else []
    return past(pair, reason, pair.parameter("initial"), targets, *by)


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    so_far = past_by_moves(pair, reason)
    return [expected(pair, reason), *exploring(pair, reason), *distance(reason), *so_far]


def _facts(world: World) -> dict[str, object]:
    """Compare its training task with the same without random moves, which is Q-learning's."""
    task = world.task(AGENT) if AGENT in world.always else None
    if task is None:
        return {}
    without = replace(task, epsilon=0.0)
    own, other = task_q(world.game, task), task_q(world.game, without)
    apart = ~(_best(own) & _best(other)).any(axis=1)
    row = replay(world.game, START)[-1]
    return {
        "parting": count(int(apart.sum())),
        "own": [signed(value) for value in own[row].tolist()],
        "other": [signed(value) for value in other[row].tolist()],
    }


def _best(q: NDArray[np.float64]) -> NDArray[np.bool_]:
    best: NDArray[np.bool_] = q >= np.nanmax(q, axis=1, keepdims=True) - TIE
    return best


ALGORITHM = Algorithm(
    title="Sarsa",
    turns=games_from,
    story=Story(
        drawn_to("gamma times what it expects of the move that it plays next"),
    ),
    rule=UpdateRule(sentences=_sentences),
    start=seen_by(AGENT, START),
    sources=sources("rummery-niranjan-1994", "sutton-barto-2018"),
    formula=Formula(
        (STEP, r"y = r + \gamma Q(s', a')"),
        {"Q": "the table", "a′": "the move that is played next"},
    ),
    facts=_facts,
)
