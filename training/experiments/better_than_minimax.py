"""Whether a learner wins more against random than a perfect player does."""

from app.experiments import Bar, Bars, Mark, Table, rounded
from app.tictactoe.game import SEATS, tic_tac_toe
from app.tictactoe.policy import BASELINES, uniform
from app.tictactoe.report import chances_against
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END

Q_TABLE = "q-table"
ALIKE = {"minimax": "minimax, first move", "minimax-random": "minimax, at random"}
PERFECT = {**ALIKE, "strongest": "best response that never loses"}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare every seed with the perfect players."""
    game = tic_tac_toe()
    won = {
        (one, seat): 100
        * chances_against(game, uniform(game), BASELINES[one].policy(game), SEATS[seat])[table.WON]
        for one in PERFECT
        for seat in table.SEAT_NAMES
    }
    median = {
        seat: results.median(Q_TABLE, table.against("random", seat, table.WON))
        for seat in table.SEAT_NAMES
    }
    better = [all(median[seat] > won[one, seat] for one in ALIKE) for seat in table.SEAT_NAMES]
    risky = {
        seat: of(results.values(Q_TABLE, table.against("random", seat, table.LOST)))
        for seat in table.SEAT_NAMES
    }
    return claim.Conclusion(
        [
            results.strips(
                table.games(table.WON, "random", seat),
                marks=[Mark(rounded(won[one, seat]), text) for one, text in PERFECT.items()],
            )
            for seat in table.SEAT_NAMES
        ]
        + [
            Bars(
                title="Games that perfect players win against random",
                unit="%",
                bars=[
                    Bar(
                        f"{BASELINES[one].title}, as {seat.upper()}",
                        rounded(won[one, seat]),
                        record="",
                    )
                    for one in PERFECT
                    for seat in table.SEAT_NAMES
                ],
                exact=True,
            )
        ],
        better,
        Table(
            [f"as {seat.upper()}" for seat in table.SEAT_NAMES],
            {
                "the median seed": [percent(share, 2) for share in median.values()],
                **{
                    text: [percent(won[one, seat], 2) for seat in table.SEAT_NAMES]
                    for one, text in PERFECT.items()
                },
                "seeds that lose to random at all": list(risky.values()),
            },
            "won against random",
        ),
    )


EXPERIMENT = claim.Experiment("better-than-minimax", tell, [claim.Sweep({Q_TABLE: "q-table"}, END)])
