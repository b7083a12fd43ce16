"""What a draw should be worth: from a loss to a win, step by step."""

from app.experiments import Bars
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

STEPS = [step / 10 for step in range(11)]
BAD = 40.0
USUAL = {f"draw {step:g}": f"q-table,draw={step:g}" if step else "q-table" for step in STEPS}
NO_LOSS = {
    f"draw {step:g}, loss 0": f"q-table,draw={step:g},loss=0" if step else "q-table,loss=0"
    for step in (0.0, 0.5, 1.0)
}
ENDS = FIRST, LAST = "draw 0", "draw 1"


def tell(results: claim.Results) -> claim.Told:
    """Compare the ends of the scale, and all between them."""
    lost = table.against("minimax-random", "o", table.LOST)
    bad = results.each(lambda run: lost(run) >= BAD, USUAL)
    won = results.medians(table.wins, USUAL)
    proved = results.each(table.beaten_nowhere)
    cured, costs = sum(bad[LAST]) < sum(bad[FIRST]) / 10, won[LAST] < won[FIRST]
    as_x, as_o = (
        results.medians(table.against("random", seat, table.WON)) for seat in table.SEAT_NAMES
    )
    return claim.Told(
        [
            results.strips("Games lost as O against randomised minimax", "%", lost),
            results.strips("Games won against random, both seats", "%", table.wins),
            Bars(
                title="Seeds that are unbeatable in both seats",
                unit="%",
                bars=[
                    claim.share(label, truths, results.recipes[label])
                    for label, truths in proved.items()
                ],
                exact=False,
            ),
        ],
        [cured, costs],
        claim.compare(
            ENDS,
            {
                f"lose {percent(BAD, 0)} or more as O to randomised minimax": (of, bad),
                "won against random, both seats, median": (percent, won),
                "won against random as X, median": (percent, as_x),
                "won against random as O, median": (percent, as_o),
                "unbeatable in both seats": (of, proved),
            },
        ),
    )


EXPERIMENT = claim.Experiment(
    id="draw-reward",
    title="What a draw should be worth",
    claim="Raising the reward of a draw step by step to that of a win appears to have cured the "
    "bad runs and seems to cost wins against random: about 95% remain as X and around 70% as O.",
    sources=["nested-software"],
    where="The section “Results”, its update on the draw's reward.",
    done="The recipe of q-table was trained with {seeds} seeds for each reward of a draw from 0 to "
    "1 in steps of 0.1, a loss being worth minus 1, and for three of them with a loss worth 0, as "
    "its author has it on a later page. The play of every seed is judged exactly.",
    limits="Only the draw's reward varies; step size, exploration and the number of games are the "
    "article's, and other ones may move where the best reward lies.",
    agents=["q-table", "q-table-draw-1"],
    parts=[
        claim.Part(
            "Where a draw is worth as much as a win hardly any training ends badly.",
            "Trainings end badly where a draw is worth as much as a win, too.",
        ),
        claim.Part("That costs wins against random.", "It does not cost wins against random."),
    ],
    sweeps=[claim.Sweep(USUAL | NO_LOSS, END)],
    tell=tell,
)
