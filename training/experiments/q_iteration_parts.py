"""Which parts of Q-iteration make it surprisingly good."""

from training.experiments import claim, table
from training.experiments.claim import number, of
from training.measures import END

PHASES = {
    "random, then itself": "",
    "random only": ",vs=random",
    "itself only": ",vs=self",
}
RECIPES = {
    f"{phases}, {losses}": f"q-iteration{vs}{sticky}"
    for phases, vs in PHASES.items()
    for losses, sticky in (("losses stick", ""), ("no sticking", ",sticky=no"))
}
WHOLE = "random, then itself, losses stick"


def tell(results: claim.Results) -> claim.Conclusion:
    """Take it apart."""
    median, clean = results.medians(table.blunders), results.each(table.faultless)
    by_itself = all(all(clean[label]) == ("itself" in label) for label in RECIPES)
    return claim.Conclusion(
        [
            results.strips(table.BLUNDERS),
            results.strips(
                claim.Quantity(
                    "How much the best responders of both seats gain",
                    "NashConv",
                    lambda run: run.figures.nash_conv[-1],
                )
            ),
        ],
        [all(clean[WHOLE]), by_itself],
        claim.compare(
            RECIPES,
            {
                "without a blunder": (of, clean),
                "blunders, median": (number, median),
                "unbeatable in both seats": (of, results.each(table.beaten_nowhere)),
            },
        ),
        claim.verdict_on(*clean[WHOLE]),
    )


EXPERIMENT = claim.Experiment("q-iteration-parts", tell, [claim.Sweep(RECIPES, END)])
