"""Work in several processes that end with the one that started them, however that ends."""

import multiprocessing
import os
from functools import cache
from threading import Thread
from time import sleep

PAUSE = 0.2  # seconds between two looks at the parent


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
