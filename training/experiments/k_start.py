"""Whether a high k at first hurts."""

from app.experiments import Curves, Histogram, Verdict
from training.experiments.claim import (
    FEWER,
    Experiment,
    Results,
    Sweep,
    Told,
    chance,
    number,
    percent,
    sign_test,
)
from training.experiments.table import WON, blunders, both_seats, both_wins, curve
from training.measures import MARKS

STARTS = ("0.001", "0.01", "0.1", "1")
RECIPES = {
    f"k from {start}": "league" if start == "0.001" else f"league,k_start={start}"
    for start in STARTS
}
LOW, HIGH = "k from 0.001", "k from 0.1"


def tell(results: Results) -> Told:
    """Compare the starts."""
    wins = both_seats("random", WON)
    end = {label: results.median(label, wins) for label in RECIPES}
    errors = {label: results.median(label, blunders) for label in RECIPES}
    p = sign_test(results.values(HIGH, wins), results.values(LOW, wins))
    q = sign_test(results.values(HIGH, blunders), results.values(LOW, blunders))
    worse = end[HIGH] < end[LOW] and p < 0.05
    more = errors[HIGH] > errors[LOW] and q < 0.05
    verdict: Verdict = (
        "holds" if worse and more else "holds in part" if worse or more else "does not hold"
    )
    ends = ", ".join(
        f"{percent(end[label])} ({number(errors[label])} blunders) with {label}"
        for label in RECIPES
    )
    return Told(
        [
            Curves(
                "Games won against random, both seats",
                "games",
                "%",
                [curve(results, label, both_wins("random"), by_games=True) for label in RECIPES],
                logarithmic=True,
            ),
            Histogram(
                "Games won against random in the end, both seats",
                "%",
                [results.group(label, wins) for label in RECIPES],
                True,
            ),
            Histogram(
                "Positions in which a move can give the result away, in the end",
                "blunders",
                [results.group(label, blunders) for label in RECIPES],
                True,
            ),
        ],
        verdict,
        f"The median seed wins against random {ends}. From 0.1 instead of 0.001, seed by "
        f"seed: {chance(p)} for the wins, {chance(q)} for the blunders (sign test).",
    )


EXPERIMENT = Experiment(
    id="k-start",
    title="Where k begins",
    claim="Starting k too high, at 0.1, hurts.",
    project="league",
    where="The report on the league, on its choice of parameters.",
    done="The plain learner was trained for 10,000 rounds of the league with {seeds} seeds for "
    "each start of k, which grows by 0.001 at every update as there, and judged on the way.",
    limits="Only this learner's k varies; the others begin where they always do. Below 1 a small k "
    "prefers low values, so a small start is exploration by contrariness. " + FEWER,
    agents=["q-learning-player"],
    sweeps=[Sweep(RECIPES, MARKS, 50)],
    tell=tell,
)
