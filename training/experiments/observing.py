"""Whether learning from the opponent's moves too is better, and for how long."""

from app.experiments import Mark
from training.experiments import claim, table
from training.experiments.claim import chance, number, percent
from training.measures import MARKS

RECIPES = {"own moves only": "league", "observing": "league,observing=yes"}
PLAIN, OBSERVING = RECIPES
MOVES = 8_000
LITTLE = 1.0  # percent that are no improvement any more


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare them, and find where observing stops improving."""
    end, (better, p) = results.medians(table.wins), results.higher(OBSERVING, PLAIN, table.wins)
    plies = results.median(PLAIN, table.updates_per_game)
    mark = Mark(round(MOVES / plies), "reported: done after 8,000 moves")
    won = table.curves(results, table.WINS_LINE, by_games=True, marks=[mark])
    _, line = won.series
    done = next(
        x
        for x, median in zip(line.x, line.median, strict=True)
        if max(line.median) - median <= LITTLE
    )
    moves = done * plies
    soon = MOVES / 2 <= moves <= MOVES * 2
    return claim.Conclusion(
        [
            won,
            results.strips(table.WINS_IN_THE_END),
            table.curves(results, table.BLUNDERS_LINE, by_games=True),
        ],
        [better, soon],
        claim.compare(
            [OBSERVING, PLAIN],
            {
                f"won against random in the end, median (sign test: {chance(p)})": (percent, end),
                f"moves until within {percent(LITTLE, 0)} of its best median": (
                    number,
                    {OBSERVING: round(moves, -2)},
                ),
                "moves of the whole training": (number, {OBSERVING: round(line.x[-1] * plies, -2)}),
            },
        ),
    )


EXPERIMENT = claim.Experiment("observing", tell, [claim.Sweep(RECIPES, MARKS)])
