"""How many games until play is proved unbeatable: our own question."""

from collections.abc import Sequence

import numpy as np

from app.experiments import Bars, Verdict
from training.experiments import claim
from training.experiments.claim import number, of
from training.measures import EXACT_PROOF, PROOF, Proof

CHAMPION = "champion"
OTHERS = {
    "self-play": "self-play",
    "afterstates, itself": "td-afterstates,vs=self,symmetric=yes,games=200000",
    "q-table, itself": "q-table,vs=self,games=200000",
    "MENACE, itself": "menace,vs=self,plays=greedy,games=200000",
}
RECIPES = {CHAMPION: CHAMPION, **OTHERS}


def tell(results: claim.Results) -> claim.Told:
    """Compare when they are proved, and how many ever are."""
    proved = results.each(lambda run: run.games is not None)
    medians = {label: median_games(results[label]) for label in RECIPES}
    others = [games for label, games in medians.items() if label != CHAMPION and games is not None]
    champion = medians[CHAMPION]
    first = champion is not None and all(champion < games for games in others)
    verdict: Verdict = "reproduced" if first and all(proved[CHAMPION]) else "not reproduced"
    games = {label: round(one) for label, one in medians.items() if one is not None}
    stays = results.each(lambda run: run.stays is not None)
    return claim.Told(
        [
            results.strips(
                "Games until it is proved unbeatable in both seats",
                "games",
                lambda run: run.games,
                [label for label in RECIPES if all(proved[label])],
            ),
            Bars(
                "Seeds that are proved unbeatable at some time of their training",
                "%",
                [
                    claim.share(label, seeds, results.recipes[label])
                    for label, seeds in proved.items()
                ],
                exact=False,
            ),
            Bars(
                "Games until the median seed is proved",
                "games",
                [
                    results.bar(label, games)
                    for label, games in medians.items()
                    if games is not None
                ],
                exact=True,
                logarithmic=True,
            ),
        ],
        [first, all(proved[CHAMPION])],
        claim.compare(
            RECIPES,
            {
                "proved unbeatable at some time": (of, proved),
                "games until then, median": (number, games),
                "unbeatable to the end": (of, stays),
            },
        ),
        verdict,
    )


def median_games(runs: Sequence[Proof]) -> float | None:
    """Return the median of the games until the proof, or None where half are never proved."""
    games = [np.inf if run.games is None else run.games for run in runs]
    middle = float(np.median(games))
    return None if np.isinf(middle) else middle


EXPERIMENT = claim.Experiment(
    "games-to-proof",
    tell,
    [claim.Sweep({CHAMPION: CHAMPION}, EXACT_PROOF, 200), claim.Sweep(OTHERS, PROOF, 200)],
)
