"""Shared functions of the experiments on networks: the base recipe, the measures and figures.

A run records every epoch of its training, and the exact figures of its end.
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
from training.experiments.table import SeatName, average_traces
from training.learners import learn
from training.learners.phases import Epoch
from training.measures import Measure

# 6,000 steps instead of the 80,000 of the recipe `dqn`, with a step size six times as large.
BASE_SETTINGS = {"epochs": 60, "step_size": 0.0003, "steps": 100}
SEEDS = 3
# Percent of games won by random against random, mean of both seats.
RANDOM = 100 * (737 / 1260 + 121 / 420) / 2
END_DIVISOR = 10  # the last 1 / END_DIVISOR of the epochs is the end of a training
REPEATED_EPOCHS = 2  # number of epochs that a test repeats


class NetworkRun(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "evaluation_seconds": "judging",
        "illegal_shares": "taken",
        "illegal_shares_in_games": "taken_met",
    },
):
    """A training of a network over E epochs; shares are from 0 to 1, and shares of games are sampled."""

    seconds: float
    evaluation_seconds: float  # the part of these seconds for evaluation
    won: BySeat[float]  # [E] share of the epoch's games that the network won
    # [E] share of the games that the opponent won, also by an illegal move
    lost: BySeat[float]
    # [E] share of the games that the network lost by an illegal move
    forfeited: BySeat[float]
    # [E] share of all decisions with an illegal move as highest output
    illegal_shares: list[float]
    # [E] share of the decisions in the epoch's games with an illegal move as highest output
    illegal_shares_in_games: list[float]
    figures: Figures  # exact figures of the final network, one entry each


class FirstEpochs(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"illegal_shares": "taken"},
):
    """The first epochs of a training, which a test can repeat; fields as in `NetworkRun`."""

    seconds: float
    won: BySeat[float]
    lost: BySeat[float]
    illegal_shares: list[float]


def measure_first_epochs(recipe: Recipe) -> FirstEpochs:
    """Return the first epochs of a network's training."""
    begin = perf_counter()
    history = islice(learn(tic_tac_toe(), recipe), REPEATED_EPOCHS + 1)
    epochs = [progress.epoch for progress in history if progress.epoch]
    won, lost, _, illegal_shares, _ = zip(*epochs, strict=True)
    return FirstEpochs(
        perf_counter() - begin,
        _split_by_seat(won),
        _split_by_seat(lost),
        list(illegal_shares),
    )


def measure_epochs(recipe: Recipe) -> NetworkRun:
    """Return every epoch of a network's training, and the exact figures of its end."""
    game = tic_tac_toe()
    begin = perf_counter()
    epochs: list[Epoch] = []
    for progress in learn(game, recipe):
        epochs.extend([progress.epoch] if progress.epoch else [])
    trained = perf_counter()
    table = progress.q[game.legal][None]
    figures = compute_figures(
        game,
        table,
        [progress.updates],
        recipe.get_reward_scale(),
        recipe.plays,
        recipe.build_training_task(),
    )
    judged = perf_counter()
    won, lost, forfeited, illegal_shares, shares_in_games = zip(*epochs, strict=True)
    return NetworkRun(
        seconds=judged - begin,
        evaluation_seconds=judged - trained,
        won=_split_by_seat(won),
        lost=_split_by_seat(lost),
        forfeited=_split_by_seat(forfeited),
        illegal_shares=list(illegal_shares),
        illegal_shares_in_games=list(shares_in_games),
        figures=figures,
    )


def _split_by_seat(pairs: Sequence[tuple[float, float]]) -> BySeat[float]:
    """Return pairs of shares, as X and as O, as a list for each seat."""
    x, o = np.array(pairs).round(9).T.tolist()
    return BySeat(x, o)


EPOCHS_MEASURE = Measure("network", 1, NetworkRun, measure_epochs, batch_size=1)
FIRST_EPOCHS_MEASURE = Measure(
    "network-beginning", 1, FirstEpochs, measure_first_epochs, batch_size=1
)

# A function from a run to a number for each epoch.
EpochTrace = Callable[[NetworkRun], Sequence[float]]


def name_variant(**settings: object) -> str:
    """Return the name of the base recipe with these parameters changed."""
    return ",".join(
        [
            "dqn",
            *(f"{name}={value}" for name, value in (BASE_SETTINGS | settings).items()),
        ]
    )


def make_sweeps(recipes: Mapping[str, str]) -> list[Sweep]:
    """Return two sweeps: these recipes, and the first epochs of one, which a test can repeat."""
    first = next(iter(recipes.values()))
    return [
        Sweep(recipes, EPOCHS_MEASURE, SEEDS, is_repeated_in_test=False),
        Sweep({"the first epochs": first}, FIRST_EPOCHS_MEASURE, 1),
    ]


def trace_share_in_seat(seat_name: SeatName, share_name: str) -> EpochTrace:
    """Return a function from a run to a share of each epoch's games in a seat, in percent.

    `share_name` is a field of `NetworkRun`: "won", "lost" or "forfeited".
    """
    return lambda run: [
        100 * share for share in getattr(getattr(run, share_name), seat_name)
    ]


def trace_seats_mean(share_name: str) -> EpochTrace:
    """Return a function from a run to the mean of both seats of `trace_share_in_seat`."""
    return average_traces(
        trace_share_in_seat("x", share_name), trace_share_in_seat("o", share_name)
    )


def average_last_epochs(trace: EpochTrace) -> Callable[[NetworkRun], float]:
    """Return a function from a run to the mean of a trace over the last tenth of the epochs."""

    def compute(run: NetworkRun) -> float:
        points = trace(run)
        length = len(points) // END_DIVISOR
        return float(np.mean(points[-length:]))

    return compute


def draw_epochs(
    results: Results, label: str, trace: EpochTrace, points: int, curve_name: str = ""
) -> Series:
    """Return a curve of `points` points, each the mean of a trace over an equal number of epochs."""
    epochs = len(results[label][0].illegal_shares)
    width = epochs // points

    def compute_means(run: NetworkRun) -> list[float]:
        """Return the mean of the trace over each group of epochs."""
        means: list[float] = (
            np.reshape(trace(run), (points, width)).mean(axis=1).tolist()
        )
        return means

    series = results.draw_curve_over_x(
        label, range(width, epochs + 1, width), compute_means
    )
    return msgspec.structs.replace(series, name=curve_name or label)


def draw_wins(results: Results, labels: Iterable[str]) -> Curves:
    """Return the curves of games won during training."""
    title = (
        "Games won in each epoch of the training, mean of both seats (sampled games)"
    )
    series = [
        draw_epochs(results, label, trace_seats_mean("won"), 20) for label in labels
    ]
    return Curves(title, "epochs", "%", series)


def format_extremes(percentages: Sequence[float], digits: int = 1) -> list[str]:
    """Return the minimum and the maximum of percentages as texts."""
    return [
        format_percent(min(percentages), digits),
        format_percent(max(percentages), digits),
    ]


def tabulate_extremes(
    percentages_by_label: Mapping[str, Sequence[float]], unit: str
) -> Table:
    """Return a table of the minimum and the maximum of percentages, by label of the recipe."""
    rows = {
        label: format_extremes(seeds) for label, seeds in percentages_by_label.items()
    }
    return Table(
        ["seed with the lowest result", "seed with the highest result"], rows, unit
    )


def format_range(percentages: Sequence[float], digits: int = 1) -> str:
    """Return the range of percentages as text: "12.0 to 15.0", or one number if both are equal."""
    return " to ".join(dict.fromkeys(format_extremes(percentages, digits)))
