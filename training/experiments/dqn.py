"""What is claimed of networks; what they share is in `network`."""

from collections.abc import Sequence

import numpy as np

from app.experiments import Curves, Mark, Table
from training.experiments import claim, network, table
from training.experiments.claim import chance, number, percent
from training.measures import END

RANDOM, HEURISTIC = "random", "t-hand"
BY_OPPONENT = {
    f"against {opponent}": network.varied(vs=opponent, epochs=400, steps=50)
    for opponent in (RANDOM, HEURISTIC)
}
POINTS = 40
NETWORK = "the network"
PLOTS: tuple[tuple[str, table.SeatName, Sequence[Mark]], ...] = (
    (RANDOM, "x", []),
    (RANDOM, "o", [Mark(200, "reported: the network overtakes")]),
    (HEURISTIC, "o", []),
    (HEURISTIC, "x", [Mark(150, "reported: it overtakes from"), Mark(200, "to here")]),
)
REPORTED = [True, True, False, True]  # whether the network is ahead in the end
ENDS = (
    None,
    70.0,
    20.0,
    70.0,
)  # percent won in the end, about; of the first plot not said
NEAR = 10.0  # percent
OVERTAKES = {
    (RANDOM, "o"): (150, 250),
    (HEURISTIC, "x"): (100, 250),
}  # epochs; 50 beside them
ORDER = {"x": "first", "o": "second"}


def overtakes(run: network.NetworkRun, seat_name: table.SeatName) -> float:
    """Return the epoch from which on it wins more than its opponent, in means of ten epochs.

    Never is infinite.
    """
    lead = np.subtract(
        network.seat(seat_name, "won")(run), network.seat(seat_name, "lost")(run)
    )
    behind = np.flatnonzero(lead.reshape(POINTS, -1).mean(axis=1) <= 0)
    last = -1 if not len(behind) else int(behind[-1])
    return np.inf if last == POINTS - 1 else (last + 1) * (len(lead) // POINTS)


def _since(epochs: Sequence[float]) -> str:
    if not np.isfinite(epochs).all():
        count = int(np.isinf(epochs).sum())
        return f"behind with {count} of {len(epochs)} seeds"
    low, high = int(min(epochs)), int(max(epochs))
    since = f"epoch {low}" if low == high else f"epochs {low} to {high}"
    return "ahead from the start" if high == 0 else f"ahead since {since}"


@claim.experiment("win-plots", *network.sweeps(BY_OPPONENT))
def win_plots(results: claim.Results) -> claim.Conclusion:
    """The four plots of wins by epoch, of both players, and when the network overtakes."""
    figures, ahead, near, then, rows = [], [], [], [], {}
    for (opponent, seat_name, marks), end in zip(PLOTS, ENDS, strict=True):
        label = f"against {opponent}"
        won, lost = network.seat(seat_name, "won"), network.seat(seat_name, "lost")
        figures.append(
            Curves(
                f"Games won in each epoch {label}, the network {ORDER[seat_name]}, sampled",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, won, POINTS, NETWORK),
                    network.by_epoch(results, label, lost, POINTS, opponent),
                ],
                list(marks),
            )
        )
        ends = [results.values(label, network.ending(line)) for line in (won, lost)]
        ahead.append(np.median(ends[0]) > np.median(ends[1]))
        near += [] if end is None else [abs(float(np.median(ends[0])) - end) <= NEAR]
        since = [overtakes(run, seat_name) for run in results[label]]
        if window := OVERTAKES.get((opponent, seat_name)):
            then.append(all(window[0] <= epoch <= window[1] for epoch in since))
        rows[f"against {opponent}, {ORDER[seat_name]} seat"] = [
            *(network.range_of(seeds, 0) for seeds in ends),
            _since(since),
        ]
    alike = ahead == REPORTED
    verdict = claim.verdict_on(alike, all(near), all(then))
    return claim.Conclusion(
        figures,
        [alike, all(near), all(then)],
        Table(["won", "lost", "the network is"], rows, "last tenth of the epochs"),
        verdict,
    )


RAILS = {
    "guard rails": network.varied(),
    "none": network.varied(guard_rails="no"),
    "none, four times as long": network.varied(guard_rails="no", epochs=240),
}
FEWER_POINTS = 30
THOUSANDS = 2_000  # epochs, as many as the claim is about


def wants_taken(run: network.NetworkRun) -> list[float]:
    """Take how often its highest output is an illegal move where it has to move, in percent."""
    return [100 * share for share in run.taken_met]


