"""The page /faults: the harm of each fault over twenty seeds, its first update, and its clue."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from app.recipes import name_recipe
from app.recipes.faults import (
    CORRECT_RECIPES,
    FAULT_SEEDS,
    FAULTY_RECIPES,
    SEED_RUNS_FILE,
    find_correct_recipe,
)
from app.tictactoe.agents import Agent, load_agents
from app.tictactoe.game import GAME
from app.tictactoe.values import solve_game
from app.web.on_demand import load_seed_runs
from app.web.pages.faults import FIRST_UPDATES
from training.faults import find_first_update
from training.jobs import evaluate_seed

FOLDER = Path("models/faults")
RECIPES = [*CORRECT_RECIPES.values(), *FAULTY_RECIPES.values()]


@pytest.mark.long
def test_the_stored_results_are_those_of_a_new_training() -> None:
    runs = load_seed_runs(FOLDER / SEED_RUNS_FILE)
    seeds = [recipe.with_seed(seed) for recipe in RECIPES for seed in FAULT_SEEDS]
    assert [*runs] == [*map(name_recipe, seeds)]
    # One seed of each recipe is trained again; all twenty are by `python -m training.faults`.
    for number, recipe in enumerate(RECIPES):
        again = recipe.with_seed(number)
        new = zlib.decompress(evaluate_seed(again))
        assert new == runs[name_recipe(again)]


@pytest.mark.parametrize("fault", FAULTY_RECIPES)
def test_the_first_update_that_a_fault_changes_is_the_shown_one(fault: str) -> None:
    assert find_first_update(fault) == FIRST_UPDATES[fault]


# The clue of each fault, measured on the shipped agents: it is true with the fault, not without.


class Measured(NamedTuple):
    """What the clues are about: the values of an agent, and its losses against random moves."""

    values: NDArray[np.float64]  # of the updated pairs
    tried_share: float
    giving_away: float  # mean value of the moves after which the opponent wins at once
    winning_later: NDArray[np.float64]  # of moves with a win two moves later, with optimal play
    losing_later: NDArray[np.float64]
    lost_as_o: float


def measure(agent: Agent) -> Measured:
    solution = solve_game(GAME)
    after = np.maximum(GAME.successor, 0)
    plies = solution.plies_to_end[after] + 1
    value = solution.values[after] * GAME.to_move[: GAME.decisions, None]
    tried = GAME.spread_pairs(agent.history.find_updated_moves(-1), False) & GAME.legal
    q = agent.q.astype(float)
    return Measured(
        values=q[tried],
        tried_share=float(tried.sum() / GAME.legal.sum()),
        giving_away=float(q[tried & (value == -1) & (plies == 2)].mean()),
        winning_later=q[tried & (value == 1) & (plies == 3)],
        losing_later=q[tried & (value == -1) & (plies == 4)],
        lost_as_o=agent.card.figures.outcome_chances_by_baseline["random"].o[-1][2],
    )


CLUES: dict[str, Callable[[Measured, Measured], bool]] = {
    "terminal": lambda it, _: it.values.max() > 1,
    "answer": lambda it, right: it.lost_as_o > 2 * right.lost_as_o,
    "sign": lambda it, _: it.winning_later.mean() < it.losing_later.mean(),
    "occupied": lambda it, _: it.losing_later.min() >= 0.9 * 0.5,
    "loser": lambda it, _: it.values.min() >= 0,
    "sides": lambda it, _: it.lost_as_o > 0.8,
    "reward": lambda it, _: 0.65 < it.giving_away < 0.75,
    "in-place": lambda it, _: bool((it.values == it.values[0]).all()),
    "exploration": lambda it, _: it.tried_share < 0.1,
    "step": lambda it, _: set(it.values) <= {0, 1},
}


@pytest.fixture(scope="module")
def agents() -> dict[str, Agent]:
    """Return the agents of the page by their recipes."""
    return {agent.card.recipe: agent for agent in load_agents(FOLDER, GAME).values()}


@pytest.mark.parametrize("fault", FAULTY_RECIPES)
def test_the_clue_is_true_of_the_agent_with_the_fault_and_not_of_the_other(
    agents: dict[str, Agent], fault: str
) -> None:
    recipes = FAULTY_RECIPES[fault], find_correct_recipe(fault)
    faulty, right = (measure(agents[name_recipe(recipe)]) for recipe in recipes)
    assert CLUES[fault](faulty, right)
    assert not CLUES[fault](right, right)
