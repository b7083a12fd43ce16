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


def tell(results: claim.Results) -> claim.Told:
    """Take it apart."""
    median, clean = results.medians(table.blunders), results.each(table.faultless)
    by_itself = all(all(clean[label]) == ("itself" in label) for label in RECIPES)
    return claim.Told(
        [
            table.blunder_strips(results),
            results.strips(
                "How much the best responders of both seats gain",
                "NashConv",
                lambda run: run.figures.nash_conv[-1],
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


EXPERIMENT = claim.Experiment(
    id="q-iteration-parts",
    title="Which parts of Q-iteration it needs",
    claim="The results of Q-iteration are surprisingly good, given that its update does not take "
    "the stochastic opponent into account.",
    sources=["flesch"],
    where="The section on Q-iteration, its last sentence.",
    done="Its three parts were switched on and off: that a value which is a loss is never updated "
    "again, the sweeps against random, and the sweeps against its own play. Each of the six "
    "combinations had 250 sweeps with {seeds} seeds, and its play was judged in every position.",
    limits="Gamma is 1, as in his runs (his text says below 1); below 1 a loss is seldom a loss "
    "exactly, so nothing would stick.",
    agents=["q-iteration"],
    parts=[
        claim.Part(
            "Every training ends in perfect play.", "Not every training ends in perfect play."
        ),
        claim.Part(
            "With sweeps against its own play that is so even if losses do not stick; without them "
            "it is not.",
            "It does not depend on the sweeps against its own play alone.",
        ),
    ],
    sweeps=[claim.Sweep(RECIPES, END)],
    tell=tell,
)
