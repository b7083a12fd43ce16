"""Claims of the article on tabular Q-learning about its agent, checked over many seeds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from time import perf_counter

import msgspec
import numpy as np

from app.experiments import (
    Bar,
    Bars,
    Board,
    Boards,
    Figure,
    Histogram,
    ReferenceLine,
    Table,
    round_significant,
)
from app.recipes import Recipe
from app.tictactoe.game import SEATS, Game, O, X, tic_tac_toe
from app.tictactoe.notation import find_record
from app.tictactoe.policy import (
    BASELINES,
    Policy,
    find_best_moves,
    minimax_random_policy,
    policy_from_values,
    uniform_policy,
)
from app.tictactoe.report import compute_chances
from app.tictactoe.values import Numbers, collect_policy_moves, iterate_matches
from training.experiments import claim, table
from training.experiments.claim import format_percent, format_share
from training.learners import learn
from training.measures import END_MEASURE, Measure, MeasuredRun

Q_TABLE = "q-table"
REPORTED_WINS: dict[table.SeatName, float] = {"x": 99.1, "o": 92.6}
SAMPLED_GAMES = 1_000  # number of games that the author sampled


def is_lossless(run: MeasuredRun) -> bool:
    """Return whether a run never loses to the random player or to a minimax player."""
    names = ("random", "minimax", "minimax-random")
    return all(
        table.measure_outcome(name, seat, table.LOST)(run) == 0
        for name in names
        for seat in table.SEAT_NAMES
    )


def estimate_lossless_sample(run: MeasuredRun) -> float:
    """Return the chance, in percent, that 1,000 sampled games as O against random have no loss."""
    return (
        100
        * (1 - table.measure_outcome("random", "o", table.LOST)(run) / 100)
        ** SAMPLED_GAMES
    )


@claim.experiment(
    "q-table-results",
    claim.Sweep({Q_TABLE: "q-table"}, END_MEASURE),
    claim.Sweep(
        {
            "afterstates, random among equal values": "q-table,key=afterstate,ties=random"
        },
        END_MEASURE,
    ),
)
def conclude_q_table_results(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the reported results of the agent."""
    runs = results[Q_TABLE]
    within = all(
        min(values) <= reported <= max(values)
        for seat, reported in REPORTED_WINS.items()
        for values in [
            results.compute_values(
                Q_TABLE, table.measure_outcome("random", seat, table.WON)
            )
        ]
    )
    without = [is_lossless(run) for run in runs]
    most = sum(without) > len(runs) / 2
    looks = sum(map(estimate_lossless_sample, runs)) / len(runs)
    figures: list[Figure] = [
        results.draw_histogram(
            table.describe_outcome(table.WON, "random", seat),
            marks=[ReferenceLine(reported, f"reported: {reported}%")],
        )
        for seat, reported in REPORTED_WINS.items()
    ]
    figures += [
        results.draw_histogram(
            table.describe_outcome(table.LOST, opponent, "o"),
            [Q_TABLE],
            [ReferenceLine(0, "reported: no game lost")],
        )
        for opponent in ("random", "minimax-random")
    ]
    return claim.Conclusion(
        figures,
        [within, most],
        Table(
            ["reported by the author", "measured here"],
            {
                **{
                    f"games won as {seat.upper()} against the random player, median of all seeds": [
                        format_percent(reported),
                        format_percent(
                            results.compute_median(
                                Q_TABLE,
                                table.measure_outcome("random", seat, table.WON),
                            )
                        ),
                    ]
                    for seat, reported in REPORTED_WINS.items()
                },
                "training runs that lose neither to the random player nor to minimax": [
                    "the one training run",
                    format_share(without),
                ],
                (
                    f"training runs that lose none of {SAMPLED_GAMES:,} games as O "
                    "against the random player"
                ): [
                    "the one training run",
                    f"{format_percent(looks)} on average",
                ],
            },
        ),
        claim.judge_parts(within and most, within),
    )


BAD_PERCENT = 40.0  # percent of games lost in a bad run, as reported
# bad runs are occasional if their share is between this and a half
MIN_BAD_SHARE = 0.01
MAX_SHOWN = 3  # maximum number of positions shown


