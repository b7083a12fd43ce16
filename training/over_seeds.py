"""One measurement over many training seeds, on several processes, and how it is distributed."""

from collections.abc import Callable, Iterable, Sequence
from statistics import quantiles
from typing import TypeVar

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track

Measured = TypeVar("Measured")
CHUNK = 10  # seeds that a process is given at a time
WIDTH = 40  # characters of the longest bar of a histogram


def over_seeds(
    measure: Callable[[int], Measured], seeds: Sequence[int], jobs: int
) -> list[Measured]:
    """Measure each seed, in their order, with a progress bar on the error stream.

    joblib runs it, on its own processes or on whatever backend its `parallel_config` names.
    """
    chunks = [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]
    measured = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_measure_all)(measure, chunk) for chunk in chunks
    )
    shown = track(measured, "seeds", total=len(chunks), console=Console(stderr=True))
    return [result for chunk in shown for result in chunk]


def five_numbers(values: Iterable[float]) -> list[float]:
    """Return the minimum, the quartiles and the maximum."""
    ordered = sorted(values)
    middle = quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    return [ordered[0], *middle, ordered[-1]]


def histogram(values: Sequence[int], bins: int = 12) -> list[str]:
    """Draw the distribution of whole numbers, a line for each range of equal width."""
    low, high = min(values), max(values)
    width = (high - low) // bins + 1
    counts = [0] * ((high - low) // width + 1)
    for value in values:
        counts[(value - low) // width] += 1
    return [
        f"{low + width * i:>5} to {low + width * (i + 1) - 1:<5} {count:>6}  "
        f"{'#' * -(-WIDTH * count // max(counts))}".rstrip()
        for i, count in enumerate(counts)
    ]


def _measure_all(measure: Callable[[int], Measured], seeds: Sequence[int]) -> list[Measured]:
    return [measure(seed) for seed in seeds]
