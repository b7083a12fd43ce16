"""Whether a high k at first hurts."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, percent
from training.measures import MARKS

STARTS = ("0.001", "0.01", "0.1", "1")
RECIPES = {
    f"k from {start}": "league" if start == "0.001" else f"league,k_start={start}"
    for start in STARTS
}
LOW, HIGH = "k from 0.001", "k from 0.1"


def tell(results: claim.Results) -> claim.Told:
    """Compare the starts."""
    end, errors = results.medians(table.wins), results.medians(table.blunders)
    p, q = results.sign_test(HIGH, LOW, table.wins), results.sign_test(HIGH, LOW, table.blunders)
    worse = end[HIGH] < end[LOW] and p < 0.05
    more = errors[HIGH] > errors[LOW] and q < 0.05
    ends = ", ".join(
        f"{percent(end[label])} ({number(errors[label])} blunders) with {label}"
        for label in RECIPES
    )
    return claim.Told(
        [
            table.win_curves(results, by_games=True),
            results.strips("Games won against random in the end, both seats", "%", table.wins),
            results.strips(f"{table.GIVEN_AWAY}, in the end", "blunders", table.blunders),
        ],
        claim.verdict_on(worse, more),
        f"The median seed wins against random {ends}. From 0.1 instead of 0.001, seed by "
        f"seed: {chance(p)} for the wins, {chance(q)} for the blunders (sign test).",
    )


EXPERIMENT = claim.Experiment(
    id="k-start",
    title="Where k begins",
    claim="Starting k too high, at 0.1, hurts.",
    project="league",
    where="The report on the league, on its choice of parameters.",
    done="The plain learner was trained for 10,000 rounds of the league with {seeds} seeds for "
    "each start of k, which grows by 0.001 at every update as there, and judged on the way.",
    limits="Only this learner's k varies; the others begin where they always do. Below 1 a small k "
    "prefers low values, so a small start is exploration by contrariness.",
    agents=["q-learning-player"],
    sweeps=[claim.Sweep(RECIPES, MARKS)],
    tell=tell,
)