class LossesAsO(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"lost_percent": "lost", "error_record": "record", "error_percent": "share"},
):
    """The losses of an agent as O to randomised minimax, and the position of its most common error."""

    seconds: float
    lost_percent: float  # percent of games lost
    # Record of the position, up to symmetry, with the most frequent error.
    error_record: str | None
    error_percent: float  # percent of the games with an error in this position


def measure_losses_as_o(recipe: Recipe) -> LossesAsO:
    """Train a recipe; return its losses as O against randomised minimax, over all possible games."""
    game = tic_tac_toe()
    begin = perf_counter()
    *_, end = learn(game, recipe)
    policy = policy_from_values(end.q, recipe.plays)
    opponent = minimax_random_policy(game)
    _, _, lost = compute_chances(game, opponent, policy, O)
    both = np.stack([opponent, policy])[:, game.legal]
    met = np.zeros(game.decisions)
    *plies, _ = iterate_matches(
        game, collect_policy_moves(game, both), np.array([0]), np.array([1])
    )
    for rows, chance in plies:
        met[rows] = chance[0]
    wrong_moves = np.where(find_best_moves(game), 0, policy)
    wrong = wrong_moves.sum(axis=1) * met
    wrong[game.to_move == X] = 0
    classes = game.symmetry_class[: game.decisions]
    errors = np.bincount(classes, wrong, game.decisions)
    worst = int(np.argmax(errors))
    record = find_record(game, worst) if errors[worst] > 0 else None
    return LossesAsO(
        perf_counter() - begin, 100 * lost, record, 100 * float(errors[worst])
    )


LOSSES_MEASURE = Measure("falls-as-o", 1, LossesAsO, measure_losses_as_o)


def _describe_moves(record: str) -> str:
    """Return the moves of a record in words: "X in a corner, then O in the centre"."""
    names = dict.fromkeys("0268", "a corner") | dict.fromkeys("1357", "an edge")
    names["4"] = "the centre"
    kinds = [names[cell] for cell in record]
    return ", then ".join(
        f"{'X' if ply % 2 == 0 else 'O'} in {kind}" for ply, kind in enumerate(kinds)
    )


