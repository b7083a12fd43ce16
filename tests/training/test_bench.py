"""The loop in C by which the compiled learner is measured is the same loop."""

import shutil

import numpy as np
import pytest

from app.recipes import parse
from app.recipes.algorithms import QLearning
from app.tictactoe.game import Game
from training.bench import CLoop
from training.learners import learn


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
@pytest.mark.parametrize("settings", ["", ",alpha=0.5,gamma=1,epsilon=0,initial=0.5,seed=3"])
def test_the_loop_in_c_makes_the_same_table_bit_for_bit(game: Game, settings: str) -> None:
    recipe = parse(f"q-learning,games=20000{settings}")
    assert isinstance(recipe, QLearning)
    updates, q = CLoop().learn(game, recipe)
    *_, end = learn(game, recipe, lambda updates: 10**9)
    assert end.updates == updates
    np.testing.assert_array_equal(end.q[game.legal], q.astype(np.float32))
