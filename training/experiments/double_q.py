"""Two tables in place of one: no improvement, or more stable and faster."""

import numpy as np

from app.experiments import Curves, Series
from app.recipes import parse
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.tasks import task_q
from training.experiments import claim, table
from training.experiments.claim import chance, of, percent
from training.measures import MARKS, Run

ONE, TWO = "one table", "two tables"
COIN = "two tables, coin to the end"
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
    averages = results.medians(on_average)
    faster = averages[TWO] > averages[ONE] and p < 0.05
    curves_of = table.curves(results, "Games won as O against random", "%", wins)
    leads = table.ahead(curves_of.series[1], curves_of.series[0])
    bias = {label: results.median(label, lambda run: run.start[-1]) - exact for label in (ONE, TWO)}
    worth = [table.curve(results, label, lambda run: run.start) for label in (ONE, TWO)]
    points = worth[0].x
    flat = [exact] * len(points)
    truth = Series("the exact value", "", points, flat, flat, flat, flat, flat, 1, 0)
    return claim.Told(
        [
            curves_of,
            Curves(
                "What the empty board is thought to be worth",
                "updates",
                "",
                [*worth, truth],
                logarithmic=True,
            ),
            results.strips("Games lost as O against randomised minimax", "%", lost),
        ],
        claim.verdict_on(not stabler, not faster),
        [not stabler, not faster],
        f"Two tables are ahead as O against random at {of(leads)} points of the curve (sign test "
        f"over the seeds, by its mean: {chance(p)}) and win {percent(end[TWO])} in the end, one "
        f"table {percent(end[ONE])}. {table.unbeatable_of(results, TWO)} seeds of two tables are "
        f"unbeatable, {table.unbeatable_of(results, COIN)} where a coin picks the table of a last "
        f"move too, and {table.unbeatable_of(results, ONE)} of one; in the same order "
        f"{of(bad[TWO])}, {of(bad[COIN])} and {of(bad[ONE])} lose at least {percent(BAD, 0)} as O "
        f"to randomised minimax. The bias of the best Q-value of the empty board, exactly "
        f"{exact:.3f}, is {bias[TWO]:+.3f} with two tables and {bias[ONE]:+.3f} with one "
        "(medians).",
    )


EXPERIMENT = claim.Experiment(
    id="double-q",
    title="Two tables in place of one",
    claim="Double Q-learning brought no improvement to the tabular learner; if anything a single "
    "table did better. The papers promise results that are more stable and come faster.",
    sources=["nested-software", "van-hasselt-2010", "van-hasselt-2015"],
    where="The section “Double-Q Learning”, which cites both papers.",
    done="Both were trained with {seeds} seeds by the article's recipe and judged exactly on the "
    "way and in the end; on the way is the mean over the points of the curve. The bias is that of "
    "the best value of the empty board, beside the exact one of the same task. The article teaches "
    "the last move of a game to both tables; by van Hasselt's algorithm 1 a coin picks one, which "
    "was trained as well.",
    limits="The claim that is judged is the article's. This game has small rewards and short "
    "episodes, and nothing is approximated. The papers' gains are on other tasks, on which this "
    "says nothing.",
    agents=["double-q", "q-table"],
    parts=[
        claim.Part(
            "Two tables are no more stable here than one: what the papers promise does not show in "
            "this game.",
            "Two tables are more stable than one, as the papers promise.",
        ),
        claim.Part("They learn no faster.", "They learn faster, as the papers promise."),
    ],
    sweeps=[claim.Sweep({ONE: "q-table", TWO: "double-q", COIN: "double-q,last=coin"}, MARKS)],
    tell=tell,
)
