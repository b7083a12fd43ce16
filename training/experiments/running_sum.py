"""Adding targets up instead of averaging them, as a reader of the tabular article might try."""

from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

RECIPES = {"averages": "q-table", "running sums": "q-table,update=sum"}
AVERAGE, SUM = RECIPES


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare both by what their play wins, and by proofs."""
    wins = results.medians(table.WON_AS_O.of)
    proved = results.each(table.beaten_nowhere)
    sums, averages = ((wins[label], sum(proved[label])) for label in (SUM, AVERAGE))
    worse = sums[0] < averages[0] and sums[1] < averages[1]
    better = sums[0] > averages[0] and sums[1] > averages[1]
    return claim.Conclusion(
        [
            results.strips(table.WON_AS_O),
            results.strips(table.BLUNDERS),
            results.strips(table.LOST_AS_O),
        ],
        [not worse],
        claim.compare(
            results.recipes,
            {
                "won as O against random, median": (percent, wins),
                "unbeatable in both seats": (of, proved),
            },
        ),
        claim.verdict_on(better, not worse),
    )


EXPERIMENT = claim.Experiment("running-sum", tell, [claim.Sweep(RECIPES, END)])
