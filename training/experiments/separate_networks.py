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
    id="separate-networks",
    title="A network for each seat, and a convolution",
    claim="A separate network for each player may be more optimal, and convolutional ones might "
    "yield better results; neither was tried.",
    sources=["codingronin"],
    where="The section “Future Works”.",
    done=f"One network played both seats; or each seat had its own, with half of the steps each "
    f"and a replay buffer of its own moves; or the first layer was a convolution, 30 filters at "
    f"the four places of 2 by 2 cells, which makes the usual 120 units. {network.SHORTER} Each "
    f"kind was trained with {{seeds}} seeds.",
    limits="A cyclic learning rate, the third thing that it names, was not tried here either, and "
    f"other convolutions may do better. By better or worse we mean that all seeds are. "
    f"{network.FEW}",
    agents=["dqn-vs-random"],
    parts=[
        claim.Part(
            "One of the two does better than the usual network.",
            "Neither of the two is clearly better than the usual network.",
        ),
        claim.Part(
            "One of them does worse.",
            "Neither is clearly worse: more seeds or longer trainings would have to tell.",
        ),
    ],
    sweeps=network.sweeps(
        {
            SHARED: network.varied(),
            SEPARATE: network.varied("networks=separate"),
            CONVOLUTION: network.varied("convolution=yes"),
        }
    ),
    tell=tell,
)
