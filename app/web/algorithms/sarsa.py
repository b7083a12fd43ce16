"""Sarsa: the target uses the value of the move that is played next."""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.tictactoe.notation import replay_record
from app.tictactoe.tasks import solve_task
from app.tictactoe.values import TIE_TOLERANCE
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.q_learning import describe_past_targets, name_training_games
from app.web.algorithms.sentences import (
    describe_distance,
    describe_exploration,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData

EXAMPLE_RECORD = "7"  # game to a position in which exploration changes the best move


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value whose next value includes exploration."""
    so_far = describe_past_targets(query, reason)
    return [
        describe_target(query, reason),
        *describe_exploration(query, reason),
        *describe_distance(reason),
        *so_far,
    ]


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return the exact values of EXAMPLE_RECORD with and without random moves in the training task.

    "parting" is the number of decisions in which the best moves of both tasks differ.
    """
    task = site.get_task("sarsa") if "sarsa" in site.shipped_agents else None
    if task is None:
        return {}
    without = replace(task, epsilon=0.0)
    own, other = solve_task(site.game, task), solve_task(site.game, without)
    apart = ~(_find_best_moves(own) & _find_best_moves(other)).any(axis=1)
    row = replay_record(site.game, EXAMPLE_RECORD)[-1]
    return {
        "parting": format_count(int(apart.sum())),
        "own": [format_signed(value) for value in own[row].tolist()],
        "other": [format_signed(value) for value in other[row].tolist()],
    }


def _find_best_moves(q: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each move has the highest value of its decision, [D, cells]."""
    is_best: NDArray[np.bool_] = (
        q >= np.nanmax(q, axis=1, keepdims=True) - TIE_TOLERANCE
    )
    return is_best


ALGORITHM = Algorithm(
    title="Sarsa",
    name_training_unit=name_training_games,
    game_describer=GameDescriber(
        build_update_describer(
            "gamma times what it expects of the move that it plays next"
        )
    ),
    update_rule=UpdateRule(describe_reason=_describe_reason),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="step",
        next_value_text=(
            "{mover} has already chosen its next move. The value of the next move is "
            "{next}."
        ),
        next_value_symbol="Q(s′, a′)",
        starts_at_zero=True,
        changes_one_value=True,
        next_mover="own",
        differing_part="next value",
        target_latex=r"y = r + \gamma Q(s', a')",
        difference_text=(
            "The target has the value of the move that is really played next, not of the "
            "best move."
        ),
    ),
    section=Section(
        title="Sarsa",
        value_source="sarsa",
        example_record=EXAMPLE_RECORD,
        source_slugs=(
            "rummery-niranjan-1994",
            "sutton-barto-2018",
        ),
        formula=Formula(
            latex_lines=(
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
