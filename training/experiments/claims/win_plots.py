"""The epoch in which a network overtakes its opponent."""

from functools import partial

import numpy as np

from training.experiments.network import NetworkRun
from training.experiments.quantities import parse_quantity, single
from training.experiments.results import Results

POINTS = 40  # means of ten epochs are compared
# (opponent, seat) -> whether the network is reported to win more games at the end of training
REPORTED_LEADS = {
    ("random", "x"): True,
    ("random", "o"): True,
    ("t-hand", "o"): False,
    ("t-hand", "x"): True,
}
WON, LOST = (
    {seat: parse_quantity(f"{outcome} as {seat} in training", {}) for seat in "xo"}
    for outcome in ("won", "lost")
)


def find_overtaking_epoch(run: NetworkRun, seat: str) -> float:
    """Return the epoch after which the network always wins more games than it loses.

    Means of ten epochs are compared.  The epoch is infinite if there is none.
    """
    lead = np.subtract(WON[seat].trace(run), LOST[seat].trace(run))
    behind = np.flatnonzero(lead.reshape(POINTS, -1).mean(axis=1) <= 0)
    first_ahead = int(behind[-1]) + 1 if len(behind) else 0
    if first_ahead == POINTS:
        return np.inf
    return first_ahead * (len(lead) // POINTS)


QUANTITIES = {
    f"overtaking epoch as {seat}": single(
        "", "epochs", partial(find_overtaking_epoch, seat=seat)
    )
    for seat in "xo"
}


def leads_as_reported(results: Results) -> bool:
    """Return whether the network ends ahead of its opponent in the same plots as reported."""
    return all(
        lead
        == (
            results.compute_median(f"against {opponent}", WON[seat].measure)
            > results.compute_median(f"against {opponent}", LOST[seat].measure)
        )
        for (opponent, seat), lead in REPORTED_LEADS.items()
    )


def describe_lead(opponent: str, seat: str, results: Results) -> str:
    """Return a text on the epoch of overtaking over all seeds."""
    epochs = [
        find_overtaking_epoch(run, seat) for run in results[f"against {opponent}"]
    ]
    if not np.isfinite(epochs).all():
        return f"behind with {int(np.isinf(epochs).sum())} of {len(epochs)} seeds"
    low = int(min(epochs))
    high = int(max(epochs))
    since = f"epoch {low}" if low == high else f"epochs {low} to {high}"
    return "ahead from the start" if high == 0 else f"ahead since {since}"


describe_first_against_random = partial(describe_lead, "random", "x")
describe_second_against_random = partial(describe_lead, "random", "o")
describe_second_against_t_hand = partial(describe_lead, "t-hand", "o")
describe_first_against_t_hand = partial(describe_lead, "t-hand", "x")
