"""Train the agents of the page /faults, and measure each fault: `python -m training.faults`.

A fault is a typical bug, planted into a correct learner. The agents are written to models/faults,
and the measurements to app/web/pages/faults.json.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.recipes import Recipe
from app.recipes.faults import (
    CORRECT_RECIPES,
    FAULTS_FOLDER,
    FAULTY_RECIPES,
    find_correct_recipe,
)
from app.reference import TrainingEvent, list_recipe_turns, make_learner
from app.textbook.loop import Move, Update
from app.textbook.rng import Random
from app.tictactoe.agents import save_agent
from app.tictactoe.game import tic_tac_toe
from app.web.pages.faults import FAULT_EFFECTS_FILE, FaultEffect, FirstUpdate
from training.learners import skip_checkpoints
from training.measures import measure_run
from training.run import MODELS, train


def write_faults(folder: Path = MODELS / FAULTS_FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    game = tic_tac_toe()
    for name, recipe in {**CORRECT_RECIPES, **FAULTY_RECIPES}.items():
        save_agent(folder, game, train(name, recipe, game, lambda _: None))
        print(name, flush=True)
    effects = {fault: measure_fault(fault) for fault in FAULTY_RECIPES}
    text = msgspec.json.format(msgspec.json.encode(effects), indent=1)
    FAULT_EFFECTS_FILE.write_bytes(text + b"\n")


def measure_fault(fault: str, seeds: Sequence[int] = range(20)) -> FaultEffect:
    """Count the blunders of trainings with and without a fault, with each of the seeds.

    The result also has the first update that the fault changes, with the recipe's own seed.
    """
    recipes = FAULTY_RECIPES[fault], find_correct_recipe(fault)
    faulty, correct = (
        [_count_blunders(recipe.with_seed(seed)) for seed in seeds]
        for recipe in recipes
    )
    print(fault, faulty, correct, flush=True)
    return FaultEffect(faulty, correct, _find_first_update(*recipes))


def _count_blunders(recipe: Recipe) -> int:
    run = measure_run(skip_checkpoints, False, recipe)
    return run.figures.blunders[-1]


def _find_first_update(faulty_recipe: Recipe, correct_recipe: Recipe) -> FirstUpdate:
    update_number = 1
    both = zip(_list_events(faulty_recipe), _list_events(correct_recipe), strict=False)
    for (_, faulty), (game_number, correct) in both:
        if faulty[:4] != correct[:4]:
            return _compare_events(game_number, update_number, faulty, correct)
        update_number += isinstance(correct, Update)
    raise ValueError("The trainings do not differ.")


def _compare_events(
    game_number: int, update_number: int, faulty: Any, correct: Any
) -> FirstUpdate:
    if isinstance(correct, Move):
        return FirstUpdate(game_number, update_number, correct.board, faulty.cell)
    is_updated = isinstance(faulty, Update)
    return FirstUpdate(
        game_number,
        update_number,
        correct.board,
        correct.cell,
        value_before=round(correct.old, 6),
        correct_value=round(correct.new, 6),
        faulty_value=round(faulty.new, 6) if is_updated else None,
    )


def _list_events(recipe: Recipe) -> Iterator[tuple[int, TrainingEvent]]:
    """Yield (number of the game, event) for each move and update; games are counted from 1."""
    game, rng = tic_tac_toe(), Random(recipe.seed)
    learner = make_learner(game, recipe)
    for game_number, turn in enumerate(list_recipe_turns(game, recipe), 1):
        for event in learner.play(turn, rng):
            yield game_number, event


if __name__ == "__main__":
    write_faults()
