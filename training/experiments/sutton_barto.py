"""The five exercises of chapter 1 of Sutton & Barto as claims on the learner `td-afterstates`.

This learner is the example of that chapter, and each exercise varies one of its parameters.
The exercises are questions; the claims are our answers.
"""

from functools import partial
from operator import attrgetter
from time import perf_counter

import msgspec

from app.recipes import Recipe
from app.tictactoe.game import SEATS, tic_tac_toe
from app.tictactoe.policy import BASELINES, mix_policies, policy_from_values
from app.tictactoe.report import compute_chances
from training.experiments import claim, table
from training.experiments.claim import (
    format_count,
    format_percent,
    format_share,
)
from training.learners import learn
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE, Measure, MeasuredRun

TRAINING_EPSILON = 0.1  # exploration rate during training


class GreedyAndExploringResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results of an agent against Random, in percent of the games in both seats.

    The agent plays greedily, and with the exploration of its training.
    """

    seconds: float
    greedy: float  # percent of games won without exploration
    exploring: float  # percent of games won with the exploration of the training
    greedy_lost: float
    exploring_lost: float


def measure_greedy_and_exploring(recipe: Recipe) -> GreedyAndExploringResult:
    """Return the exact results of a recipe's greedy play and of its exploring play."""
    game = tic_tac_toe()
    begin = perf_counter()
    *_, end = learn(game, recipe)
    greedy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(game)
    chances = [
        [compute_chances(game, random, policy, seat) for seat in SEATS.values()]
        for policy in (greedy, mix_policies(greedy, random, TRAINING_EPSILON))
    ]
    won = [50 * (as_x[table.WON] + as_o[table.WON]) for as_x, as_o in chances]
    lost = [50 * (as_x[table.LOST] + as_o[table.LOST]) for as_x, as_o in chances]
    return GreedyAndExploringResult(perf_counter() - begin, *won, *lost)


GREEDY_AND_EXPLORING = Measure(
    "greedy-and-exploring", 1, GreedyAndExploringResult, measure_greedy_and_exploring
)


# Exercise 1.1: self-play

SELF_PLAY = {
    "trained against random": "td-afterstates",
    "both sides learn": "td-afterstates,vs=both",
}
AGAINST_RANDOM, AGAINST_ITSELF = SELF_PLAY
MIN_PERCENT = 1.0  # smaller differences in percent won are not counted


