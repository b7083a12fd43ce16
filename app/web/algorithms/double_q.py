"""Double Q-learning: two tables learned, and a model holds their average."""

from dataclasses import replace

import numpy as np

from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import Formula, target_alone
from app.web.algorithms.q_table import ADDED_UP, COUNTED, adds_up, shared
from app.web.algorithms.sentences import NEAR, SAME, backward, distance, expected, moved_on
from app.web.algorithms.story import Story, drawn_to
from app.web.algorithms.targets import Pair, ValueReason, after_answer, without_target
from app.web.numbers import signed
from app.web.world import World

TWO_TABLES = (
    "Two tables learned, and only their average is kept. Each is drawn to the other's opinion "
    "of its own best move: on average that is at most what is computed here, and just that "
    "where both prefer the same."
)
LAST = {
    "both": "The end of a game teaches both tables, so it counts twice.",
    "coin": "The end of a game teaches one of them, too, which a coin picks.",
}


def _reason(pair: Pair) -> ValueReason:
    if adds_up(pair):
        return without_target(after_answer(pair))
    # An end is learned by both tables or by one, any other target by one of them.
    reason = after_answer(pair, ending=2.0 if pair.option("last") == "both" else 1.0)
    return replace(reason, hedge=reason.hedge or "at most ") if reason.bootstraps else reason


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *shared(pair)]
    two_tables = [f"{TWO_TABLES} {LAST[str(pair.option('last'))]}"] if reason.bootstraps else []
    told = [expected(pair, reason), *distance(reason), *_past(pair, reason), *two_tables]
    return [*told, *backward(reason), *shared(pair)]


def _past(pair: Pair, reason: ValueReason) -> list[str]:
    """Say what keeps the value from its target; how often each table was updated is not known."""
    if not pair.known or abs(reason.above) < NEAR:
        return []
    targets, initial = [answer.target for answer in reason.given], pair.parameter("initial")
    if pair.value > max(*targets, initial) + SAME:
        return [f"It is more than any answer brings now. {moved_on(pair)}"]
    told = []
    if len(targets) > 1:
        told = ["Each update went by one answer, drawn by chance, and the last ones count most."]
    if pair.visits and (1 - pair.parameter("alpha")) ** pair.visits >= NEAR:
        told += [f"There were so few that part of it is still the {signed(initial)} it began with."]
    return told


def _facts(world: World) -> dict[str, object]:
    """Compare the highest values with the best that can be had, both where training came."""
    biases = {}
    for name in ("q-table", "double-q"):
        exact = world.task_q(name) if name in world.agents else None
        if exact is not None:
            agent = world.agents[name]
            met = agent.visits.any(axis=1)
            highest, best = np.nanmax(agent.q[met], axis=1), np.nanmax(exact[met], axis=1)
            bias = float((highest - best).mean())
            side = "high" if bias > 0 else "low"
            biases[name] = f"{abs(bias):.2f} too {side}"
    return {"biases": biases}


ALGORITHM = Algorithm(
    title="Double Q-learning",
    story=Story(
        drawn_to(
            "gamma times what one table expects of the move that the other finds best",
            backward=True,
        ),
        lambda _recipe, _update: "",  # the tables are two, of which one moves
    ),
    rule=UpdateRule(_reason, _sentences, target_alone, counted=COUNTED),
    start=seen_by("double-q", "0"),
    sources=sources("nested-software", "van-hasselt-2010", "van-hasselt-2015"),
    formula=Formula(
        (
            r"Q_A(s, a) \leftarrow Q_A(s, a) + \alpha (y - Q_A(s, a))",
            r"y = \gamma Q_B(s', a^*)",
            r"a^* = \underset{a'}{\text{arg max}} \; Q_A(s', a')",
        ),
        {
            "Q": "the table A, which the coin has picked, or the other one, B",
            "a*": "the best of these by table A",
        },
    ),
    facts=_facts,
)
