"""What a network can learn from, if it is told the same position in other numbers."""

from app.experiments import Mark
from training.experiments import claim, network, table

RECIPES = {
    "one-hot": network.varied(),
    "flat": network.varied(encoding="flat"),
    "bits": network.varied(encoding="bits"),
    "bits as one number": network.varied(encoding="number"),
}
ONE_HOT, FLAT, BITS, NUMBER = RECIPES
NOTHING = 5.0  # percent more than random wins are no learning to speak of


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare what they win in the end with each other and with moves at random."""
    won = results.each(table.wins, RECIPES)
    badly = max(won[FLAT]) < min(won[ONE_HOT])
    never = [max(won[label]) < network.RANDOM + NOTHING for label in (BITS, NUMBER)]
    marks = [Mark(round(network.RANDOM, 2), "what random moves win")]
    return claim.Conclusion(
        [
            network.won_by_epoch(results, won),
            results.strips(table.WINS_IN_THE_END, won, marks),
            results.strips(table.BLUNDERS, won),
        ],
        [badly, never[1], never[0]],
        network.ends(won | {"random moves": [network.RANDOM]}, "won against random"),
        claim.verdict_on(badly, never[1]),
    )


EXPERIMENT = claim.Experiment("encodings", tell, network.sweeps(RECIPES))
