"""Q-iteration beside Q-learning, with as many sweeps."""

from app.experiments import Curves, Histogram, Verdict
from training.experiments.claim import FEWER, Experiment, Results, Sweep, Told, number, of
from training.experiments.table import blunders, blunders_line, curve
from training.measures import MARKS

ITERATION, LEARNING = "Q-iteration", "Q-learning 4"


def tell(results: Results) -> Told:
    """Compare where they end, and how fast."""
    ends = {label: results.median(label, blunders) for label in (ITERATION, LEARNING)}
    clean = {
        label: [blunders(run) == 0 for run in results[label]] for label in (ITERATION, LEARNING)
    }
    lines = {label: curve(results, label, blunders_line) for label in (ITERATION, LEARNING)}
    theirs = dict(zip(lines[LEARNING].x, lines[LEARNING].median, strict=True))
    fewer = [
        median < theirs[x]
        for x, median in zip(lines[ITERATION].x, lines[ITERATION].median, strict=True)
        if x in theirs
    ]
    better, faster = sum(clean[ITERATION]) > sum(clean[LEARNING]), sum(fewer) > len(fewer) / 2
    verdict: Verdict = (
        "holds" if better and faster else "holds in part" if better or faster else "does not hold"
    )
    updates = {label: lines[label].x[-1] for label in lines}
    return Told(
        [
            Curves(
                "Positions in which a move can give the result away",
                "updates",
                "blunders",
                list(lines.values()),
                logarithmic=True,
            ),
            Histogram(
                "The same in the end",
                "blunders",
                [results.group(label, blunders) for label in (ITERATION, LEARNING)],
                True,
            ),
        ],
        verdict,
        f"{of(clean[ITERATION])} seeds of Q-iteration end without a blunder, and "
        f"{of(clean[LEARNING])} of Q-learning 4 (medians {number(ends[ITERATION])} and "
        f"{number(ends[LEARNING])}). After as many updates Q-iteration has fewer at {of(fewer)} "
        f"points; the 250 sweeps are {number(updates[ITERATION])} updates of the one and "
        f"{number(updates[LEARNING])} of the other (medians).",
    )


EXPERIMENT = Experiment(
    id="q-iteration-or-q-learning",
    title="Q-iteration or Q-learning",
    claim="Q-iteration does as well as Q-learning that begins in every position, or better. The "
    "page sets out to compare them and gives no figures.",
    project="heatmap",
    where="The text of the page, which introduces both and says which seems good.",
    done="Both had 250 sweeps with {seeds} seeds, 50 against random and 200 against their own "
    "play: Q-iteration through every pair, Q-learning 4 through a game from every position. They "
    "were judged at 1, 2, 5, 10, ... updates.",
    limits="A sweep is not the same work for both: a game from every position makes fewer updates "
    "than there are pairs, so the curves are drawn over updates. " + FEWER,
    agents=["q-iteration", "q-learning-4"],
    sweeps=[
        Sweep(
            {
                ITERATION: "q-iteration",
                LEARNING: "q-learning,vs=random:226000+self:904000,start=every",
            },
            MARKS,
            60,
        )
    ],
    tell=tell,
)
