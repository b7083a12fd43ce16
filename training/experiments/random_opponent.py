"""Whether mistakes remain because the opponent is random."""

from app.experiments import Bar, Bars
from app.recipes import parse
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders as blundering
from app.tictactoe.tasks import task_q
from training.experiments import claim, table
from training.experiments.claim import number, of
from training.measures import MARKS

RANDOM, PERFECT, ITSELF = "against random", "against randomised minimax", "against itself"
RECIPES = {
    RANDOM: "q-learning,games=5000000",
    PERFECT: "q-learning,vs=minimax-random,games=5000000",
    ITSELF: "q-learning,vs=self,games=5000000",
}
MUCH = 10  # times fewer blunders


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare the opponents after as many games."""
    ends = results.medians(table.blunders)
    perfect = {label: perfectly_learned(recipe) for label, recipe in RECIPES.items()}
    remain, cured = ends[RANDOM] > 0, ends[ITSELF] * MUCH <= ends[RANDOM]
    return claim.Conclusion(
        [
            table.curves(results, table.BLUNDERS_LINE),
            table.curves(results, table.LOST_AT_WORST_LINE),
            Bars(
                "Blunders of the greedy policy of Q* of each training task",
                "blunders",
                [Bar(label, float(count)) for label, count in perfect.items()],
                True,
            ),
        ],
        [remain, cured],
        claim.compare(
            RECIPES,
            {
                "blunders after 5,000,000 games, median": (number, ends),
                "unbeatable in both seats": (of, results.each(table.beaten_nowhere)),
                "blunders of the exact Q* of this task": (number, perfect),
            },
        ),
        claim.verdict_on(remain and cured, remain),
    )


def perfectly_learned(recipe: str) -> int:
    """Count the blunders of the exact answer to a recipe's task."""
    game, task = tic_tac_toe(), parse(recipe).task()
    assert task is not None
    return int(blundering(game, greedy(task_q(game, task).round(9))).sum())


EXPERIMENT = claim.Experiment("random-opponent", tell, [claim.Sweep(RECIPES, MARKS, 200)])
