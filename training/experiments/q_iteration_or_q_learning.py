"""Q-iteration beside Q-learning, with as many sweeps."""

from training.experiments import claim, table
from training.experiments.claim import number, of
from training.measures import MARKS

ITERATION, LEARNING = "Q-iteration", "Q-learning 4"


def tell(results: claim.Results) -> claim.Told:
    """Compare where they end, and how fast."""
    ends, clean = results.medians(table.blunders), results.each(table.faultless)
    on_the_way = table.blunder_curves(results)
    iteration, learning = on_the_way.series
    fewer = table.ahead(learning, iteration)
    better, faster = sum(clean[ITERATION]) > sum(clean[LEARNING]), sum(fewer) > len(fewer) / 2
    updates = {line.name: line.x[-1] for line in on_the_way.series}
    return claim.Told(
        [
            on_the_way,
            table.blunder_strips(results),
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


EXPERIMENT = claim.Experiment(
    id="q-iteration-or-q-learning",
    title="Q-iteration or Q-learning",
    claim="To compare Q-learning with his Q-iteration its author trained one agent by as many "
    "sweeps as the other, and gives no figures. We ask what he leaves open: is one of the two "
    "better, in the end and on the way?",
    sources=["flesch"],
    where="The section on Q-learning, on its fourth agent.",
    done="Both had 250 sweeps with {seeds} seeds, 50 against random and 200 against their own "
    "play: Q-iteration through every pair, Q-learning 4 through a game from every position. They "
    "were judged at 1, 2, 5, 10, ... updates.",
    limits="A sweep is not the same work for both: a game from every position makes fewer updates "
    "than there are pairs, so the curves are drawn over updates.",
    agents=["q-iteration", "q-learning-4"],
    parts=[
        claim.Part(
            "In the end more trainings of Q-iteration are without a blunder.",
            "In the end no more trainings of Q-iteration are without a blunder.",
        ),
        claim.Part(
            "After as many updates Q-iteration is ahead.",
            "After as many updates Q-learning is ahead.",
        ),
    ],
    sweeps=[
        claim.Sweep(
            {
                ITERATION: "q-iteration",
                LEARNING: "q-learning,vs=random:226000+self:904000,start=every",
            },
            MARKS,
        )
    ],
    tell=tell,
)
