"""The loop of Q-learning in C, to measure the compiled learner by: `q_learning.c`."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import QLearning
from app.tictactoe.game import Game
from training.learners.pairs import legal_pairs
from training.learners.randomness import stream

SOURCE = Path(__file__).with_name("q_learning.c")
# Without contraction the sums are rounded as everywhere else.
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]


class CLoop:
    """The compiled C loop.

    Raises FileNotFoundError if there is no gcc.
    """

    def __init__(self) -> None:
        if shutil.which("gcc") is None:
            raise FileNotFoundError("no gcc here to compile the loop in C")
        with TemporaryDirectory() as folder:
            library = Path(folder) / "q_learning.so"
            subprocess.run(["gcc", *FLAGS, "-o", library, SOURCE], check=True)
            self._play = ctypes.CDLL(str(library)).play
        self._play.restype = ctypes.c_int64

    def learn(self, game: Game, recipe: QLearning) -> tuple[int, NDArray[np.float64]]:
        """Train a recipe of games from random states against random: the updates, and q [P].

        Rewards are 1, 0 and -1, whatever the recipe says, and epsilon does not fall.
        """
        first, after = legal_pairs(game)
        q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
        rates = map(ctypes.c_double, (recipe.alpha, recipe.gamma, recipe.epsilon))
        counts = map(ctypes.c_int64, (game.decisions, recipe.games))
        state = stream(recipe.seed)
        updates = self._play(
            _address(state), *rates, *map(_address, (first, after, q, visits)), *counts
        )
        return updates, q


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
