"""When a learner that also learns from its opponent's moves stops improving."""

from app.experiments import Series
from training.experiments.quantities import QUANTITIES, parse_quantity
from training.experiments.results import Results, format_count, trace_curve

PLAIN, OBSERVER = "own moves only", "observing"
REPORTED_MOVES = 8_000
NEGLIGIBLE_PERCENT = 1.0


def _count_moves_per_game(results: Results) -> float:
    """Return how many moves a learner makes in a game (median of seeds)."""
    # The learner that does not observe makes an update for each of its moves.
    return results.compute_median(PLAIN, QUANTITIES["updates per game"])


def _trace_wins(results: Results) -> Series:
    wins = parse_quantity("won against random", {})
    return trace_curve(results, OBSERVER, wins, by_games=True)


def _count_moves_while_improving(results: Results) -> float:
    """Return after how many of its moves the observing learner stops improving.

    Its wins against random moves are then at most NEGLIGIBLE_PERCENT below their highest percentage
    (median of the seeds).
    """
    curve = _trace_wins(results)
    games = next(
        x
        for x, median in zip(curve.x, curve.median, strict=True)
        if max(curve.median) - median <= NEGLIGIBLE_PERCENT
    )
    return games * _count_moves_per_game(results)


def stops_improving_as_reported(results: Results) -> bool:
    return (
        REPORTED_MOVES / 2
        <= _count_moves_while_improving(results)
        <= REPORTED_MOVES * 2
    )


def format_moves_while_improving(results: Results) -> dict[str, str]:
    return {OBSERVER: format_count(round(_count_moves_while_improving(results), -2))}


def format_moves(results: Results) -> dict[str, str]:
    moves = _trace_wins(results).x[-1] * _count_moves_per_game(results)
    return {OBSERVER: format_count(round(moves, -2))}


def count_reported_games(results: Results) -> int:
    return round(REPORTED_MOVES / _count_moves_per_game(results))
