"""Adding targets up instead of averaging them, as a reader of the tabular article might try."""

from app.experiments import Histogram, Verdict
from training.experiments.claim import Experiment, Results, Sweep, Told, percent
from training.experiments.table import LOST, WON, against, beaten_nowhere, blunders, unbeatable_of
from training.measures import END

AVERAGE, SUM = "averages", "running sums"


def tell(results: Results) -> Told:
    """Compare both by what their play wins, and by proofs."""
    wins = {label: results.median(label, against("random", "o", WON)) for label in (AVERAGE, SUM)}
    proved = {label: sum(map(beaten_nowhere, results[label])) for label in (AVERAGE, SUM)}
    worse = wins[SUM] < wins[AVERAGE] and proved[SUM] < proved[AVERAGE]
    better = wins[SUM] > wins[AVERAGE] and proved[SUM] > proved[AVERAGE]
    verdict: Verdict = "does not hold" if worse else "holds" if better else "holds in part"
    return Told(
        [
            Histogram(
                title="Games won as O against random",
                unit="%",
                groups=[results.group(label, against("random", "o", WON)) for label in wins],
                exact=True,
            ),
            Histogram(
                title="Positions in which a move can give the result away",
                unit="blunders",
                groups=[results.group(label, blunders) for label in wins],
                exact=True,
            ),
            Histogram(
                title="Games lost as O against randomised minimax",
                unit="%",
                groups=[
                    results.group(label, against("minimax-random", "o", LOST)) for label in wins
                ],
                exact=True,
            ),
        ],
        verdict,
        f"As O against random the median seed wins {percent(wins[SUM])} with sums and "
        f"{percent(wins[AVERAGE])} with averages. Nobody can beat {unbeatable_of(results, SUM)} "
        f"seeds with sums in either seat, and {unbeatable_of(results, AVERAGE)} with averages.",
    )


EXPERIMENT = Experiment(
    id="running-sum",
    title="Adding up instead of averaging",
    claim="New values could perhaps just be added up instead of averaged in.",
    project="tabular",
    where="The article on tabular Q-learning, in passing, as a thought.",
    done="The recipe of q-table was trained with {seeds} seeds as it is, and as often with an "
    "update that adds alpha times the target and takes nothing of the old value away. The play of "
    "every seed is judged exactly.",
    limits="Other step sizes may suit sums better; only the article's 0.4 was tried. Sums have no "
    "limit to go to, so they only rank moves and say nothing of what a position is worth.",
    agents=["q-table"],
    sweeps=[Sweep({AVERAGE: "q-table", SUM: "q-table,update=sum"}, END)],
    tell=tell,
)
