"""Progress bars on the error stream of a terminal, while agents are trained."""

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
from training.run import OnProgress

COMPILING_LABEL = "compiling"
SPEED_SECONDS = 600.0  # the time left is estimated from the speed of these seconds


class RateColumn(ProgressColumn):
    """A column with the number of items per second."""

    def render(self, task: Task) -> Text:
        """Return the rate as text, empty before the first item."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


class UpdateRate:
    """The rate of updates per second, from the first update on: kernels are compiled before it."""

    def __init__(self) -> None:
        # time in seconds and number of training updates at the first report of progress
        self.first: tuple[float, int] | None = None

    def format_rate(self, updates: int) -> str:
        """Return the rate at this number of updates, as in "12,000,000 updates/s"."""
        if not updates:
            return COMPILING_LABEL
        now = perf_counter()
        if self.first is None:
            self.first = now, updates
            return ""
        start, before = self.first
        return f"{(updates - before) / (now - start):,.0f} updates/s"


@contextmanager
def show_bar(label: str, item_count: int) -> Iterator[Callable[[int], None]]:
    """Show the number of finished items of `item_count`, and the time left.

    Yields a function that adds a number of items to the finished ones.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Bars(
        *columns, console=Console(stderr=True), speed_estimate_period=SPEED_SECONDS
    ) as bars:
        task = bars.add_task(label, total=item_count)
        yield lambda more: bars.advance(task, more)


@contextmanager
def show_training_bars(is_shown: bool = True) -> Iterator[Callable[[str], OnProgress]]:
    """Show a line for each agent, if `is_shown`: share, games, updates per second, time left.

    Yields a function that adds the line of an agent and returns its progress callback.
    """
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]:>9,} games"),
        TextColumn("{task.fields[rate]:>21}"),
        TimeRemainingColumn(),
    ]
    with Bars(*columns, console=Console(stderr=True), disable=not is_shown) as bars:

        def add_line(name: str) -> OnProgress:
            """Add the line of an agent; return its progress callback."""
            task = bars.add_task(name, total=1.0, games=0, rate=COMPILING_LABEL)
            rate = UpdateRate()

            def update_line(progress: Progress) -> None:
                """Update the line of the agent."""
                bars.update(
                    task,
                    completed=progress.finished_share,
                    games=progress.games,
                    rate=rate.format_rate(progress.updates),
                )

            return update_line

        yield add_line
