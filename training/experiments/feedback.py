"""Whether a learner that never explores only confirms what it holds already."""

from training.experiments import claim, table
from training.experiments.claim import number, percent
from training.measures import END

EPSILONS = ("0", "0.1", "0.3", "0.5", "0.7", "1")
INITIALS = ("-1", "0", "1")
LITTLE = 1.0  # percent won that make no difference


def label(initial: str, epsilon: str) -> str:
    """Name a cell of the grid."""
    return f"Q0 {initial}, epsilon {epsilon}"


RECIPES = {
    label(initial, epsilon): f"q-table,epsilon={epsilon},epsilon_drop=0,initial={initial}"
    for initial in INITIALS
    for epsilon in EPSILONS
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare no exploration with the best exploration, for each starting value."""
    none = {start: results.median(label(start, "0"), table.wins) for start in INITIALS}
    best = {
        start: max(results.median(label(start, epsilon), table.wins) for epsilon in EPSILONS[1:])
        for start in INITIALS
    }
    behind = {start: best[start] - none[start] > LITTLE for start in INITIALS}
    met = {start: results.median(label(start, "0"), table.known) for start in INITIALS}
    axes = claim.Axes(("starting value", "epsilon"), INITIALS, EPSILONS, label)
    return claim.Conclusion(
        [
            results.grid(table.WINS, axes),
            results.grid(table.KNOWN, axes),
        ],
        [behind["0"], behind["1"]],
        claim.compare(
            INITIALS,
            {
                "won against random without exploration": (percent, none),
                "won with the best epsilon above 0": (percent, best),
                "positions updated without exploration, of 627": (number, met),
            },
            "median seed, all values starting at",
        ),
        claim.verdict_on(behind["0"]),
    )


EXPERIMENT = claim.Experiment("feedback", tell, [claim.Sweep(RECIPES, END)])
