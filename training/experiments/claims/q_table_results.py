"""The probability that a sample of games shows none of a run's losses."""

from training.experiments.quantities import parse_quantity
from training.measures import MeasuredRun

SAMPLED_GAMES = 1_000  # number of games that the author sampled


def estimate_sample(run: MeasuredRun) -> float:
    """Return the chance, in percent, that the games of a sample as O against random have no loss."""
    lost = parse_quantity("lost as o against random", {}).measure(run)
    return 100 * (1 - lost / 100) ** SAMPLED_GAMES