@claim.experiment("sutton-barto-1", claim.Sweep(SELF_PLAY, END_MEASURE))
def conclude_self_play(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on learning from random play and from self-play."""
    won = results.compute_medians(table.measure_wins)
    lost = results.compute_medians(table.measure_worst_losses)
    errors = results.compute_medians(table.measure_blunders)
    wins_less = results.is_significantly_higher(
        AGAINST_RANDOM, AGAINST_ITSELF, table.measure_wins
    )
    compared = results.describe_sign_test(
        AGAINST_RANDOM, AGAINST_ITSELF, table.measure_wins
    )
    parts = [
        lost[AGAINST_ITSELF] < lost[AGAINST_RANDOM],
        wins_less and won[AGAINST_ITSELF] <= won[AGAINST_RANDOM] - MIN_PERCENT,
    ]
    return claim.Conclusion(
        [
            results.draw_histogram(one)
            for one in (table.WINS, table.LOST_AT_WORST, table.BLUNDERS)
        ],
        parts,
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                f"games won against random, median ({compared})": (
                    partial(format_percent, digits=2),
                    won,
                ),
                "games lost to the best responder, both seats, median": (
                    format_percent,
                    lost,
                ),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    results.list_values(table.is_unbeatable),
                ),
                "positions with a blunder, median": (format_count, errors),
            },
        ),
    )


# Exercise 1.2: symmetries

SYMMETRIES = {
    "a value for each board": "td-afterstates",
    "symmetric boards share a value": "td-afterstates,symmetric=yes",
}
BY_FIXED = {
    f"{label}, against “fixed”": f"{one},vs=fixed" for label, one in SYMMETRIES.items()
}
(PLAIN, SYMMETRIC), (PLAIN_FIXED, SYMMETRIC_FIXED) = SYMMETRIES, BY_FIXED


def measure_value_error(run: MeasuredRun) -> float:
    """Return the mean error of the final values over the pairs that the training task can reach."""
    assert run.figures.task_distance is not None
    return run.figures.task_distance.mean_reachable_distance[-1]


@claim.experiment(
    "sutton-barto-2",
    claim.Sweep(SYMMETRIES, CHECKPOINTS_MEASURE),
    claim.Sweep(BY_FIXED, END_MEASURE),
)
def conclude_symmetries(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on symmetry: faster learning, and its cost with an asymmetric opponent."""
    won = table.draw_curves(results, table.WINS_TRACE, (PLAIN, SYMMETRIC))
    plain, symmetric = won.series
    leads = table.list_higher_points(symmetric, plain)
    end = {line.name: line.median[-1] for line in won.series}
    fixed = {PLAIN: PLAIN_FIXED, SYMMETRIC: SYMMETRIC_FIXED}
    off, alone = (
        {
            label: results.compute_median(taught, value)
            for label, taught in fixed.items()
        }
        for value in (measure_value_error, table.measure_both_seats("fixed", table.WON))
    )
    costs = results.is_significantly_higher(
        SYMMETRIC_FIXED, PLAIN_FIXED, measure_value_error
    )
    compared = results.describe_sign_test(
        SYMMETRIC_FIXED, PLAIN_FIXED, measure_value_error, "shared values"
    )
    faster = 2 * sum(leads) > len(leads)
    return claim.Conclusion(
        [
            won,
            results.draw_histogram(
                claim.Quantity(
                    "Trained against “fixed”: mean error of the learned values in reachable positions",
                    "of a win",
                    measure_value_error,
                ),
                fixed.values(),
            ),
        ],
        [faster, costs],
        claim.tabulate_recipes(
            [SYMMETRIC, PLAIN],
            {
                "trained against the random player: points of the learning curve above the other": (
                    format_share,
                    {SYMMETRIC: leads},
                ),
                "trained against the random player: games won against the random player": (
                    format_percent,
                    end,
                ),
                f"trained against “fixed”: mean error of the values ({compared})": (
                    "{:.3f}".format,
                    off,
                ),
                "trained against “fixed”: games won against “fixed”": (
                    format_percent,
                    alone,
                ),
            },
            "median of all seeds",
        ),
    )


# Exercise 1.3: greedy play

EXPLORATION = {
    "explores a tenth of its moves": "td-afterstates",
    "always greedy": "td-afterstates,epsilon=0",
}
BY_ITSELF = {
    f"{label}, self-play": f"{one},vs=both" for label, one in EXPLORATION.items()
}
(EXPLORES, GREEDY), (EXPLORES_ITSELF, GREEDY_ITSELF) = EXPLORATION, BY_ITSELF


@claim.experiment("sutton-barto-3", claim.Sweep(EXPLORATION | BY_ITSELF, END_MEASURE))
def conclude_greedy(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on learning with and without exploration."""
    won = results.compute_medians(table.measure_wins)
    lost = results.compute_medians(table.measure_worst_losses)
    updated = results.compute_medians(table.count_known_positions)
    wins_less = results.is_significantly_higher(EXPLORES, GREEDY, table.measure_wins)
    wins = results.describe_sign_test(GREEDY, EXPLORES, table.measure_wins)
    losses = results.describe_sign_test(
        GREEDY_ITSELF, EXPLORES_ITSELF, table.measure_worst_losses, GREEDY
    )
    loses_more = results.is_significantly_higher(
        GREEDY_ITSELF, EXPLORES_ITSELF, table.measure_worst_losses
    )
    return claim.Conclusion(
        [
            results.draw_histogram(one)
            for one in (table.WINS, table.LOST_AT_WORST, table.KNOWN_POSITIONS)
        ],
        [wins_less, loses_more],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                f"games won against random, trained against it ({wins})": (
                    format_percent,
                    won,
                ),
                f"games lost to the best responder, self-play ({losses})": (
                    format_percent,
                    lost,
                ),
                "positions updated (of 627)": (format_count, updated),
            },
            "median of all seeds",
        ),
    )


# Exercise 1.4: learning from exploration

LESSONS = {
    "learns from greedy moves": "td-afterstates",
    "learns from all moves": "td-afterstates,learn_from=all",
}
FROM_GREEDY, FROM_ALL = LESSONS


@claim.experiment("sutton-barto-4", claim.Sweep(LESSONS, GREEDY_AND_EXPLORING))
def conclude_exploration(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on learning from greedy moves or all moves, by greedy and exploring play."""
    kinds = [attrgetter(kind) for kind in ("greedy", "exploring")]
    greedy, exploring = (results.compute_medians(kind) for kind in kinds)
    greedy_wins = results.is_significantly_higher(FROM_GREEDY, FROM_ALL, kinds[0])
    all_win = results.is_significantly_higher(FROM_ALL, FROM_GREEDY, kinds[1])
    in_greedy, in_exploring = (
        results.describe_sign_test(FROM_GREEDY, FROM_ALL, kind) for kind in kinds
    )
    return claim.Conclusion(
        [
            results.draw_histogram(claim.Quantity(title, "%", attrgetter(kind)))
            for title, kind in (
                (
                    "Games won against the random player in greedy play, mean of both seats",
                    "greedy",
                ),
                (
                    (
                        "Games won against the random player in play with exploring "
                        "moves, mean of both seats"
                    ),
                    "exploring",
                ),
                (
                    "Games lost to the random player in play with exploring moves, mean of both seats",
                    "exploring_lost",
                ),
            )
        ],
        [greedy_wins, all_win],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                f"greedy play ({in_greedy})": (
                    partial(format_percent, digits=2),
                    greedy,
                ),
                f"play with exploring moves ({in_exploring})": (
                    partial(format_percent, digits=2),
                    exploring,
                ),
            },
            "games won against the random player, median of all seeds",
        ),
    )


