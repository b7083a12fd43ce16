"""Claims on deep Q-networks; the module `network` has their shared functions."""

from collections.abc import Sequence

import numpy as np

from app.experiments import Curves, ReferenceLine, Table
from training.experiments import claim, network, table
from training.experiments.claim import format_count, format_percent
from training.measures import END_MEASURE

RANDOM, HEURISTIC = "random", "t-hand"
BY_OPPONENT = {
    f"against {opponent}": network.name_variant(vs=opponent, epochs=400, steps=50)
    for opponent in (RANDOM, HEURISTIC)
}
POINTS = 40
NETWORK = "the network"
REPORTED_PLOTS: tuple[tuple[str, table.SeatName, Sequence[ReferenceLine]], ...] = (
    (RANDOM, "x", []),
    (RANDOM, "o", [ReferenceLine(200, "reported: the network overtakes")]),
    (HEURISTIC, "o", []),
    (
        HEURISTIC,
        "x",
        [
            ReferenceLine(150, "reported: the network overtakes between here"),
            ReferenceLine(200, "and here"),
        ],
    ),
)
# For each plot, whether the source reports that the network wins more games at the end of training.
REPORTED_LEADS = [True, True, False, True]
# For each plot, the reported percent of games won in the end; the first plot has no number.
REPORTED_ENDS = (None, 70.0, 20.0, 70.0)
# largest accepted difference from a reported final result, in percent
MAX_DIFFERENCE = 10.0
# The reported epoch of overtaking, as a range of accepted epochs: the reported value +- 50.
REPORTED_EPOCHS = {(RANDOM, "o"): (150, 250), (HEURISTIC, "x"): (100, 250)}
ORDER = {"x": "first", "o": "second"}


