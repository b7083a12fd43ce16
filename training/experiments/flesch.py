"""Claims of the article on Q-iteration and Q-learning."""

from app.experiments import Bar, Bars
from app.recipes import parse_recipe
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import greedy_policy
from app.tictactoe.report import find_blunders as blundering
from app.tictactoe.tasks import solve_task
from training.experiments import claim, table
from training.experiments.claim import format_count, format_share
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE

MUCH_FEWER = 10  # "much fewer": at most 1 / MUCH_FEWER of the blunders


def count_task_blunders(recipe: str) -> int:
    """Return the blunders of greedy play by exact values of the training task of a recipe."""
    game = tic_tac_toe()
    task = parse_recipe(recipe).build_training_task()
    assert task is not None
    return int(blundering(game, greedy_policy(solve_task(game, task).round(9))).sum())


@claim.experiment(
    "random-opponent",
    claim.Sweep(
        {
            "trained against the random player": "q-learning,games=5000000",
            "trained against randomised minimax": "q-learning,vs=minimax-random,games=5000000",
            "trained against itself": "q-learning,vs=self,games=5000000",
        },
        CHECKPOINTS_MEASURE,
        200,
    ),
)
def conclude_random_opponent(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether mistakes remain because the opponent is random."""
    random, _, itself = results.recipe_by_label
    ends = results.compute_medians(table.measure_blunders)
    perfect = {
        label: count_task_blunders(one)
        for label, one in results.recipe_by_label.items()
    }
    remain = ends[random] > 0
    cured = ends[itself] * MUCH_FEWER <= ends[random]
    return claim.Conclusion(
        [
            table.draw_curves(results, table.BLUNDERS_TRACE),
            table.draw_curves(results, table.LOST_AT_WORST_TRACE),
            Bars(
                "Blunders of the optimal policy of each training task (greedy play by Q*)",
                "blunders",
                [Bar(label, float(count)) for label, count in perfect.items()],
                True,
            ),
        ],
        [remain, cured],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "positions with a blunder after 5,000,000 games, median": (
                    format_count,
                    ends,
                ),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    results.list_values(table.is_unbeatable),
                ),
                "positions with a blunder of the exact Q* of this training task": (
                    format_count,
                    perfect,
                ),
            },
        ),
        claim.judge_parts(remain and cured, remain),
    )


PHASES = {
    "random, then itself": "",
    "random only": ",vs=random",
    "itself only": ",vs=self",
}
PARTS = {
    f"{phases}, {losses}": f"q-iteration{vs}{sticky}"
    for phases, vs in PHASES.items()
    for losses, sticky in (("losses frozen", ""), ("not frozen", ",sticky=no"))
}
WHOLE = "random, then itself, losses frozen"


@claim.experiment("q-iteration-parts", claim.Sweep(PARTS, END_MEASURE))
def conclude_q_iteration_parts(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on which parts of Q-iteration are needed for its result."""
    median = results.compute_medians(table.measure_blunders)
    clean = results.list_values(table.has_no_blunder)
    by_itself = all(all(clean[label]) == ("itself" in label) for label in PARTS)
    return claim.Conclusion(
        [
            results.draw_histogram(table.BLUNDERS),
            results.draw_histogram(
                claim.Quantity(
                    (
                        "NashConv: how much the best responders gain over optimal play, "
                        "added over both seats"
                    ),
                    "NashConv",
                    lambda run: run.figures.nash_conv[-1],
                )
            ),
        ],
        [all(clean[WHOLE]), by_itself],
        claim.tabulate_recipes(
            PARTS,
            {
                "trained agents without any blunder": (format_share, clean),
                "positions with a blunder, median": (format_count, median),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    results.list_values(table.is_unbeatable),
                ),
            },
        ),
        claim.judge_parts(*clean[WHOLE]),
    )


@claim.experiment(
    "q-iteration-or-q-learning",
    claim.Sweep(
        {
            "Q-iteration": "q-iteration",
            "Q-learning 4": "q-learning,vs=random:226000+self:904000,start=every",
        },
        CHECKPOINTS_MEASURE,
    ),
)
def conclude_q_iteration_or_q_learning(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on Q-iteration and Q-learning with equally many sweeps."""
    ends = results.compute_medians(table.measure_blunders)
    clean = results.list_values(table.has_no_blunder)
    on_the_way = table.draw_curves(results, table.BLUNDERS_TRACE)
    iteration, learning = on_the_way.series
    fewer = table.list_higher_points(learning, iteration)
    better = sum(clean[iteration.name]) > sum(clean[learning.name])
    faster = sum(fewer) > len(fewer) / 2
    updates = {line.name: line.x[-1] for line in on_the_way.series}
    return claim.Conclusion(
        [
            on_the_way,
            results.draw_histogram(table.BLUNDERS),
        ],
        [better, faster],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "training runs that end without any blunder": (
                    format_share,
                    clean,
                ),
                "positions with a blunder after the training, median": (
                    format_count,
                    ends,
                ),
                "points of the learning curve that have fewer blunders than the other curve": (
                    format_share,
                    {iteration.name: fewer},
                ),
                "updates in the 250 sweeps, median": (format_count, updates),
            },
        ),
        "reproduced" if better == faster else "inconclusive",
    )
