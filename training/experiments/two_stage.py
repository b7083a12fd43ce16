"""Whether an update at every ply is better than one at one's own moves."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, of, percent
from training.measures import MARKS

RECIPES = {"two-stage": "league", "one-stage": "league,stages=one"}
TWO, ONE = RECIPES


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare them in the end and on the way."""
    end, errors = results.medians(table.wins), results.medians(table.blunders)
    better, p = results.higher(TWO, ONE, table.wins)
    by_updates = table.ahead(*table.curves(results, table.WINS_LINE, (TWO, ONE)).series)
    per_game = results.medians(table.updates_per_game)
    return claim.Conclusion(
        [
            table.curves(results, table.WINS_LINE, by_games=True),
            table.curves(results, table.BLUNDERS_LINE, by_games=True),
            results.strips(table.WINS_IN_THE_END),
        ],
        [better],
        claim.compare(
            results.recipes,
            {
                f"won against random in the end, median (sign test: {chance(p)})": (percent, end),
                "blunders, median": (number, errors),
                "updates a game": ("{:.1f}".format, per_game),
                "points ahead, after as many updates": (of, {TWO: by_updates}),
            },
        ),
    )


EXPERIMENT = claim.Experiment("two-stage", tell, [claim.Sweep(RECIPES, MARKS)])