def find_overtaking_epoch(run: network.NetworkRun, seat_name: table.SeatName) -> float:
    """Return the epoch after which the network always wins more games than it loses.

    Means of ten epochs are compared.  The epoch is infinite if there is none.
    """
    lead = np.subtract(
        network.trace_share_in_seat(seat_name, "won")(run),
        network.trace_share_in_seat(seat_name, "lost")(run),
    )
    behind = np.flatnonzero(lead.reshape(POINTS, -1).mean(axis=1) <= 0)
    first_ahead = int(behind[-1]) + 1 if len(behind) else 0
    if first_ahead == POINTS:
        return np.inf
    return first_ahead * (len(lead) // POINTS)


def _describe_lead(epochs: Sequence[float]) -> str:
    """Return a text on the epoch of overtaking, given the epoch of each seed."""
    if not np.isfinite(epochs).all():
        count = int(np.isinf(epochs).sum())
        return f"behind with {count} of {len(epochs)} seeds"
    low = int(min(epochs))
    high = int(max(epochs))
    since = f"epoch {low}" if low == high else f"epochs {low} to {high}"
    return "ahead from the start" if high == 0 else f"ahead since {since}"


@claim.experiment("win-plots", *network.make_sweeps(BY_OPPONENT))
def conclude_win_plots(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on four plots of wins by epoch, and the epoch of overtaking."""
    figures = []
    ahead = []
    near = []
    then = []
    rows = {}
    for (opponent, seat_name, marks), end in zip(
        REPORTED_PLOTS, REPORTED_ENDS, strict=True
    ):
        label = f"against {opponent}"
        won = network.trace_share_in_seat(seat_name, "won")
        lost = network.trace_share_in_seat(seat_name, "lost")
        figures.append(
            Curves(
                (
                    f"Games won in each epoch against {table.get_title(opponent)}, the "
                    f"network moves {ORDER[seat_name]} (sampled games)"
                ),
                "epochs",
                "%",
                [
                    network.draw_epochs(results, label, won, POINTS, NETWORK),
                    network.draw_epochs(results, label, lost, POINTS, opponent),
                ],
                list(marks),
            )
        )
        ends = [
            results.compute_values(label, network.average_last_epochs(line))
            for line in (won, lost)
        ]
        ahead.append(np.median(ends[0]) > np.median(ends[1]))
        near += (
            []
            if end is None
            else [abs(float(np.median(ends[0])) - end) <= MAX_DIFFERENCE]
        )
        since = [find_overtaking_epoch(run, seat_name) for run in results[label]]
        if window := REPORTED_EPOCHS.get((opponent, seat_name)):
            first, last = window
            then.append(all(first <= epoch <= last for epoch in since))
        rows[
            f"against {opponent.replace('t-hand', 'T-hand')}, the network moves {ORDER[seat_name]}"
        ] = [
            *(network.format_range(seeds, 0) for seeds in ends),
            _describe_lead(since),
        ]
    alike = ahead == REPORTED_LEADS
    verdict = claim.judge_parts(alike, all(near), all(then))
    return claim.Conclusion(
        figures,
        [alike, all(near), all(then)],
        Table(
            ["won", "lost", "the network, compared with its opponent"],
            rows,
            "results in the last tenth of the epochs",
        ),
        verdict,
    )


GUARD_RAIL_RECIPES = {
    "guard rails": network.name_variant(),
    "no guard rails": network.name_variant(guard_rails="no"),
    "no guard rails, four times as long": network.name_variant(
        guard_rails="no", epochs=240
    ),
}
FEWER_POINTS = 30
MIN_EPOCHS = 2_000  # number of epochs after which the claim expects no illegal moves


def trace_illegal_share_in_games(run: network.NetworkRun) -> list[float]:
    """Return, by epoch, the percent of positions in the games with an illegal move as highest output."""
    return [100 * share for share in run.illegal_shares_in_games]


def trace_illegal_share(run: network.NetworkRun) -> list[float]:
    """Return the percent of all decisions with an illegal move as highest output, by epoch."""
    return [100 * share for share in run.illegal_shares]


@claim.experiment("guard-rails", *network.make_sweeps(GUARD_RAIL_RECIPES))
def conclude_guard_rails(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether illegal moves disappear without guard rails."""
    usual, without, longer = GUARD_RAIL_RECIPES
    wants = network.average_last_epochs(trace_illegal_share_in_games)
    forfeits = network.average_last_epochs(network.trace_seats_mean("forfeited"))
    left = results.list_values(wants, GUARD_RAIL_RECIPES)
    forfeited = results.list_values(forfeits, (without, longer))
    stay = min(left[longer]) > 0
    helped = max(left[usual]) < min(left[without])
    enough = len(results[longer][0].illegal_shares) >= MIN_EPOCHS
    won = results.list_values(table.measure_wins, left)
    legally = (
        "Games won against the random player after the training, with the best "
        "legal move of the network"
    )
    return claim.Conclusion(
        [
            Curves(
                (
                    "Positions of the network's own games: the share in which its "
                    "highest output is an illegal move"
                ),
                "epochs",
                "%",
                [
                    network.draw_epochs(
                        results, label, trace_illegal_share_in_games, FEWER_POINTS
                    )
                    for label in left
                ],
            ),
            Curves(
                "All positions: the share in which the network's highest output is an illegal move",
                "epochs",
                "%",
                [
                    network.draw_epochs(
                        results, label, trace_illegal_share, FEWER_POINTS
                    )
                    for label in left
                ],
            ),
            Curves(
                "Games lost by an illegal move, including random exploring moves",
                "epochs",
                "%",
                [
                    network.draw_epochs(
                        results,
                        label,
                        network.trace_seats_mean("forfeited"),
                        FEWER_POINTS,
                    )
                    for label in forfeited
                ],
            ),
            results.draw_histogram(table.WINS._replace(title=legally), left),
        ],
        [enough and stay, min(won[without]) <= max(won[usual])],
        claim.tabulate_recipes(
            left,
            {
                "positions in which the highest output is an illegal move": (
                    network.format_range,
                    left,
                ),
                "games lost by an illegal move, including random exploring moves": (
                    network.format_range,
                    forfeited,
                ),
                "games won against the random player with the best legal move": (
                    network.format_range,
                    won,
                ),
            },
            "lowest to highest result of the seeds",
        ),
        claim.judge_parts(stay, helped) if enough else "inconclusive",
    )


ENCODINGS = {
    "one-hot": network.name_variant(),
    "flat array": network.name_variant(encoding="flat"),
    "20 bits as separate inputs": network.name_variant(encoding="bits"),
    "20 bits as one number": network.name_variant(encoding="number"),
}
LEARNED_LITTLE = 5.0  # a network that wins at most this percentage more learned little


@claim.experiment("encodings", *network.make_sweeps(ENCODINGS))
def conclude_encodings(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the encodings of a position that a network can learn from."""
    one_hot, flat, *others = ENCODINGS
    won = results.list_values(table.measure_wins, ENCODINGS)
    badly = max(won[flat]) < min(won[one_hot])
    never = [max(won[label]) < network.RANDOM + LEARNED_LITTLE for label in others]
    marks = [ReferenceLine(round(network.RANDOM, 2), "games that random play wins")]
    return claim.Conclusion(
        [
            network.draw_wins(results, won),
            results.draw_histogram(table.WINS_IN_THE_END, won, marks),
            results.draw_histogram(table.BLUNDERS, won),
        ],
        [badly, never[1], never[0]],
        network.tabulate_extremes(
            won | {"random play": [network.RANDOM]},
            "games won against the random player",
        ),
        claim.judge_parts(badly, never[1]),
    )


SIZES: dict[str, dict[str, object]] = {
    "1 layer of 120 units": {"layers": 1, "width": 120},
    "1 layer of 840 units": {"layers": 1},
    "3 layers of 120, 840, 120 units": {},
}
NARROW, WIDE, THREE = SIZES
STEPS = ("0.00003", "0.0003", "0.003")
USUAL = STEPS[1]
SQUARED = "squared error"
# A network that wins at most this percentage more than random play has failed.
FAILED_MARGIN = 5.0
MIN_GAIN = 2.0  # smallest difference that counts, in percent


def label_size(size_label: str, step_label: str) -> str:
    """Return the label of a network size and a step size."""
    return f"{size_label}, step size {step_label}"


SIZES_AND_STEPS = {
    label_size(size, step): network.name_variant(step_size=step, **settings)
    for step in dict.fromkeys([USUAL, *STEPS])
    for size, settings in reversed(SIZES.items())
} | {SQUARED: network.name_variant(error="squared")}


@claim.experiment("network-size", *network.make_sweeps(SIZES_AND_STEPS))
def conclude_network_size(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the size of the network, its step size and its loss function."""
    won = results.list_values(table.measure_wins, SIZES_AND_STEPS)
    best = {
        size: max(
            (won[label_size(size, step)] for step in STEPS),
            key=lambda values: sorted(values)[len(values) // 2],
        )
        for size in SIZES
    }
    huber = won[label_size(THREE, USUAL)]
    steep = won[label_size(THREE, STEPS[2])]
    parts = [
        max(best[NARROW] + best[WIDE]) < network.RANDOM + FAILED_MARGIN,
        max(best[NARROW] + best[WIDE]) < min(best[THREE]),
        max(best[WIDE]) < max(best[NARROW]) + MIN_GAIN,
        max(steep) < min(huber),
    ]
    at_one = (
        "Games won against the random player after the training, each seed, all "
        "with the same step size"
    )
    return claim.Conclusion(
        [
            results.draw_grid(
                table.WINS_IN_THE_END,
                claim.GridAxes(("layers", "step size"), list(SIZES), STEPS, label_size),
            ),
            results.draw_histogram(
                table.WINS._replace(title=at_one),
                (*(label_size(size, USUAL) for size in SIZES), SQUARED),
            ),
            network.draw_wins(
                results,
                (*(label_size(THREE, step) for step in STEPS), label_size(WIDE, USUAL)),
            ),
        ],
        parts,
        network.tabulate_extremes(
            {f"{size}, the best step size": seeds for size, seeds in best.items()}
            | {
                f"{THREE}, step size {STEPS[2]}": steep,
                f"{THREE}, step size {USUAL}, Huber loss": huber,
                f"{THREE}, step size {USUAL}, squared error": results.compute_values(
                    SQUARED, table.measure_wins
                ),
                "random play": [network.RANDOM],
            },
            "games won against the random player",
        ),
    )


NETWORK_KINDS = {
    "one network": network.name_variant(),
    "one network for each seat": network.name_variant(networks="separate"),
    "network with a convolution": network.name_variant(convolution="yes"),
}


@claim.experiment("separate-networks", *network.make_sweeps(NETWORK_KINDS))
def conclude_separate_networks(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on a network for each seat, and on a convolution."""
    shared, *variants = NETWORK_KINDS
    won = results.list_values(table.measure_wins, NETWORK_KINDS)
    better = [min(won[label]) > max(won[shared]) for label in variants]
    worse = [max(won[label]) < min(won[shared]) for label in variants]
    told = any(better) or all(worse)
    return claim.Conclusion(
        [
            network.draw_wins(results, won),
            *(
                results.draw_histogram(
                    games._replace(title=f"{games.title} after the training"), won
                )
                for games in (
                    table.describe_outcome(table.WON, "random", seat)
                    for seat in table.SEAT_NAMES
                )
            ),
            results.draw_histogram(table.BLUNDERS, won),
        ],
        [any(better), any(worse)],
        network.tabulate_extremes(
            won, "games won against the random player, both seats"
        ),
        claim.judge_parts(*better) if told else "inconclusive",
    )


TABLE_RECIPES = {
    "q-table, against random": "q-table",
    "q-table, against minimax": "q-table,vs=minimax-random",
    "q-learning, against random": "q-learning,start=empty",
    "q-learning, against minimax": "q-learning,vs=minimax-random,start=empty",
}
BY_RANDOM, BY_MINIMAX = "network, against random", "network, against minimax"
NETWORK_RECIPES = {
    BY_RANDOM: network.name_variant(),
    BY_MINIMAX: network.name_variant(vs="minimax-random"),
}
OPPONENT_PAIRS = {
    "q-table": ("q-table, against random", "q-table, against minimax"),
    "q-learning": ("q-learning, against random", "q-learning, against minimax"),
}


@claim.experiment(
    "perfect-opponent",
    claim.Sweep(TABLE_RECIPES, END_MEASURE),
    *network.make_sweeps(NETWORK_RECIPES),
)
def conclude_perfect_opponent(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether a learner learns little from a perfect opponent."""
    won = results.compute_medians(table.measure_wins, TABLE_RECIPES)
    worst = results.compute_medians(table.measure_worst_losses, TABLE_RECIPES)
    updated = results.compute_medians(table.count_known_positions, TABLE_RECIPES)
    plays_worse: list[bool] = []
    rows: dict[str, list[str]] = {}
    for learner, (random, perfect) in OPPONENT_PAIRS.items():
        wins_less = results.is_significantly_higher(random, perfect, table.measure_wins)
        plays_worse.append(wins_less and worst[perfect] >= worst[random])
        rows |= {
            one: [
                format_percent(won[one]),
                format_percent(worst[one]),
                format_count(updated[one]),
            ]
            for one in (random, perfect)
        }
        rows[f"{learner}: trained against random compared with minimax (sign test)"] = [
            results.describe_difference(random, perfect, table.measure_wins),
            claim.EMPTY_CELL,
            claim.EMPTY_CELL,
        ]
    of_network = results.list_values(table.measure_wins, NETWORK_RECIPES)
    rows |= {
        f"{one}, lowest to highest seed": [
            network.format_range(seeds),
            claim.EMPTY_CELL,
            claim.EMPTY_CELL,
        ]
        for one, seeds in of_network.items()
    }
    plays_worse.append(max(of_network[BY_MINIMAX]) < min(of_network[BY_RANDOM]))
    every = (*TABLE_RECIPES, *NETWORK_RECIPES)
    return claim.Conclusion(
        [
            results.draw_histogram(table.WINS, every),
            results.draw_histogram(table.LOST_AT_WORST, every),
            results.draw_histogram(
                claim.Quantity(
                    "Positions that the training has updated (of 627)",
                    "positions",
                    table.count_known_positions,
                ),
                TABLE_RECIPES,
            ),
        ],
        [all(plays_worse[:-1]), plays_worse[-1]],
        Table(
            [
                "games won against the random player",
                "games lost to the best responder",
                "positions updated (of 627)",
            ],
            rows,
            "median of all seeds",
        ),
        claim.judge_parts(*plays_worse),
    )
