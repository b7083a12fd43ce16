"""How many training runs win every game against "fixed", which plays the first empty square."""

from app.experiments import Table
from training.experiments.quantities import parse_quantity
from training.experiments.results import Results, format_share

# For each row: a text in the labels of the runs that it counts, the seats, and the percentage of games
# that the runs win there.
TABLE_ROWS = {
    "wins every game as X": ("", "x", 100),
    "wins every game as O": ("", "o", 100),
    "wins no game as O": ("", "o", 0),
    "in the league: wins every game, as X and O together": ("in the league", "xo", 100),
    "against “fixed” alone: wins every game, as X and O together": ("alone", "xo", 100),
}


def tabulate_trainings(results: Results) -> Table:
    rows = {}
    for row, (opponents, seats, percent) in TABLE_ROWS.items():
        won = [parse_quantity(f"won as {seat} against fixed", {}) for seat in seats]
        labels = [label for label in results.recipe_by_label if opponents in label]
        numbers = [results.list_values(label, one) for label in labels for one in won]
        rows[row] = [format_share(one == percent for every in numbers for one in every)]
    return Table(["training runs"], rows)
