"""Two tables in place of one: no improvement, or more stable and faster."""

import numpy as np

from app.experiments import Curves, Series, rounded
from app.recipes import parse
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.tasks import task_q
from training.experiments import claim, table
from training.experiments.claim import chance, of, percent
from training.measures import MARKS, Run

RECIPES = {
    "one table": "q-table",
    "two tables": "double-q",
    "two tables, coin to the end": "double-q,last=coin",
}
ONE, TWO, COIN = RECIPES
BAD = 40.0


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare end, speed and bias."""
    game, task = tic_tac_toe(), parse("q-table").task()
    assert task is not None
    exact = rounded(float(task_q(game, task)[0][game.legal[0]].max()))
    wins, lost = table.wins_line("random", "o"), table.against("minimax-random", "o", table.LOST)
    bad = results.each(lambda run: lost(run) >= BAD)
    proved = results.each(table.beaten_nowhere)
    end = results.medians(table.against("random", "o", table.WON))
    stabler = sum(bad[TWO]) < sum(bad[ONE]) and sum(proved[TWO]) > sum(proved[ONE])

    def on_average(run: Run) -> float:
        return float(np.mean(wins(run)))

    p = {label: results.sign_test(label, ONE, on_average) for label in (TWO, COIN)}
    averages = results.medians(on_average)
    faster = averages[TWO] > averages[ONE] and p[TWO] < claim.SIGNIFICANT
    curves_of = table.curves(results, table.WON_AS_O._replace(of=wins))
    leads = {line.name: table.ahead(line, curves_of.series[0]) for line in curves_of.series[1:]}
    bias = {label: results.median(label, lambda run: run.start[-1]) - exact for label in proved}
    worth = [table.curve(results, label, lambda run: run.start) for label in (ONE, TWO)]
    points = worth[0].x
    flat = [exact] * len(points)
    truth = Series("max Q* of the training task", "", points, flat, flat, flat, flat, flat, 1, 0)
    return claim.Conclusion(
        [
            curves_of,
            Curves(
                "Its value of the empty board: max Q",
                "updates",
                "",
                [*worth, truth],
                logarithmic=True,
            ),
            results.strips(table.LOST_AS_O),
        ],
        [not stabler, not faster],
        claim.compare(
            results.recipes,
            {
                "won as O against random in the end, median": (percent, end),
                "points of the curve ahead of one table": (of, leads),
                "mean of the curve, against one table (sign test)": (chance, p),
                "unbeatable in both seats": (of, proved),
                f"lose at least {percent(BAD, 0)} as O to randomised minimax": (of, bad),
                f"bias of max Q at the start ({exact:.3f}), median": (
                    "{:+.3f}".format,
                    bias,
                ),
            },
        ),
    )


EXPERIMENT = claim.Experiment("double-q", tell, [claim.Sweep(RECIPES, MARKS)])
