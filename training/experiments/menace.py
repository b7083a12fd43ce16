"""How many games MENACE needs until it draws with a perfect player."""

from collections.abc import Sequence

from app.experiments import Curves, Mark, Series, Table
from training.experiments import claim, table
from training.experiments.claim import number, percent
from training.measures import MARKS

PERFECT, RANDOM, ITSELF = "against a perfect player", "against random", "against itself"
GREEDY = "against a perfect player, most beads played"
RECIPES = {
    PERFECT: "menace,vs=minimax-random,games=100000",
    RANDOM: "menace,games=100000",
    ITSELF: "menace,vs=self,games=100000",
    GREEDY: "menace,vs=minimax-random,plays=greedy,games=100000",
}
FEW, MANY = 66, 50_000
HARDLY = 1.0  # percent lost


def tell(results: claim.Results) -> claim.Conclusion:
    """Find where the median seed hardly loses any more, in each seat."""
    lines = {
        (label, seat): table.curve(
            results, label, table.wins_line("minimax-random", seat, table.LOST), by_games=True
        )
        for label in RECIPES
        for seat in table.SEAT_NAMES
    }
    needed = {place: games_needed(line) for place, line in lines.items()}
    taught = [needed[label, seat] for label in (PERFECT, GREEDY) for seat in table.SEAT_NAMES]
    within = [games is not None and FEW <= games <= MANY for games in taught]
    marks = [Mark(float(FEW), "least published: 66"), Mark(float(MANY), "most published: 50,000")]
    lost = table.against("minimax-random", "o", table.LOST)

    def needs(label: str) -> list[str]:
        games = (needed[label, seat] for seat in table.SEAT_NAMES)
        return [claim.NONE if one is None else number(one) for one in games]

    def lost_in_the_end(label: str) -> list[str]:
        return [percent(lines[label, seat].median[-1]) for seat in table.SEAT_NAMES]

    return claim.Conclusion(
        [
            Curves(
                f"Games lost as {seat.upper()} against randomised minimax",
                "games",
                "%",
                [lines[label, seat] for label in RECIPES],
                marks,
                logarithmic=True,
            )
            for seat in table.SEAT_NAMES
        ]
        + [
            results.strips(
                claim.Quantity("Games lost as O against randomised minimax, in the end", "%", lost),
            )
        ],
        [all(within)],
        Table(
            [f"as {seat.upper()}" for seat in table.SEAT_NAMES],
            {
                "games until it loses less than 1%, drawing its beads": needs(PERFECT),
                "games until then, playing the colour with most beads": needs(GREEDY),
                "lost in the end, taught by random": lost_in_the_end(RANDOM),
                "lost in the end, taught by its own play": lost_in_the_end(ITSELF),
            },
            "median seed, against a perfect player",
        ),
        claim.verdict_on(*within),
    )


def games_needed(line: Series) -> int | None:
    """Return the first point from which on the median seed loses hardly any game, if there is."""
    since: Sequence[int] = [place for place, median in enumerate(line.median) if median >= HARDLY]
    first = since[-1] + 1 if since else 0
    return None if first >= len(line.x) else round(line.x[first])


EXPERIMENT = claim.Experiment("menace", tell, [claim.Sweep(RECIPES, MARKS)])
