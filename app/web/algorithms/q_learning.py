"""Learning by one step against an opponent that is part of the world.

Q-learning finds after the answer the best next move, Sarsa the value of the move that is really
played next, and Expected Sarsa that value on average.
"""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.recipes import Recipe
from app.tictactoe.notation import replay
from app.tictactoe.tasks import task_q
from app.tictactoe.values import TIE
from app.web.algorithms.algorithm import (
    SECTIONS,
    Algorithm,
    Story,
    UpdateRule,
    drawn_to,
)
from app.web.algorithms.sentences import distance, expected, explores, exploring, past
from app.web.algorithms.targets import Pair, ValueReason
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData

TARGET = "gamma times the best that it expects of its next move"
TURNS = {
    "random": "games from random positions",
    "every": "games from every position in turn",
    "empty": "games",
}


def games_from(recipe: Recipe) -> str:
    """Name the games of a training by where they begin."""
    return TURNS[recipe.start]  # type: ignore[attr-defined]


def past_by_moves(pair: Pair, reason: ValueReason) -> list[str]:
    """Say what its targets were, of which each came by an answer and the move after it."""
    initial = pair.recipe.initial
    if not explores(pair) or not reason.bootstraps:
        return past(pair, reason, initial)
    ends = [answer.target for answer in reason.given if answer.found is None]
    after = [answer.position for answer in reason.given if answer.found is not None]
    values = pair.table[after][pair.game.legal[after]].tolist()
    targets = [*ends, *(pair.gamma * value for value in values)]
    return past(pair, reason, initial, targets, "one answer and one next move")


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    so_far = past_by_moves(pair, reason)
    return [
        expected(pair, reason),
        *exploring(pair, reason),
        *distance(reason),
        *so_far,
    ]


def _facts(site: SiteData) -> dict[str, object]:
    """Compare its training task with the same without random moves, which is Q-learning's."""
    task = site.task("sarsa") if "sarsa" in site.always else None
    if task is None:
        return {}
    without = replace(task, epsilon=0.0)
    own, other = task_q(site.game, task), task_q(site.game, without)
    apart = ~(_best(own) & _best(other)).any(axis=1)
    row = replay(site.game, SECTIONS["sarsa"].record)[-1]
    return {
        "parting": format_count(int(apart.sum())),
        "own": [format_signed(value) for value in own[row].tolist()],
        "other": [format_signed(value) for value in other[row].tolist()],
    }


def _best(q: NDArray[np.float64]) -> NDArray[np.bool_]:
    best: NDArray[np.bool_] = q >= np.nanmax(q, axis=1, keepdims=True) - TIE
    return best


Q_LEARNING = Algorithm(
    title="Q-learning",
    turns=games_from,
    story=Story(drawn_to(TARGET)),
)

SARSA = Algorithm(
    title="Sarsa",
    turns=games_from,
    story=Story(drawn_to("gamma times what it expects of the move that it plays next")),
    rule=UpdateRule(sentences=_sentences),
    facts=_facts,
)

EXPECTED_SARSA = Algorithm(
    title="Expected Sarsa",
    turns=games_from,
    story=Story(drawn_to("gamma times what it expects of its next move on average")),
)
