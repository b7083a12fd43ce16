"""How many games MENACE loses to a perfect player until it loses almost none.

"Almost none" is less than NEAR_ZERO_PERCENT of the games.
"""

from collections.abc import Callable

import numpy as np

from app.experiments import Bar, Bars, Series, Table
from app.tictactoe.game import SEATS
from training.experiments.quantities import parse_quantity
from training.experiments.results import (
    EMPTY_CELL,
    Results,
    format_count,
    format_percentage,
    trace_curve,
)

# how many games a MENACE lost, in each publication, before it began to draw
REPORTED_LOST_GAMES = {"Let's Talk Data": 66, "Scroggs": 40}
NEAR_ZERO_PERCENT = 1.0
LABELS_BY_PLAY = {
    "draws beads at random": "trained against a perfect player",
    "plays the most beads": "trained against a perfect player (plays the most beads)",
}


def find_games_needed(curve: Series) -> int | None:
    """Return the number of games until the losses stay below NEAR_ZERO_PERCENT, or None.

    `curve` is the percentage of lost games (median of the seeds) over the number of games.
    """
    is_losing = np.array(curve.median) >= NEAR_ZERO_PERCENT
    first = int(np.flatnonzero(is_losing).max(initial=-1)) + 1
    return None if first >= len(curve.x) else round(curve.x[first])


def count_lost_games(curve: Series) -> float | None:
    """Return how many games MENACE loses in a seat before its losses stay below NEAR_ZERO_PERCENT.

    `curve` is the percentage of games lost in this seat, over the number of games in both seats.
    The result is None if the losses do not stay below.
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
    lost = parse_quantity(f"lost as {seat} against minimax-random", {})
    return trace_curve(results, label, lost, by_games=True)


def loses_few_games(results: Results, label: str) -> bool:
    """Return whether MENACE, as X, loses no more games than reported until it loses almost none."""
    games = count_lost_games(_trace_losses(results, label, "x"))
    return games is not None and round(games) <= max(REPORTED_LOST_GAMES.values())


def plot_lost_games(results: Results) -> Bars:
    bars = [
        Bar(f"reported by {source}", games)
        for source, games in REPORTED_LOST_GAMES.items()
    ]
    for play, label in LABELS_BY_PLAY.items():
        games = count_lost_games(_trace_losses(results, label, "x"))
        if games is not None:
            recipe = results.recipe_by_label[label]
            bars.append(
                Bar(
                    name=f"here: {play}",
                    value=round(games),
                    sample_size=len(results[label]),
                    recipe=recipe,
                )
            )
    title = "Games lost as X to a perfect player before MENACE draws"
    return Bars(title, "games", bars, exact=False)


def tabulate_losses(results: Results) -> Table:
    """Tabulate how many games MENACE loses, and plays, until it loses almost none.

    More rows have its losses after training against other opponents.
    """
    until = "until it loses less than 1%"
    counts: dict[str, Callable[[Series], float | None]] = {
        f"games lost {until}": count_lost_games,
        f"games played {until}": find_games_needed,
    }
    rows = {}
    for title, count in counts.items():
        for play, label in LABELS_BY_PLAY.items():
            games = [count(_trace_losses(results, label, seat)) for seat in SEATS]
            rows[f"{title} ({play})"] = [
                EMPTY_CELL if one is None else format_count(round(one)) for one in games
            ]
    for opponent in ("the random player", "itself"):
        title = f"games lost to a perfect player after training against {opponent}"
        curves = [
            _trace_losses(results, f"trained against {opponent}", seat)
            for seat in SEATS
        ]
        rows[title] = [format_percentage(curve.median[-1]) for curve in curves]
    columns = [f"as {seat.upper()}" for seat in SEATS]
    return Table(columns, rows, "results against a perfect player, median of all seeds")
