"""How many games until play is proved unbeatable: our own question."""

import numpy as np

from training.experiments import claim, table
from training.experiments.claim import number, of
from training.measures import EXACT_PROOF, PROOF

CHAMPION = "champion"
OTHERS = {
    "self-play": "self-play",
    "afterstates, itself": "td-afterstates,vs=self,symmetric=yes,games=200000",
    "q-table, itself": "q-table,vs=self,games=200000",
    "MENACE, itself": "menace,vs=self,plays=greedy,games=200000",
}
RECIPES = {CHAMPION: CHAMPION, **OTHERS}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare when they are proved, and how many ever are."""
    proved = results.each(lambda run: run.games is not None)
    medians = {label: table.median_games(results[label]) for label in RECIPES}
    first = all(medians[CHAMPION] < medians[label] for label in OTHERS)
    games = {label: round(one) for label, one in medians.items() if one < np.inf}
    stays = results.each(lambda run: run.stays is not None)
    return claim.Conclusion(
        table.proof_figures(
            results,
            "Games until it is proved unbeatable in both seats",
            "Seeds that are proved unbeatable at some time of their training",
        ),
        [first, all(proved[CHAMPION])],
        claim.compare(
            RECIPES,
            {
                "proved unbeatable at some time": (of, proved),
                "games until then, median": (number, games),
                "unbeatable to the end": (of, stays),
            },
        ),
        claim.verdict_on(first and all(proved[CHAMPION])),
    )


EXPERIMENT = claim.Experiment(
    "games-to-proof",
    tell,
    [claim.Sweep({CHAMPION: CHAMPION}, EXACT_PROOF, 200), claim.Sweep(OTHERS, PROOF, 200)],
)
