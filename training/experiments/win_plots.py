"""The four plots of wins by epoch, of both players, and when the network overtakes."""

from collections.abc import Sequence

import numpy as np

from app.experiments import Curves, Mark, Table
from training.experiments import claim, network, table

RANDOM, HEURISTIC = "random", "t-hand"
RECIPES = {
    f"against {opponent}": network.varied(vs=opponent, epochs=400, steps=50)
    for opponent in (RANDOM, HEURISTIC)
}
POINTS = 40
NETWORK = "the network"
PLOTS: tuple[tuple[str, table.SeatName, Sequence[Mark]], ...] = (
    (RANDOM, "x", []),
    (RANDOM, "o", [Mark(200, "reported: the network overtakes")]),
    (HEURISTIC, "o", []),
    (HEURISTIC, "x", [Mark(150, "reported: it overtakes from"), Mark(200, "to here")]),
)
REPORTED = [True, True, False, True]  # whether the network is ahead in the end
ENDS = (None, 70.0, 20.0, 70.0)  # percent won in the end, about; of the first plot not said
NEAR = 10.0  # percent
OVERTAKES = {(RANDOM, "o"): (150, 250), (HEURISTIC, "x"): (100, 250)}  # epochs; 50 beside them
ORDER = {"x": "first", "o": "second"}


def overtakes(run: network.NetworkRun, seat_name: table.SeatName) -> float:
    """Return the epoch from which on it wins more than its opponent, in means of ten epochs.

    Never is infinite.
    """
    lead = np.subtract(network.seat(seat_name, "won")(run), network.seat(seat_name, "lost")(run))
    behind = np.flatnonzero(lead.reshape(POINTS, -1).mean(axis=1) <= 0)
    last = -1 if not len(behind) else int(behind[-1])
    return np.inf if last == POINTS - 1 else (last + 1) * (len(lead) // POINTS)


def tell(results: claim.Results) -> claim.Conclusion:
    """Draw the four plots, and ask who is ahead in the end and since when."""
    figures, ahead, near, then, rows = [], [], [], [], {}
    for (opponent, seat_name, marks), end in zip(PLOTS, ENDS, strict=True):
        label = f"against {opponent}"
        won, lost = network.seat(seat_name, "won"), network.seat(seat_name, "lost")
        figures.append(
            Curves(
                f"Games won in each epoch {label}, the network {ORDER[seat_name]}, sampled",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, won, POINTS, NETWORK),
                    network.by_epoch(results, label, lost, POINTS, opponent),
                ],
                list(marks),
            )
        )
        ends = [results.values(label, network.ending(line)) for line in (won, lost)]
        ahead.append(np.median(ends[0]) > np.median(ends[1]))
        near += [] if end is None else [abs(float(np.median(ends[0])) - end) <= NEAR]
        since = [overtakes(run, seat_name) for run in results[label]]
        if window := OVERTAKES.get((opponent, seat_name)):
            then.append(all(window[0] <= epoch <= window[1] for epoch in since))
        rows[f"against {opponent}, {ORDER[seat_name]} seat"] = [
            *(network.range_of(seeds, 0) for seeds in ends),
            _since(since),
        ]
    alike = ahead == REPORTED
    verdict = claim.verdict_on(alike, all(near), all(then))
    return claim.Conclusion(
        figures,
        [alike, all(near), all(then)],
        Table(["won", "lost", "the network is"], rows, "last tenth of the epochs"),
        verdict,
    )


def _since(epochs: Sequence[float]) -> str:
    if not np.isfinite(epochs).all():
        count = int(np.isinf(epochs).sum())
        return f"behind with {count} of {len(epochs)} seeds"
    low, high = int(min(epochs)), int(max(epochs))
    since = f"epoch {low}" if low == high else f"epochs {low} to {high}"
    return "ahead from the start" if high == 0 else f"ahead since {since}"


EXPERIMENT = claim.Experiment("win-plots", tell, network.sweeps(RECIPES))
