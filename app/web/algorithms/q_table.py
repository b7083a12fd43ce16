"""Q-learning backward over each game, with one value for moves that are the same by symmetry."""

from typing import Any

import numpy as np

from app.recipes.games import TrainingUpdate
from app.sources import sources
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import STEP, Formula
from app.web.algorithms.q_learning import TARGET
from app.web.algorithms.sentences import backward, images, of_update
from app.web.algorithms.story import Story, bracketed, drawn_to, stepped, written
from app.web.algorithms.targets import Pair, ValueReason, after_answer, without_target
from app.web.numbers import count
from app.web.world import World

COUNTED = "Updates of the shared value"
ADDED_UP = "Its targets are added up, so the value is drawn to nothing and has no end."


def adds_up(pair: Pair) -> bool:
    """Whether targets are added up instead of averaged."""
    return pair.option("update") == "sum"


def shared(pair: Pair) -> list[str]:
    """Say which moves have the value in common."""
    if pair.option("key") == "afterstate":
        return images(pair)
    game = pair.game
    cells = np.argsort(game.symmetry, axis=1)[:, pair.cell]  # what each symmetry makes of the cell
    moves = len(set(zip(game.image[:, pair.position].tolist(), cells.tolist(), strict=True)))
    if moves == 1:
        return []
    return [f"One value serves {moves} moves, which are the same by symmetry."]


def _reason(pair: Pair) -> ValueReason:
    reason = after_answer(pair)
    return without_target(reason) if adds_up(pair) else reason


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *shared(pair)]
    return [*of_update(pair, reason), *backward(reason), *shared(pair)]


def _facts(world: World) -> dict[str, object]:
    game = world.game
    positions = np.unique(game.symmetry_class)
    cells = np.argsort(game.symmetry, axis=1)  # [G, cells] what each symmetry makes of each cell
    decisions, moves = np.nonzero(game.legal)
    image = game.image[:, decisions].astype(np.int64) * game.cells + cells[:, moves]
    return {
        "decisions": count(int((positions < game.decisions).sum())),
        "pairs": count(len(np.unique(image.min(axis=0)))),
        "afterstates": count(len(positions) - 1),  # nothing makes the empty board
    }


def _step(recipe: Any, update: TrainingUpdate) -> str:
    if recipe.update != "sum" or not recipe.alpha:
        return stepped(recipe, update)
    target = bracketed((update.new - update.old) / recipe.alpha)
    return f"{written(update.old)} + {recipe.alpha:g} × {target} = {written(update.new)}"


ALGORITHM = Algorithm(
    title="Q-learning backward over each game",
    heading="Q-learning backward over the game",
    story=Story(drawn_to(TARGET, backward=True), _step),
    rule=UpdateRule(_reason, _sentences, counted=COUNTED),
    start=seen_by("q-table", "4"),
    sources=sources("nested-software"),
    formula=Formula(
        (
            STEP,
            r"y = \begin{cases} r & \text{for the last move} \\ "
            r"\gamma \max\limits_{a'} Q(s', a') & \text{for the others} \end{cases}",
        ),
        {
            "Q": "the table, in which images of a move have one entry",
            "a′": "a move in the learner’s next position",
        },
    ),
    facts=_facts,
)
