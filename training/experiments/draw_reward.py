"""What a draw should be worth: from a loss to a win, step by step."""

from app.experiments import Bar, Bars, Histogram, Verdict
from training.experiments.claim import (
    FEWER,
    Experiment,
    Results,
    Sweep,
    Told,
    of,
    percent,
    wilson,
)
from training.experiments.table import (
    LOST,
    WON,
    Number,
    against,
    beaten_nowhere,
    both_seats,
    unbeatable_of,
)
from training.measures import END

STEPS = [step / 10 for step in range(11)]
BAD = 40.0
USUAL = {f"draw {step:g}": f"q-table,draw={step:g}" if step else "q-table" for step in STEPS}
NO_LOSS = {
    f"draw {step:g}, loss 0": f"q-table,draw={step:g},loss=0" if step else "q-table,loss=0"
    for step in (0.0, 0.5, 1.0)
}
FIRST, LAST = "draw 0", "draw 1"


def tell(results: Results) -> Told:
    """Compare the ends of the scale, and all between them."""
    lost, won = against("minimax-random", "o", LOST), both_seats("random", WON)
    bad = {label: [one >= BAD for one in results.values(label, lost)] for label in USUAL}
    wins = {label: results.median(label, won) for label in USUAL}
    cured, costs = sum(bad[LAST]) < sum(bad[FIRST]) / 10, wins[LAST] < wins[FIRST]
    verdict: Verdict = (
        "holds" if cured and costs else "holds in part" if cured or costs else "does not hold"
    )
    best = max(USUAL, key=lambda label: sum(map(beaten_nowhere, results[label])))
    return Told(
        [
            strip("Games lost as O against randomised minimax", lost, results),
            strip("Games won against random, both seats", won, results),
            Bars(
                title="Seeds that nobody can beat in either seat",
                unit="%",
                bars=[share(label, results) for label in (*USUAL, *NO_LOSS)],
                exact=False,
            ),
        ],
        verdict,
        f"At least {percent(BAD, 0)} as O are lost to randomised minimax by {of(bad[FIRST])} seeds "
        f"where a draw is worth 0, and by {of(bad[LAST])} where it is worth 1. The median seed "
        f"wins {percent(wins[FIRST])} and {percent(wins[LAST])} of both seats' games against "
        f"random. Most seeds that nobody can beat, {unbeatable_of(results, best)}, come of "
        f"{best.replace('draw ', 'a draw worth ')}.",
    )


def strip(title: str, value: Number, results: Results) -> Histogram:
    """Draw every reward's seeds."""
    groups = [results.group(label, value) for label in (*USUAL, *NO_LOSS)]
    return Histogram(title=title, unit="%", groups=groups, exact=True)


def share(label: str, results: Results) -> Bar:
    """Estimate how many seeds of a reward nobody can beat."""
    proved, total = sum(map(beaten_nowhere, results[label])), len(results[label])
    low, high = wilson(proved, total)
    return Bar(label, 100 * proved / total, 100 * low, 100 * high, total, results.recipes[label])


EXPERIMENT = Experiment(
    id="draw-reward",
    title="What a draw should be worth",
    claim="Raising the reward of a draw step by step to that of a win cures the bad runs and costs "
    "wins against random: about 95% remain as X and around 70% as O.",
    project="tabular",
    where="The article on tabular Q-learning, after its look at bad runs.",
    done="The recipe of q-table was trained with {seeds} seeds for each reward of a draw from 0 to "
    "1 in steps of 0.1, a loss being worth -1, and for three of them with a loss worth 0, as its "
    "author has it on a later page. The play of every seed is judged exactly.",
    limits="Only the draw's reward varies; step size, exploration and the number of games are the "
    "article's, and other ones may move where the best reward lies. " + FEWER,
    agents=["q-table", "q-table-draw-1"],
    sweeps=[Sweep(USUAL | NO_LOSS, END, 200)],
    tell=tell,
)
