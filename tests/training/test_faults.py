"""The page /faults: the first update that a fault changes, found by training twice."""

from itertools import zip_longest
from typing import Any

import pytest

from app.recipes.faults import FAULTY_RECIPES, find_correct_recipe
from app.tictactoe.game import tic_tac_toe
from app.web.pages.faults import FAULT_TEXTS
from training.reference import learn
from training.textbook.loop import Move, Update


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