@claim.experiment("bad-runs", claim.Sweep({Q_TABLE: "q-table"}, LOSSES_MEASURE))
def conclude_bad_runs(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on how often a run ends badly, and in which positions it errs."""
    losses: Sequence[LossesAsO] = results[Q_TABLE]
    bad = [seed for seed, fall in enumerate(losses) if fall.lost_percent >= BAD_PERCENT]
    places = Counter(losses[seed].error_record for seed in bad).most_common(MAX_SHOWN)
    figures: list[Figure] = [
        results.draw_histogram(
            table.LOST_AS_O._replace(compute=lambda fall: fall.lost_percent),
            marks=[
                ReferenceLine(BAD_PERCENT, "reported for a bad training: about 40%")
            ],
        )
    ]
    boards = [
        Board(
            record,
            claim.name_with_seed(
                results.recipe_by_label[Q_TABLE],
                next(s for s in bad if losses[s].error_record == record),
            ),
            f"{count:,} of {len(bad):,} bad trainings lose most games here (O to move).",
        )
        for record, count in places
        if record is not None
    ]
    some = MIN_BAD_SHARE <= len(bad) / len(losses) <= 0.5
    rows = {
        (
            f"training runs that lose at least {format_percent(BAD_PERCENT, 0)} of the games as O "
            "to randomised minimax"
        ): [f"{len(bad):,} of {len(losses):,}"]
    }
    if boards:
        figures.append(
            Boards("The positions in which the bad trainings lose most games", boards)
        )
        rows[
            (
                "of these training runs, those that lose most games after "
                f"{_describe_moves(boards[0].record)} (up to symmetry)"
            )
        ] = [f"{places[0][1]:,} of {len(bad):,}"]
    verdict = claim.judge_parts(some, bool(bad))
    return claim.Conclusion(figures, [some], Table(["seeds"], rows), verdict)


MINIMAX_PLAYERS = {
    "minimax": "minimax, first of the best moves",
    "minimax-random": "minimax, one of the best moves at random",
}
PERFECT_PLAYERS = {
    **MINIMAX_PLAYERS,
    "strongest": "the strongest player that never loses",
}


def compute_perfect_wins() -> dict[tuple[str, table.SeatName], float]:
    """Return the percent of games that each perfect player wins against random, by seat."""
    game = tic_tac_toe()
    return {
        (one, seat): 100
        * compute_chances(
            game, uniform_policy(game), BASELINES[one].build_policy(game), SEATS[seat]
        )[table.WON]
        for one in PERFECT_PLAYERS
        for seat in table.SEAT_NAMES
    }


def draw_perfect_wins(percent_won: Mapping[tuple[str, table.SeatName], float]) -> Bars:
    """Return bars of the percent of games that each perfect player wins against random."""
    return Bars(
        title="Games that perfect players win against the random player",
        unit="%",
        bars=[
            Bar(
                f"{BASELINES[one].title}, as {seat.upper()}",
                round_significant(percent_won[one, seat]),
                record="",
            )
            for one in PERFECT_PLAYERS
            for seat in table.SEAT_NAMES
        ],
        exact=True,
    )


@claim.experiment("better-than-minimax", claim.Sweep({Q_TABLE: "q-table"}, END_MEASURE))
def conclude_better_than_minimax(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on whether a learner wins more against random than perfect players."""
    won = compute_perfect_wins()
    median = {
        seat: results.compute_median(
            Q_TABLE, table.measure_outcome("random", seat, table.WON)
        )
        for seat in table.SEAT_NAMES
    }
    better = [
        all(median[seat] > won[one, seat] for one in MINIMAX_PLAYERS)
        for seat in table.SEAT_NAMES
    ]
    risky = {
        seat: format_share(
            results.compute_values(
                Q_TABLE, table.measure_outcome("random", seat, table.LOST)
            )
        )
        for seat in table.SEAT_NAMES
    }
    return claim.Conclusion(
        [
            results.draw_histogram(
                table.describe_outcome(table.WON, "random", seat),
                marks=[
                    ReferenceLine(round_significant(won[one, seat]), text)
                    for one, text in PERFECT_PLAYERS.items()
                ],
            )
            for seat in table.SEAT_NAMES
        ]
        + [draw_perfect_wins(won)],
        better,
        Table(
            [f"as {seat.upper()}" for seat in table.SEAT_NAMES],
            {
                "Q-table, median of all seeds": [
                    format_percent(share, 2) for share in median.values()
                ],
                **{
                    text: [
                        format_percent(won[one, seat], 2) for seat in table.SEAT_NAMES
                    ]
                    for one, text in PERFECT_PLAYERS.items()
                },
                "training runs of Q-table that can lose to the random player": list(
                    risky.values()
                ),
            },
            "games won against the random player",
        ),
    )


REPORTED_WON, REPORTED_LOST, REPORTED_MET = 50.0, 22.7, 355
TEST_GAMES = 1_000  # games against random in each seat, as in the source
KEYS_AND_TIES = {
    f"values of {key}, {ties}": "q-table,vs=minimax-random" + "".join(settings)
    for key, ties, settings in (
        ("moves", "first of equal values", ()),
        ("moves", "random among equal values", (",ties=random",)),
        ("boards", "first of equal values", (",key=afterstate",)),
        ("boards", "random among equal values", (",key=afterstate,ties=random",)),
    )
}
AS_REPORTED, AGAINST_RANDOM = (
    "values of moves, first of equal values",
    "trained against the random player instead",
)


class TestGamesResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "won_percent": "won",
        "lost_percent": "lost",
        "updated_positions": "learned",
        "known_or_tested_positions": "tested",
    },
):
    """The results of an agent as O against random, and numbers of positions, up to symmetry."""

    seconds: float
    won_percent: float  # percent of games won as O
    lost_percent: float  # percent of games lost as O
    updated_positions: int  # number of positions with an updated move
    # number of positions that were updated or occur in the test games
    known_or_tested_positions: int


def measure_test_games(recipe: Recipe) -> TestGamesResult:
    """Train a recipe; return its exact results as O, and the positions of its test games."""
    game = tic_tac_toe()
    begin = perf_counter()
    *_, end = learn(game, recipe)
    policy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(game)
    won, _, lost = compute_chances(game, random, policy, O)
    known = np.flatnonzero((end.visits > 0).any(axis=1))
    drawn = np.random.default_rng(recipe.seed)
    tested = [
        _play_test_games(game, policy, random, seat, drawn) for seat in SEATS.values()
    ]
    classes = game.symmetry_class
    return TestGamesResult(
        perf_counter() - begin,
        100 * won,
        100 * lost,
        len(np.unique(classes[known])),
        len(np.unique(classes[np.concatenate([known, *tested])])),
    )


