"""Claims on self-play."""

from collections.abc import Callable

from app.experiments import Bar, Bars, Curves, ReferenceLine, Table, round_significant
from app.recipes import SHIPPED, name_recipe
from app.tictactoe.agents import load_agent
from app.tictactoe.game import SEATS, X, tic_tac_toe
from app.tictactoe.policy import t_hand_policy
from app.tictactoe.values import find_best_response
from training.experiments import claim, table
from training.experiments.claim import format_percent, format_share
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE, MeasuredRun
from training.run import MODELS

TRIED = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
GAMMAS = {f"gamma {gamma}": f"self-play,gamma={gamma}" for gamma in TRIED}
LABEL_BY_GAMMA = {float(gamma): f"gamma {gamma}" for gamma in TRIED}
EACH_RUN = claim.Quantity(
    f"{table.BLUNDERS.title}, in each training run",
    table.BLUNDERS.unit,
    table.BLUNDERS.compute,
)


@claim.experiment("gamma", claim.Sweep(GAMMAS, END_MEASURE))
def conclude_gamma(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether gamma matters to self-play."""
    proved = results.list_values(table.is_unbeatable)
    clean = results.list_values(table.has_no_blunder)
    every = [all(seeds) for seeds in proved.values()]
    return claim.Conclusion(
        [
            Curves(
                table.BLUNDERS.title,
                "discount factor",
                table.BLUNDERS.unit,
                [
                    results.draw_curve_over_parameter(
                        "Self-play", LABEL_BY_GAMMA, table.BLUNDERS.compute
                    )
                ],
            ),
            results.draw_histogram(EACH_RUN),
            results.draw_histogram(
                claim.Quantity(
                    "The learned value of the empty board (its highest Q-value)",
                    "",
                    lambda run: run.start_values[-1],
                )
            ),
        ],
        [all(every)],
        claim.tabulate_recipes(
            GAMMAS,
            {
                "trained agents that are unbeatable in both seats": (
                    format_share,
                    proved,
                ),
                "trained agents without any blunder": (format_share, clean),
            },
        ),
        claim.judge_parts(all(every), sum(every) > 1),
    )


SELF_PLAY = "self-play"


@claim.experiment(
    "self-play-unbeatable", claim.Sweep({SELF_PLAY: "self-play"}, CHECKPOINTS_MEASURE)
)
def conclude_self_play_unbeatable(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether self-play ends unbeatable: proved, not sampled."""
    recipe = results.recipe_by_label[SELF_PLAY]
    questions: dict[str, Callable[[MeasuredRun], bool]] = {
        "unbeatable as X": table.is_unbeatable_as("x"),
        "unbeatable as O": table.is_unbeatable_as("o"),
        "unbeatable in both seats": table.is_unbeatable,
        "without a blunder in any position": table.has_no_blunder,
    }
    answers = {
        text: [bool(ask(run)) for run in results[SELF_PLAY]]
        for text, ask in questions.items()
    }
    proved = answers["unbeatable in both seats"]
    half = 2 * sum(proved) >= len(proved)
    low, _ = claim.compute_wilson_interval(sum(proved), len(proved))
    clean = answers["without a blunder in any position"]
    return claim.Conclusion(
        [
            Bars(
                "Seeds with which the agent is proved unbeatable",
                "%",
                [
                    claim.make_share_bar(text, truths, recipe)
                    for text, truths in answers.items()
                ],
                False,
            ),
            table.draw_curves(results, table.BLUNDERS_TRACE),
            table.draw_curves(results, table.LOST_AT_WORST_TRACE),
        ],
        [all(proved)],
        Table(
            ["seeds"],
            {
                "proved unbeatable in both seats": [format_share(proved)],
                "share of all possible seeds, lower 95% limit": [
                    format_percent(100 * low)
                ],
                "without a blunder in any of the 4,520 positions": [
                    format_share(clean)
                ],
            },
        ),
        claim.judge_parts(all(proved), half),
    )


REPORTED_WINS = 58.0
BY_TEACHER = {
    SELF_PLAY: "self-play",
    "q-table, against T-hand": "q-table,vs=t-hand",
    "q-learning, against T-hand": "q-learning,vs=t-hand,start=empty",
    "q-learning, against T-hand, reward -3 for a loss": "q-learning,vs=t-hand,start=empty,loss=-3",
}


def _compute_most_wins_without_loss() -> float:
    """Return the percent of games won against the player T-hand by the best policy that never loses."""
    game = tic_tac_toe()
    total = 0.0
    for seat in SEATS.values():
        response = find_best_response(
            game, t_hand_policy(game), seat, loss_reward=float("-inf")
        )
        total += float(response.outcome_chances[0, 0 if seat == X else 2])
    return 50 * total


def _evaluate_shipped_agents() -> list[Bar]:
    """Return a bar for every shipped agent: its wins against T-hand, mean of both seats."""
    game = tic_tac_toe()
    bars = []
    for one, agent in SHIPPED.items():
        if not (MODELS / f"{one}.json").exists():
            continue
        against = load_agent(MODELS, game, one).card.figures.baseline_chances["t-hand"]
        wins_as_x = against.x[-1][table.WON]
        wins_as_o = against.o[-1][table.WON]
        share = 50 * (wins_as_x + wins_as_o)
        bars.append(
            Bar(agent.title, round_significant(share), recipe=name_recipe(agent.recipe))
        )
    return sorted(bars, key=lambda bar: -bar.value)


@claim.experiment("boyan", claim.Sweep(BY_TEACHER, END_MEASURE))
def conclude_boyan(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether a learner wins 58% against T-hand and draws 42%."""
    wins = table.measure_both_seats("t-hand", table.WON)
    loses = table.measure_both_seats("t-hand", table.LOST)
    bound = _compute_most_wins_without_loss()
    marks = [
        ReferenceLine(REPORTED_WINS, "Boyan: 58%"),
        ReferenceLine(
            round_significant(bound), "highest possible share without a loss"
        ),
    ]
    reaching = results.list_values(
        lambda run: wins(run) >= REPORTED_WINS and loses(run) == 0
    )
    own = reaching[SELF_PLAY]
    others = [label for label in results.recipe_by_label if label != SELF_PLAY]
    elsewhere = any(any(reaching[label]) for label in others)
    won = claim.Quantity("Games won against T-hand, mean of both seats", "%", wins)
    lost = claim.Quantity("Games lost to T-hand, mean of both seats", "%", loses)
    return claim.Conclusion(
        [
            results.draw_histogram(won, marks=marks),
            results.draw_histogram(lost),
            Bars(
                "Games won against T-hand by each agent of this site, mean of both seats",
                "%",
                _evaluate_shipped_agents(),
                True,
            ),
        ],
        [all(own), elsewhere],
        Table(
            [
                "minimum",
                "maximum",
                f"training runs that win {REPORTED_WINS:.0f}% and lose no game",
            ],
            {
                **{
                    label: [
                        format_percent(min(results.compute_values(label, wins))),
                        format_percent(max(results.compute_values(label, wins))),
                        format_share(seeds),
                    ]
                    for label, seeds in reaching.items()
                },
                "highest possible share without ever losing": [
                    claim.EMPTY_CELL,
                    format_percent(bound, 2),
                    claim.EMPTY_CELL,
                ],
            },
            "games won against T-hand, mean of both seats",
        ),
        claim.judge_parts(all(own), any(own)),
    )
