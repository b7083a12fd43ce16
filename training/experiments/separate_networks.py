"""What its author did not try: a network for each seat, and a convolution."""

from app.experiments import Table, Verdict
from training.experiments import claim, network, table

SHARED, SEPARATE, CONVOLUTION = "one network", "one for each seat", "with a convolution"
VARIANTS = (SEPARATE, CONVOLUTION)


def tell(results: claim.Results) -> claim.Told:
    """Compare them with the usual network; where their seeds overlap nothing can be told."""
    won = results.each(table.wins, (SHARED, *VARIANTS))
    better = [min(won[label]) > max(won[SHARED]) for label in VARIANTS]
    worse = [max(won[label]) < min(won[SHARED]) for label in VARIANTS]
    verdict: Verdict = (
        "reproduced"
        if all(better)
        else "partly reproduced"
        if any(better)
        else "not reproduced"
        if all(worse)
        else "inconclusive"
    )
    return claim.Told(
        [
            network.won_by_epoch(results, won),
            *(
                results.strips(
                    f"Games won as {seat.upper()} against random in the end",
                    "%",
                    table.against("random", seat, table.WON),
                    won,
                )
                for seat in table.SEAT_NAMES
            ),
            table.blunder_strips(results, won),
        ],
        [any(better), any(worse)],
        Table(
            network.ENDS,
            {label: network.spread(seeds) for label, seeds in won.items()},
            "won against random, both seats",
        ),
        verdict,
    )


EXPERIMENT = claim.Experiment(
    "separate-networks",
    tell,
    network.sweeps(
        {
            SHARED: network.varied(),
            SEPARATE: network.varied("networks=separate"),
            CONVOLUTION: network.varied("convolution=yes"),
        }
    ),
)
