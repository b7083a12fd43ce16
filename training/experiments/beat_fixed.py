"""Whether every learner of the league comes to beat `fixed` in every game."""

from app.experiments import Table
from training.experiments import claim, table
from training.experiments.claim import of
from training.measures import END

QUICK = "gamma=0.65,k_start=0.01,k_step=0.01,k_limit=10"
LEARNERS = {
    "plain": "",
    "observing": ",observing=yes",
    "symmetric": f",symmetric=yes,{QUICK}",
    "observing, symmetric": f",observing=yes,symmetric=yes,{QUICK}",
}
PLACES = {"in the league": "", "against fixed alone": ",vs=fixed"}
RECIPES = {
    f"{learner}, {place}": f"league{vs}{settings}"
    for place, vs in PLACES.items()
    for learner, settings in LEARNERS.items()
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Count the seeds that win every game, seat by seat."""
    always = {
        (label, seat): [
            won == 100 for won in results.values(label, table.against("fixed", seat, table.WON))
        ]
        for label in RECIPES
        for seat in table.SEAT_NAMES
    }
    as_x, as_o = (
        [won for (_, seat), seeds in always.items() if seat == one for won in seeds]
        for one in table.SEAT_NAMES
    )
    in_league, alone = (
        [won for (label, _), seeds in always.items() if label.endswith(place) for won in seeds]
        for place in PLACES
    )
    never = [
        won == 0
        for label in RECIPES
        for won in results.values(label, table.against("fixed", "o", table.WON))
    ]
    some = any(all(seeds) for seeds in always.values())
    return claim.Conclusion(
        [
            results.shares(
                f"Seeds that win every game against fixed as {seat.upper()}",
                {label: always[label, seat] for label in RECIPES},
            )
            for seat in table.SEAT_NAMES
        ],
        [all(as_x), all(as_o), some],
        Table(
            ["trainings"],
            {
                "as X: win every game": [of(as_x)],
                "as O: win every game": [of(as_o)],
                "as O: win no game": [of(never)],
                "in the league: win every game, each seat counted for itself": [of(in_league)],
                "against fixed alone: win every game, likewise": [of(alone)],
            },
        ),
        claim.verdict_on(all(in_league), some),
    )


EXPERIMENT = claim.Experiment("beat-fixed", tell, [claim.Sweep(RECIPES, END)])
