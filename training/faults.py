"""Train the agents of the page /faults, and measure each fault: `python -m training.faults`.

A fault is a typical bug, planted into a correct learner. The agents and their results with twenty
seeds are written to models/faults, and the first updates to app/web/pages/faults.json.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import brotli
import msgspec

from app.recipes import Recipe, name_recipe
from app.recipes.faults import (
    CORRECT_RECIPES,
    FAULT_SEEDS,
    FAULTS_FOLDER,
    FAULTY_RECIPES,
    SEED_RUNS_FILE,
    find_correct_recipe,
)
from app.reference import TrainingEvent, list_recipe_turns, make_learner
from app.textbook.loop import Move, Update
from app.textbook.rng import Random
from app.tictactoe.agents import save_agent
from app.tictactoe.game import GAME
from app.web.pages.faults import FIRST_UPDATES_FILE, FirstUpdate
from training.jobs import evaluate_seed
from training.run import MODELS, train


def write_faults(folder: Path = MODELS / FAULTS_FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    runs = {}
    for name, recipe in {**CORRECT_RECIPES, **FAULTY_RECIPES}.items():
        save_agent(folder, GAME, train(name, recipe, GAME, lambda _: None))
        for one in map(recipe.with_seed, FAULT_SEEDS):
            runs[name_recipe(one)] = zlib.decompress(evaluate_seed(one))
        print(name, flush=True)
    packed = brotli.compress(msgspec.msgpack.encode(runs))
    (folder / SEED_RUNS_FILE).write_bytes(packed)
    updates = {fault: find_first_update(fault) for fault in FAULTY_RECIPES}
    text = msgspec.json.format(msgspec.json.encode(updates), indent=1)
    FIRST_UPDATES_FILE.write_bytes(text + b"\n")


def find_first_update(fault: str) -> FirstUpdate:
    """Return the first update that a fault changes, with the recipe's own seed."""
    update_number = 1
    recipes = FAULTY_RECIPES[fault], find_correct_recipe(fault)
    both = zip(*map(_list_events, recipes), strict=False)
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
    rng = Random(recipe.seed)
    learner = make_learner(GAME, recipe)
    for game_number, turn in enumerate(list_recipe_turns(GAME, recipe), 1):
        for event in learner.play(turn, rng):
            yield game_number, event


if __name__ == "__main__":
    write_faults()
