"""Whether an update at every ply is better than one at one's own moves."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, of, percent
from training.measures import MARKS

TWO, ONE = "two-stage", "one-stage"


def tell(results: claim.Results) -> claim.Told:
    """Compare them in the end and on the way."""
    end, errors = results.medians(table.wins), results.medians(table.blunders)
    p = results.sign_test(TWO, ONE, table.wins)
    better = end[TWO] > end[ONE] and p < 0.05
    by_updates = table.ahead(*table.win_curves(results, (TWO, ONE)).series)
    per_game = results.medians(table.updates_per_game)
    return claim.Told(
        [
            table.win_curves(results, by_games=True),
            table.blunder_curves(results, by_games=True),
            results.strips("Games won against random in the end, both seats", "%", table.wins),
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


EXPERIMENT = claim.Experiment(
    "two-stage", tell, [claim.Sweep({TWO: "league", ONE: "league,stages=one"}, MARKS)]
)
