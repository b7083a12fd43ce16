"""Sarsa: the target uses the value of the move that is played next."""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.tictactoe.notation import replay_record
from app.tictactoe.tasks import solve_task
from app.tictactoe.values import TIE_TOLERANCE
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.q_learning import describe_past_moves, name_games
from app.web.algorithms.sentences import (
    describe_distance,
    describe_exploration,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData

RECORD = "7"  # position in which exploration changes the best move


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    so_far = describe_past_moves(pair, reason)
    return [
        describe_target(pair, reason),
        *describe_exploration(pair, reason),
        *describe_distance(reason),
        *so_far,
    ]


def _facts(site: SiteData) -> dict[str, object]:
    """Return a comparison of its training task with the task without random moves."""
    task = site.get_task("sarsa") if "sarsa" in site.shipped_agents else None
    if task is None:
        return {}
    without = replace(task, epsilon=0.0)
    own, other = solve_task(site.game, task), solve_task(site.game, without)
    apart = ~(_best(own) & _best(other)).any(axis=1)
    row = replay_record(site.game, RECORD)[-1]
    return {
        "parting": format_count(int(apart.sum())),
        "own": [format_signed(value) for value in own[row].tolist()],
        "other": [format_signed(value) for value in other[row].tolist()],
    }


def _best(q: NDArray[np.float64]) -> NDArray[np.bool_]:
    best: NDArray[np.bool_] = q >= np.nanmax(q, axis=1, keepdims=True) - TIE_TOLERANCE
    return best


ALGORITHM = Algorithm(
    title="Sarsa",
    turns=name_games,
    story=Story(
        build_sentence("gamma times what it expects of the move that it plays next")
    ),
    rule=UpdateRule(describe_reason=_sentences),
    facts=_facts,
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="next value",
        line=r"y = r + \gamma Q(s', a')",
        words="The value of the move that is really played next, instead of the best move.",
    ),
    section=Section(
        title="Sarsa",
        lens="sarsa",
        record=RECORD,
        sources=(
            "rummery-niranjan-1994",
            "sutton-barto-2018",
        ),
        formula=Formula(
            lines=(
                Q_STEP,
                format_cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r + \gamma Q(s', a')", "otherwise"),
                ),
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table",
                "a′": "the next move that is really played",
            },
        ),
    ),
)
