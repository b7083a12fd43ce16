"""Whether every learner of the league comes to beat `fixed` in every game."""

from app.experiments import Bars, Table, Verdict
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


def tell(results: claim.Results) -> claim.Told:
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
    verdict: Verdict = (
        "reproduced"
        if all(in_league)
        else "partly reproduced"
        if any(all(seeds) for seeds in always.values())
        else "not reproduced"
    )
    return claim.Told(
        [
            Bars(
                f"Seeds that win every game against fixed as {seat.upper()}",
                "%",
                [
                    claim.share(label, always[label, seat], results.recipes[label])
                    for label in RECIPES
                ],
                False,
            )
            for seat in table.SEAT_NAMES
        ],
        [all(as_x), all(as_o), any(all(seeds) for seeds in always.values())],
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
        verdict,
    )


EXPERIMENT = claim.Experiment(
    id="beat-fixed",
    title="Every learner beats fixed in every game",
    claim="In a league with `fixed`, which plays the first empty square, all learners learned very "
    "quickly to win every single game consistently.",
    sources=["hernandez"],
    where="The section “Playing against a fixed player”.",
    done="Each of the four learners was trained with {seeds} seeds, for 10,000 rounds of the "
    "league and for 10,000 against fixed alone, and its greedy play judged exactly, as X and as O "
    "apart.",
    limits="Hernandez's learners went on drawing moves by k when they met; here the best move is "
    "played. How its author counted over the seats is not told.",
    agents=["q-learning-player", "observing", "symmetric", "observing-symmetric"],
    parts=[
        claim.Part(
            "As X every training wins every game.", "As X not every training wins every game."
        ),
        claim.Part("As O every training wins every game.", "As O not every training does either."),
        claim.Part(
            "In some of these trainings and seats every seed does.",
            "In none of these trainings and seats every seed does.",
        ),
    ],
    sweeps=[claim.Sweep(RECIPES, END)],
    tell=tell,
)
