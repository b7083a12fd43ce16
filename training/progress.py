"""How far training is, on the terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from training.learners.phases import Progress
from training.run import Watcher


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Watcher]]:
    """Show one line an agent on the error stream: share, games, updates a second, time left.

    What it gives starts a line and returns the watcher that moves it.
    """
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]:>9,} games"),
        TextColumn("{task.fields[rate]:>11,.0f} updates/s"),
        TimeRemainingColumn(),
    ]
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def line(name: str) -> Watcher:
            task = bars.add_task(name, total=1.0, games=0, rate=0.0)

            def watch(progress: Progress) -> None:
                elapsed = bars.tasks[task].elapsed or 0.0
                rate = progress.updates / elapsed if elapsed else 0.0
                bars.update(task, completed=progress.done, games=progress.games, rate=rate)

            return watch

        yield line
