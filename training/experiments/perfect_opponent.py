"""Whether a perfect opponent teaches little: two tables and a network."""

from app.experiments import Table
from training.experiments import claim, network, table
from training.experiments.claim import chance, number, percent
from training.measures import END

TABLES = {
    "q-table, against random": "q-table",
    "q-table, against minimax": "q-table,vs=minimax-random",
    "q-learning, against random": "q-learning,start=empty",
    "q-learning, against minimax": "q-learning,vs=minimax-random,start=empty",
}
RANDOM, MINIMAX = "network, against random", "network, against minimax"
NETWORKS = {
    RANDOM: network.varied(),
    MINIMAX: network.varied(vs="minimax-random"),
}
PAIRS = {
    "q-table": ("q-table, against random", "q-table, against minimax"),
    "q-learning": ("q-learning, against random", "q-learning, against minimax"),
}


def tell(results: claim.Results) -> claim.Conclusion:
    """Compare what each learner makes of random and of a perfect opponent."""
    won, worst, updated = (
        results.medians(value, TABLES) for value in (table.wins, table.lost_at_worst, table.known)
    )
    worse: list[bool] = []
    rows: dict[str, list[str]] = {}
    for learner, (random, perfect) in PAIRS.items():
        wins_less, p = results.higher(random, perfect, table.wins)
        worse.append(wins_less and worst[perfect] >= worst[random])
        rows |= {
            one: [percent(won[one]), percent(worst[one]), number(updated[one])]
            for one in (random, perfect)
        }
        rows[f"{learner}: against random (sign test)"] = [chance(p), claim.NONE, claim.NONE]
    of_network = results.each(table.wins, NETWORKS)
    rows |= {
        f"{one}, least to most": [network.range_of(seeds), claim.NONE, claim.NONE]
        for one, seeds in of_network.items()
    }
    worse.append(max(of_network[MINIMAX]) < min(of_network[RANDOM]))
    every = (*TABLES, *NETWORKS)
    return claim.Conclusion(
        [
            results.strips(table.WINS, every),
            results.strips(table.LOST_AT_WORST, every),
            results.strips(
                claim.Quantity("Positions updated, of 627", "positions", table.known), TABLES
            ),
        ],
        [all(worse[:-1]), worse[-1]],
        Table(
            ["won against random", "lost to the best responder", "positions updated, of 627"],
            rows,
            "median seed",
        ),
        claim.verdict_on(*worse),
    )


EXPERIMENT = claim.Experiment(
    "perfect-opponent", tell, [claim.Sweep(TABLES, END), *network.sweeps(NETWORKS)]
)
