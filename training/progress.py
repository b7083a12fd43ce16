"""How far training is, on the terminal: lines on the error stream that move."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

from training.learners.phases import Progress
from training.run import Watcher

COMPILING = "compiling"
SPEED_SECONDS = 600.0  # seconds by which the time left of many trainings is guessed


class Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        """Write it."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


class UpdateRate:
    """Updates per second since the first update, before which kernels are compiled."""

    def __init__(self) -> None:
        self.first: tuple[float, int] | None = None  # time in seconds, updates

    def format(self, updates: int) -> str:
        """Return the rate at this number of updates, as in "12,000,000 updates/s"."""
        if not updates:
            return COMPILING
        now = perf_counter()
        if self.first is None:
            self.first = now, updates
            return ""
        start, before = self.first
        return f"{(updates - before) / (now - start):,.0f} updates/s"


@contextmanager
def show_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of `total` are done, and the time left.

    It gives the function that counts some more as done.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Bars(
        *columns, console=Console(stderr=True), speed_estimate_period=SPEED_SECONDS
    ) as bars:
        task = bars.add_task(label, total=total)
        yield lambda more: bars.advance(task, more)


@contextmanager
def show_training_bars(shown: bool = True) -> Iterator[Callable[[str], Watcher]]:
    """Show one line for each agent: share, games, updates a second, time left.

    Yields a function that starts the line of an agent and returns the watcher that moves it.
    Until its first update an agent is "compiling", which does not count as training time.
    """
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]:>9,} games"),
        TextColumn("{task.fields[rate]:>21}"),
        TimeRemainingColumn(),
    ]
    with Bars(*columns, console=Console(stderr=True), disable=not shown) as bars:

        def line(name: str) -> Watcher:
            task = bars.add_task(name, total=1.0, games=0, rate=COMPILING)
            rate = UpdateRate()

            def watch(progress: Progress) -> None:
                bars.update(
                    task,
                    completed=progress.done,
                    games=progress.games,
                    rate=rate.format(progress.updates),
                )

            return watch

        yield line
