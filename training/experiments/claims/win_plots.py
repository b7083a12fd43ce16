"""The epoch in which a network begins to win more games than it loses."""

import numpy as np

from training.experiments.network import NetworkRun
from training.experiments.quantities import parse_quantity
from training.experiments.results import Results

# The epochs of two curves are divided into this many parts, and the means of the parts are compared.
COMPARED_PARTS = 40
# Whether the network is reported to win more games than the opponent at the end of training.
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

    Means of several epochs are compared. The epoch is infinite if there is none.
    """
    lead = np.subtract(WON[seat].trace(run), LOST[seat].trace(run))
    behind = np.flatnonzero(lead.reshape(COMPARED_PARTS, -1).mean(axis=1) <= 0)
    first_ahead = int(behind.max(initial=-1)) + 1
    if first_ahead == COMPARED_PARTS:
        return np.inf
    return first_ahead * (len(lead) // COMPARED_PARTS)


def find_overtaking_epoch_as_x(run: NetworkRun) -> float:
    return find_overtaking_epoch(run, "x")


def find_overtaking_epoch_as_o(run: NetworkRun) -> float:
    return find_overtaking_epoch(run, "o")


def leads_as_reported(results: Results) -> bool:
    """Return whether the network ends ahead of its opponent in the same plots as reported."""
    leads = {
        (opponent, seat): results.compute_median(f"against {opponent}", WON[seat])
        > results.compute_median(f"against {opponent}", LOST[seat])
        for opponent, seat in REPORTED_LEADS
    }
    return leads == REPORTED_LEADS


def describe_leads_as_x(results: Results) -> dict[str, str]:
    return _describe_leads(results, "x")


def describe_leads_as_o(results: Results) -> dict[str, str]:
    return _describe_leads(results, "o")


def _describe_leads(results: Results, seat: str) -> dict[str, str]:
    """Return a text for each recipe that tells since which epochs its seeds are ahead."""
    texts = {}
    for label in results.recipe_by_label:
        epochs = [find_overtaking_epoch(run, seat) for run in results[label]]
        low, high = min(epochs), max(epochs)
        if np.isinf(high):
            texts[label] = f"behind with {epochs.count(np.inf)} of {len(epochs)} seeds"
        elif high == 0:
            texts[label] = "ahead from the start"
        elif low == high:
            texts[label] = f"ahead since epoch {low}"
        else:
            texts[label] = f"ahead since epochs {low} to {high}"
    return texts
