"""Call a function in several processes, which end when the process that started them ends."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextvars import ContextVar
from multiprocessing.queues import SimpleQueue
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")
ProgressCallback = Callable[[Any], object]
# The function `on_progress` of `run_in_parallel`; in a process of the pool, a function that puts
# reports into the queue.
_on_progress: ContextVar[ProgressCallback] = ContextVar("_on_progress")


def run_in_parallel(
    function: Callable[..., Result],
    call_arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    on_progress: ProgressCallback = lambda progress: None,
) -> Iterator[tuple[int, Result]]:
    """Call `function` with each of `call_arguments` in `jobs` processes; yield (index, result).

    The results come in the order in which the calls finish. `function` must be a module-level
    function. With one job the current process does the work. Reports that the work makes by
    `report_progress` are passed to `on_progress`; with several processes it runs in a thread. If
    the caller stops early, the processes are terminated.
    """
    jobs = min(jobs, len(call_arguments))
    if jobs <= 1:
        _on_progress.set(on_progress)
        for index, arguments in enumerate(call_arguments):
            yield index, function(*arguments)
        return
    context = multiprocessing.get_context("spawn")
    reports: SimpleQueue[Any] = context.SimpleQueue()
    listener = Thread(target=_forward_reports, args=(reports, on_progress), daemon=True)
    others = {*multiprocessing.active_children()}
    with ProcessPoolExecutor(jobs, context, _init_process, (reports,)) as pool:
        listener.start()
        indices = {
            pool.submit(function, *call): index
            for index, call in enumerate(call_arguments)
        }
        try:
            for future in as_completed(indices):
                yield indices[future], future.result()
        except BaseException:
            for process in {*multiprocessing.active_children()} - others:
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise
    reports.put(None)
    listener.join()


def report_progress(progress: Any) -> None:
    _on_progress.get()(progress)


def _forward_reports(
    reports: "SimpleQueue[Any]", on_progress: ProgressCallback
) -> None:
    while (progress := reports.get()) is not None:
        on_progress(progress)


def _init_process(reports: "SimpleQueue[Any]") -> None:
    """Ignore Ctrl-C, which the parent process handles, and end when the parent ends."""
    signal(SIGINT, SIG_IGN)
    _on_progress.set(reports.put)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)
