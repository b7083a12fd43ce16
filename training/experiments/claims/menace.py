"""The games that MENACE loses until it hardly loses to a perfect player any more."""

from collections.abc import Callable

import numpy as np

from app.experiments import Series, Table
from app.tictactoe.game import SEATS
from training.experiments.quantities import parse_quantity
from training.experiments.results import (
    Results,
    format_count,
    format_percent,
    trace_curve,
)
from training.experiments.statistics import EMPTY_CELL

PERFECT = "trained against a perfect player"
GREEDY = "perfect opponent; MENACE plays the colour with most beads"
RANDOM, ITSELF = "trained against the random player", "trained against itself"
# largest published number of games that a MENACE loses before it draws
REPORTED_LOST = 66
NEAR_ZERO_PERCENT = 1.0  # a learner hardly loses if it loses less than this percentage
PLAYS = {
    "MENACE draws beads at random": PERFECT,
    "MENACE plays the colour with most beads": GREEDY,
}


def find_games_needed(curve: Series) -> int | None:
    """Return the games after which the median seed loses less than 1%, None if it never does.

    `curve` is the percentage of lost games, over the number of games played.
    """
    losing_points = [
        place
        for place, median in enumerate(curve.median)
        if median >= NEAR_ZERO_PERCENT
    ]
    first = losing_points[-1] + 1 if losing_points else 0
    return None if first >= len(curve.x) else round(curve.x[first])


def count_lost_games(curve: Series) -> float | None:
    """Return the number of games that the median seed loses in a seat until it hardly loses.

    `curve` is the percentage of lost games, over the games played in both seats.
    """
    needed = find_games_needed(curve)
    if needed is None:
        return None
    until = np.array(curve.x) <= needed + 0.5
    games = np.array(curve.x)[until]
    share = np.array(curve.median)[until] / 100
    mean_share = (share[1:] + share[:-1]) / 2
    between = np.diff(games) * mean_share
    both_seats = games[0] * share[0] + between.sum()
    return float(both_seats / 2)


def _trace_losses(results: Results, label: str, seat: str) -> Series:
    """Return the curve of the percentage of games lost against randomised minimax in a seat."""
    lost = parse_quantity(f"lost as {seat} against minimax-random", {})
    return trace_curve(results, label, lost, by_games=True)


def _loses_few_games(results: Results, label: str) -> bool:
    """Return whether MENACE as X loses at most as many games as reported."""
    games = count_lost_games(_trace_losses(results, label, "x"))
    return games is not None and round(games) <= REPORTED_LOST


def loses_few_games_at_random(results: Results) -> bool:
    """Return whether MENACE loses few games if it draws beads at random."""
    return _loses_few_games(results, PERFECT)


def loses_few_games_greedily(results: Results) -> bool:
    """Return whether MENACE loses few games if it plays the colour with most beads."""
    return _loses_few_games(results, GREEDY)


def tabulate_losses(results: Results) -> Table:
    """Return the games lost and played until MENACE hardly loses, and its final losses."""

    def format_games(label: str, count: Callable[[Series], float | None]) -> list[str]:
        """Return a number of games as texts, for X and for O."""
        counts = [count(_trace_losses(results, label, seat)) for seat in SEATS]
        return [
            EMPTY_CELL if games is None else format_count(round(games))
            for games in counts
        ]

    def format_final_losses(label: str) -> list[str]:
        """Return the percentages of games lost in the end as texts, for X and for O."""
        return [
            format_percent(_trace_losses(results, label, seat).median[-1])
            for seat in SEATS
        ]

    until = "until MENACE loses less than 1%"
    rows = {
        f"{play}: games lost in the seat of the column {until}": format_games(
            label, count_lost_games
        )
        for play, label in PLAYS.items()
    }
    rows |= {
        f"{play}: games played in both seats {until}": format_games(
            label, find_games_needed
        )
        for play, label in PLAYS.items()
    }
    lost = "games lost to a perfect player after training against"
    rows[f"{lost} the random player"] = format_final_losses(RANDOM)
    rows[f"{lost} itself"] = format_final_losses(ITSELF)
    columns = [f"as {seat.upper()}" for seat in SEATS]
    return Table(columns, rows, "results against a perfect player, median of all seeds")
