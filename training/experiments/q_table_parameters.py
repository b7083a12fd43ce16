"""Claims of the article on tabular Q-learning about parameters and variants of its learner."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from app.experiments import Curves, Grid, Series, Table, round_significant
from app.recipes import parse_recipe
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.tasks import solve_task
from training.experiments import claim, table
from training.experiments.claim import format_count, format_percent, format_share
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE, MeasuredRun

STEPS = [step / 10 for step in range(11)]
BAD_PERCENT = 40.0
USUAL = {f"draw {step:g}": f"q-table,draw={step:g}" for step in STEPS}
NO_LOSS = {
    f"draw {step:g}, loss 0": f"q-table,draw={step:g},loss=0"
    for step in (0.0, 0.5, 1.0)
}
BY_REWARD = dict(zip(STEPS, USUAL, strict=True))  # the reward of a draw -> label
ENDS = FIRST, LAST = "draw 0", "draw 1"
SOME = (FIRST, "draw 0.5", LAST, *NO_LOSS)


@claim.experiment("draw-reward", claim.Sweep(USUAL | NO_LOSS, END_MEASURE))
def conclude_draw_reward(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the reward of a draw, varied in steps from 0 to 1."""
    lost = table.measure_outcome("minimax-random", "o", table.LOST)
    bad = results.list_values(lambda run: lost(run) >= BAD_PERCENT, USUAL)
    won = results.compute_medians(table.measure_wins, USUAL)
    proved = results.list_values(table.is_unbeatable)
    cured = sum(bad[LAST]) < sum(bad[FIRST]) / 10
    costs = won[LAST] < won[FIRST]
    as_x, as_o = (
        results.compute_medians(table.measure_outcome("random", seat, table.WON))
        for seat in table.SEAT_NAMES
    )

    def draw_curves(title: str, lines: Mapping[str, table.RunNumber]) -> Curves:
        """Return curves over the reward of a draw."""
        series = [
            results.draw_curve_over_parameter(name, BY_REWARD, value)
            for name, value in lines.items()
        ]
        return Curves(title, "reward of a draw", "%", series)

    return claim.Conclusion(
        [
            draw_curves(table.LOST_AS_O.title, {"as O": lost}),
            draw_curves(
                "Games won against the random player",
                {
                    f"as {seat.upper()}": table.measure_outcome(
                        "random", seat, table.WON
                    )
                    for seat in table.SEAT_NAMES
                },
            ),
            results.draw_histogram(
                table.LOST_AS_O._replace(
                    title=f"{table.LOST_AS_O.title}, in each training run"
                ),
                SOME,
            ),
            results.draw_shares(
                "Seeds with which the table becomes unbeatable in both seats", proved
            ),
        ],
        [cured, costs],
        claim.tabulate_recipes(
            ENDS,
            {
                (
                    f"training runs that lose at least {format_percent(BAD_PERCENT, 0)} of the "
                    "games as O to randomised minimax"
                ): (
                    format_share,
                    bad,
                ),
                "games won against the random player, both seats, median": (
                    format_percent,
                    won,
                ),
                "games won as X against the random player, median": (
                    format_percent,
                    as_x,
                ),
                "games won as O against the random player, median": (
                    format_percent,
                    as_o,
                ),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    proved,
                ),
            },
        ),
    )


