"""Measure how fast this machine solves boards and trains agents, and name the project's goals.

All times are processor time, which does not depend on other programs on the machine.
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
from app.tictactoe.game import FloatArray, Game, build_game
from app.tictactoe.policy import t_hand_policy, uniform_policy
from app.tictactoe.values import compute_outcome_chances, solve_game
from training.learners import learn
from training.learners.pairs import list_legal_pairs
from training.learners.randomness import make_rng_state

BOARD_SIZES = [(3, 3, 3), (3, 4, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)]
GOAL_BY_BOARD_SIZE = {(3, 3, 3): " (goal 20 ms)", (4, 4, 4): " (goal 60 s, 1 GiB)"}
# Short times vary, so the time for a small board is the median of several measurements.
BRIEF_SECONDS = 0.5
BRIEF_RUNS = 7
MAX_RATIO_TO_C = 1.3
MEASURED_RUNS = 5
# The speed of the machine changes, so our loop and the C loop run alternately. Even so the ratio of
# one pair of runs can be a third off; the median of so many pairs is steady.
C_PAIRED_RUNS = 15
C_SOURCE = Path(__file__).with_name("q_learning.c")
# numba and numpy round after each multiplication. Without this flag (no fused multiply-add), C would
# not, and its table would differ from ours.
COMPILER_FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]


def benchmark() -> Iterator[str]:
    yield from _measure_boards()
    yield _measure_evaluation(build_game())
    yield from _measure_learners(build_game())


def _measure_boards() -> Iterator[str]:
    # Each board has a new process, because the peak memory of a process never falls. `spawn` would
    # not do: the new process would begin with the peak memory of its parent.
    context = multiprocessing.get_context("forkserver")
    yield "board       positions   enumerate + solve  per position  peak memory  per position"
    for board in BOARD_SIZES:
        with ProcessPoolExecutor(1, context) as fresh:
            positions, seconds, peak = fresh.submit(_measure_board, *board).result()
        rows, columns, in_a_row = board
        yield (
            f"{rows}x{columns}, {in_a_row}  {positions:>12,}"
            f"  {1000 * seconds:>14,.1f} ms  {1e6 * seconds / positions:>9.2f} us"
            f"  {peak / 2**20:>8,.0f} MiB  {peak / positions:>8,.0f} bytes"
            f"{GOAL_BY_BOARD_SIZE.get(board, '')}"
        )


def _measure_board(rows: int, columns: int, in_a_row: int) -> tuple[int, float, float]:
    """Enumerate and solve a board; return (number of positions, seconds, peak memory in bytes).

    The memory in use at the start is subtracted from the peak.
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
    x = uniform_policy(game)
    o = t_hand_policy(game)
    compute_outcome_chances(game, x, o)
    milliseconds = 1000 * median(
        _measure_seconds(lambda: compute_outcome_chances(game, x, o)) for _ in range(20)
    )
    return f"\none exact evaluation of a pair: {milliseconds:.1f} ms (goal 5 ms)"


def _measure_learners(game: Game) -> Iterator[str]:
    yield "\nagent                   updates/s"
    for agent in SHIPPED.values():
        if not agent.recipe.is_network:
            # The first training compiles or loads the kernels, so its time does not count.
            _measure_rate(game, agent.recipe)
            rate = median(_measure_rate(game, agent.recipe) for _ in range(MEASURED_RUNS))
            yield f"{agent.id:<20} {rate:>12,.0f}"
    yield _compare_with_c(game)


def _compare_with_c(game: Game) -> str:
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
    start = process_time()
    *_, end = learn(game, recipe)
    return end.updates / (process_time() - start)


def _measure_seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


class CLoop:
    """The training loop of Q-learning, written in C and compiled by gcc for this machine.

    Raises FileNotFoundError if gcc is not installed.
    """

    def __init__(self) -> None:
        if shutil.which("gcc") is None:
            raise FileNotFoundError("no gcc here to compile the loop in C")
        with TemporaryDirectory() as folder:
            library = Path(folder) / "q_learning.so"
            subprocess.run(["gcc", *COMPILER_FLAGS, "-o", library, C_SOURCE], check=True)
            self._play = ctypes.CDLL(str(library)).play
        self._play.restype = ctypes.c_int64

    def learn(self, game: Game, recipe: QLearning) -> tuple[int, FloatArray]:
        """Train a recipe in C; return the number of updates and the values of all moves, [P].

        The loop reads only alpha, gamma, epsilon, the initial value, the number of games and the
        seed from the recipe. The opponent plays random moves, games start in random states, and the
        rewards of a win, a draw and a loss are 1, 0 and -1.
        """
        first_pair, next_state = list_legal_pairs(game)
        q = np.full(game.pairs, recipe.initial)
        visits = np.zeros(game.pairs, np.uint32)
        rates = map(ctypes.c_double, (recipe.alpha, recipe.gamma, recipe.epsilon))
        counts = map(ctypes.c_int64, (game.decisions, recipe.games))
        state = make_rng_state(recipe.seed)
        updates = self._play(
            _get_pointer(state),
            *rates,
            *map(_get_pointer, (first_pair, next_state, q, visits)),
            *counts,
        )
        return updates, q


def _get_pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


if __name__ == "__main__":
    for text in benchmark():
        print(text, flush=True)