def _play_test_games(
    game: Game,
    policy: Policy,
    random_policy: Policy,
    player: int,
    rng: np.random.Generator,
) -> Numbers:
    """Return the decisions in which a policy moves in TEST_GAMES games against `random_policy`."""
    positions = np.zeros(TEST_GAMES, np.intp)
    decisions: list[Numbers] = []
    mover = X
    while len(positions):
        if mover == player:
            decisions.append(positions)
        chances = (policy if mover == player else random_policy)[positions].cumsum(
            axis=1
        )
        drawn = rng.random((len(positions), 1)) * chances[:, -1:]
        cells = (drawn >= chances).sum(axis=1)
        positions = game.successor[positions, cells].astype(np.intp)
        positions = positions[positions < game.decisions]
        mover = -mover
    return np.concatenate(decisions)


TEST_GAMES_MEASURE = Measure("met-in-tests", 1, TestGamesResult, measure_test_games)
WON = claim.Quantity(
    "Games won as O against the random player", "%", attrgetter("won_percent")
)
LOST = claim.Quantity(
    "Games lost as O against the random player", "%", attrgetter("lost_percent")
)
UPDATED_POSITIONS = claim.Quantity(
    "Positions that the training has updated (of 627)",
    "positions",
    attrgetter("updated_positions"),
)
KNOWN_OR_TESTED_POSITIONS = claim.Quantity(
    "Positions that the training has updated or that occur in 1,000 test games in each seat",
    "positions",
    attrgetter("known_or_tested_positions"),
)


def _add_line_to_all_but_last(
    histogram: Histogram, reference_line: ReferenceLine
) -> Histogram:
    """Return a histogram with a reference line for every recipe but the last."""
    *groups, last = histogram.groups
    marked = [
        msgspec.structs.replace(group, marks=[reference_line]) for group in groups
    ]
    return msgspec.structs.replace(histogram, groups=[*marked, last])


@claim.experiment(
    "trained-on-minimax",
    claim.Sweep(KEYS_AND_TIES | {AGAINST_RANDOM: "q-table"}, TEST_GAMES_MEASURE),
)
def conclude_trained_on_minimax(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on training against randomised minimax instead of random."""
    results_as_reported: Sequence[TestGamesResult] = results[AS_REPORTED]
    won = results.compute_medians(WON.compute)
    lost = results.compute_medians(LOST.compute)
    worse = (
        won[AS_REPORTED] < won[AGAINST_RANDOM]
        and lost[AS_REPORTED] > lost[AGAINST_RANDOM]
    )
    learned = [result.updated_positions for result in results_as_reported]
    seen = min(learned) <= REPORTED_MET <= max(learned)
    updated, met = (
        {
            label: f"{min(seeds)} to {max(seeds)}"
            for label, seeds in results.list_values(value).items()
        }
        for value in (UPDATED_POSITIONS.compute, KNOWN_OR_TESTED_POSITIONS.compute)
    )
    return claim.Conclusion(
        [
            _add_line_to_all_but_last(
                results.draw_histogram(WON),
                ReferenceLine(REPORTED_WON, "reported: 50%"),
            ),
            _add_line_to_all_but_last(
                results.draw_histogram(LOST),
                ReferenceLine(REPORTED_LOST, "reported: 22.7%"),
            ),
            results.draw_histogram(UPDATED_POSITIONS),
            _add_line_to_all_but_last(
                results.draw_histogram(KNOWN_OR_TESTED_POSITIONS, exact=False),
                ReferenceLine(REPORTED_MET, "reported: 355"),
            ),
        ],
        [worse, seen],
        claim.tabulate_recipes(
            ["reported by the author", *results.recipe_by_label],
            {
                "games won, median": (
                    format_percent,
                    {"reported by the author": REPORTED_WON} | won,
                ),
                "games lost, median": (
                    format_percent,
                    {"reported by the author": REPORTED_LOST} | lost,
                ),
                "positions updated (of 627)": (
                    str,
                    {"reported by the author": REPORTED_MET} | updated,
                ),
                "positions updated or in test games": (str, met),
            },
            "as O against the random player",
        ),
    )
