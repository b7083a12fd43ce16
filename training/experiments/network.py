"""What the experiments on networks share: the recipe that they vary, and what is measured of it.

That is every epoch of a training, and its end exactly.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from time import perf_counter

import msgspec
import numpy as np

from app.experiments import Curves, Series, Table
from app.recipes import Recipe
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.report import BySeat, Figures, compute_figures
from training.experiments.claim import Results, Sweep, format_percent
from training.experiments.table import SeatName
from training.learners import learn
from training.learners.phases import Epoch
from training.measures import Measure

# 6,000 steps in place of the 80,000 of `dqn`, each of them six times as long.
BASE_SETTINGS = {"epochs": 60, "step_size": 0.0003, "steps": 100}
SEEDS = 3
RANDOM = (
    100 * (737 / 1260 + 121 / 420) / 2
)  # percent won by random against random, both seats
END_DIVISOR = 10  # a training's last tenth stands for its end, where games are counted
REPEATED_EPOCHS = 2  # epochs that are made again


class NetworkRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training of E epochs; shares are from 0 to 1, and those of games are sampled."""

    seconds: float
    judging: float  # the part of them that went into judging
    won: BySeat[float]  # [E] share of the epoch's games that the network won
    lost: BySeat[float]  # [E] that its opponent won, illegal moves included
    forfeited: BySeat[float]  # [E] that it lost by an illegal move
    taken: list[
        float
    ]  # [E] share of all decisions in which its highest output is an illegal move
    taken_met: list[float]  # [E] share of those that it met in the epoch's games
    figures: Figures  # of the end, one entry each, exact


class Beginning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same of the first epochs, without the end: what a test can make again."""

    seconds: float
    won: BySeat[float]
    lost: BySeat[float]
    taken: list[float]


def measure_beginning(recipe: Recipe) -> Beginning:
    """Train a network for its first epochs only."""
    begin = perf_counter()
    history = islice(learn(tic_tac_toe(), recipe), REPEATED_EPOCHS + 1)
    epochs = [progress.epoch for progress in history if progress.epoch]
    won, lost, _, taken, _ = zip(*epochs, strict=True)
    return Beginning(
        perf_counter() - begin, _split_by_seat(won), _split_by_seat(lost), list(taken)
    )


def measure_epochs(recipe: Recipe) -> NetworkRun:
    """Train a network."""
    game, begin = tic_tac_toe(), perf_counter()
    epochs: list[Epoch] = []
    for progress in learn(game, recipe):
        epochs.extend([progress.epoch] if progress.epoch else [])
    trained = perf_counter()
    table = progress.q[game.legal][None]
    figures = compute_figures(
        game,
        table,
        [progress.updates],
        recipe.reward_scale(),
        recipe.plays,
        recipe.training_task(),
    )
    judged = perf_counter()
    won, lost, forfeited, taken, taken_met = zip(*epochs, strict=True)
    return NetworkRun(
        seconds=judged - begin,
        judging=judged - trained,
        won=_split_by_seat(won),
        lost=_split_by_seat(lost),
        forfeited=_split_by_seat(forfeited),
        taken=list(taken),
        taken_met=list(taken_met),
        figures=figures,
    )


def _split_by_seat(pairs: Sequence[tuple[float, float]]) -> BySeat[float]:
    x, o = np.array(pairs).round(9).T.tolist()
    return BySeat(x, o)


EPOCHS = Measure("network", 1, NetworkRun, measure_epochs, at_once=1)
BEGINNING = Measure("network-beginning", 1, Beginning, measure_beginning, at_once=1)

Line = Callable[[NetworkRun], Sequence[float]]


def name_variant(**settings: object) -> str:
    """Name the recipe with other settings."""
    return ",".join(
        [
            "dqn",
            *(f"{name}={value}" for name, value in (BASE_SETTINGS | settings).items()),
        ]
    )


def make_sweeps(recipes: Mapping[str, str]) -> list[Sweep]:
    """Train these recipes with a few seeds; a test makes the beginning of the first one again."""
    first = next(iter(recipes.values()))
    return [
        Sweep(recipes, EPOCHS, SEEDS, checked=False),
        Sweep({"the first epochs": first}, BEGINNING, 1),
    ]


def trace_seat(seat_name: SeatName, field: str) -> Line:
    """Take a share of the games of each epoch in a seat, in percent."""
    return lambda run: [
        100 * share for share in getattr(getattr(run, field), seat_name)
    ]


def trace_both(field: str) -> Line:
    """Take the same as the mean of both seats."""
    x, o = trace_seat("x", field), trace_seat("o", field)
    return lambda run: [
        (one + other) / 2 for one, other in zip(x(run), o(run), strict=True)
    ]


def average_end(line: Line) -> Callable[[NetworkRun], float]:
    """Take the mean of a line over the last tenth of the epochs."""
    return lambda run: float(np.mean(line(run)[-(len(line(run)) // END_DIVISOR) :]))


def draw_epochs(
    results: Results, label: str, line: Line, points: int, name: str = ""
) -> Series:
    """Make a curve of means over as many epochs each as make so many points of the training."""
    epochs = len(results[label][0].taken)
    width = epochs // points

    def means(run: NetworkRun) -> list[float]:
        means: list[float] = (
            np.reshape(line(run), (points, width)).mean(axis=1).tolist()
        )
        return means

    series = results.draw_series(label, range(width, epochs + 1, width), means)
    return msgspec.structs.replace(series, name=name or label)


def draw_wins(results: Results, labels: Iterable[str]) -> Curves:
    """Draw what some recipes win while they learn."""
    title = "Games won in each epoch of the training, both seats, sampled"
    series = [draw_epochs(results, label, trace_both("won"), 20) for label in labels]
    return Curves(title, "epochs", "%", series)


def format_extremes(values: Sequence[float], digits: int = 1) -> list[str]:
    """Write the least and the most of some percents."""
    return [format_percent(min(values), digits), format_percent(max(values), digits)]


def tabulate_extremes(values: Mapping[str, Sequence[float]], about: str) -> Table:
    """Write the least and the most of the percents of several recipes as a table."""
    rows = {label: format_extremes(seeds) for label, seeds in values.items()}
    return Table(["least seed", "most seed"], rows, about)


def format_range(values: Sequence[float], digits: int = 1) -> str:
    """Write the same in a cell, once where both are alike."""
    return " to ".join(dict.fromkeys(format_extremes(values, digits)))
