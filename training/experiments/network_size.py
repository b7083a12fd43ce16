"""How large a network has to be, how long its steps, and by what its errors are measured."""

from training.experiments import claim, network, table

SIZES: dict[str, dict[str, object]] = {
    "1 layer of 120": {"layers": 1, "width": 120},
    "1 layer of 840": {"layers": 1},
    "120, 840, 120": {},
}
NARROW, WIDE, THREE = SIZES
STEPS = ("0.00003", "0.0003", "0.003")
USUAL = STEPS[1]
SQUARED = "squared error"
FAILED = 5.0  # percent more than random wins at most
ALIKE = 2.0  # percent


def label(size: str, step: str) -> str:
    """Name a recipe in the figures."""
    return f"{size}, step size {step}"


RECIPES = {
    label(size, step): network.varied(step_size=step, **settings)
    for step in (USUAL, *(step for step in STEPS if step != USUAL))
    for size, settings in reversed(SIZES.items())
} | {SQUARED: network.varied(error="squared")}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare each size at the step size that suits it best, and then the rest."""
    won = results.each(table.wins, RECIPES)
    best = {
        size: max(
            (won[label(size, step)] for step in STEPS),
            key=lambda values: sorted(values)[len(values) // 2],
        )
        for size in SIZES
    }
    huber, steep = won[label(THREE, USUAL)], won[label(THREE, STEPS[2])]
    parts = [
        max(best[NARROW] + best[WIDE]) < network.RANDOM + FAILED,
        max(best[NARROW] + best[WIDE]) < min(best[THREE]),
        max(best[WIDE]) < max(best[NARROW]) + ALIKE,
        max(steep) < min(huber),
    ]
    at_one = "Games won against random in the end, each seed, at one step size"
    return claim.Conclusion(
        [
            results.grid(
                table.WINS_IN_THE_END,
                claim.Axes(("layers", "step size"), list(SIZES), STEPS, label),
            ),
            results.strips(
                table.WINS._replace(title=at_one),
                (*(label(size, USUAL) for size in SIZES), SQUARED),
            ),
            network.won_by_epoch(
                results, (*(label(THREE, step) for step in STEPS), label(WIDE, USUAL))
            ),
        ],
        parts,
        network.ends(
            {f"{size}, the best step size": seeds for size, seeds in best.items()}
            | {
                f"{THREE}, step size {STEPS[2]}": steep,
                f"{THREE}, step size {USUAL}, Huber loss": huber,
                f"{THREE}, step size {USUAL}, squared error": results.values(SQUARED, table.wins),
                "random moves": [network.RANDOM],
            },
            "won against random",
        ),
    )


EXPERIMENT = claim.Experiment("network-size", tell, network.sweeps(RECIPES))
