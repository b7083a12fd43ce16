"""What it costs to enumerate and solve a board; measured in a process of its own."""

import multiprocessing
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from time import process_time
from typing import NamedTuple

from app.tictactoe.game import connect
from app.tictactoe.values import optimal

BRIEF = 0.5  # seconds: what takes less is measured several times
RUNS = 7


class Cost(NamedTuple):
    """What one board took."""

    positions: int
    seconds: float
    peak: float  # bytes that the process had in memory at most, beyond what it started with


def measure(rows: int, columns: int, in_a_row: int) -> Cost:
    """Enumerate and solve a board in a fresh process."""
    # A process made by `spawn` inherits the peak of its maker, one of a fork server does not.
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, context) as fresh:
        return fresh.submit(_cost, rows, columns, in_a_row).result()


def _cost(rows: int, columns: int, in_a_row: int) -> Cost:
    before = _peak()
    seconds = [_seconds(rows, columns, in_a_row)]
    peak = _peak() - before
    if seconds[0] < BRIEF:
        seconds = [_seconds(rows, columns, in_a_row) for _ in range(RUNS)]
    return Cost(connect(rows, columns, in_a_row).positions, median(seconds), peak)


def _seconds(rows: int, columns: int, in_a_row: int) -> float:
    start = process_time()
    optimal(connect(rows, columns, in_a_row))
    return process_time() - start


def _peak() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
