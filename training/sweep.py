"""Many trainings on several processes, or on a cluster, with a view of how long it takes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from training.processes import end_with

CHUNK = 10  # seeds that a process is given at a time
RECENT = 600.0  # seconds by which the time left is guessed

Wanted = TypeVar("Wanted")
Measured = TypeVar("Measured")


class Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        """Write it."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show on the error stream how many of `total` are done, and the time left.

    It gives the function that counts some more as done.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=RECENT) as progress:
        task = progress.add_task(label, total=total)
        yield lambda more: progress.advance(task, more)


def over_seeds(
    measure: Callable[[int], Measured], seeds: Sequence[int], jobs: int
) -> list[Measured]:
    """Measure each seed, in their order, with a progress bar on the error stream."""
    chunks = [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]
    measured: dict[int, list[Measured]] = {}
    with bar("seeds", len(seeds)) as count:
        for number, results in in_parallel(_each, [(measure, chunk) for chunk in chunks], jobs):
            measured[number] = results
            count(len(results))
    return [result for number in range(len(chunks)) for result in measured[number]]


def in_parallel(
    work: Callable[..., Measured],
    wanted: Sequence[tuple[Any, ...]],
    jobs: int,
    cluster: str | None = None,
) -> Iterator[tuple[int, Measured]]:
    """Call `work` with each of these arguments; yield the number and the result as they finish.

    joblib runs it on `jobs` processes of this machine, or, with the address of a scheduler, on a
    dask cluster, whose workers need this project and its training packages.  Work of a worker that
    dies is given to another.
    """
    calls = (delayed(_numbered)(os.getpid(), work, *call) for call in enumerate(wanted))
    with _backend(jobs, cluster):
        yield from Parallel(return_as="generator_unordered", pre_dispatch="2 * n_jobs")(calls)


@contextmanager
def _backend(jobs: int, cluster: str | None) -> Iterator[None]:
    if cluster is None:
        with parallel_config(n_jobs=jobs):
            yield
        return
    from distributed import Client  # noqa: PLC0415 - whoever has no cluster needs none of it

    client = Client(cluster, set_as_default=False)  # type: ignore[no-untyped-call]
    with client, parallel_config("dask", client=client):
        yield


def _each(measure: Callable[[int], Measured], seeds: Iterable[int]) -> list[Measured]:
    return [measure(seed) for seed in seeds]


def _numbered(
    parent: int, work: Callable[..., Measured], number: int, arguments: tuple[Any, ...]
) -> tuple[int, Measured]:
    end_with(parent)
    return number, work(*arguments)
