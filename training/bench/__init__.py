"""Measure the speed of this machine: lines with results, and with the goals for them.

All times are processor time, which other programs on the machine do not distort.
"""

import ctypes
import multiprocessing
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.recipes import SHIPPED, Recipe, parse_recipe
from app.recipes.algorithms import QLearning
from app.tictactoe.game import Game, build_game
from app.tictactoe.policy import t_hand_policy, uniform_policy
from app.tictactoe.values import compute_outcome_chances, solve_game
from training.learners import learn
from training.learners.pairs import list_legal_pairs
from training.learners.randomness import make_rng_state

BOARDS = [(3, 3, 3), (3, 4, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)]
BOARD_GOALS = {(3, 3, 3): " (goal 20 ms)", (4, 4, 4): " (goal 60 s, 1 GiB)"}
# A board that takes less time is measured several times.
BRIEF_SECONDS = 0.5
BRIEF_RUNS = 7
MAX_RATIO_TO_C = 1.3
MEASURED_RUNS = 5
# Our loop and the C loop run in turn, and often, because single ratios differ by a third.
C_PAIRED_RUNS = 15
# The training loop of Q-learning in C, with which ours is compared.
C_SOURCE = Path(__file__).with_name("q_learning.c")
# Without contraction (fused multiply-add) results are rounded as in numba and numpy.
COMPILER_FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]


def benchmark() -> Iterator[str]:
    """Yield the results of all measurements, line by line."""
    yield from _measure_boards()
    yield _measure_evaluation(build_game())
    yield from _measure_learners(build_game())


def _measure_boards() -> Iterator[str]:
    """Yield the time and the memory for enumerating and solving each board, in a process of its own."""
    # A process of a fork server has its own peak of memory; one made by `spawn` inherits its parent's.
    context = multiprocessing.get_context("forkserver")
    yield "board       positions   enumerate + solve  per position  peak memory  per position"
    for board in BOARDS:
        with ProcessPoolExecutor(1, context) as fresh:
            positions, seconds, peak = fresh.submit(_measure_board, *board).result()
        rows, columns, in_a_row = board
        yield (
            f"{rows}x{columns}, {in_a_row}  {positions:>12,}"
            f"  {1000 * seconds:>14,.1f} ms  {1e6 * seconds / positions:>9.2f} us"
            f"  {peak / 2**20:>8,.0f} MiB  {peak / positions:>8,.0f} bytes"
            f"{BOARD_GOALS.get(board, '')}"
        )


def _measure_board(rows: int, columns: int, in_a_row: int) -> tuple[int, float, float]:
    """Return (positions, seconds, peak memory) of enumerating and solving a board.

    The peak is in bytes, minus the memory in use at the start.
    """

    def solve() -> None:
        solve_game(build_game(rows, columns, in_a_row))

    before = _get_peak_memory()
    seconds = [_measure_seconds(solve)]
    peak = _get_peak_memory() - before
    if seconds[0] < BRIEF_SECONDS:
        seconds = [_measure_seconds(solve) for _ in range(BRIEF_RUNS)]
    return build_game(rows, columns, in_a_row).positions, median(seconds), peak


def _get_peak_memory() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _measure_evaluation(game: Game) -> str:
    """Return a line with the time of an exact evaluation of two policies."""
    x = uniform_policy(game)
    o = t_hand_policy(game)
    compute_outcome_chances(game, x, o)
    milliseconds = 1000 * median(
        _measure_seconds(lambda: compute_outcome_chances(game, x, o)) for _ in range(20)
    )
    return f"\none exact evaluation of a pair: {milliseconds:.1f} ms (goal 5 ms)"


def _measure_learners(game: Game) -> Iterator[str]:
    """Yield lines with the updates per second of every recipe of a shipped agent."""
    yield "\nagent                   updates/s"
    for agent in SHIPPED.values():
        if not agent.recipe.is_network:
            # The first training compiles or loads the kernels, so its time does not count.
            _measure_rate(game, agent.recipe)
            rate = median(
                _measure_rate(game, agent.recipe) for _ in range(MEASURED_RUNS)
            )
            yield f"{agent.id:<20} {rate:>12,.0f}"
    yield _compare_with_c(game)


def _compare_with_c(game: Game) -> str:
    """Return a line with the speed of Q-learning beside that of the same loop in C."""
    recipe = parse_recipe("q-learning,games=1000000")
    assert isinstance(recipe, QLearning)
    try:
        loop = CLoop()
    except FileNotFoundError as error:
        return f"\nQ-learning beside C: {error}"
    ours = []
    theirs = []
    for _ in range(C_PAIRED_RUNS):
        ours.append(_measure_rate(game, recipe))
        start = process_time()
        updates, _ = loop.learn(game, recipe)
        theirs.append(updates / (process_time() - start))
    ratio = median(c / python for c, python in zip(theirs, ours, strict=True))
    return (
        f"\nQ-learning beside C: {median(ours):,.0f} and {median(theirs):,.0f} updates/s, "
        f"C is {ratio:.2f} times as fast (goal {MAX_RATIO_TO_C})"
    )


def _measure_rate(game: Game, recipe: Recipe) -> float:
    """Return how many updates per second a training makes."""
    start = process_time()
    *_, end = learn(game, recipe)
    return end.updates / (process_time() - start)


def _measure_seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


class CLoop:
    """The training loop of Q-learning in C, compiled.

    Raises FileNotFoundError if there is no gcc.
    """

    def __init__(self) -> None:
        if shutil.which("gcc") is None:
            raise FileNotFoundError("no gcc here to compile the loop in C")
        with TemporaryDirectory() as folder:
            library = Path(folder) / "q_learning.so"
            subprocess.run(
                ["gcc", *COMPILER_FLAGS, "-o", library, C_SOURCE], check=True
            )
            self._play = ctypes.CDLL(str(library)).play
        self._play.restype = ctypes.c_int64

    def learn(self, game: Game, recipe: QLearning) -> tuple[int, NDArray[np.float64]]:
        """Train a recipe by the C loop; return the number of updates, and the values of all moves, [P].

        Games start in random states against random moves; rewards are 1, 0 and -1, and epsilon
        stays constant.
        """
        pair_start, next_state = list_legal_pairs(game)
        q = np.full(game.pairs, recipe.initial)
        visits = np.zeros(game.pairs, np.uint32)
        rates = map(ctypes.c_double, (recipe.alpha, recipe.gamma, recipe.epsilon))
        counts = map(ctypes.c_int64, (game.decisions, recipe.games))
        state = make_rng_state(recipe.seed)
        updates = self._play(
            _get_pointer(state),
            *rates,
            *map(_get_pointer, (pair_start, next_state, q, visits)),
            *counts,
        )
        return updates, q


def _get_pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
