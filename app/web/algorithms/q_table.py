"""Q-learning backward over each game, with one value for moves that are the same by symmetry.

With two tables, in double Q-learning, a model holds their average.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from app.recipes.games import TrainingUpdate
from app.web.algorithms.algorithm import Algorithm, Story, UpdateRule, drawn_to, stepped
from app.web.algorithms.formula import bracketed, target_alone, written
from app.web.algorithms.q_learning import TARGET
from app.web.algorithms.sentences import (
    NEAR,
    SAME,
    backward,
    distance,
    expected,
    images,
    moved_on,
    of_update,
)
from app.web.algorithms.targets import Pair, ValueReason, after_answer, without_target
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData

COUNTED = "Updates of the shared value"
ADDED_UP = "Its targets are added up, so the value is drawn to nothing and has no end."
TWO_TABLES = (
    "Two tables learned, and only their average is kept. Each is drawn to the other's opinion "
    "of its own best move: on average that is at most what is computed here, and just that "
    "where both prefer the same."
)
LAST = {
    "both": "The end of a game teaches both tables, so it counts twice.",
    "coin": "The end of a game teaches one of them, too, which a coin picks.",
}


def _shared(pair: Pair) -> list[str]:
    """Say which moves have the value in common."""
    if pair.recipe.key == "afterstate":
        return images(pair)
    classes = pair.game.spread(pair.game.pair_class, -1)
    moves = np.count_nonzero(classes == classes[pair.position, pair.cell])
    if moves == 1:
        return []
    return [f"One value serves {moves} moves, which are the same by symmetry."]


def _reason(pair: Pair, ending: float = 1.0) -> ValueReason:
    reason = after_answer(pair, ending)
    return without_target(reason) if pair.recipe.update == "sum" else reason


def _double_reason(pair: Pair) -> ValueReason:
    # An end is learned by both tables or by one, any other target by one of them.
    reason = _reason(pair, 2.0 if pair.recipe.last == "both" else 1.0)
    return (
        replace(reason, hedge=reason.hedge or "at most ")
        if reason.bootstraps
        else reason
    )


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *_shared(pair)]
    return [*of_update(pair, reason), *backward(reason), *_shared(pair)]


def _facts(site: SiteData) -> dict[str, object]:
    game = site.game
    positions = np.unique(game.symmetry_class)
    return {
        "decisions": format_count(int((positions < game.decisions).sum())),
        "pairs": format_count(len(np.unique(game.pair_class))),
        "afterstates": format_count(
            len(positions) - 1
        ),  # nothing makes the empty board
    }


def _step(recipe: Any, update: TrainingUpdate) -> str:
    if recipe.update != "sum" or not recipe.alpha:
        return stepped(recipe, update)
    target = bracketed(written((update.new - update.old) / recipe.alpha))
    return (
        f"{written(update.old)} + {recipe.alpha:g} × {target} = {written(update.new)}"
    )


def _double_sentences(pair: Pair, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *_shared(pair)]
    two_tables = [f"{TWO_TABLES} {LAST[pair.recipe.last]}"] if reason.bootstraps else []
    sentences = [
        expected(pair, reason),
        *distance(reason),
        *_past(pair, reason),
        *two_tables,
    ]
    return [*sentences, *backward(reason), *_shared(pair)]


def _past(pair: Pair, reason: ValueReason) -> list[str]:
    """Say what keeps the value from its target; how often each table was updated is not known."""
    if not pair.known or abs(reason.above) < NEAR:
        return []
    targets, initial = [answer.target for answer in reason.given], pair.recipe.initial
    if pair.value > max(*targets, initial) + SAME:
        return [f"It is more than any answer brings now. {moved_on(pair)}"]
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


def _double_facts(site: SiteData) -> dict[str, object]:
    """Compare the highest values with the best that can be had, both where training came."""
    biases = {}
    for name in ("q-table", "double-q"):
        exact = site.task_q(name) if name in site.agents else None
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


Q_TABLE = Algorithm(
    title="Q-learning backward over each game",
    story=Story(drawn_to(TARGET, backward=True), _step),
    rule=UpdateRule(_reason, _sentences, counted=COUNTED),
    facts=_facts,
)

DOUBLE_Q = Algorithm(
    title="Double Q-learning",
    story=Story(
        drawn_to(
            "gamma times what one table expects of the move that the other finds best",
            backward=True,
        ),
        lambda _recipe, _update: "",  # the tables are two, of which one moves
    ),
    rule=UpdateRule(_double_reason, _double_sentences, target_alone, counted=COUNTED),
    facts=_double_facts,
)
