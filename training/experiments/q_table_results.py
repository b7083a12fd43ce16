"""What the tabular article reports of its agent, over many seeds instead of one run."""

from app.experiments import Figure, Mark, Table
from training.experiments import claim, table
from training.experiments.claim import of, percent
from training.measures import END, Run

Q_TABLE, AFTERSTATES = "q-table", "afterstates, ties at random"
REPORTED: dict[table.SeatName, float] = {"x": 99.1, "o": 92.6}
SAMPLED = 1_000  # games, as its author played


def lossless(run: Run) -> bool:
    """Whether it never loses to random or to either minimax."""
    names = ("random", "minimax", "minimax-random")
    return all(
        table.against(name, seat, table.LOST)(run) == 0
        for name in names
        for seat in table.SEAT_NAMES
    )


def looks_lossless(run: Run) -> float:
    """How likely 1,000 sampled games as O against random show no loss, in percent."""
    return 100 * (1 - table.against("random", "o", table.LOST)(run) / 100) ** SAMPLED


def tell(results: claim.Results) -> claim.Conclusion:
    """Place what was reported among the seeds."""
    runs = results[Q_TABLE]
    within = all(
        min(values) <= reported <= max(values)
        for seat, reported in REPORTED.items()
        for values in [results.values(Q_TABLE, table.against("random", seat, table.WON))]
    )
    without = [lossless(run) for run in runs]
    most = sum(without) > len(runs) / 2
    looks = sum(map(looks_lossless, runs)) / len(runs)
    figures: list[Figure] = [
        results.strips(
            table.games(table.WON, "random", seat),
            marks=[Mark(reported, f"reported: {reported}%")],
        )
        for seat, reported in REPORTED.items()
    ]
    figures += [
        results.strips(
            table.games(table.LOST, opponent, "o"), [Q_TABLE], [Mark(0, "reported: none")]
        )
        for opponent in ("random", "minimax-random")
    ]
    return claim.Conclusion(
        figures,
        [within, most],
        Table(
            ["reported", "here"],
            {
                **{
                    f"won as {seat.upper()} against random, median seed": [
                        percent(reported),
                        percent(results.median(Q_TABLE, table.against("random", seat, table.WON))),
                    ]
                    for seat, reported in REPORTED.items()
                },
                "lose to neither random nor minimax": ["its one run", of(without)],
                f"lose none of {SAMPLED:,} games as O against random": [
                    "its one run",
                    f"{percent(looks)} on average",
                ],
            },
        ),
        claim.verdict_on(within and most, within),
    )


EXPERIMENT = claim.Experiment(
    "q-table-results",
    tell,
    [
        claim.Sweep({Q_TABLE: "q-table"}, END),
        claim.Sweep({AFTERSTATES: "q-table,key=afterstate,ties=random"}, END),
    ],
)
