"""Claims on the number of games that a learner needs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TypeVar

import msgspec
import numpy as np

from app.experiments import Curves, ReferenceLine, Series, Table
from app.recipes import Recipe
from app.tictactoe.game import O, X, tic_tac_toe
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import Policy, policy_from_values
from app.tictactoe.values import compute_best_responses
from training.experiments import claim, table
from training.experiments.claim import format_count, format_percent, format_share
from training.fast_evaluation import is_unbeatable
from training.measures import (
    CHECKPOINTS_MEASURE,
    EXACT_PROOF_MEASURE,
    PROOF_MEASURE,
    Measure,
)
from training.reference import (
    Person,
    build_rules,
    find_move_lister,
    get_update_key,
    make_learner,
)
from training.taught import build_first_table, build_person_turn
from training.textbook.exploration import pick
from training.textbook.loop import Update
from training.textbook.rng import Random
from training.textbook.symmetry import canonical_board

Value = TypeVar("Value")

PERFECT, RANDOM, ITSELF = (
    "trained against a perfect player",
    "trained against the random player",
    "trained against itself",
)
GREEDY = "perfect opponent; MENACE plays the colour with most beads"
TEACHERS = {
    PERFECT: "menace,vs=minimax-random,games=100000",
    RANDOM: "menace,games=100000",
    ITSELF: "menace,vs=self,games=100000",
    GREEDY: "menace,vs=minimax-random,plays=greedy,games=100000",
}
REPORTED_GAMES = 20  # number of games after which Michie's machine drew
# largest published number of games that a MENACE loses before it draws
REPORTED_LOST = 66
NEAR_ZERO_PERCENT = 1.0  # a learner hardly loses if it loses less than this percentage


def find_games_needed(curve: Series) -> int | None:
    """Return the games after which the median seed loses less than 1%, None if it never does.

    `curve` is the percentage of lost games, over the number of games played.
    """
    losing_points: Sequence[int] = [
        place
        for place, median in enumerate(curve.median)
        if median >= NEAR_ZERO_PERCENT
    ]
    first = losing_points[-1] + 1 if losing_points else 0
    return None if first >= len(curve.x) else round(curve.x[first])


def count_lost_games(curve: Series) -> float | None:
    """Return the number of games that the median seed loses in a seat until it hardly loses.

    `curve` is the percentage of lost games, over the games played in both seats.
    """
    needed = find_games_needed(curve)
    if needed is None:
        return None
    until = np.array(curve.x) <= needed + 0.5
    games = np.array(curve.x)[until]
    share = np.array(curve.median)[until] / 100
    mean_share = (share[1:] + share[:-1]) / 2
    between = np.diff(games) * mean_share
    both_seats = games[0] * share[0] + between.sum()
    return float(both_seats / 2)


@claim.experiment("menace", claim.Sweep(TEACHERS, CHECKPOINTS_MEASURE))
def conclude_menace(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the games that MENACE loses until it draws with a perfect player."""
    lines = {
        (label, seat): _draw_loss_curve(results, label, seat)
        for label in TEACHERS
        for seat in table.SEAT_NAMES
    }
    needed = {place: find_games_needed(line) for place, line in lines.items()}
    lost_until = {place: count_lost_games(line) for place, line in lines.items()}
    as_x = [lost_until[label, "x"] for label in (PERFECT, GREEDY)]
    within = [games is not None and round(games) <= REPORTED_LOST for games in as_x]
    # Michie counts the games that the machine opens: every second game here.
    marks = {
        "x": [ReferenceLine(2.0 * REPORTED_GAMES, "Michie: draws after 20 games as X")],
        "o": [],
    }
    lost = table.measure_outcome("minimax-random", "o", table.LOST)
    return claim.Conclusion(
        [
            Curves(
                f"Games lost as {seat.upper()} against randomised minimax",
                "games",
                "%",
                [lines[label, seat] for label in TEACHERS],
                marks[seat],
                logarithmic=True,
            )
            for seat in table.SEAT_NAMES
        ]
        + [
            results.draw_histogram(
                claim.Quantity(
                    "Games lost as O against randomised minimax after the training",
                    "%",
                    lost,
                ),
            )
        ],
        [all(within)],
        Table(
            [f"as {seat.upper()}" for seat in table.SEAT_NAMES],
            {
                (
                    "MENACE draws beads at random: games lost in the seat of the column "
                    "until MENACE loses less than 1%"
                ): (_format_games_by_seat(PERFECT, lost_until)),
                (
                    "MENACE plays the colour with most beads: games lost in the seat of "
                    "the column until MENACE loses less than 1%"
                ): (_format_games_by_seat(GREEDY, lost_until)),
                (
                    "MENACE draws beads at random: games played in both seats "
                    "until MENACE loses less than 1%"
                ): (_format_games_by_seat(PERFECT, needed)),
                (
                    "MENACE plays the colour with most beads: games played in both seats "
                    "until MENACE loses less than 1%"
                ): (_format_games_by_seat(GREEDY, needed)),
                "games lost to a perfect player after training against the random player": (
                    _list_final_losses(lines, RANDOM)
                ),
                "games lost to a perfect player after training against itself": (
                    _list_final_losses(lines, ITSELF)
                ),
            },
            "results against a perfect player, median of all seeds",
        ),
        claim.judge_parts(*within),
    )


