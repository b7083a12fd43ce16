"""What a network can learn from, if it is told the same position in other numbers."""

from app.experiments import Mark, Table
from training.experiments import claim, network, table

ONE_HOT, FLAT, BITS, NUMBER = "one-hot", "flat", "bits", "bits as one number"
NOTHING = 5.0  # percent more than random wins are no learning to speak of


def tell(results: claim.Results) -> claim.Told:
    """Compare what they win in the end with each other and with moves at random."""
    won = results.each(table.wins, (ONE_HOT, FLAT, BITS, NUMBER))
    badly = max(won[FLAT]) < min(won[ONE_HOT])
    never = [max(won[label]) < network.RANDOM + NOTHING for label in (BITS, NUMBER)]
    marks = [Mark(round(network.RANDOM, 2), "what random moves win")]
    return claim.Told(
        [
            network.won_by_epoch(results, won),
            results.strips(
                "Games won against random in the end, both seats", "%", table.wins, won, marks
            ),
            table.blunder_strips(results, won),
        ],
        [badly, never[1], never[0]],
        Table(
            network.ENDS,
            {
                **{label: network.spread(seeds) for label, seeds in won.items()},
                "random moves": network.spread([network.RANDOM]),
            },
            "won against random",
        ),
        claim.verdict_on(badly, never[1]),
    )


EXPERIMENT = claim.Experiment(
    id="encodings",
    title="How a network reads a position",
    claim="A flat array of ten numbers did not yield good results, as 2 is not better than 1; "
    "one-hot inputs did. From twenty bits, which a single integer can hold, the network would not "
    "be able to learn: that is a prediction, which was not tried.",
    sources=["codingronin"],
    where="The sections “Bit Encoding”, “No Encoding (Flat Array)” and “One Hot Encoding”.",
    done="The same network read each of them: 30 inputs of 0 and 1; ten numbers, 0 to 2; twenty "
    "bits as one number from 0 to 1, the single integer of the source; and the bits as an input "
    f"each, which we add. {network.SHORTER} Each kind was trained with {{seeds}} seeds.",
    limits="All have the step size that suits one-hot inputs, and a longer training may bring them "
    f"closer. {network.FEW}",
    agents=["dqn-vs-random"],
    parts=[
        claim.Part(
            "From a flat array the network learns worse than from one-hot inputs.",
            "From a flat array the network learns no worse than from one-hot inputs.",
        ),
        claim.Part(
            "From the bits as one integer it learns nothing.",
            "From the bits as one integer it does learn something.",
        ),
        claim.Part(
            "From the bits as separate inputs it learns nothing.",
            "From the bits as separate inputs, which its author did not try, it does learn.",
        ),
    ],
    sweeps=network.sweeps(
        {
            ONE_HOT: network.varied(),
            FLAT: network.varied("encoding=flat"),
            BITS: network.varied("encoding=bits"),
            NUMBER: network.varied("encoding=number"),
        }
    ),
    tell=tell,
)
