"""Adding targets up instead of averaging them, as a reader of the tabular article might try."""

from app.experiments import Verdict
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

AVERAGE, SUM = "averages", "running sums"


def tell(results: claim.Results) -> claim.Told:
    """Compare both by what their play wins, and by proofs."""
    won = table.against("random", "o", table.WON)
    wins = results.medians(won)
    proved = results.each(table.beaten_nowhere)
    sums, averages = ((wins[label], sum(proved[label])) for label in (SUM, AVERAGE))
    worse = sums[0] < averages[0] and sums[1] < averages[1]
    better = sums[0] > averages[0] and sums[1] > averages[1]
    verdict: Verdict = (
        "not reproduced" if worse else "reproduced" if better else "partly reproduced"
    )
    return claim.Told(
        [
            results.strips("Games won as O against random", "%", won),
            table.blunder_strips(results),
            results.strips(
                "Games lost as O against randomised minimax",
                "%",
                table.against("minimax-random", "o", table.LOST),
            ),
        ],
        [not worse],
        claim.compare(
            results.recipes,
            {
                "won as O against random, median": (percent, wins),
                "unbeatable in both seats": (of, proved),
            },
        ),
        verdict,
    )


EXPERIMENT = claim.Experiment(
    "running-sum", tell, [claim.Sweep({AVERAGE: "q-table", SUM: "q-table,update=sum"}, END)]
)
