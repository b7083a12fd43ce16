"""Whether gamma matters to self-play."""

from training.experiments import claim, table
from training.experiments.claim import of
from training.measures import END

GAMMAS = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
RECIPES = {f"gamma {gamma}": f"self-play,gamma={gamma}" for gamma in GAMMAS}


def tell(results: claim.Results) -> claim.Conclusion:
    """Ask which gammas end without a blunder, and unbeatable."""
    proved, clean = results.each(table.beaten_nowhere), results.each(table.faultless)
    every = [all(seeds) for seeds in proved.values()]
    return claim.Conclusion(
        [
            results.strips(table.BLUNDERS),
            results.strips(
                claim.Quantity("Its value of the empty board: max Q", "", lambda run: run.start[-1])
            ),
        ],
        [all(every)],
        claim.compare(
            RECIPES, {"unbeatable in both seats": (of, proved), "without a blunder": (of, clean)}
        ),
        claim.verdict_on(all(every), sum(every) > 1),
    )


EXPERIMENT = claim.Experiment("gamma", tell, [claim.Sweep(RECIPES, END)])
