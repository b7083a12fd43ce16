"""What a draw should be worth: from a loss to a win, step by step."""

from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

STEPS = [step / 10 for step in range(11)]
BAD = 40.0
USUAL = {f"draw {step:g}": f"q-table,draw={step:g}" for step in STEPS}
NO_LOSS = {f"draw {step:g}, loss 0": f"q-table,draw={step:g},loss=0" for step in (0.0, 0.5, 1.0)}
ENDS = FIRST, LAST = "draw 0", "draw 1"


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare the ends of the scale, and all between them."""
    lost = table.against("minimax-random", "o", table.LOST)
    bad = results.each(lambda run: lost(run) >= BAD, USUAL)
    won = results.medians(table.wins, USUAL)
    proved = results.each(table.beaten_nowhere)
    cured, costs = sum(bad[LAST]) < sum(bad[FIRST]) / 10, won[LAST] < won[FIRST]
    as_x, as_o = (
        results.medians(table.against("random", seat, table.WON)) for seat in table.SEAT_NAMES
    )
    return claim.Conclusion(
        [
            results.strips(table.LOST_AS_O),
            results.strips(table.WINS),
            results.shares("Seeds that are unbeatable in both seats", proved),
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


EXPERIMENT = claim.Experiment("draw-reward", tell, [claim.Sweep(USUAL | NO_LOSS, END)])
