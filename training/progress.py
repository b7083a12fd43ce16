"""How far training is, on the terminal: lines on the error stream that move."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

RECENT = 600.0  # seconds by which the time left of many trainings is guessed


class Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        """Write it."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
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
        *columns, console=Console(stderr=True), speed_estimate_period=RECENT
    ) as bars:
        task = bars.add_task(label, total=total)
        yield lambda more: bars.advance(task, more)


@contextmanager
def progress_bars(shown: bool = True) -> Iterator[Callable[[str], Watcher]]:
    """Show one line an agent, if they are to be: share, games, updates a second, time left.

    What it gives starts a line and returns the watcher that moves it.
    """
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]:>9,} games"),
        TextColumn("{task.fields[rate]:>11,.0f} updates/s"),
        TimeRemainingColumn(),
    ]
    with Bars(*columns, console=Console(stderr=True), disable=not shown) as bars:

        def line(name: str) -> Watcher:
            task = bars.add_task(name, total=1.0, games=0, rate=0.0)

            def watch(progress: Progress) -> None:
                elapsed = bars.tasks[task].elapsed or 0.0
                rate = progress.updates / elapsed if elapsed else 0.0
                bars.update(
                    task, completed=progress.done, games=progress.games, rate=rate
                )

            return watch

        yield line
