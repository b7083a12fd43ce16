"""What is asked of the runs of a table: one number of its end, or one at every moment."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from app.experiments import Curves, Figure, Mark, Series
from training.experiments.claim import Quantity, Results
from training.measures import Run

WON, DRAWN, LOST = 0, 1, 2
ENDINGS = ("won", "drawn", "lost")
TITLES = {"minimax-random": "randomised minimax"}
SeatName = Literal["x", "o"]
SEAT_NAMES: tuple[SeatName, ...] = ("x", "o")
Number = Callable[[Run], float]
Line = Callable[[Run], Sequence[float]]


def take_last(line: Line) -> Number:
    """Take the last number of a line."""
    return lambda run: line(run)[-1]


def trace_outcome(opponent: str, seat: SeatName, outcome: int = WON) -> Line:
    """Take the share of games with an outcome against a baseline at every moment, in percent."""
    return lambda run: [
        100 * chances[outcome] for chances in getattr(run.figures.vs[opponent], seat)
    ]


def trace_both_seats(opponent: str, outcome: int = WON) -> Line:
    """Take the same as the mean of both seats."""
    x, o = trace_outcome(opponent, "x", outcome), trace_outcome(opponent, "o", outcome)
    return lambda run: [
        (one + other) / 2 for one, other in zip(x(run), o(run), strict=True)
    ]


def trace_worst_losses(run: Run) -> Sequence[float]:
    """Take the games lost to the best responder at every moment, both seats, in percent."""
    both = zip(run.figures.best_response.x, run.figures.best_response.o, strict=True)
    return [50 * (x[LOST] + o[LOST]) for x, o in both]


def trace_blunders(run: Run) -> Sequence[float]:
    """Take the decisions in which it can blunder, at every moment."""
    return run.figures.blunders


def measure_outcome(opponent: str, seat: SeatName, outcome: int) -> Number:
    """Take the share of games with an outcome against a baseline, in percent, in the end."""
    return take_last(trace_outcome(opponent, seat, outcome))


def measure_both_seats(opponent: str, outcome: int) -> Number:
    """Take the same as the mean of both seats."""
    return take_last(trace_both_seats(opponent, outcome))


def describe_outcome(outcome: int, opponent: str, seat: SeatName) -> Quantity:
    """Name the share of games with an outcome against a baseline, in the end."""
    title = f"Games {ENDINGS[outcome]} as {seat.upper()} against {TITLES.get(opponent, opponent)}"
    return Quantity(title, "%", measure_outcome(opponent, seat, outcome))


measure_wins = measure_both_seats("random", WON)
measure_worst_losses = take_last(trace_worst_losses)
measure_blunders = take_last(trace_blunders)


def count_known(run: Run) -> float:
    """Take how many positions it has updated, up to symmetry, in the end."""
    return run.known[-1]


def count_updates_per_game(run: Run) -> float:
    """Take how many updates it makes in a game."""
    return run.figures.updates[-1] / run.games[-1]


def is_faultless(run: Run) -> bool:
    """Whether it has no blunder, in the end."""
    return measure_blunders(run) == 0


def is_unbeatable_as(seat: SeatName) -> Callable[[Run], bool]:
    """Ask whether it is unbeatable in a seat, in the end."""
    return lambda run: bool(getattr(run.unbeatable, seat)[-1])


def is_unbeatable(run: Run) -> bool:
    """Whether it is unbeatable in both seats, in the end."""
    return run.unbeatable.x[-1] and run.unbeatable.o[-1]


def draw_curve(
    results: Results, label: str, line: Line, by_games: bool = False
) -> Series:
    """Draw a line of a recipe's runs over the updates that they were asked for, and their ends.

    The points are 1, 2, 5, 10, ... updates, as long as all runs last, and at last the median of
    their ends.  A run is looked at after the game in which a point is reached.  By games, each
    point is drawn at the median of the games that the runs had played by then.
    """
    runs = results[label]
    ends = [run.figures.updates[-1] for run in runs]
    points = sorted(
        {stop for run in runs for stop in run.asked if 0 < stop < min(ends)}
    )

    def taken(values: Sequence[float], run: Run) -> list[float]:
        places = np.searchsorted(run.asked[:-1], points, side="right") - 1
        return [*(values[place] for place in places), values[-1]]

    x: list[float] = [*points, float(np.median(ends))]
    if by_games:
        x = np.median([taken(run.games, run) for run in runs], axis=0).tolist()
        place = [
            number
            for number, value in enumerate(x)
            if number == 0 or value > x[number - 1]
        ]
        x = [x[number] for number in place]
        return results.draw_series(
            label, x, lambda run: [taken(line(run), run)[n] for n in place]
        )
    return results.draw_series(label, x, lambda run: taken(line(run), run))


def draw_curves(
    results: Results,
    number: Quantity,
    labels: Iterable[str] | None = None,
    by_games: bool = False,
    marks: Sequence[Mark] = (),
) -> Curves:
    """Draw a line of the runs of some recipes, or all, over the logarithm of updates or games."""
    chosen = results.recipes if labels is None else labels
    lines = [draw_curve(results, label, number.compute, by_games) for label in chosen]
    x_label = "games" if by_games else "updates"
    return Curves(number.title, x_label, number.unit, lines, list(marks), True)


def compute_median_games(runs: Sequence[Any]) -> float:
    """Return the median of the games until a proof, infinite where half are never proved."""
    return float(
        np.median([np.inf if run.games is None else run.games for run in runs])
    )


def draw_proofs(
    results: Results, until: str, proved: str, labels: Iterable[str] | None = None
) -> list[Figure]:
    """Draw when runs are proved, each seed of those recipes that always are, and how many ever."""
    ever = results.list_values(lambda run: run.games is not None)
    always = [
        label for label in (ever if labels is None else labels) if all(ever[label])
    ]
    medians = {label: compute_median_games(results[label]) for label in ever}
    finite = {label: games for label, games in medians.items() if games < np.inf}
    return [
        results.draw_strips(Quantity(until, "games", lambda run: run.games), always),
        results.draw_shares(proved, ever),
        results.draw_bars(
            "Games until the median seed is proved", "games", finite, log=True
        ),
    ]


def list_leads(one: Series, other: Series) -> list[bool]:
    """Whether the median of one is higher than that of another, at the points of both."""
    theirs = dict(zip(other.x, other.median, strict=True))
    return [
        median > theirs[x]
        for x, median in zip(one.x, one.median, strict=True)
        if x in theirs
    ]


WINS = Quantity("Games won against random, both seats", "%", measure_wins)
WINS_IN_THE_END = WINS._replace(title="Games won against random in the end, both seats")
WINS_LINE = WINS._replace(compute=trace_both_seats("random"))
WON_AS_O, LOST_AS_O = (
    describe_outcome(WON, "random", "o"),
    describe_outcome(LOST, "minimax-random", "o"),
)
LOST_AT_WORST = Quantity(
    "Games lost to the best responder, both seats", "%", measure_worst_losses
)
LOST_AT_WORST_LINE = LOST_AT_WORST._replace(compute=trace_worst_losses)
BLUNDERS_LINE = Quantity(
    "Positions in which it can blunder", "blunders", trace_blunders
)
BLUNDERS = Quantity(
    "Positions in which it can blunder, in the end", "blunders", measure_blunders
)
KNOWN = Quantity("Positions that were updated, of 627", "positions", count_known)
