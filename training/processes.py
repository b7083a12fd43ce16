"""Work in several processes that end with the one that started them, however that ends."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextvars import ContextVar
from multiprocessing.queues import SimpleQueue
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from time import sleep
from typing import Any, TypeVar

PAUSE = 0.2  # seconds between two looks at the parent

Measured = TypeVar("Measured")
Hear = Callable[[Any], object]
_hear: ContextVar[Hear] = ContextVar("_hear")  # what takes the news of work done here


def in_parallel(
    work: Callable[..., Measured],
    wanted: Sequence[tuple[Any, ...]],
    jobs: int,
    hear: Hear = lambda news: None,
) -> Iterator[tuple[int, Measured]]:
    """Call `work`, a function of a module, with each of these arguments on `jobs` processes.

    Yields the number and the result of each as it finishes; one process is this one.  What the work
    passes to `tell` meanwhile is heard here, in a thread.  The processes end at once if this is
    left before the last result.
    """
    jobs = min(jobs, len(wanted))
    if jobs <= 1:
        _hear.set(hear)
        for number, arguments in enumerate(wanted):
            yield number, work(*arguments)
        return
    context = multiprocessing.get_context("spawn")
    news: SimpleQueue[Any] = context.SimpleQueue()
    listener = Thread(target=_listen, args=(news, hear), daemon=True)
    others = {*multiprocessing.active_children()}
    with ProcessPoolExecutor(jobs, context, _begin, (os.getpid(), news)) as pool:
        listener.start()
        numbers = {pool.submit(work, *call): number for number, call in enumerate(wanted)}
        try:
            for done in as_completed(numbers):
                yield numbers[done], done.result()
        except BaseException:
            for process in {*multiprocessing.active_children()} - others:
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise
    news.put(None)
    listener.join()


def tell(news: Any) -> None:
    """Pass something on, of what is being done here, to the process that wants it done."""
    _hear.get()(news)


def _listen(news: "SimpleQueue[Any]", hear: Hear) -> None:
    while (message := news.get()) is not None:
        hear(message)


def _begin(parent: int, news: "SimpleQueue[Any]") -> None:
    """Set up a process that works: Ctrl-C and `kill` are for the one that started it."""
    signal(SIGINT, SIG_IGN)
    _hear.set(news.put)
    Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # the system gives an orphan another one
        sleep(PAUSE)
    os._exit(1)
