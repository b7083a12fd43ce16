"""After which epoch a network wins more games than it loses."""

import numpy as np

from training.experiments.network import NetworkRun
from training.experiments.quantities import parse_quantity
from training.experiments.results import Results

# Single epochs have too few games, so curves are compared by their means over this many groups of
# successive epochs.
EPOCH_GROUP_COUNT = 40
# By opponent and by the network's seat: whether the author's plot ends with more wins than losses.
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
    """Return the first epoch after which the network wins more games than it loses.

    Wins and losses are averaged over groups of epochs. The result is infinite if the network does
    not lead at the end.
    """
    lead = np.subtract(WON[seat].trace(run), LOST[seat].trace(run))
    behind = np.flatnonzero(lead.reshape(EPOCH_GROUP_COUNT, -1).mean(axis=1) <= 0)
    first_ahead = int(behind.max(initial=-1)) + 1
    if first_ahead == EPOCH_GROUP_COUNT:
        return np.inf
    return first_ahead * (len(lead) // EPOCH_GROUP_COUNT)


def find_overtaking_epoch_as_x(run: NetworkRun) -> float:
    return find_overtaking_epoch(run, "x")


def find_overtaking_epoch_as_o(run: NetworkRun) -> float:
    return find_overtaking_epoch(run, "o")


def leads_as_reported(results: Results) -> bool:
    """Return whether the network leads at the end of exactly those trainings in which it should.

    REPORTED_LEADS has the leads that the author's plots show.
    """
    leads = {
        (opponent, seat): results.compute_median(f"against {opponent}", WON[seat])
        > results.compute_median(f"against {opponent}", LOST[seat])
        for opponent, seat in REPORTED_LEADS
    }
    return leads == REPORTED_LEADS


def describe_overtaking_as_x(results: Results) -> dict[str, str]:
    return _describe_overtaking(results, "x")


def describe_overtaking_as_o(results: Results) -> dict[str, str]:
    return _describe_overtaking(results, "o")


def _describe_overtaking(results: Results, seat: str) -> dict[str, str]:
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
