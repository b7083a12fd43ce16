"""The page /faults: the first update that a fault changes, found by training twice."""

from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from app.recipes import name_recipe
from app.recipes.faults import FAULTY_RECIPES, find_correct_recipe
from app.tictactoe.agents import Agent, load_agents
from app.tictactoe.game import tic_tac_toe
from app.web.pages.faults import FAULT_TEXTS
from training.reference import learn
from training.textbook.loop import Move, Update

FOLDER = Path("models/faults")


def shorten(event: Any) -> tuple[Any, ...]:
    if isinstance(event, Update):
        return (event.board, event.cell, event.old, event.new)
    return tuple(event)


@pytest.mark.parametrize("fault", FAULTY_RECIPES)
def test_the_first_update_that_differs_is_the_one_on_the_page(fault: str) -> None:
    game, first = tic_tac_toe(), FAULT_TEXTS[fault].first_update
    games = updates = 0
    wrong: Any
    right: Any
    for wrong, right in zip_longest(
        learn(game, FAULTY_RECIPES[fault]), learn(game, find_correct_recipe(fault))
    ):
        games += isinstance(right, Move) and set(right.board) == {"."}
        updates += isinstance(right, Update)
        if shorten(wrong) != shorten(right):
            break
    if fault == "exploration":
        assert (games, updates) == (first.game_number, first.update_number - 1)
        assert (wrong.board, wrong.cell) == (first.board, first.cell)
        return
    assert (games, updates) == (first.game_number, first.update_number)
    assert (right.board, right.cell) == (first.board, first.cell)
    assert right.old == pytest.approx(first.value_before)
    assert right.new == pytest.approx(first.correct_value)
    if first.faulty_value is None:
        assert isinstance(wrong, Move)
    else:
        assert (wrong.board, wrong.cell) == (first.board, first.cell)
        assert wrong.new == pytest.approx(first.faulty_value)


# The clue of each fault, measured on the shipped agents: it is true with the fault, not without.


class Measured(NamedTuple):
    """What the clues are about: the values of an agent, and its losses against random moves."""

    values: NDArray[np.float64]  # of the updated pairs
    start_values: NDArray[np.float64]
    giving_away: float  # mean value of the moves after which the opponent wins at once
    tried_share: float
    lost_as_x: float
    lost_as_o: float


def measure(agent: Agent) -> Measured:
    game = tic_tac_toe()
    q = agent.q.astype(float)
    tried = game.spread_pairs(agent.history.find_updated_pairs(-1), False) & game.legal
    ends = game.successor >= game.decisions
    wins = np.zeros(game.legal.shape, bool)
    wins[ends] = game.outcome[game.successor[ends] - game.decisions] != 0
    can_win = np.append(wins.any(axis=1), [False] * (game.positions - game.decisions))
    gives = game.legal & can_win[np.where(game.legal, game.successor, 0)]
    lost = agent.card.figures.baseline_chances["random"]
    return Measured(
        values=q[tried],
        start_values=q[0],
        giving_away=float(q[tried & gives].mean()),
        tried_share=float(tried.sum() / game.legal.sum()),
        lost_as_x=lost.x[-1][2],
        lost_as_o=lost.o[-1][2],
    )


CLUES: dict[str, Callable[[Measured, Measured], bool]] = {
    "terminal": lambda it, _: it.values.max() > 1.2,
    "answer": lambda it, right: it.lost_as_o > 3 * right.lost_as_o,
    "sign": lambda it, _: np.abs(it.start_values).max() < 0.01 and np.abs(it.values).max() > 0.9,
    "loser": lambda it, _: it.values.min() >= 0,
    "sides": lambda it, _: it.lost_as_x < 0.01 and it.lost_as_o > 0.9,
    "reward": lambda it, _: it.giving_away > 0.2,
    "in-place": lambda it, _: bool((it.values == 0).all()),
    "exploration": lambda it, _: it.tried_share < 0.1,
    "step": lambda it, _: bool((it.values == 0).all()),
    "occupied": lambda it, _: it.lost_as_x > 0.02,
}


@pytest.mark.parametrize("fault", FAULTY_RECIPES)
def test_the_clue_is_true_of_the_agent_with_the_fault_and_not_of_the_other(fault: str) -> None:
    agents = {agent.card.recipe: agent for agent in load_agents(FOLDER, tic_tac_toe()).values()}
    recipes = FAULTY_RECIPES[fault], find_correct_recipe(fault)
    faulty, right = (measure(agents[name_recipe(recipe)]) for recipe in recipes)
    assert CLUES[fault](faulty, right)
    assert not CLUES[fault](right, right)
