"""Count the blunders of the policy that is optimal against a training opponent.

Against an imperfect opponent such a policy may take risks that lose to a perfect one.
"""

from app.experiments import Bar, Bars
from app.recipes import parse_recipe
from app.tictactoe.game import GAME
from app.tictactoe.policy import greedy_policy
from app.tictactoe.report import find_blunders
from app.tictactoe.tasks import solve_task
from training.experiments.results import Results, format_count

CHART_TITLE = "Blunders of the policy that is optimal against each training opponent"


def compute_task_blunders(results: Results) -> dict[str, int]:
    """Return {label of a recipe: blunders of the optimal policy of its training task}.

    The policy is greedy for Q*, the exact action values of the training task.
    """
    blunders = {}
    for label, recipe in results.recipe_by_label.items():
        task = parse_recipe(recipe).build_training_task()
        assert task is not None
        policy = greedy_policy(solve_task(GAME, task).round(9))
        blunders[label] = int(find_blunders(GAME, policy).sum())
    return blunders


def count_task_blunders(results: Results) -> dict[str, str]:
    blunders = compute_task_blunders(results)
    return {label: format_count(count) for label, count in blunders.items()}


def plot_task_blunders(results: Results) -> Bars:
    blunders = compute_task_blunders(results)
    bars = [Bar(label, float(count)) for label, count in blunders.items()]
    return Bars(CHART_TITLE, "blunders", bars, exact=True)
