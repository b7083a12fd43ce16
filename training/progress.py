"""Show progress bars in the terminal, on the error stream, while agents are trained."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import rich.progress
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from training.learners.phases import Progress
from training.run import OnProgress

COMPILING_LABEL = "compiling"
# The time left is estimated from the speed in the last ten minutes.
SPEED_WINDOW_SECONDS = 600.0


class RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


@contextmanager
def show_bar(label: str, item_count: int) -> Iterator[Callable[[int], None]]:
    """Show how many of `item_count` items are finished, their speed, and the time left.

    Yields a function that is called with the number of newly finished items.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with rich.progress.Progress(
        *columns,
        console=Console(stderr=True),
        speed_estimate_period=SPEED_WINDOW_SECONDS,
    ) as bars:
        task = bars.add_task(label, total=item_count)
        yield lambda more: bars.advance(task, more)


@contextmanager
def show_training_bars(is_shown: bool = True) -> Iterator[Callable[[str], OnProgress]]:
    """Show a line for each agent with its finished share, games, updates per second, and time left.

    Yields a function that adds a line for the agent with a name, and returns the callback for its
    progress. If not `is_shown`, nothing is shown.
    """
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]:>9,} games"),
        TextColumn("{task.fields[rate]:>21}"),
        TimeRemainingColumn(),
    ]
    with rich.progress.Progress(
        *columns, console=Console(stderr=True), disable=not is_shown
    ) as bars:

        def add_line(name: str) -> OnProgress:
            task = bars.add_task(name, total=1.0, games=0, rate=COMPILING_LABEL)
            # (seconds, updates) of the first report with updates. The speed is measured from there
            # on, because the kernels are compiled before.
            first: tuple[float, int] | None = None

            def update_line(progress: Progress) -> None:
                nonlocal first
                rate = ""
                now, updates = perf_counter(), progress.updates
                if not updates:
                    rate = COMPILING_LABEL
                elif first is None:
                    first = now, updates
                else:
                    speed = (updates - first[1]) / (now - first[0])
                    rate = f"{speed:,.0f} updates/s"
                bars.update(
                    task,
                    completed=progress.finished_share,
                    games=progress.games,
                    rate=rate,
                )

            return update_line

        yield add_line
