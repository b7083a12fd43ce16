"""The value of the empty board that Q-learning and double Q-learning learn, beside its exact value."""

from functools import cache

from app.experiments import Curves, round_significant, summarize_seeds
from app.recipes import parse_recipe
from app.tictactoe.game import GAME
from app.tictactoe.tasks import solve_task
from training.experiments.quantities import QUANTITIES
from training.experiments.results import Results, trace_curve

EMPTY_BOARD_QUANTITY = QUANTITIES["value of the empty board"]


@cache
def compute_exact_value() -> float:
    """Return the exact value of the empty board in the training task of the recipe "q-table"."""
    task = parse_recipe("q-table").build_training_task()
    assert task is not None
    return round_significant(float(solve_task(GAME, task)[0][GAME.legal[0]].max()))


def format_bias(results: Results) -> dict[str, str]:
    """Return {label: learned value minus exact value}, as the median of the seeds."""
    return {
        label: f"{results.compute_median(label, EMPTY_BOARD_QUANTITY) - compute_exact_value():+.3f}"
        for label in results.recipe_by_label
    }


def plot_learned_value(results: Results) -> Curves:
    learned = [
        trace_curve(results, one, EMPTY_BOARD_QUANTITY)
        for one in ("one table", "two tables")
    ]
    points = learned[0].x
    name = "exact value"
    exact = summarize_seeds(name, "", points, [[compute_exact_value()] * len(points)])
    return Curves(
        EMPTY_BOARD_QUANTITY.title, "updates", "", [*learned, exact], logarithmic=True
    )
