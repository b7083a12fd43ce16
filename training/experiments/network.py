"""What the experiments on networks share: the recipe that they vary, and lines over its epochs."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from app.experiments import Curves, Series, Table
from training.experiments.claim import Results, Sweep, percent
from training.experiments.table import SeatName
from training.networks.measure import BEGINNING, EPOCHS, NetworkRun

# 6,000 steps in place of the 80,000 of `dqn`, each of them six times as long.
BASE = "dqn,epochs=60,step_size=0.0003,steps=100"
SEEDS = 3
RANDOM = 100 * (737 / 1260 + 121 / 420) / 2  # percent won by random against random, both seats
END = 10  # a training's last tenth stands for its end, where games are counted

Line = Callable[[NetworkRun], Sequence[float]]


def varied(*settings: str) -> str:
    """Name the recipe with some more settings."""
    return ",".join((BASE, *settings))


def sweeps(recipes: Mapping[str, str]) -> list[Sweep]:
    """Train these recipes with a few seeds; a test makes the beginning of the first one again."""
    first = next(iter(recipes.values()))
    return [
        Sweep(recipes, EPOCHS, SEEDS, checked=False),
        Sweep({"the first epochs": first}, BEGINNING, 1),
    ]


def seat(seat_name: SeatName, field: str) -> Line:
    """Take a share of the games of each epoch in a seat, in percent."""
    return lambda run: [100 * share for share in getattr(getattr(run, field), seat_name)]


def both(field: str) -> Line:
    """Take the same as the mean of both seats."""
    x, o = seat("x", field), seat("o", field)
    return lambda run: [(one + other) / 2 for one, other in zip(x(run), o(run), strict=True)]


def ending(line: Line) -> Callable[[NetworkRun], float]:
    """Take the mean of a line over the last tenth of the epochs."""
    return lambda run: float(np.mean(line(run)[-(len(line(run)) // END) :]))


def by_epoch(results: Results, label: str, line: Line, points: int, name: str = "") -> Series:
    """Make a curve of means over as many epochs each as make so many points of the training."""
    epochs = len(results[label][0].taken)
    width = epochs // points

    def means(run: NetworkRun) -> list[float]:
        means: list[float] = np.reshape(line(run), (points, width)).mean(axis=1).tolist()
        return means

    series = results.series(label, range(width, epochs + 1, width), means)
    return msgspec.structs.replace(series, name=name or label)


def won_by_epoch(results: Results, labels: Iterable[str]) -> Curves:
    """Draw what some recipes win while they learn."""
    title = "Games won in each epoch of the training, both seats, sampled"
    series = [by_epoch(results, label, both("won"), 20) for label in labels]
    return Curves(title, "epochs", "%", series)


def spread(values: Sequence[float], digits: int = 1) -> list[str]:
    """Write the least and the most of some percents."""
    return [percent(min(values), digits), percent(max(values), digits)]


def ends(values: Mapping[str, Sequence[float]], about: str) -> Table:
    """Write the least and the most of the percents of several recipes as a table."""
    rows = {label: spread(seeds) for label, seeds in values.items()}
    return Table(["least seed", "most seed"], rows, about)


def range_of(values: Sequence[float], digits: int = 1) -> str:
    """Write the same in a cell, once where both are alike."""
    return " to ".join(dict.fromkeys(spread(values, digits)))
