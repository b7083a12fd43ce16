"""How likely it is that test games show no loss, although the table can lose."""

from training.experiments.quantities import parse_quantity
from training.measures import MeasuredRun

# The author's program tests its table in this many games.
SAMPLED_GAME_COUNT = 1_000


def estimate_chance_of_no_loss(run: MeasuredRun) -> float:
    """Return the chance, in percent, that a run loses no game of a sample as O against random moves.

    Its games are independent, and their number is SAMPLED_GAME_COUNT.
    """
    lost = parse_quantity("lost as o against random", {}).measure(run)
    return 100 * (1 - lost / 100) ** SAMPLED_GAME_COUNT
