"""Whether gamma matters to self-play."""

from app.experiments import Verdict
from training.experiments import claim, table
from training.experiments.claim import of
from training.measures import END

GAMMAS = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
RECIPES = {
    f"gamma {gamma}": "self-play" if gamma == "0.9" else f"self-play,gamma={gamma}"
    for gamma in GAMMAS
}


def tell(results: claim.Results) -> claim.Told:
    """Ask which gammas end without a blunder, and unbeatable."""
    proved, clean = results.each(table.beaten_nowhere), results.each(table.faultless)
    every = [all(seeds) for seeds in proved.values()]
    verdict: Verdict = (
        "reproduced" if all(every) else "partly reproduced" if sum(every) > 1 else "not reproduced"
    )
    return claim.Told(
        [
            table.blunder_strips(results),
            results.strips("Its value of the empty board: max Q", "", lambda run: run.start[-1]),
        ],
        [all(every)],
        claim.compare(
            RECIPES, {"unbeatable in both seats": (of, proved), "without a blunder": (of, clean)}
        ),
        verdict,
    )


EXPERIMENT = claim.Experiment(
    id="gamma",
    title="Whether gamma matters to self-play",
    claim="The value of gamma is not so important in this game, which is deterministic and has a "
    "finite horizon.",
    sources=["peek"],
    where="The section “Background”, on the discount factor.",
    done="The recipe of self-play was trained with {seeds} seeds for each gamma from 0.1 to 1. "
    "Every end was judged exactly: in how many positions it can blunder, and whether any "
    "opponent can win.",
    limits="After 200,000 games with much exploration all is known well. With fewer games gamma "
    "may matter more, as it says how much a late reward still counts at the first move.",
    agents=["self-play"],
    parts=[
        claim.Part(
            "Whatever the discount factor, self-play ends unbeatable.",
            "Not with every discount factor is every training unbeatable.",
        ),
    ],
    sweeps=[claim.Sweep(RECIPES, END)],
    tell=tell,
)
