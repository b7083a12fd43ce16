"""Double Q-learning backward over each game: two tables; the site stores only their average."""

from dataclasses import replace

import numpy as np

from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.q_table import (
    ADDED_TARGETS_TEXT,
    compute_averaged_reason,
    describe_shared_moves,
)
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    ROUNDING_TOLERANCE,
    describe_backward_order,
    describe_distance,
    describe_later_changes,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_signed
from app.web.site_data import SiteData

TWO_TABLES_TEXT = (
    "Two tables learned, and the agent has only their average. Each table moves "
    "towards the other table's value of its own best next move: on average this "
    "target is at most the number above, and equal to it if both tables prefer the "
    "same move."
)
LAST_MOVE_TEXTS = {
    "both": "The last move of a game updates both tables.",
    "coin": "The last move of a game, too, updates only the table that a coin picks.",
}


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return the average target; with a next value it is an upper limit ("at most")."""
    # With the setting last=both, the final reward updates both tables, so it counts twice.
    reason = compute_averaged_reason(query, 2.0 if query.recipe.last == "both" else 1.0)
    return (
        replace(reason, target_prefix=reason.target_prefix or "at most ")
        if reason.bootstraps
        else reason
    )


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value that is the average of two tables."""
    if not reason.has_target:
        return [ADDED_TARGETS_TEXT, *describe_shared_moves(query)]
    two_tables = (
        [f"{TWO_TABLES_TEXT} {LAST_MOVE_TEXTS[query.recipe.last]}"]
        if reason.bootstraps
        else []
    )
    sentences = [
        describe_target(query, reason),
        *describe_distance(reason),
        *_describe_past_updates(query, reason),
        *two_tables,
    ]
    return [*sentences, *describe_backward_order(reason), *describe_shared_moves(query)]


def _describe_past_updates(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the past updates of a value far from its target, else []."""
    if not query.is_known or abs(reason.value_minus_target) < MIN_SHOWN_DIFFERENCE:
        return []
    targets, initial = (
        [reply.target for reply in reason.possible_replies],
        query.recipe.initial,
    )
    if query.value > max(*targets, initial) + ROUNDING_TOLERANCE:
        return [
            f"The value is more than every target that is possible now. {describe_later_changes(query)}"
        ]
    sentences = []
    if len(targets) > 1:
        sentences = [
            "Each target was computed from one move of the opponent, drawn at random, "
            "and the last targets count most."
        ]
    if (
        query.update_count
        and (1 - query.recipe.alpha) ** query.update_count >= MIN_SHOWN_DIFFERENCE
    ):
        sentences += [
            "There were so few updates that the initial value "
            f"{format_signed(initial)} is still a part of the value."
        ]
    return sentences


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return texts with the mean error of the highest value, over the positions of a training."""
    biases = {}
    for name in ("q-table", "double-q"):
        exact = site.get_task_q(name) if name in site.agents else None
        if exact is not None:
            agent = site.agents[name]
            met = agent.visits.any(axis=1)
            highest, best = (
                np.nanmax(agent.q[met], axis=1),
                np.nanmax(exact[met], axis=1),
            )
            bias = float((highest - best).mean())
            side = "high" if bias > 0 else "low"
            biases[name] = f"{abs(bias):.2f} too {side}"
    return {"biases": biases}


ALGORITHM = Algorithm(
    title="Double Q-learning",
    game_describer=GameDescriber(
        build_update_describer(
            "gamma times what one table expects of the move that the other finds best",
            is_backward=True,
        ),
    ),
    update_rule=UpdateRule(_compute_reason, _describe_reason, update_cases=""),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="step",
        next_value_text=(
            "One table selects the best next move. The other table gives the value of this "
            "move: {next}."
        ),
        next_value_symbol="Q(s′, a*)",
        starts_at_zero=True,
        next_mover="own",
        differing_part="next value",
        target_latex=r"y = r + \gamma Q_B(s', a^*)",
        difference_text=(
            "Two tables: table A selects the best next move a*, table B gives the value of "
            "a*."
        ),
    ),
    section=Section(
        title="Double Q-learning",
        value_source="double-q",
        example_record="0",
        source_slugs=(
            "nested-software",
            "van-hasselt-2010",
            "van-hasselt-2015",
        ),
        formula=Formula(
            latex_lines=(
                r"Q_A(s, a) \leftarrow Q_A(s, a) + \alpha (y - Q_A(s, a))",
                format_cases(
                    "y",
                    ("r", "for the last move"),
                    (r"\gamma Q_B(s', a^*)", "for the others"),
                ),
                r"a^* = \underset{a'}{\text{arg max}} \; Q_A(s', a')",
            ),
            symbol_meanings={
                "Q": "one of two tables: table A, which the coin has picked, or the other table B",
                "a*": "the best next move by the values of table A",
            },
        ),
    ),
)
