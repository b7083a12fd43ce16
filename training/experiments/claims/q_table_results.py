"""Whether a run never loses, and how likely a sample of games does not show its losses."""

from training.experiments.quantities import parse_quantity, single
from training.measures import MeasuredRun

SAMPLED_GAMES = 1_000  # number of games that the author sampled
OPPONENTS = ("random", "minimax", "minimax-random")
LOSSES = [
    parse_quantity(f"lost as {seat} against {opponent}", {})
    for opponent in OPPONENTS
    for seat in "xo"
]
LOST_AS_O = parse_quantity("lost as o against random", {})


def estimate_sample(run: MeasuredRun) -> float:
    """Return the chance, in percent, that the games of a sample as O against random have no loss."""
    return 100 * (1 - LOST_AS_O.measure(run) / 100) ** SAMPLED_GAMES


QUANTITIES = {
    "never loses": single(
        "", "", lambda run: all(loss.measure(run) == 0 for loss in LOSSES)
    ),
    "chance of a sample without a loss": single("", "%", estimate_sample),
}