def _draw_loss_curve(
    results: claim.Results, label: str, seat: table.SeatName
) -> Series:
    """Return the curve of the percentage of games lost against randomised minimax in a seat."""
    return table.draw_curve(
        results,
        label,
        table.trace_outcome("minimax-random", seat, table.LOST),
        by_games=True,
    )


def _format_games_by_seat(
    label: str, games: Mapping[tuple[str, table.SeatName], float | None]
) -> list[str]:
    """Return the numbers of games of a recipe as texts, for X and for O."""
    counts = (games[label, seat] for seat in table.SEAT_NAMES)
    return [
        claim.EMPTY_CELL if count is None else format_count(round(count))
        for count in counts
    ]


def _list_final_losses(
    curves: Mapping[tuple[str, table.SeatName], Series], label: str
) -> list[str]:
    """Return the percentages of games that a recipe loses in the end, as texts for X and for O."""
    return [format_percent(curves[label, seat].median[-1]) for seat in table.SEAT_NAMES]


CHAMPION = "champion"
OTHER_RECIPES = {
    "self-play": "self-play",
    "afterstates, against itself": "td-afterstates,vs=self,symmetric=yes,games=200000",
    "q-table, against itself": "q-table,vs=self,games=200000",
    "MENACE, against itself": "menace,vs=self,plays=greedy,games=200000",
}


