"""Whether mistakes remain because the opponent is random."""

from app.experiments import Bar, Bars, Verdict
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


def tell(results: claim.Results) -> claim.Told:
    """Compare the opponents after as many games."""
    ends = results.medians(table.blunders)
    perfect = {label: perfectly_learned(recipe) for label, recipe in RECIPES.items()}
    remain, cured = ends[RANDOM] > 0, ends[ITSELF] * MUCH <= ends[RANDOM]
    verdict: Verdict = (
        "reproduced" if remain and cured else "partly reproduced" if remain else "not reproduced"
    )
    return claim.Told(
        [
            table.blunder_curves(results),
            table.curves(
                results,
                "Games lost to the best responder, both seats",
                "%",
                table.lost_at_worst_line,
            ),
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
        verdict,
    )


def perfectly_learned(recipe: str) -> int:
    """Count the blunders of the exact answer to a recipe's task."""
    game, task = tic_tac_toe(), parse(recipe).task()
    assert task is not None
    return int(blundering(game, greedy(task_q(game, task).round(9))).sum())


EXPERIMENT = claim.Experiment(
    id="random-opponent",
    title="Mistakes remain because of the random opponent",
    claim="Agents that train against a random policy occasionally make mistakes although their "
    "iterations are very many, and that opponent explains it.",
    sources=["flesch"],
    where="The section on Q-learning.",
    done="Q-learning from random positions, with his step size, discount and exploration, "
    "played 5,000,000 games with each of {seeds} seeds against random, as many against randomised "
    "minimax, and as many against its own greedy play. It was judged at 1, 2, 5, 10, ... updates. "
    "Nothing in its training depends on how long it is to last, so every point is also the end of "
    "a shorter training.",
    limits="The step size stays 0.2: with one that falls, values against random would come closer "
    "to those of its task. Against itself the same games also visit other positions. "
    + claim.FEWER,
    agents=["q-learning-1", "q-learning-2"],
    parts=[
        claim.Part(
            "Against a random opponent mistakes remain, however long the training.",
            "No mistakes remain after a training against random.",
        ),
        claim.Part(
            "Against its own play the same learner loses nearly all of them: the opponent is a "
            "reason.",
            "Against its own play as many remain, so the opponent does not explain them.",
        ),
    ],
    sweeps=[claim.Sweep(RECIPES, MARKS, 200)],
    tell=tell,
)
