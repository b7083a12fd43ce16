"""Whether a perfect opponent teaches little: two tables and a network."""

from training.experiments.claim import (
    Experiment,
    Results,
    Sweep,
    Told,
    chance,
    number,
    percent,
    verdict_on,
)
from training.experiments.network import FEW, SEEDS, SHORTER, spread, sweeps, varied
from training.experiments.table import known, lost_at_worst, wins
from training.measures import END

TABLES = {
    "q-table, against random": "q-table",
    "q-table, against minimax": "q-table,vs=minimax-random",
    "q-learning, against random": "q-learning,start=empty",
    "q-learning, against minimax": "q-learning,vs=minimax-random,start=empty",
}
RANDOM, MINIMAX = "network, against random", "network, against minimax"
NETWORKS = {RANDOM: varied(), MINIMAX: varied().replace("dqn,", "dqn,vs=minimax-random,")}
PAIRS = {
    "q-table": ("q-table, against random", "q-table, against minimax"),
    "q-learning": ("q-learning, against random", "q-learning, against minimax"),
}


def tell(results: Results) -> Told:
    """Compare what each learner makes of random and of a perfect opponent."""
    won, worst, updated = (results.medians(value, TABLES) for value in (wins, lost_at_worst, known))
    worse, told = [], []
    for learner, (random, perfect) in PAIRS.items():
        p = results.sign_test(perfect, random, wins)
        worse.append(won[perfect] < won[random] and p < 0.05 and worst[perfect] >= worst[random])
        told.append(
            f"{learner} wins {percent(won[perfect])} against random taught by minimax and "
            f"{percent(won[random])} taught by random ({chance(p)}, sign test), knowing "
            f"{number(updated[perfect])} and {number(updated[random])} of 627 positions, and loses "
            f"{percent(worst[perfect])} and {percent(worst[random])} to the best responder"
        )
    of_network = results.each(wins, NETWORKS)
    worse.append(max(of_network[MINIMAX]) < min(of_network[RANDOM]))
    everybody = (*TABLES, *NETWORKS)
    return Told(
        [
            results.strips("Games won against random, both seats", "%", wins, everybody),
            results.strips(
                "Games lost to the best responder, both seats", "%", lost_at_worst, everybody
            ),
            results.strips("Positions updated, of 627", "positions", known, TABLES),
        ],
        verdict_on(*worse),
        f"Medians: {'; '.join(told)}. The seeds of the network win {spread(of_network[MINIMAX])} "
        f"against random taught by minimax and {spread(of_network[RANDOM])} taught by random.",
    )


EXPERIMENT = Experiment(
    id="perfect-opponent",
    title="A perfect opponent teaches little",
    claim="A perfect opponent would not help to learn.",
    project="network",
    where="The project of the deep Q-network, on the choice of opponents.",
    done="Two tables learned from random and from randomised minimax, by recipes that are "
    f"otherwise the same, with {{seeds}} seeds each, and a network with {SEEDS}; all were judged "
    f"exactly. {SHORTER}",
    limits="Games begin with the empty board, and a perfect opponent leads to few positions. From "
    f"random positions it could show more. {FEW}",
    agents=["q-table-vs-minimax", "q-table", "dqn-vs-random"],
    sweeps=[Sweep(TABLES, END), *sweeps(NETWORKS)],
    tell=tell,
)
