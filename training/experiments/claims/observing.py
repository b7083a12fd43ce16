"""After how many moves a learner that observes its opponent's moves stops improving."""

from app.experiments import Series
from training.experiments.quantities import QUANTITIES, parse_quantity
from training.experiments.results import Results, trace_curve, write_count

PLAIN, OBSERVER = "own moves only", "observing"
REPORTED_MOVES = 8_000
# Differences up to this percentage do not count.
SMALL_PERCENT = 1.0


def _count_moves_per_game(results: Results) -> float:
    """Return how many moves of its own a learner makes per game (median seed).

    The learner that does not observe updates exactly these moves.
    """
    return results.compute_median(PLAIN, QUANTITIES["updates per game"])


def _trace_wins(results: Results) -> Series:
    """Return the curve of the observing learner's wins against the random player, over games."""
    wins = parse_quantity("won against random", {})
    return trace_curve(results, OBSERVER, wins, by_games=True)


def _count_moves_until_best(results: Results) -> float:
    """Return after how many moves the observing learner's median wins are near their best."""
    curve = _trace_wins(results)
    games = next(
        x
        for x, median in zip(curve.x, curve.median, strict=True)
        if max(curve.median) - median <= SMALL_PERCENT
    )
    return games * _count_moves_per_game(results)


def stops_improving_as_reported(results: Results) -> bool:
    """Return whether the learner stops improving after half to twice the reported moves."""
    return REPORTED_MOVES / 2 <= _count_moves_until_best(results) <= REPORTED_MOVES * 2


def format_moves_until_best(results: Results) -> dict[str, str]:
    """Return after how many moves the median wins are near their best, as text."""
    return {OBSERVER: write_count(round(_count_moves_until_best(results), -2))}


def format_moves(results: Results) -> dict[str, str]:
    """Return how many moves the learner makes in the whole training, as text."""
    moves = _trace_wins(results).x[-1] * _count_moves_per_game(results)
    return {OBSERVER: write_count(round(moves, -2))}


def count_reported_games(results: Results) -> int:
    """Return in how many games the reported number of moves is made."""
    return round(REPORTED_MOVES / _count_moves_per_game(results))