def wants_taken_anywhere(run: network.NetworkRun) -> list[float]:
    """Take the same of all decisions."""
    return [100 * share for share in run.taken]


@claim.experiment("guard-rails", *network.sweeps(RAILS))
def guard_rails(results: claim.Results) -> claim.Conclusion:
    """Whether illegal moves go away by themselves, or only by guard rails."""
    usual, without, longer = RAILS
    wants, forfeits = (
        network.ending(wants_taken),
        network.ending(network.both("forfeited")),
    )
    left = results.each(wants, RAILS)
    forfeited = results.each(forfeits, (without, longer))
    stay, helped = min(left[longer]) > 0, max(left[usual]) < min(left[without])
    enough = len(results[longer][0].taken) >= THOUSANDS
    won = results.each(table.wins, left)
    legally = "Games won against random in the end, both seats, by its best legal move"
    return claim.Conclusion(
        [
            Curves(
                "Positions of its own games where its highest output is an illegal move",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, wants_taken, FEWER_POINTS)
                    for label in left
                ],
            ),
            Curves(
                "All positions where its highest output is an illegal move",
                "epochs",
                "%",
                [
                    network.by_epoch(results, label, wants_taken_anywhere, FEWER_POINTS)
                    for label in left
                ],
            ),
            Curves(
                "Games lost by an illegal move, exploring ones too",
                "epochs",
                "%",
                [
                    network.by_epoch(
                        results, label, network.both("forfeited"), FEWER_POINTS
                    )
                    for label in forfeited
                ],
            ),
            results.strips(table.WINS._replace(title=legally), left),
        ],
        [enough and stay, min(won[without]) <= max(won[usual])],
        claim.compare(
            left,
            {
                "highest output is an illegal move": (network.range_of, left),
                "games lost by an illegal move, exploring ones too": (
                    network.range_of,
                    forfeited,
                ),
                "won against random by its best legal move": (network.range_of, won),
            },
            "least to most seed",
        ),
        claim.verdict_on(stay, helped) if enough else "inconclusive",
    )


ENCODINGS = {
    "one-hot": network.varied(),
    "flat": network.varied(encoding="flat"),
    "bits": network.varied(encoding="bits"),
    "bits as one number": network.varied(encoding="number"),
}
NOTHING = 5.0  # percent more than random wins are no learning to speak of


@claim.experiment("encodings", *network.sweeps(ENCODINGS))
def encodings(results: claim.Results) -> claim.Conclusion:
    """What a network can learn from, if it is told the same position in other numbers."""
    one_hot, flat, *others = ENCODINGS
    won = results.each(table.wins, ENCODINGS)
    badly = max(won[flat]) < min(won[one_hot])
    never = [max(won[label]) < network.RANDOM + NOTHING for label in others]
    marks = [Mark(round(network.RANDOM, 2), "what random moves win")]
    return claim.Conclusion(
        [
            network.won_by_epoch(results, won),
            results.strips(table.WINS_IN_THE_END, won, marks),
            results.strips(table.BLUNDERS, won),
        ],
        [badly, never[1], never[0]],
        network.ends(won | {"random moves": [network.RANDOM]}, "won against random"),
        claim.verdict_on(badly, never[1]),
    )


SIZES: dict[str, dict[str, object]] = {
    "1 layer of 120": {"layers": 1, "width": 120},
    "1 layer of 840": {"layers": 1},
    "120, 840, 120": {},
}
NARROW, WIDE, THREE = SIZES
STEPS = ("0.00003", "0.0003", "0.003")
USUAL = STEPS[1]
SQUARED = "squared error"
FAILED = 5.0  # percent more than random wins at most
ALIKE = 2.0  # percent


def label(size: str, step: str) -> str:
    """Name a recipe in the figures."""
    return f"{size}, step size {step}"


SIZES_AND_STEPS = {
    label(size, step): network.varied(step_size=step, **settings)
    for step in (USUAL, *(step for step in STEPS if step != USUAL))
    for size, settings in reversed(SIZES.items())
} | {SQUARED: network.varied(error="squared")}


