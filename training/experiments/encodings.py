"""What a network can learn from, if it is told the same position in other numbers."""

from app.experiments import Curves, Histogram, Mark, Verdict
from training.experiments.claim import Experiment, Results, Told, percent
from training.experiments.network import (
    FEW,
    RANDOM,
    SHORTER,
    both,
    by_epoch,
    spread,
    sweeps,
    varied,
)
from training.experiments.table import WON, blunders, both_seats

ONE_HOT, FLAT, BITS, NUMBER = "one-hot", "flat", "bits", "bits as one number"
POINTS = 20
NOTHING = 5.0  # percent more than random wins are no learning to speak of


def tell(results: Results) -> Told:
    """Compare what they win in the end with each other and with moves at random."""
    wins = both_seats("random", WON)
    won = {label: results.values(label, wins) for label in (ONE_HOT, FLAT, BITS, NUMBER)}
    badly = max(won[FLAT]) < min(won[ONE_HOT])
    never = [max(won[label]) < RANDOM + NOTHING for label in (BITS, NUMBER)]
    verdict: Verdict = (
        "holds"
        if badly and all(never)
        else "holds in part"
        if badly or any(never)
        else "does not hold"
    )
    marks = [Mark(round(RANDOM, 2), "what random moves win")]
    return Told(
        [
            Curves(
                "Games won in each epoch of the training, both seats, sampled",
                "epochs",
                "%",
                [by_epoch(results, label, both("won"), POINTS) for label in won],
            ),
            Histogram(
                "Games won against random in the end, both seats",
                "%",
                [results.group(label, wins, marks) for label in won],
                True,
            ),
            Histogram(
                "Positions in which a move can give the result away",
                "blunders",
                [results.group(label, blunders) for label in won],
                True,
            ),
        ],
        verdict,
        f"Against random, where random moves win {percent(RANDOM)}, it wins "
        f"{spread(won[ONE_HOT])} from one-hot inputs, {spread(won[FLAT])} from a flat "
        f"array, {spread(won[BITS])} from twenty bits as twenty inputs, and {spread(won[NUMBER])} "
        f"from these bits as one number.",
    )


EXPERIMENT = Experiment(
    id="encodings",
    title="How a network reads a position",
    claim="A one-hot board can be learned from, a flat array of ten numbers only badly, because 2 "
    "is not better than 1, and twenty packed bits not at all.",
    project="network",
    where="The project of the deep Q-network, where it shows a position in three encodings.",
    done="The same network read each of them: 30 inputs of 0 and 1; ten numbers, 0 to 2; twenty "
    "bits, an input each; and these bits as one number from 0 to 1, since the source does not say "
    f"which of the two it means. {SHORTER} Each kind was trained with {{seeds}} seeds.",
    limits="All have the step size that suits one-hot inputs, and a longer training may bring them "
    f"closer. {FEW}",
    agents=["dqn-vs-random"],
    sweeps=sweeps(
        {
            ONE_HOT: varied(),
            FLAT: varied("encoding=flat"),
            BITS: varied("encoding=bits"),
            NUMBER: varied("encoding=number"),
        }
    ),
    tell=tell,
)
