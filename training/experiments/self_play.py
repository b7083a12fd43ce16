"""What is claimed of self-play."""

from collections.abc import Callable

from app.experiments import Bar, Bars, Mark, Table, drop_noise
from app.recipes import SHIPPED, name_recipe
from app.tictactoe.agents import load_agent
from app.tictactoe.game import SEATS, X, tic_tac_toe
from app.tictactoe.policy import t_hand_policy
from app.tictactoe.values import find_best_response
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END, MARKS, Run
from training.run import MODELS

GAMMAS = {
    f"gamma {gamma}": f"self-play,gamma={gamma}"
    for gamma in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
}


@claim.experiment("gamma", claim.Sweep(GAMMAS, END))
def gamma(results: claim.Results) -> claim.Conclusion:
    """Whether gamma matters to self-play."""
    proved, clean = results.each(table.beaten_nowhere), results.each(table.faultless)
    every = [all(seeds) for seeds in proved.values()]
    return claim.Conclusion(
        [
            results.strips(table.BLUNDERS),
            results.strips(
                claim.Quantity(
                    "Its value of the empty board: max Q", "", lambda run: run.start[-1]
                )
            ),
        ],
        [all(every)],
        claim.compare(
            GAMMAS,
            {
                "unbeatable in both seats": (of, proved),
                "without a blunder": (of, clean),
            },
        ),
        claim.verdict_on(all(every), sum(every) > 1),
    )


SELF_PLAY = "self-play"


@claim.experiment("self-play-unbeatable", claim.Sweep({SELF_PLAY: "self-play"}, MARKS))
def self_play_unbeatable(results: claim.Results) -> claim.Conclusion:
    """Whether self-play ends unbeatable: not sampled against minimax, but proved."""
    recipe = results.recipes[SELF_PLAY]
    asked: dict[str, Callable[[Run], bool]] = {
        "unbeatable as X": table.unbeatable("x"),
        "unbeatable as O": table.unbeatable("o"),
        "unbeatable in both seats": table.beaten_nowhere,
        "without a blunder in any position": table.faultless,
    }
    answers = {
        text: [bool(ask(run)) for run in results[SELF_PLAY]]
        for text, ask in asked.items()
    }
    proved = answers["unbeatable in both seats"]
    half = 2 * sum(proved) >= len(proved)
    low, _ = claim.wilson(sum(proved), len(proved))
    clean = answers["without a blunder in any position"]
    return claim.Conclusion(
        [
            Bars(
                "Seeds for which this is proved",
                "%",
                [claim.share(text, truths, recipe) for text, truths in answers.items()],
                False,
            ),
            table.curves(results, table.BLUNDERS_LINE),
            table.curves(results, table.LOST_AT_WORST_LINE),
        ],
        [all(proved)],
        Table(
            ["seeds"],
            {
                "proved unbeatable in both seats": [of(proved)],
                "of all seeds, at least (95%)": [percent(100 * low)],
                "without a blunder in any of the 4,520 positions": [of(clean)],
            },
        ),
        claim.verdict_on(all(proved), half),
    )


REPORTED = 58.0
BY_TEACHER = {
    SELF_PLAY: "self-play",
    "q-table, against T-hand": "q-table,vs=t-hand",
    "q-learning, against T-hand": "q-learning,vs=t-hand,start=empty",
    "q-learning, against T-hand, a loss at -3": "q-learning,vs=t-hand,start=empty,loss=-3",
}


def _bound() -> float:
    """Return what the best responder to T-hand wins that never risks a loss, in percent."""
    game = tic_tac_toe()
    total = 0.0
    for seat in SEATS.values():
        response = find_best_response(
            game, t_hand_policy(game), seat, loss=float("-inf")
        )
        total += float(response.chances[0, 0 if seat == X else 2])
    return 50 * total


def _shipped() -> list[Bar]:
    """Judge every agent of models/ against T-hand, as the mean of both seats."""
    game = tic_tac_toe()
    bars = []
    for one, agent in SHIPPED.items():
        if not (MODELS / f"{one}.json").exists():
            continue
        against = load_agent(MODELS, game, one).card.figures.vs["t-hand"]
        share = 50 * (against.x[-1][table.WON] + against.o[-1][table.WON])
        bars.append(
            Bar(agent.title, drop_noise(share), recipe=name_recipe(agent.recipe))
        )
    return sorted(bars, key=lambda bar: -bar.value)


@claim.experiment("boyan", claim.Sweep(BY_TEACHER, END))
def boyan(results: claim.Results) -> claim.Conclusion:
    """Whether a learned player wins 58% against T-hand and draws 42%."""
    wins, loses = (
        table.both_seats("t-hand", table.WON),
        table.both_seats("t-hand", table.LOST),
    )
    bound = _bound()
    marks = [
        Mark(REPORTED, "Boyan: 58%"),
        Mark(drop_noise(bound), "the most without any loss"),
    ]
    reaching = results.each(lambda run: wins(run) >= REPORTED and loses(run) == 0)
    own, others = (
        reaching[SELF_PLAY],
        [label for label in results.recipes if label != SELF_PLAY],
    )
    elsewhere = any(any(reaching[label]) for label in others)
    won, lost = (
        claim.Quantity(f"Games {ended} T-hand, the mean of both seats", "%", value)
        for ended, value in (("won against", wins), ("lost to", loses))
    )
    return claim.Conclusion(
        [
            results.strips(won, marks=marks),
            results.strips(lost),
            Bars(
                "Games won against T-hand by each agent of this site, the mean of both seats",
                "%",
                _shipped(),
                True,
            ),
        ],
        [all(own), elsewhere],
        Table(
            ["least", "most", f"seeds with {REPORTED:.0f}% and no loss"],
            {
                **{
                    label: [
                        percent(min(results.values(label, wins))),
                        percent(max(results.values(label, wins))),
                        of(seeds),
                    ]
                    for label, seeds in reaching.items()
                },
                "possible without ever losing": [
                    claim.NONE,
                    percent(bound, 2),
                    claim.NONE,
                ],
            },
            "won against T-hand, both seats",
        ),
        claim.verdict_on(all(own), any(own)),
    )