@claim.experiment("network-size", *network.sweeps(SIZES_AND_STEPS))
def network_size(results: claim.Results) -> claim.Conclusion:
    """How large a network has to be, how long its steps, and by what its errors are measured."""
    won = results.each(table.wins, SIZES_AND_STEPS)
    best = {
        size: max(
            (won[label(size, step)] for step in STEPS),
            key=lambda values: sorted(values)[len(values) // 2],
        )
        for size in SIZES
    }
    huber, steep = won[label(THREE, USUAL)], won[label(THREE, STEPS[2])]
    parts = [
        max(best[NARROW] + best[WIDE]) < network.RANDOM + FAILED,
        max(best[NARROW] + best[WIDE]) < min(best[THREE]),
        max(best[WIDE]) < max(best[NARROW]) + ALIKE,
        max(steep) < min(huber),
    ]
    at_one = "Games won against random in the end, each seed, at one step size"
    return claim.Conclusion(
        [
            results.grid(
                table.WINS_IN_THE_END,
                claim.Axes(("layers", "step size"), list(SIZES), STEPS, label),
            ),
            results.strips(
                table.WINS._replace(title=at_one),
                (*(label(size, USUAL) for size in SIZES), SQUARED),
            ),
            network.won_by_epoch(
                results, (*(label(THREE, step) for step in STEPS), label(WIDE, USUAL))
            ),
        ],
        parts,
        network.ends(
            {f"{size}, the best step size": seeds for size, seeds in best.items()}
            | {
                f"{THREE}, step size {STEPS[2]}": steep,
                f"{THREE}, step size {USUAL}, Huber loss": huber,
                f"{THREE}, step size {USUAL}, squared error": results.values(
                    SQUARED, table.wins
                ),
                "random moves": [network.RANDOM],
            },
            "won against random",
        ),
    )


KINDS = {
    "one network": network.varied(),
    "one for each seat": network.varied(networks="separate"),
    "with a convolution": network.varied(convolution="yes"),
}


@claim.experiment("separate-networks", *network.sweeps(KINDS))
def separate_networks(results: claim.Results) -> claim.Conclusion:
    """What its author did not try: a network for each seat, and a convolution."""
    shared, *variants = KINDS
    won = results.each(table.wins, KINDS)
    better = [min(won[label]) > max(won[shared]) for label in variants]
    worse = [max(won[label]) < min(won[shared]) for label in variants]
    told = any(better) or all(worse)
    return claim.Conclusion(
        [
            network.won_by_epoch(results, won),
            *(
                results.strips(games._replace(title=f"{games.title} in the end"), won)
                for games in (
                    table.games(table.WON, "random", seat) for seat in table.SEAT_NAMES
                )
            ),
            results.strips(table.BLUNDERS, won),
        ],
        [any(better), any(worse)],
        network.ends(won, "won against random, both seats"),
        claim.verdict_on(*better) if told else "inconclusive",
    )


TABLES = {
    "q-table, against random": "q-table",
    "q-table, against minimax": "q-table,vs=minimax-random",
    "q-learning, against random": "q-learning,start=empty",
    "q-learning, against minimax": "q-learning,vs=minimax-random,start=empty",
}
BY_RANDOM, BY_MINIMAX = "network, against random", "network, against minimax"
NETWORKS = {
    BY_RANDOM: network.varied(),
    BY_MINIMAX: network.varied(vs="minimax-random"),
}
PAIRS = {
    "q-table": ("q-table, against random", "q-table, against minimax"),
    "q-learning": ("q-learning, against random", "q-learning, against minimax"),
}


@claim.experiment(
    "perfect-opponent", claim.Sweep(TABLES, END), *network.sweeps(NETWORKS)
)
def perfect_opponent(results: claim.Results) -> claim.Conclusion:
    """Whether a perfect opponent teaches little: two tables and a network."""
    won, worst, updated = (
        results.medians(value, TABLES)
        for value in (table.wins, table.lost_at_worst, table.known)
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
        rows[f"{learner}: against random (sign test)"] = [
            chance(p),
            claim.NONE,
            claim.NONE,
        ]
    of_network = results.each(table.wins, NETWORKS)
    rows |= {
        f"{one}, least to most": [network.range_of(seeds), claim.NONE, claim.NONE]
        for one, seeds in of_network.items()
    }
    worse.append(max(of_network[BY_MINIMAX]) < min(of_network[BY_RANDOM]))
    every = (*TABLES, *NETWORKS)
    return claim.Conclusion(
        [
            results.strips(table.WINS, every),
            results.strips(table.LOST_AT_WORST, every),
            results.strips(
                claim.Quantity("Positions updated, of 627", "positions", table.known),
                TABLES,
            ),
        ],
        [all(worse[:-1]), worse[-1]],
        Table(
            [
                "won against random",
                "lost to the best responder",
                "positions updated, of 627",
            ],
            rows,
            "median seed",
        ),
        claim.verdict_on(*worse),
    )
