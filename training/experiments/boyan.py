"""Whether a learned player wins 58% against T-hand and draws 42%."""

from pathlib import Path

from app.experiments import Bar, Bars, Mark, Table, rounded
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
SELF_PLAY = "self-play"
RECIPES = {
    SELF_PLAY: "self-play",
    "q-table, against T-hand": "q-table,vs=t-hand",
    "q-learning, against T-hand": "q-learning,vs=t-hand,start=empty",
    "q-learning, against T-hand, a loss at -3": "q-learning,vs=t-hand,start=empty,loss=-3",
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Place 58% among the seeds and below the bound."""
    wins, loses = table.both_seats("t-hand", table.WON), table.both_seats("t-hand", table.LOST)
    bound = _bound()
    marks = [Mark(REPORTED, "Boyan: 58%"), Mark(rounded(bound), "the most without any loss")]
    reaching = results.each(lambda run: wins(run) >= REPORTED and loses(run) == 0)
    own, others = reaching[SELF_PLAY], [label for label in results.recipes if label != SELF_PLAY]
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
                "possible without ever losing": [claim.NONE, percent(bound, 2), claim.NONE],
            },
            "won against T-hand, both seats",
        ),
        claim.verdict_on(all(own), any(own)),
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


EXPERIMENT = claim.Experiment("boyan", tell, [claim.Sweep(RECIPES, END)])
