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
    id="running-sum",
    title="Adding up instead of averaging",
    claim="For this game a moving average does not seem to be needed: one could probably just add "
    "new values to the total.",
    sources=["nested-software"],
    where="The introduction, on the exponential moving average; a thought, which was not tried.",
    done="The recipe of q-table was trained with {seeds} seeds as it is, and as often with an "
    "update that adds alpha times the target and takes nothing of the old value away. The play of "
    "every seed is judged exactly.",
    limits="Other step sizes may suit sums better; only the article's 0.4 was tried. Sums have no "
    "limit to go to, so they only rank moves and say nothing of what a position is worth.",
    agents=["q-table"],
    parts=[
        claim.Part("Sums do as well as averages.", "Sums play worse than averages."),
    ],
    sweeps=[claim.Sweep({AVERAGE: "q-table", SUM: "q-table,update=sum"}, END)],
    tell=tell,
)
