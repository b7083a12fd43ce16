"""Whether a high k at first hurts."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, percent
from training.measures import END, MARKS

STARTS = ("0.001", "0.01", "0.1", "1")
RECIPES = {f"k from {start}": f"league,k_start={start}" for start in STARTS}
LOW, HIGH = "k from 0.001", "k from 0.1"
FIXED = {
    f"{LOW}, against fixed": "league,vs=fixed",
    f"{HIGH}, against fixed": "league,vs=fixed,k_start=0.1",
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare the starts."""
    end, errors = results.medians(table.wins, RECIPES), results.medians(table.blunders, RECIPES)
    beats = table.both_seats("fixed", table.WON)
    beaten = {
        start: sum(results.values(label, beats)) / len(results[label])
        for start, label in zip((LOW, HIGH), FIXED, strict=True)
    }
    r = results.sign_test(f"{LOW}, against fixed", f"{HIGH}, against fixed", beats)
    degrades = beaten[HIGH] < beaten[LOW] and r < claim.SIGNIFICANT
    worse, p = results.higher(LOW, HIGH, table.wins)
    more, q = results.higher(HIGH, LOW, table.blunders)
    return claim.Conclusion(
        [
            results.strips(
                claim.Quantity("Trained with the fixed player: games won against it", "%", beats),
                FIXED,
            ),
            table.curves(results, table.WINS_LINE, RECIPES, by_games=True),
            results.strips(table.WINS_IN_THE_END, RECIPES),
            results.strips(table.BLUNDERS, RECIPES),
        ],
        [degrades, worse or more],
        claim.compare(
            RECIPES,
            {
                f"won against fixed, trained with it (sign test: {chance(r)})": (percent, beaten),
                f"won against random after a league (0.1 or 0.001: {chance(p)})": (percent, end),
                f"blunders after a league (0.1 or 0.001: {chance(q)})": (number, errors),
            },
        ),
        claim.verdict_on(degrades),
    )


EXPERIMENT = claim.Experiment(
    "k-start", tell, [claim.Sweep(RECIPES, MARKS), claim.Sweep(FIXED, END)]
)