@claim.experiment(
    "double-q",
    claim.Sweep(
        {
            "one table": "q-table",
            "two tables": "double-q",
            "two tables, last move updates one": "double-q,last=coin",
        },
        CHECKPOINTS_MEASURE,
    ),
)
def conclude_double_q(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether two tables are more stable or faster than a single table."""
    one, two, coin = results.recipe_by_label
    game = tic_tac_toe()
    task = parse_recipe("q-table").build_training_task()
    assert task is not None
    first_values = solve_task(game, task)[0][game.legal[0]]
    exact = round_significant(float(first_values.max()))
    wins = table.trace_outcome("random", "o")
    lost = table.measure_outcome("minimax-random", "o", table.LOST)
    bad = results.list_values(lambda run: lost(run) >= BAD_PERCENT)
    proved = results.list_values(table.is_unbeatable)
    end = results.compute_medians(table.measure_outcome("random", "o", table.WON))
    fewer_bad = sum(bad[two]) < sum(bad[one])
    more_proved = sum(proved[two]) > sum(proved[one])
    stabler = fewer_bad and more_proved

    def average_over_snapshots(run: MeasuredRun) -> float:
        """Return the mean of the wins over all snapshots of a run."""
        return float(np.mean(wins(run)))

    p = results.compute_sign_test(two, one, average_over_snapshots)
    seeds = {
        label: results.describe_difference(label, one, average_over_snapshots)
        for label in (two, coin)
    }
    averages = results.compute_medians(average_over_snapshots)
    faster = averages[two] > averages[one] and p < claim.SIGNIFICANT
    worse = averages[two] < averages[one] and p < claim.SIGNIFICANT
    curves_of = table.draw_curves(results, table.WON_AS_O._replace(compute=wins))
    leads = {
        line.name: table.list_higher_points(line, curves_of.series[0])
        for line in curves_of.series[1:]
    }
    bias = {
        label: results.compute_median(label, lambda run: run.start_values[-1]) - exact
        for label in proved
    }
    worth = [
        table.draw_curve(results, label, lambda run: run.start_values)
        for label in (one, two)
    ]
    points = worth[0].x
    flat = [exact] * len(points)
    truth = Series(
        "exact value in the training task",
        "",
        points,
        flat,
        flat,
        flat,
        flat,
        flat,
        1,
        0,
    )
    return claim.Conclusion(
        [
            curves_of,
            Curves(
                "The learned value of the empty board (its highest Q-value)",
                "updates",
                "",
                [*worth, truth],
                logarithmic=True,
            ),
            results.draw_histogram(table.LOST_AS_O),
        ],
        [not stabler, not faster, worse],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "games won as O against the random player after the training, median": (
                    format_percent,
                    end,
                ),
                "points of the learning curve that are higher than the curve of one table": (
                    format_share,
                    leads,
                ),
                "mean of the learning curve, compared with one table seed by seed (sign test)": (
                    str,
                    seeds,
                ),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    proved,
                ),
                (
                    f"training runs that lose at least {format_percent(BAD_PERCENT, 0)} of the "
                    "games as O to randomised minimax"
                ): (
                    format_share,
                    bad,
                ),
                f"highest Q-value of the empty board minus its exact value ({exact:.3f}), median": (
                    "{:+.3f}".format,
                    bias,
                ),
            },
        ),
    )


@claim.experiment(
    "running-sum",
    claim.Sweep(
        {"averages": "q-table", "running sums": "q-table,update=sum"}, END_MEASURE
    ),
)
def conclude_running_sum(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on adding up targets instead of averaging them."""
    wins = results.compute_medians(table.WON_AS_O.compute)
    proved = results.list_values(table.is_unbeatable)
    averages, sums = results.recipe_by_label
    more_wins = wins[sums] - wins[averages]
    more_proved = sum(proved[sums]) - sum(proved[averages])
    worse = more_wins < 0 and more_proved < 0
    better = more_wins > 0 and more_proved > 0
    return claim.Conclusion(
        [
            results.draw_histogram(one)
            for one in (table.WON_AS_O, table.BLUNDERS, table.LOST_AS_O)
        ],
        [not worse],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "games won as O against the random player, median": (
                    format_percent,
                    wins,
                ),
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    proved,
                ),
            },
        ),
        claim.judge_parts(better, not worse),
    )


EXPLORED = ("0", "0.1", "0.3", "0.5", "0.7", "1")
INITIALS = ("-1", "0", "1")
SMALL_PERCENT = 1.0  # differences up to this percentage are not counted


def label_start(initial: str, epsilon: str) -> str:
    """Return the label of an initial value and an epsilon."""
    return f"Q0 {initial}, epsilon {epsilon}"


START_OR_EXPLORE = {
    label_start(
        initial, epsilon
    ): f"q-table,epsilon={epsilon},epsilon_drop=0,initial={initial}"
    for initial in INITIALS
    for epsilon in EXPLORED
}


