"""Whether a learned player wins 58% against T-hand and draws 42%."""

from pathlib import Path

from app.experiments import Bar, Bars, Mark, Table, Verdict, rounded
from app.recipes import SHIPPED, name
from app.tictactoe.agents import load
from app.tictactoe.game import SEATS, X, tic_tac_toe
from app.tictactoe.policy import t_hand
from app.tictactoe.values import best_response
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

MODELS = Path(__file__).parents[2] / "models"
REPORTED = 58.0
SELF_PLAY, TABLE, FORWARD = "self-play", "q-table, against T-hand", "q-learning, against T-hand"
CAREFUL = "q-learning, against T-hand, a loss at -3"


def tell(results: claim.Results) -> claim.Told:
    """Place 58% among the seeds and below the bound."""
    wins, loses = table.both_seats("t-hand", table.WON), table.both_seats("t-hand", table.LOST)
    bound = _bound()
    marks = [Mark(REPORTED, "Boyan: 58%"), Mark(rounded(bound), "the most without any loss")]
    reaching = results.each(lambda run: wins(run) >= REPORTED and loses(run) == 0)
    own, others = reaching[SELF_PLAY], [label for label in results.recipes if label != SELF_PLAY]
    elsewhere = any(any(reaching[label]) for label in others)
    verdict: Verdict = (
        "reproduced" if all(own) else "partly reproduced" if any(own) else "not reproduced"
    )
    return claim.Told(
        [
            results.strips(
                "Games won against T-hand, the mean of both seats", "%", wins, marks=marks
            ),
            results.strips("Games lost to T-hand, the mean of both seats", "%", loses),
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
                "possible without ever losing": [claim.NONE, percent(bound, 2), claim.NONE],
            },
            "won against T-hand, both seats",
        ),
        verdict,
    )


def _bound() -> float:
    """Return what the best responder to T-hand wins that never risks a loss, in percent."""
    game = tic_tac_toe()
    total = 0.0
    for seat in SEATS.values():
        response = best_response(game, t_hand(game), seat, loss=float("-inf"))
        total += float(response.chances[0, 0 if seat == X else 2])
    return 50 * total


def _shipped() -> list[Bar]:
    """Judge every agent of models/ against T-hand, as the mean of both seats."""
    game = tic_tac_toe()
    bars = []
    for one, agent in SHIPPED.items():
        if not (MODELS / f"{one}.json").exists():
            continue
        against = load(MODELS, game, one).card.figures.vs["t-hand"]
        share = 50 * (against.x[-1][table.WON] + against.o[-1][table.WON])
        bars.append(Bar(agent.title, rounded(share), recipe=name(agent.recipe)))
    return sorted(bars, key=lambda bar: -bar.value)


EXPERIMENT = claim.Experiment(
    id="boyan",
    title="58% won and 42% drawn against T-hand",
    claim="A player learned by Q-learning beats T-hand in 58% of the games and draws the other "
    "42%: Peek left open whether his own agent does.",
    sources=["peek", "boyan-1992"],
    where="The section “Discussion”, which cites Boyan (1992) for it.",
    done="Self-play and tables that learn from T-hand itself were trained with {seeds} seeds and "
    "judged exactly as the mean of both seats. The most that can be won without ever losing "
    "follows from the game.",
    limits="The verdict is on self-play, the agent of whom it was asked. Boyan's learner is a "
    "modular network trained in another way; it is not rebuilt here. His T-hand may break ties in "
    "another way than with equal chances.",
    agents=["self-play", "champion"],
    parts=[
        claim.Part(
            "His agent, who learns against itself, does so.",
            "His agent, who learns against itself and never meets the heuristic player, does not.",
        ),
        claim.Part(
            "A table that is taught by that player can.", "No other learner that was tried does."
        ),
    ],
    sweeps=[
        claim.Sweep(
            {
                SELF_PLAY: "self-play",
                TABLE: "q-table,vs=t-hand",
                FORWARD: "q-learning,vs=t-hand,start=empty",
                CAREFUL: "q-learning,vs=t-hand,start=empty,loss=-3",
            },
            END,
        )
    ],
    tell=tell,
)
