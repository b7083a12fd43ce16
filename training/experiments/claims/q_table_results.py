"""The probability that a sample of test games has none of the games that a table can lose."""

from training.experiments.quantities import parse_quantity
from training.measures import MeasuredRun

SAMPLED_GAMES = 1_000  # how many games the author's program played as a sample


def estimate_sample(run: MeasuredRun) -> float:
    """Return the chance, in percent, that no game of a sample as O against random is lost."""
    lost = parse_quantity("lost as o against random", {}).measure(run)
    return 100 * (1 - lost / 100) ** SAMPLED_GAMES
