"""Two tables in place of one: more stable and faster, or no improvement."""

import numpy as np

from app.experiments import Curves, Histogram, Series, Verdict
from app.recipes import parse
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.tasks import task_q
from training.experiments.claim import (
    Experiment,
    Results,
    Sweep,
    Told,
    chance,
    of,
    percent,
    rounded,
    sign_test,
)
from training.experiments.table import (
    LOST,
    WON,
    against,
    beaten_nowhere,
    curve,
    unbeatable_of,
    wins_line,
)
from training.measures import END, MARKS

ONE, TWO = "one table", "two tables"
SLOW, SLOW_TWO = "one table, over time", "two tables, over time"
BAD = 40.0


def tell(results: Results) -> Told:
    """Compare end, speed and bias."""
    game, task = tic_tac_toe(), parse("q-table").task()
    assert task is not None
    exact = rounded(float(task_q(game, task)[0][game.legal[0]].max()))
    wins = wins_line("random", "o")
    bad = {
        label: [lost >= BAD for lost in results.values(label, against("minimax-random", "o", LOST))]
        for label in (ONE, TWO)
    }
    proved = {label: sum(map(beaten_nowhere, results[label])) for label in (ONE, TWO)}
    end = {label: results.median(label, against("random", "o", WON)) for label in (ONE, TWO)}
    stabler = sum(bad[TWO]) < sum(bad[ONE]) and proved[TWO] > proved[ONE]
    curves = {label: curve(results, label, wins) for label in (SLOW, SLOW_TWO)}
    whole = {label: [float(np.mean(wins(run))) for run in results[label]] for label in curves}
    p = sign_test(whole[SLOW_TWO], whole[SLOW])
    on_the_way = {label: float(np.median(values)) for label, values in whole.items()}
    faster = on_the_way[SLOW_TWO] > on_the_way[SLOW] and p < 0.05
    verdict: Verdict = (
        "holds" if stabler and faster else "holds in part" if stabler or faster else "does not hold"
    )
    bias = {label: results.median(label, lambda run: run.start[-1]) - exact for label in (ONE, TWO)}
    points = curves[SLOW].x
    flat = [exact] * len(points)
    truth = Series("the exact value", "", points, flat, flat, flat, flat, flat, 1, 0)
    return Told(
        [
            Curves(
                title="Games won as O against random",
                x_label="updates",
                unit="%",
                series=list(curves.values()),
                logarithmic=True,
            ),
            Curves(
                title="What the empty board is thought to be worth",
                x_label="updates",
                unit="",
                series=[curve(results, label, lambda run: run.start) for label in (SLOW, SLOW_TWO)]
                + [truth],
                logarithmic=True,
            ),
            Histogram(
                title="Games lost as O against randomised minimax",
                unit="%",
                groups=[
                    results.group(label, against("minimax-random", "o", LOST))
                    for label in (ONE, TWO)
                ],
                exact=True,
            ),
        ],
        verdict,
        f"Nobody can beat {unbeatable_of(results, TWO)} seeds of two tables in either seat, and "
        f"{unbeatable_of(results, ONE)} of one; at least {percent(BAD, 0)} as O are lost to "
        f"randomised minimax by {of(bad[TWO])} and {of(bad[ONE])}. On the way "
        f"two tables win {percent(on_the_way[SLOW_TWO])} as O against random and one "
        f"{percent(on_the_way[SLOW])} (means over the points; sign test, seed by seed: "
        f"{chance(p)}), in the end {percent(end[TWO])} and {percent(end[ONE])}. The empty board is "
        f"off its exact value, {exact:.3f}, by {bias[TWO]:+.3f} with two tables and "
        f"{bias[ONE]:+.3f} with one (medians).",
    )


EXPERIMENT = Experiment(
    id="double-q",
    title="Two tables in place of one",
    claim="Learning with two tables, of which one chooses and the other values, is more stable and "
    "faster. The article that tried it here saw no improvement.",
    project="tabular",
    where="The papers on double Q-learning (van Hasselt, 2010, and later); tried in the article on "
    "double Q-learning, which reports the opposite.",
    done="Both were trained with {seeds} seeds by the article's recipe and judged exactly in the "
    "end, and some of them on the way as well. The bias is that of the best value of the empty "
    "board, beside the exact one of the same task.",
    limits="This game has small rewards and short episodes, and nothing is approximated. The "
    "papers' gains are on other tasks, on which this says nothing.",
    agents=["double-q", "q-table"],
    sweeps=[
        Sweep({ONE: "q-table", TWO: "double-q"}, END),
        Sweep({SLOW: "q-table", SLOW_TWO: "double-q"}, MARKS, 200),
    ],
    tell=tell,
)
