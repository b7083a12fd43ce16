"""Q-iteration beside Q-learning, with as many sweeps."""

from training.experiments import claim, table
from training.experiments.claim import number, of
from training.measures import MARKS

RECIPES = {
    "Q-iteration": "q-iteration",
    "Q-learning 4": "q-learning,vs=random:226000+self:904000,start=every",
}
ITERATION, LEARNING = RECIPES


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare where they end, and how fast."""
    ends, clean = results.medians(table.blunders), results.each(table.faultless)
    on_the_way = table.curves(results, table.BLUNDERS_LINE)
    iteration, learning = on_the_way.series
    fewer = table.ahead(learning, iteration)
    better, faster = sum(clean[ITERATION]) > sum(clean[LEARNING]), sum(fewer) > len(fewer) / 2
    updates = {line.name: line.x[-1] for line in on_the_way.series}
    return claim.Conclusion(
        [
            on_the_way,
            results.strips(table.BLUNDERS),
        ],
        [better, faster],
        claim.compare(
            results.recipes,
            {
                "end without a blunder": (of, clean),
                "blunders in the end, median": (number, ends),
                "points of the curve with fewer blunders": (of, {ITERATION: fewer}),
                "updates of the 250 sweeps, median": (number, updates),
            },
        ),
        "reproduced" if better == faster else "inconclusive",
    )


EXPERIMENT = claim.Experiment("q-iteration-or-q-learning", tell, [claim.Sweep(RECIPES, MARKS)])
