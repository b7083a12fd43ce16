"""How large a network has to be, how long its steps, and by what its errors are measured."""

from app.experiments import Table
from training.experiments import claim, network, table

SIZES = {
    "1 layer of 120": ("layers=1", "width=120"),
    "1 layer of 840": ("layers=1",),
    "120, 840, 120": (),
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
    label(size, step): network.varied(*settings).replace(USUAL, step)
    for step in (USUAL, *(step for step in STEPS if step != USUAL))
    for size, settings in reversed(SIZES.items())
} | {SQUARED: network.varied("error=squared")}


def tell(results: claim.Results) -> claim.Told:
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
    return claim.Told(
        [
            results.grid(
                "Games won against random in the end, both seats",
                "%",
                [[label(size, step) for step in STEPS] for size in SIZES],
                ("layers", "step size"),
                list(SIZES),
                STEPS,
                table.wins,
            ),
            results.strips(
                "Games won against random in the end, each seed, at one step size",
                "%",
                table.wins,
                (*(label(size, USUAL) for size in SIZES), SQUARED),
            ),
            network.won_by_epoch(
                results, (*(label(THREE, step) for step in STEPS), label(WIDE, USUAL))
            ),
        ],
        parts,
        Table(
            network.ENDS,
            {
                **{
                    f"{size}, the best step size": network.spread(seeds)
                    for size, seeds in best.items()
                },
                f"{THREE}, step size {STEPS[2]}": network.spread(steep),
                f"{THREE}, step size {USUAL}, Huber loss": network.spread(huber),
                f"{THREE}, step size {USUAL}, squared error": network.spread(
                    results.values(SQUARED, table.wins)
                ),
                "random moves": network.spread([network.RANDOM]),
            },
            "won against random",
        ),
    )


EXPERIMENT = claim.Experiment(
    id="network-size",
    title="How large a network has to be",
    claim="A smaller network of one hidden layer did not yield acceptable results, and simply more "
    "neurons did not improve it; a lower learning rate made a difference. The Huber loss and the "
    "mean squared error were similar.",
    sources=["codingronin"],
    where="The end of the section “Network Architecture”; on the losses, “Hyperparameters”; on the "
    "learning rate, “Conclusion”.",
    done="Three sizes were trained with three step sizes of Adam, and the usual network with the "
    f"squared error, each with {{seeds}} seeds. {network.SHORTER}",
    limits="The source does not say how long its single layer was trained, nor with what step "
    "size. By failed we mean within five percent of what random moves win, by no help less than "
    f"two. Whether both losses are similar is left open. {network.FEW}",
    agents=["dqn-vs-random"],
    parts=[
        claim.Part("One hidden layer fails.", "One hidden layer does not fail here."),
        claim.Part(
            "Three layers do better than one.", "Three layers do no better than a single wide one."
        ),
        claim.Part("More units in one layer do not help.", "More units in one layer do help."),
        claim.Part("A lower learning rate helps.", "A lower learning rate does not help."),
    ],
    sweeps=network.sweeps(RECIPES),
    tell=tell,
)
