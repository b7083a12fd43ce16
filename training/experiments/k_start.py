"""Whether a high k at first hurts."""

from training.experiments import claim, table
from training.experiments.claim import chance, number, percent
from training.measures import END, MARKS

STARTS = ("0.001", "0.01", "0.1", "1")
RECIPES = {
    f"k from {start}": "league" if start == "0.001" else f"league,k_start={start}"
    for start in STARTS
}
LOW, HIGH = "k from 0.001", "k from 0.1"
FIXED = {
    f"{LOW}, against fixed": "league,vs=fixed",
    f"{HIGH}, against fixed": "league,vs=fixed,k_start=0.1",
}


def tell(results: claim.Results) -> claim.Told:
    """Compare the starts."""
    end, errors = results.medians(table.wins, RECIPES), results.medians(table.blunders, RECIPES)
    beats = table.both_seats("fixed", table.WON)
    beaten = {
        start: sum(results.values(label, beats)) / len(results[label])
        for start, label in zip((LOW, HIGH), FIXED, strict=True)
    }
    r = results.sign_test(f"{LOW}, against fixed", f"{HIGH}, against fixed", beats)
    degrades = beaten[HIGH] < beaten[LOW] and r < 0.05
    p, q = results.sign_test(HIGH, LOW, table.wins), results.sign_test(HIGH, LOW, table.blunders)
    worse = end[HIGH] < end[LOW] and p < 0.05
    more = errors[HIGH] > errors[LOW] and q < 0.05
    return claim.Told(
        [
            results.strips(
                "Trained with the fixed player: games won against it", "%", beats, FIXED
            ),
            table.win_curves(results, RECIPES, by_games=True),
            results.strips(
                "Games won against random in the end, both seats", "%", table.wins, RECIPES
            ),
            table.blunder_strips(results, RECIPES),
        ],
        [degrades, worse or more],
        claim.compare(
            RECIPES,
            {
                f"won against fixed, trained with it (sign test: {chance(r)})": (percent, beaten),
                f"won against random after a league (0.1 or 0.001: {chance(p)})": (percent, end),
                f"blunders after a league (0.1 or 0.001: {chance(q)})": (number, errors),
            },
        ),
        claim.verdict_on(degrades),
    )


EXPERIMENT = claim.Experiment(
    id="k-start",
    title="Where k begins",
    claim="An initial k that is too high, such as 0.1, can degrade the performance of a learner in "
    "a league with the fixed player, as it exploits what it has not fully learned.",
    sources=["hernandez"],
    where="The section “Playing against a fixed player”.",
    done="The plain learner was trained with {seeds} seeds against the fixed player, k beginning "
    "at 0.001 and at 0.1, and its greedy play against that player was judged exactly. It was also "
    "trained for 10,000 rounds of the league of all players for each start of k, which grows by "
    "0.001 at every update as there, and judged on the way.",
    limits="His remark says that it can, and not how often. It is about players that draw their "
    "moves by k; greedy play is judged here. Below 1 a small k prefers low values, so a small "
    "start explores by preferring what seems bad.",
    agents=["q-learning-player"],
    parts=[
        claim.Part(
            "A learner that begins with a high k wins less against the fixed player.",
            "A learner that begins with a high k wins as much against the fixed player.",
        ),
        claim.Part(
            "After a league of all players it plays worse.",
            "After a league of all players it plays no worse.",
        ),
    ],
    sweeps=[claim.Sweep(RECIPES, MARKS), claim.Sweep(FIXED, END)],
    tell=tell,
)
