"""What its author did not try: a network for each seat, and a convolution."""

from app.experiments import Verdict
from training.experiments import claim, network, table

SHARED, SEPARATE, CONVOLUTION = "one network", "one for each seat", "with a convolution"
VARIANTS = (SEPARATE, CONVOLUTION)


def tell(results: claim.Results) -> claim.Told:
    """Compare them with the usual network; where their seeds overlap nothing can be told."""
    won = results.each(table.wins, (SHARED, *VARIANTS))
    better = [min(won[label]) > max(won[SHARED]) for label in VARIANTS]
    worse = [max(won[label]) < min(won[SHARED]) for label in VARIANTS]
    verdict: Verdict = (
        "holds"
        if all(better)
        else "holds in part"
        if any(better)
        else "does not hold"
        if all(worse)
        else "cannot be told from this"
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
        verdict,
        "Against random, the mean of both seats, one network for both wins "
        f"{network.spread(won[SHARED])}, one for each seat {network.spread(won[SEPARATE])}, and "
        f"one whose first layer is a convolution {network.spread(won[CONVOLUTION])}. A variant "
        f"counts as better or worse only where all of its seeds are: {_count(better)} better, "
        f"{_count(worse)} worse.",
    )


def _count(which: list[bool]) -> str:
    chosen = [label for label, true in zip(VARIANTS, which, strict=True) if true]
    return " and ".join(chosen) or "none"


EXPERIMENT = claim.Experiment(
    id="separate-networks",
    title="A network for each seat, and a convolution",
    claim="A network for each seat, or a convolution, might do better.",
    project="network",
    where="The project of the deep Q-network, which names both and tried neither.",
    done="One network played both seats; or each seat had its own, with half of the steps each and "
    "a memory of its own moves; or the first layer looked at the four squares of 2 by 2 cells with "
    f"the same 30 filters, which makes the usual 120 units. {network.SHORTER} Each kind was "
    "trained with {seeds} seeds.",
    limits="A cyclic learning rate, the third thing that it names, was not tried here either, and "
    f"other convolutions may do better. {network.FEW}",
    agents=["dqn-vs-random"],
    sweeps=network.sweeps(
        {
            SHARED: network.varied(),
            SEPARATE: network.varied("networks=separate"),
            CONVOLUTION: network.varied("convolution=yes"),
        }
    ),
    tell=tell,
)
