"""Double Q-learning backward over each game: two tables, and a model holds their average."""

from dataclasses import replace

import numpy as np

from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.q_table import (
    ADDED_UP,
    draw_to_answer,
    name_shared_moves,
)
from app.web.algorithms.sentences import (
    NEAR,
    SAME,
    describe_changes,
    describe_distance,
    describe_order,
    describe_target,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_signed
from app.web.site_data import SiteData

TWO_TABLES = (
    "Two tables learned, and only their average is kept. Each is drawn to the other's opinion "
    "of its own best move: on average that is at most what is computed here, and just that "
    "where both prefer the same."
)
LAST = {
    "both": "The last move of a game updates both tables.",
    "coin": "The last move of a game, too, updates only the table that a coin picks.",
}


def _reason(pair: ValueQuery) -> ValueReason:
    # With last=both the reward of an end updates both tables, so it counts twice.
    reason = draw_to_answer(pair, 2.0 if pair.recipe.last == "both" else 1.0)
    return (
        replace(reason, hedge=reason.hedge or "at most ")
        if reason.bootstraps
        else reason
    )


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *name_shared_moves(pair)]
    two_tables = [f"{TWO_TABLES} {LAST[pair.recipe.last]}"] if reason.bootstraps else []
    sentences = [
        describe_target(pair, reason),
        *describe_distance(reason),
        *_past(pair, reason),
        *two_tables,
    ]
    return [*sentences, *describe_order(reason), *name_shared_moves(pair)]


def _past(pair: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the distance of a value, the mean of two tables, from its target."""
    if not pair.known or abs(reason.above) < NEAR:
        return []
    targets, initial = [answer.target for answer in reason.given], pair.recipe.initial
    if pair.value > max(*targets, initial) + SAME:
        return [f"It is more than any answer brings now. {describe_changes(pair)}"]
    sentences = []
    if len(targets) > 1:
        sentences = [
            "Each update went by one answer, drawn by chance, and the last ones count most."
        ]
    if pair.visits and (1 - pair.recipe.alpha) ** pair.visits >= NEAR:
        sentences += [
            "There were so few that part of it is still the "
            f"{format_signed(initial)} it began with."
        ]
    return sentences


def _facts(site: SiteData) -> dict[str, object]:
    """Return the mean error of the highest values, over the positions of the training."""
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
    story=Story(
        build_sentence(
            "gamma times what one table expects of the move that the other finds best",
            backward=True,
        ),
    ),
    rule=UpdateRule(_reason, _sentences),
    facts=_facts,
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="next value",
        line=r"y = r + \gamma Q_B(s', a^*)",
        words="Two tables: table A selects the best next move a*, table B gives the value of a*.",
    ),
    section=Section(
        title="Double Q-learning",
        lens="double-q",
        record="0",
        sources=(
            "nested-software",
            "van-hasselt-2010",
            "van-hasselt-2015",
        ),
        formula=Formula(
            lines=(
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