@claim.experiment(
    "games-to-proof",
    claim.Sweep({CHAMPION: CHAMPION}, EXACT_PROOF_MEASURE, 200),
    claim.Sweep(OTHER_RECIPES, PROOF_MEASURE, 200),
)
def conclude_games_to_proof(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the games until play is proved unbeatable: our own question."""
    proved = results.list_values(lambda run: run.games_to_proof is not None)
    medians = {
        label: table.compute_median_games(results[label])
        for label in results.recipe_by_label
    }
    first = all(medians[CHAMPION] < medians[label] for label in OTHER_RECIPES)
    games = {label: round(one) for label, one in medians.items() if one < np.inf}
    stays = results.list_values(lambda run: run.games_to_lasting_proof is not None)
    return claim.Conclusion(
        table.draw_games_to_proof(
            results,
            "Games until the learner is proved unbeatable in both seats",
            "Seeds with which the learner is proved unbeatable at some time of the training",
        ),
        [first, all(proved[CHAMPION])],
        claim.tabulate_recipes(
            results.recipe_by_label,
            {
                "training runs proved unbeatable at some time": (format_share, proved),
                "games until the proof, median": (format_count, games),
                "training runs unbeatable from the proof to the end": (
                    format_share,
                    stays,
                ),
            },
        ),
        claim.judge_parts(first and all(proved[CHAMPION])),
    )


MAX_GAMES = 500  # maximum number of games with a teacher
LEARNER_TEMPLATE = (
    "td-afterstates,vs={},seat=x,symmetric=yes,alpha=1,epsilon=0,games=500,initial={}"
)
# Label and initial value of the learner's table, in which a loss is 0 and a win 1.
INITIAL_VALUES = {"low": "0.25", "medium": "0.5", "high": "1"}
BASELINE_TEACHERS = ("random", "t-hand", "minimax")
RESPONDER, CURIOUS = "best responder", "least visited"


class TaughtResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"games_to_proof": "games"},
):
    """The number of games until the play of a taught learner is proved unbeatable."""

    seconds: float
    # number of games after which no opponent can beat the learner as X; None without a proof
    games_to_proof: int | None


class Teacher(Person):
    """A program that plays in place of a person who teaches."""

    def __init__(self, choose_cell: Callable[[str], int]) -> None:
        super().__init__(1, "")
        self.choose_move = choose_cell

    def choose(self, board: str, _rng: Random) -> int:
        """Return the cell that the program plays."""
        return self.choose_move(board)


def train_with_teacher(teacher: str, recipe: Recipe) -> TaughtResult:
    """Train a learner with a teacher; return the games until it is proved unbeatable as X."""
    begin = perf_counter()
    game = tic_tac_toe()
    learner = make_learner(game, recipe)
    rng = Random(recipe.seed)
    teacher_rng = Random(recipe.seed, 1)
    first_values, entries = build_first_table(game, recipe.with_seed(0))
    q = first_values.copy()
    turn = build_person_turn(1)
    changed = True
    choose_cell = _choose_teacher_moves(teacher, teacher_rng)
    for games in range(MAX_GAMES + 1):
        if changed:  # otherwise the policy is the same as before
            policy = policy_from_values(
                game.spread_pairs(q.astype(np.float32)), recipe.plays
            )
            if is_unbeatable(game, policy, X):
                return TaughtResult(perf_counter() - begin, games)
            if teacher == RESPONDER:
                choose_cell = _choose_best_responses(policy, teacher_rng)
        changed = False
        for event in learner.play(turn._replace(player=Teacher(choose_cell)), rng):
            if isinstance(event, Update):
                changed |= event.new != event.old
                q[entries[get_update_key(learner, event)].pairs] = event.new
    return TaughtResult(perf_counter() - begin, None)


def _choose_teacher_moves(teacher: str, rng: Random) -> Callable[[str], int]:
    """Return a function from boards to the moves of a teacher as O that plays by a fixed rule."""
    game = tic_tac_toe()
    visits = Counter[str]()
    rules = build_rules(game)

    def choose_least_visited(board: str) -> int:
        """Return a move to the board, up to symmetry, that this teacher has made least often."""
        made = {
            cell: canonical_board(rules, rules.make_move(board, cell))
            for cell in rules.legal_moves(board)
        }
        fewest = min(visits[after] for after in made.values())
        rarest = [cell for cell, after in made.items() if visits[after] == fewest]
        cell: int = pick(rarest, rng.random())
        visits[made[cell]] += 1
        return cell

    if teacher == CURIOUS:
        return choose_least_visited
    list_moves = find_move_lister(game, teacher)
    return lambda board: pick(list_moves(rules, board), rng.random())


def _choose_best_responses(policy: Policy, rng: Random) -> Callable[[str], int]:
    """Return a function from boards to the moves of the best responder, as O, to a policy."""
    game = tic_tac_toe()
    moves = compute_best_responses(game, policy[game.legal], O, loss_reward=0.0)[0]

    def choose_best_response(board: str) -> int:
        """Return a move of the best responder, at random among several."""
        start, end = game.pair_start[parse_position(game, board) :][:2]
        is_best = moves[start:end] > 0
        cells = game.pair_cell[start:end][is_best].tolist()
        return int(pick(cells, rng.random()))

    return choose_best_response


def label_teacher(teacher: str, initial_label: str) -> str:
    """Return the label of a teacher and initial values."""
    return f"{teacher}, {initial_label} values"


def _select_values_of_teacher(
    values_by_label: Mapping[str, Value], teacher: str
) -> dict[str, Value]:
    """Return the values of the learners of a teacher, by label of their initial values."""
    return {
        initial_values: values_by_label[label_teacher(teacher, initial_values)]
        for initial_values in INITIAL_VALUES
    }


def format_games(games: float) -> str:
    """Return a number of games as text; "more than MAX_GAMES" if the games were not enough."""
    return format_count(games) if games < np.inf else f"more than {MAX_GAMES}"


MEASURE_BY_TEACHER = {
    teacher: Measure(
        f"taught-by-{teacher.replace(' ', '-')}",
        1,
        TaughtResult,
        partial(train_with_teacher, teacher),
    )
    for teacher in (*BASELINE_TEACHERS, RESPONDER, CURIOUS)
}


@claim.experiment(
    "teachers",
    *(
        claim.Sweep(
            {
                label_teacher(teacher, first): LEARNER_TEMPLATE.format(
                    teacher if teacher in BASELINE_TEACHERS else "self", initial
                )
                for first, initial in INITIAL_VALUES.items()
            },
            measure,
            # The recipe describes the learner only; the teacher is not a part of it.
            is_reproducible=False,
        )
        for teacher, measure in MEASURE_BY_TEACHER.items()
    ),
)
def conclude_teachers(results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the games needed to teach a learner, by teacher and initial values."""
    proved = results.list_values(lambda run: run.games_to_proof is not None)
    medians = {label: table.compute_median_games(results[label]) for label in proved}
    responder = _select_values_of_teacher(medians, RESPONDER)
    at_random = _select_values_of_teacher(medians, "random")
    quicker = all(responder[first] < at_random[first] for first in INITIAL_VALUES)
    fears = responder["low"] < responder["high"]
    by_minimax = _select_values_of_teacher(proved, "minimax")
    optimal = any(any(seeds) for seeds in by_minimax.values())
    return claim.Conclusion(
        table.draw_games_to_proof(
            results,
            "Games against the best responder until the learner is unbeatable as X",
            f"Seeds with which the learner is proved unbeatable as X within {MAX_GAMES} games",
            [label_teacher(RESPONDER, first) for first in INITIAL_VALUES],
        ),
        [quicker, fears, not optimal],
        claim.tabulate_recipes(
            INITIAL_VALUES,
            {
                f"{RESPONDER}: games until unbeatable, median of all seeds": (
                    format_games,
                    responder,
                ),
                "random: games until unbeatable, median of all seeds": (
                    format_games,
                    at_random,
                ),
            }
            | {
                f"{teacher}: training runs unbeatable as X within {MAX_GAMES} games": (
                    format_share,
                    _select_values_of_teacher(proved, teacher),
                )
                for teacher in MEASURE_BY_TEACHER
            },
            "initial values of the learner:",
        ),
    )
