"""Work in several processes that end with the one that started them, however that ends."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from threading import Thread
from time import sleep
from typing import Any, TypeVar

PAUSE = 0.2  # seconds between two looks at the parent

Measured = TypeVar("Measured")


def in_parallel(
    work: Callable[..., Measured], wanted: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[tuple[int, Measured]]:
    """Call `work` with each of these arguments on `jobs` processes.

    Yields the number and the result of each as it finishes.
    """
    from joblib import Parallel, delayed  # noqa: PLC0415 - a process that ends with us needs none

    calls = (delayed(_numbered)(os.getpid(), work, *call) for call in enumerate(wanted))
    yield from Parallel(jobs, return_as="generator_unordered", pre_dispatch="2 * n_jobs")(calls)


def _numbered(
    parent: int, work: Callable[..., Measured], number: int, arguments: tuple[Any, ...]
) -> tuple[int, Measured]:
    end_with(parent)
    return number, work(*arguments)


@cache  # one watch is enough, however often a process is told
def end_with(parent: int) -> None:
    """End this process soon after the one with this id has ended, if that is what started it.

    Who started it is asked of `multiprocessing`: the system gives an orphan another parent.
    Somebody else's process, on whatever machine, is left alone.
    """
    started_by = multiprocessing.parent_process()
    if started_by is not None and started_by.pid == parent:
        Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        sleep(PAUSE)
    os._exit(1)
