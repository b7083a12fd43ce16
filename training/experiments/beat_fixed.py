"""Whether every learner of the league comes to beat `fixed` in every game."""

from app.experiments import Bars, Verdict
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
        "holds"
        if all(in_league)
        else "holds in part"
        if any(all(seeds) for seeds in always.values())
        else "does not hold"
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
        verdict,
        f"As X {of(as_x)} trainings win every game against fixed, as O {of(as_o)}; {of(never)} win "
        f"none as O. Counted by seat, {of(in_league)} do so after the league and {of(alone)} after "
        f"playing nobody but fixed.",
    )


EXPERIMENT = claim.Experiment(
    id="beat-fixed",
    title="Every learner beats fixed in every game",
    claim="After a while every learner beats `fixed`, which plays the first empty square, in every "
    "game.",
    project="league",
    where="The report on the league.",
    done="Each of the four learners was trained with {seeds} seeds, for 10,000 rounds of the "
    "league and for 10,000 against fixed alone, and its greedy play judged exactly, as X and as O "
    "apart.",
    limits="The report's learners went on drawing moves by k when they met; here the best move is "
    "played. How its author counted over the seats is not told.",
    agents=["q-learning-player", "observing", "symmetric", "observing-symmetric"],
    sweeps=[claim.Sweep(RECIPES, END)],
    tell=tell,
)
