"""What is asked of the runs of a table: one number of its end, or one at every moment."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from app.experiments import Series
from training.experiments.claim import Results, of
from training.measures import Run

WON, DRAWN, LOST = 0, 1, 2
SeatName = Literal["x", "o"]
Number = Callable[[Run], float]
Line = Callable[[Run], Sequence[float]]


def against(opponent: str, seat: SeatName, outcome: int) -> Number:
    """Take the share of games with an outcome against a baseline, in percent, in the end."""
    return lambda run: 100 * getattr(run.figures.vs[opponent], seat)[-1][outcome]


def both_seats(opponent: str, outcome: int) -> Number:
    """Take the same as the mean of both seats."""
    x, o = against(opponent, "x", outcome), against(opponent, "o", outcome)
    return lambda run: (x(run) + o(run)) / 2


def left(seat: SeatName, outcome: int) -> Number:
    """Take what the best responder leaves it, in percent, in the end."""
    return lambda run: 100 * getattr(run.figures.best_response, seat)[-1][outcome]


def blunders(run: Run) -> float:
    """Take in how many decisions its move can give away the value of the game, in the end."""
    return run.figures.blunders[-1]


def reachable_blunders(run: Run) -> float:
    """Take how many of them its own play can meet in either seat, in the end."""
    return run.figures.reachable_blunders.x[-1] + run.figures.reachable_blunders.o[-1]


def beaten_nowhere(run: Run) -> bool:
    """Whether nobody beats it in either seat, in the end."""
    return run.unbeatable.x[-1] and run.unbeatable.o[-1]


def unbeatable(seat: SeatName) -> Callable[[Run], bool]:
    """Ask whether nobody beats it in a seat, in the end."""
    return lambda run: bool(getattr(run.unbeatable, seat)[-1])


def unbeatable_of(results: Results, label: str) -> str:
    """Write how many seeds nobody can beat in either seat: 12 of 1,000."""
    return of([beaten_nowhere(run) for run in results[label]])


def wins_line(opponent: str, seat: SeatName, outcome: int = WON) -> Line:
    """Take the share of games with an outcome at every moment, in percent."""
    return lambda run: [
        100 * chances[outcome] for chances in getattr(run.figures.vs[opponent], seat)
    ]


def both_wins(opponent: str, outcome: int = WON) -> Line:
    """Take the same as the mean of both seats."""
    x, o = wins_line(opponent, "x", outcome), wins_line(opponent, "o", outcome)
    return lambda run: [(one + other) / 2 for one, other in zip(x(run), o(run), strict=True)]


def blunders_line(run: Run) -> Sequence[float]:
    """Take the decisions in which its move can give away the value of the game, at every moment."""
    return run.figures.blunders


def curve(results: Results, label: str, line: Line, by_games: bool = False) -> Series:
    """Draw a line of a recipe's runs over the updates that they were asked for, and their ends.

    The points are 1, 2, 5, 10, ... updates, as long as all runs last, and at last the median of
    their ends.  A run is looked at after the game in which a point is reached.  By games, each
    point is drawn at the median of the games that the runs had played by then.
    """
    runs = results[label]
    ends = [run.figures.updates[-1] for run in runs]
    points = sorted({stop for run in runs for stop in run.asked if 0 < stop < min(ends)})

    def taken(values: Sequence[float], run: Run) -> list[float]:
        places = np.searchsorted(run.asked[:-1], points, side="right") - 1
        return [*(values[place] for place in places), values[-1]]

    x: list[float] = [*points, float(np.median(ends))]
    if by_games:
        x = np.median([taken(run.games, run) for run in runs], axis=0).tolist()
        place = [number for number, value in enumerate(x) if number == 0 or value > x[number - 1]]
        x = [x[number] for number in place]
        return results.series(label, x, lambda run: [taken(line(run), run)[n] for n in place])
    return results.series(label, x, lambda run: taken(line(run), run))


def ahead(one: Series, other: Series) -> list[bool]:
    """Whether the median of one is higher than that of another, at the points of both."""
    theirs = dict(zip(other.x, other.median, strict=True))
    return [median > theirs[x] for x, median in zip(one.x, one.median, strict=True) if x in theirs]