@claim.experiment("feedback", claim.Sweep(START_OR_EXPLORE, END_MEASURE))
def conclude_feedback(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether a learner without exploration only repeats its first moves."""
    none = {
        start: results.compute_median(label_start(start, "0"), table.measure_wins)
        for start in INITIALS
    }
    best = {
        start: max(
            results.compute_median(label_start(start, epsilon), table.measure_wins)
            for epsilon in EXPLORED[1:]
        )
        for start in INITIALS
    }
    behind = {start: best[start] - none[start] > SMALL_PERCENT for start in INITIALS}
    met = {
        start: results.compute_median(
            label_start(start, "0"), table.count_known_positions
        )
        for start in INITIALS
    }
    axes = claim.GridAxes(("initial value", "epsilon"), INITIALS, EXPLORED, label_start)
    return claim.Conclusion(
        [
            results.draw_grid(table.WINS, axes),
            results.draw_grid(table.KNOWN_POSITIONS, axes),
        ],
        [behind["0"], behind["1"]],
        claim.tabulate_recipes(
            INITIALS,
            {
                "games won against the random player without exploration": (
                    format_percent,
                    none,
                ),
                "games won against the random player with the best epsilon above 0": (
                    format_percent,
                    best,
                ),
                "positions updated without exploration (of 627)": (format_count, met),
            },
            "median of all seeds, with the initial value",
        ),
        claim.judge_parts(behind["0"]),
    )


ALPHAS = ("0.05", "0.1", "0.2", "0.4", "0.7", "1")
EPSILONS = ("0.1", "0.3", "0.5", "0.7", "0.9")
OPPONENTS = {"random": "random", "itself": "self"}
GAMMAS = ("0.5", "0.7", "0.9", "1")
GAMES = ("3500", "7000", "14000", "28000", "56000")
CONSTANT = "q-table,epsilon_drop=0"
LARGE_PERCENT = 5.0  # differences above this percentage count as large


def label_training(opponent: str, alpha: str, epsilon: str) -> str:
    """Return the label of an opponent, an alpha and an epsilon."""
    return f"against {opponent}: alpha {alpha}, epsilon {epsilon}"


GRIDS = {
    label_training(
        opponent, alpha, epsilon
    ): f"{CONSTANT},vs={vs},alpha={alpha},epsilon={epsilon}"
    for opponent, vs in OPPONENTS.items()
    for alpha in ALPHAS
    for epsilon in EPSILONS
}
STRIPS = {f"gamma {gamma}": f"q-table,gamma={gamma}" for gamma in GAMMAS} | {
    f"{int(games):,} games": f"q-table,games={games}" for games in GAMES
}


@claim.experiment(
    "alpha-gamma", claim.Sweep(GRIDS, END_MEASURE), claim.Sweep(STRIPS, END_MEASURE)
)
def conclude_alpha_gamma(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the influence of alpha, gamma, epsilon and the number of games."""
    grids: list[Grid] = []
    spans = {}
    for opponent in OPPONENTS:
        for title, value in (
            ("games won against the random player", table.measure_wins),
            ("games lost to the best responder", table.measure_worst_losses),
        ):
            number = claim.Quantity(
                f"Trained against {table.get_title(opponent)}: {title}",
                "%",
                value,
            )
            names = partial(label_training, opponent)
            axes = claim.GridAxes(("alpha", "epsilon"), ALPHAS, EPSILONS, names)
            grids.append(results.draw_grid(number, axes))
        spans[opponent] = [
            results.compute_median(
                label_training(opponent, alpha, epsilon), table.measure_wins
            )
            for alpha in ALPHAS
            for epsilon in EPSILONS
        ]
    by_games = [
        results.compute_median(f"{int(games):,} games", table.measure_wins)
        for games in GAMES
    ]
    by_gamma = [
        results.compute_median(f"gamma {gamma}", table.measure_wins) for gamma in GAMMAS
    ]
    much = [
        max(medians) - min(medians) > LARGE_PERCENT
        for medians in (*spans.values(), by_games, by_gamma)
    ]
    title = "Games won against the random player, with other values of gamma and other numbers of games"
    strips = results.draw_histogram(table.WINS._replace(title=title), STRIPS)

    def format_span(medians: list[float]) -> list[str]:
        """Return the smallest and the largest median as texts."""
        return [format_percent(min(medians)), format_percent(max(medians))]

    return claim.Conclusion(
        [*grids, strips],
        [all(much[:2]), much[2], much[3]],
        Table(
            ["minimum", "maximum"],
            {
                **{
                    (
                        f"trained against {table.get_title(opponent)}, with "
                        "any step size and exploration rate"
                    ): format_span(medians)
                    for opponent, medians in spans.items()
                },
                f"with any discount factor from {GAMMAS[0]} to {GAMMAS[-1]}": format_span(
                    by_gamma
                ),
                f"with any number of games from {int(GAMES[0]):,} to {int(GAMES[-1]):,}": format_span(
                    by_games
                ),
            },
            "games won against the random player, median of all seeds",
        ),
        claim.judge_parts(*much),
    )
