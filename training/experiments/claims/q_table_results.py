"""How likely it is that test games show no loss, although the table can lose."""

from training.experiments.quantities import parse_quantity
from training.measures import MeasuredRun

# The author's program tests its table in this many games.
SAMPLED_GAME_COUNT = 1_000


def estimate_chance_of_no_loss(run: MeasuredRun) -> float:
    """Return the chance, in percent, that a run loses none of its test games as O.

    It plays SAMPLED_GAME_COUNT independent games against random moves.
    """
    lost = parse_quantity("lost as o against random", {}).measure(run)
    return 100 * (1 - lost / 100) ** SAMPLED_GAME_COUNT
