"""The trainings that win every game against the player "fixed", over all learners together."""

from collections.abc import Sequence

from app.experiments import Table
from app.tictactoe.game import SEATS
from training.experiments.quantities import parse_condition
from training.experiments.results import Results, format_share


def tabulate_trainings(results: Results) -> Table:
    """Return the share of trainings that win every game or none, by seat and by opponents."""
    league = [label for label in results.recipe_by_label if "in the league" in label]
    alone = [label for label in results.recipe_by_label if label not in league]

    def format_trainings(
        labels: Sequence[str], seats: Sequence[str], percent: int = 100
    ) -> list[str]:
        """Return the share of trainings with this percent of games won."""
        conditions = [
            parse_condition(f"won as {seat} against fixed = {percent}", {})
            for seat in seats
        ]
        answers = [
            answer
            for label in labels
            for condition in conditions
            for answer in results.list_values(label, condition.is_met)
        ]
        return [format_share(answers)]

    rows = {
        "wins every game as X": format_trainings([*league, *alone], "x"),
        "wins every game as O": format_trainings([*league, *alone], "o"),
        "wins no game as O": format_trainings([*league, *alone], "o", 0),
        "trained in the league: wins every game in a seat": format_trainings(
            league, [*SEATS]
        ),
        "trained against “fixed” alone: wins every game in a seat": format_trainings(
            alone, [*SEATS]
        ),
    }
    return Table(["trainings"], rows)
