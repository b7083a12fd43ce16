"""The losses of a table as O to randomised minimax, and the positions of its errors."""

from collections import Counter
from time import perf_counter

import msgspec
import numpy as np

from app.experiments import Board, Boards, Table
from app.recipes import Recipe
from app.tictactoe.game import O, X, tic_tac_toe
from app.tictactoe.notation import find_record
from app.tictactoe.policy import (
    find_best_moves,
    minimax_random_policy,
    policy_from_values,
)
from app.tictactoe.report import compute_chances
from app.tictactoe.values import collect_policy_moves, iterate_matches
from training.experiments.quantities import single
from training.experiments.results import Results, name_with_seed
from training.learners import learn
from training.measures import Measure

LABEL = "q-table"
BAD_PERCENT = 40.0  # percent of games lost in a bad run, as reported
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


MEASURES = {"losses as O": Measure("falls-as-o", 1, LossesAsO, measure_losses_as_o)}
QUANTITIES = {
    "lost as O": single(
        "Games lost as O against randomised minimax", "%", lambda run: run.lost_percent
    )
}


def list_bad_seeds(results: Results) -> dict[int, str | None]:
    """Return the position of the most common error by seed, for bad runs."""
    return {
        seed: run.error_record
        for seed, run in enumerate(results[LABEL])
        if run.lost_percent >= BAD_PERCENT
    }


def draw_positions(results: Results) -> Boards | None:
    """Return the positions in which most bad runs lose most games, None without a bad run."""
    bad = list_bad_seeds(results)
    boards = [
        Board(
            record,
            name_with_seed(
                results.recipe_by_label[LABEL],
                next(seed for seed, one in bad.items() if one == record),
            ),
            f"{count:,} of {len(bad):,} bad trainings lose most games here (O to move).",
        )
        for record, count in Counter(bad.values()).most_common(MAX_SHOWN)
        if record is not None
    ]
    title = "The positions in which the bad trainings lose most games"
    return Boards(title, boards) if boards else None


def tabulate_bad_runs(results: Results) -> Table:
    """Return the number of bad runs, and of those that err in the most common position."""
    bad = list_bad_seeds(results)
    rows = {
        (
            f"training runs that lose at least {BAD_PERCENT:.0f}% of the games as O "
            "to randomised minimax"
        ): [f"{len(bad):,} of {len(results[LABEL]):,}"]
    }
    for record, count in Counter(bad.values()).most_common(1):
        if record is not None:
            rows[
                "of these training runs, those that lose most games after "
                f"{_describe_moves(record)} (up to symmetry)"
            ] = [f"{count:,} of {len(bad):,}"]
    return Table(["seeds"], rows)


def _describe_moves(record: str) -> str:
    """Return the moves of a record in words: "X in a corner, then O in the centre"."""
    names = dict.fromkeys("0268", "a corner") | dict.fromkeys("1357", "an edge")
    names["4"] = "the centre"
    return ", then ".join(
        f"{'X' if ply % 2 == 0 else 'O'} in {names[cell]}"
        for ply, cell in enumerate(record)
    )
