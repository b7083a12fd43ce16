"""Two tables in place of one: more stable and faster, or no improvement."""

import numpy as np

from app.experiments import Curves, Series
from app.recipes import parse
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.tasks import task_q
from training.experiments import claim, table
from training.experiments.claim import chance, of, percent
from training.measures import MARKS, Run

ONE, TWO = "one table", "two tables"
BAD = 40.0


def tell(results: claim.Results) -> claim.Told:
    """Compare end, speed and bias."""
    game, task = tic_tac_toe(), parse("q-table").task()
    assert task is not None
    exact = claim.rounded(float(task_q(game, task)[0][game.legal[0]].max()))
    wins, lost = table.wins_line("random", "o"), table.against("minimax-random", "o", table.LOST)
    bad = results.each(lambda run: lost(run) >= BAD)
    proved = results.each(table.beaten_nowhere)
    end = results.medians(table.against("random", "o", table.WON))
    stabler = sum(bad[TWO]) < sum(bad[ONE]) and sum(proved[TWO]) > sum(proved[ONE])

    def on_average(run: Run) -> float:
        return float(np.mean(wins(run)))

    p = results.sign_test(TWO, ONE, on_average)
    on_the_way = results.medians(on_average)
    faster = on_the_way[TWO] > on_the_way[ONE] and p < 0.05
    bias = {label: results.median(label, lambda run: run.start[-1]) - exact for label in (ONE, TWO)}
    worth = [table.curve(results, label, lambda run: run.start) for label in (ONE, TWO)]
    points = worth[0].x
    flat = [exact] * len(points)
    truth = Series("the exact value", "", points, flat, flat, flat, flat, flat, 1, 0)
    return claim.Told(
        [
            table.curves(results, "Games won as O against random", "%", wins),
            Curves(
                "What the empty board is thought to be worth",
                "updates",
                "",
                [*worth, truth],
                logarithmic=True,
            ),
            results.strips("Games lost as O against randomised minimax", "%", lost),
        ],
        claim.verdict_on(stabler, faster),
        f"{'Faster' if faster else 'Not faster'}: two tables win {percent(on_the_way[TWO])} as O "
        f"against random on the way and one {percent(on_the_way[ONE])} (sign test over the seeds: "
        f"{chance(p)}), in the end {percent(end[TWO])} and {percent(end[ONE])}. "
        f"{'More' if stabler else 'Not more'} stable: nobody can beat "
        f"{table.unbeatable_of(results, TWO)} seeds of two tables and "
        f"{table.unbeatable_of(results, ONE)} of one, and {of(bad[TWO])} and {of(bad[ONE])} lose "
        f"at least {percent(BAD, 0)} as O to randomised minimax. The empty board is off its exact "
        f"value, {exact:.3f}, by {bias[TWO]:+.3f} with two tables and {bias[ONE]:+.3f} with one "
        "(medians).",
    )


EXPERIMENT = claim.Experiment(
    id="double-q",
    title="Two tables in place of one",
    claim="Learning with two tables, of which one chooses and the other values, is more stable and "
    "faster. The article that tried it here saw no improvement.",
    project="tabular",
    where="The papers on double Q-learning (van Hasselt, 2010, and later); tried in the article on "
    "double Q-learning, which reports the opposite.",
    done="Both were trained with {seeds} seeds by the article's recipe and judged exactly on the "
    "way and in the end; on the way is the mean over the points of the curve. The bias is that of "
    "the best value of the empty board, beside the exact one of the same task.",
    limits="This game has small rewards and short episodes, and nothing is approximated. The "
    "papers' gains are on other tasks, on which this says nothing.",
    agents=["double-q", "q-table"],
    sweeps=[claim.Sweep({ONE: "q-table", TWO: "double-q"}, MARKS)],
    tell=tell,
)
