"""What its author did not try: a network for each seat, and a convolution."""

from app.experiments import Verdict
from training.experiments.claim import Experiment, Results, Told
from training.experiments.network import FEW, SHORTER, spread, sweeps, varied, won_by_epoch
from training.experiments.table import SEAT_NAMES, WON, against, blunder_strips, wins

SHARED, SEPARATE, CONVOLUTION = "one network", "one for each seat", "with a convolution"
VARIANTS = (SEPARATE, CONVOLUTION)


def tell(results: Results) -> Told:
    """Compare them with the usual network; where their seeds overlap nothing can be told."""
    won = results.each(wins, (SHARED, *VARIANTS))
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
    return Told(
        [
            won_by_epoch(results, won),
            *(
                results.strips(
                    f"Games won as {seat.upper()} against random in the end",
                    "%",
                    against("random", seat, WON),
                    won,
                )
                for seat in SEAT_NAMES
            ),
            blunder_strips(results, won),
        ],
        verdict,
        f"Against random, the mean of both seats, one network for both wins {spread(won[SHARED])}, "
        f"one for each seat {spread(won[SEPARATE])}, and one whose first layer is a convolution "
        f"{spread(won[CONVOLUTION])}. A variant counts as better or worse only where all of its "
        f"seeds are: {_count(better)} better, {_count(worse)} worse.",
    )


def _count(which: list[bool]) -> str:
    chosen = [label for label, true in zip(VARIANTS, which, strict=True) if true]
    return " and ".join(chosen) or "none"


EXPERIMENT = Experiment(
    id="separate-networks",
    title="A network for each seat, and a convolution",
    claim="A network for each seat, or a convolution, might do better.",
    project="network",
    where="The project of the deep Q-network, which names both and tried neither.",
    done="One network played both seats; or each seat had its own, with half of the steps each and "
    "a memory of its own moves; or the first layer looked at the four squares of 2 by 2 cells with "
    f"the same 30 filters, which makes the usual 120 units. {SHORTER} Each kind was trained with "
    "{seeds} seeds.",
    limits="A cyclic learning rate, the third thing that it names, was not tried here either, and "
    f"other convolutions may do better. {FEW}",
    agents=["dqn-vs-random"],
    sweeps=sweeps(
        {
            SHARED: varied(),
            SEPARATE: varied("networks=separate"),
            CONVOLUTION: varied("convolution=yes"),
        }
    ),
    tell=tell,
)