# Exercise 1.5: other improvements

AS_IT_IS = "learner of the book"
OTHERS = {
    "a step size that falls": "td-afterstates,alpha_drop=0.01",
    "exploration rate that falls": "td-afterstates,epsilon_drop=0.01",
    "higher exploration rate that falls": "td-afterstates,epsilon=0.9,epsilon_drop=0.1",
    "symmetric boards share a value": "td-afterstates,symmetric=yes",
    "optimistic initial values": "td-afterstates,initial=1",
    "self-play, both sides learn": "td-afterstates,vs=both",
}
CHAMPION = "lower and upper bounds (champion)"


@claim.experiment(
    "sutton-barto-5",
    claim.Sweep(
        {AS_IT_IS: "td-afterstates", **OTHERS, CHAMPION: "champion"}, END_MEASURE
    ),
)
def conclude_improvements(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on single changes of the book's learner, and on the champion."""
    won = results.compute_medians(table.measure_wins)
    lost = results.compute_medians(table.measure_worst_losses)
    errors = results.compute_medians(table.measure_blunders)
    better = any(
        results.is_significantly_higher(AS_IT_IS, label, table.measure_blunders)
        for label in OTHERS
    )
    compared = {
        label: results.describe_difference(label, AS_IT_IS, table.measure_blunders)
        for label in OTHERS
    }
    games = results.compute_medians(lambda run: run.snapshot_games[-1])
    solved = errors[CHAMPION] == 0 and lost[CHAMPION] == 0
    return claim.Conclusion(
        [
            results.draw_histogram(table.BLUNDERS),
            results.draw_histogram(table.WINS),
            results.draw_bars(
                "Number of games in the training",
                "games",
                games,
                is_logarithmic=True,
            ),
        ],
        [better, solved],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "blunders": (format_count, errors),
                "blunders, compared with the learner of the book (sign test)": (
                    str,
                    compared,
                ),
                "games": (format_count, games),
                "games won against the random player": (format_percent, won),
            },
            "median of all seeds",
        ),
    )
