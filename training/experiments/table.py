"""Numbers computed from runs of tabular learners, at the end or at each snapshot, and their figures.

A trace is a function from a run to a number for each of its snapshots.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from app.experiments import Curves, Figure, ReferenceLine, Series
from training.experiments.claim import Quantity, Results
from training.measures import MeasuredRun

WON, DRAWN, LOST = 0, 1, 2
ENDINGS = ("won", "drawn", "lost")
# titles of opponents in sentences; other opponents have their id as title
TITLES = {
    "minimax-random": "randomised minimax",
    "random": "the random player",
    "t-hand": "T-hand",
}
SeatName = Literal["x", "o"]
SEAT_NAMES: tuple[SeatName, ...] = ("x", "o")
# Functions from a run to a number, and to a trace: a number for each snapshot.
RunNumber = Callable[[MeasuredRun], float]
RunTrace = Callable[[MeasuredRun], Sequence[float]]


def get_title(opponent: str) -> str:
    """Return the title of an opponent in sentences, given its id."""
    return TITLES.get(opponent, opponent)


def get_last_value(trace: RunTrace) -> RunNumber:
    """Return a function from a run to the last number of a trace, its final value."""
    return lambda run: trace(run)[-1]


def trace_outcome(opponent: str, seat: SeatName, outcome: int = WON) -> RunTrace:
    """Return a function from a run to the percent of games with an outcome, for each snapshot.

    The games are against a baseline, `opponent`, in a seat.
    """
    return lambda run: [
        100 * chances[outcome]
        for chances in getattr(run.figures.baseline_chances[opponent], seat)
    ]


def trace_both_seats(opponent: str, outcome: int = WON) -> RunTrace:
    """Return a function from a run to the mean percent of both seats at each snapshot."""
    return average_traces(
        trace_outcome(opponent, "x", outcome), trace_outcome(opponent, "o", outcome)
    )


def average_traces(
    first_trace: Callable[[Any], Sequence[float]],
    second_trace: Callable[[Any], Sequence[float]],
) -> Callable[[Any], list[float]]:
    """Return a function from a run to the mean of two traces, point by point."""
    return lambda run: [
        (a + b) / 2 for a, b in zip(first_trace(run), second_trace(run), strict=True)
    ]


def trace_worst_losses(run: MeasuredRun) -> Sequence[float]:
    """Return the percent of games lost to the best responder at each snapshot, mean of both seats."""
    both = zip(run.figures.best_response.x, run.figures.best_response.o, strict=True)
    return [50 * (x[LOST] + o[LOST]) for x, o in both]


def trace_blunders(run: MeasuredRun) -> Sequence[float]:
    """Return the number of decisions with a possible blunder, at each snapshot."""
    return run.figures.blunders


def measure_outcome(opponent: str, seat: SeatName, outcome: int) -> RunNumber:
    """Return a function from a run to its final percent of games with an outcome against a baseline."""
    return get_last_value(trace_outcome(opponent, seat, outcome))


def measure_both_seats(opponent: str, outcome: int) -> RunNumber:
    """Return a function from a run to its final percent with an outcome, mean of both seats."""
    return get_last_value(trace_both_seats(opponent, outcome))


def describe_outcome(outcome: int, opponent: str, seat: SeatName) -> Quantity:
    """Return a quantity: the final percent of games with an outcome against a baseline."""
    title = f"Games {ENDINGS[outcome]} as {seat.upper()} against {get_title(opponent)}"
    return Quantity(title, "%", measure_outcome(opponent, seat, outcome))


measure_wins = measure_both_seats("random", WON)
measure_worst_losses = get_last_value(trace_worst_losses)
measure_blunders = get_last_value(trace_blunders)


def count_known_positions(run: MeasuredRun) -> float:
    """Return the final number of positions with an updated move, up to symmetry."""
    return run.known_positions[-1]


def count_updates_per_game(run: MeasuredRun) -> float:
    """Return the mean number of updates in a game."""
    return run.figures.snapshot_updates[-1] / run.snapshot_games[-1]


def has_no_blunder(run: MeasuredRun) -> bool:
    """Return whether the final policy has no blunder."""
    return measure_blunders(run) == 0


def is_unbeatable_as(seat: SeatName) -> Callable[[MeasuredRun], bool]:
    """Return a function from a run to whether it is finally unbeatable in a seat."""
    return lambda run: bool(getattr(run.is_unbeatable, seat)[-1])


def is_unbeatable(run: MeasuredRun) -> bool:
    """Return whether the final policy is unbeatable in both seats."""
    return run.is_unbeatable.x[-1] and run.is_unbeatable.o[-1]


def draw_curve(
    results: Results, label: str, trace: RunTrace, by_games: bool = False
) -> Series:
    """Return the curve of a recipe's runs over the updates at their checkpoints.

    The points are 1, 2, 5, 10, ... updates, as long as all runs have them, and finally the
    median of the ends. A run is evaluated after the game that reaches a point. With
    `by_games`, x is the median number of games that the runs had played at a point.
    """
    runs = results[label]
    ends = [run.figures.snapshot_updates[-1] for run in runs]
    points = sorted(
        {stop for run in runs for stop in run.due_checkpoints if 0 < stop < min(ends)}
    )

    def select_points(values: Sequence[float], run: MeasuredRun) -> list[float]:
        """Return the numbers of a run at the points of the curve, and at its end."""
        places = np.searchsorted(run.due_checkpoints[:-1], points, side="right") - 1
        return [*(values[place] for place in places), values[-1]]

    x: list[float] = [*points, float(np.median(ends))]
    if by_games:
        x = np.median(
            [select_points(run.snapshot_games, run) for run in runs], axis=0
        ).tolist()
        place = [
            number
            for number, value in enumerate(x)
            if number == 0 or value > x[number - 1]
        ]
        x = [x[number] for number in place]
        return results.draw_curve_over_x(
            label, x, lambda run: [select_points(trace(run), run)[n] for n in place]
        )
    return results.draw_curve_over_x(
        label, x, lambda run: select_points(trace(run), run)
    )


def draw_curves(
    results: Results,
    quantity: Quantity,
    labels: Iterable[str] | None = None,
    by_games: bool = False,
    marks: Sequence[ReferenceLine] = (),
) -> Curves:
    """Return a curve for each recipe over updates or games, on a logarithmic axis."""
    chosen = results.recipe_by_label if labels is None else labels
    lines = [draw_curve(results, label, quantity.compute, by_games) for label in chosen]
    x_label = "games" if by_games else "updates"
    return Curves(quantity.title, x_label, quantity.unit, lines, list(marks), True)


def compute_median_games(runs: Sequence[Any]) -> float:
    """Return the median number of games until a proof; infinite if half of the runs have none."""
    return float(
        np.median(
            [
                np.inf if run.games_to_proof is None else run.games_to_proof
                for run in runs
            ]
        )
    )


def draw_games_to_proof(
    results: Results,
    games_title: str,
    share_title: str,
    labels: Iterable[str] | None = None,
) -> list[Figure]:
    """Return three figures on proofs: games until each proof, share of proved seeds, median games."""
    ever = results.list_values(lambda run: run.games_to_proof is not None)
    always = [
        label for label in (ever if labels is None else labels) if all(ever[label])
    ]
    medians = {label: compute_median_games(results[label]) for label in ever}
    finite = {label: games for label, games in medians.items() if games < np.inf}
    return [
        results.draw_histogram(
            Quantity(games_title, "games", lambda run: run.games_to_proof), always
        ),
        results.draw_shares(share_title, ever),
        results.draw_bars(
            "Games until the learner is proved unbeatable, median of all seeds",
            "games",
            finite,
            is_logarithmic=True,
        ),
    ]


def list_higher_points(first_curve: Series, second_curve: Series) -> list[bool]:
    """Return whether the first curve has the higher median, for each x that both curves have."""
    theirs = dict(zip(second_curve.x, second_curve.median, strict=True))
    return [
        median > theirs[x]
        for x, median in zip(first_curve.x, first_curve.median, strict=True)
        if x in theirs
    ]


WINS = Quantity(
    "Games won against the random player, mean of both seats", "%", measure_wins
)
WINS_IN_THE_END = WINS._replace(
    title="Games won against the random player after the training, mean of both seats"
)
WINS_TRACE = WINS._replace(compute=trace_both_seats("random"))
WON_AS_O = describe_outcome(WON, "random", "o")
LOST_AS_O = describe_outcome(LOST, "minimax-random", "o")
LOST_AT_WORST = Quantity(
    "Games lost to the best responder, mean of both seats", "%", measure_worst_losses
)
LOST_AT_WORST_TRACE = LOST_AT_WORST._replace(compute=trace_worst_losses)
BLUNDERS_TRACE = Quantity(
    "Positions in which the learner can blunder", "blunders", trace_blunders
)
BLUNDERS = Quantity(
    "Positions in which the learner can blunder after the training",
    "blunders",
    measure_blunders,
)
KNOWN_POSITIONS = Quantity(
    "Positions that the training has updated (of 627)",
    "positions",
    count_known_positions,
)
