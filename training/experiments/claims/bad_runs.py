"""How often trained tables lose as O to randomised minimax, and in which positions they err.

A run (a training with one seed) is bad if it loses at least MIN_PERCENT_LOST_IN_BAD_RUN of these games.
"""

from collections import Counter
from typing import Any

import numpy as np

from app.experiments import Board, Boards, Table
from app.recipes import Recipe
from app.tictactoe.game import GAME, O, X
from app.tictactoe.notation import find_record
from app.tictactoe.policy import (
    find_best_moves,
    minimax_random_policy,
    policy_from_values,
)
from app.tictactoe.report import compute_chances
from app.tictactoe.values import collect_policy_moves, iterate_matches
from training.experiments.results import Results, format_share, name_with_seed
from training.learners import learn
from training.measures import Measure

RECIPE_LABEL = "Q-table"
# The author reports runs that lose 40% of the games.
MIN_PERCENT_LOST_IN_BAD_RUN = 40.0
MAX_SHOWN_POSITIONS = 3


def measure_losses_as_o(recipe: Recipe) -> dict[str, Any]:
    """Train a recipe; return the percentage of games that it loses as O to randomised minimax.

    "record" has the moves to the position in which it errs most often, or None; symmetric positions
    count as one. "share" is the percentage of games with an error there.
    """
    *_, end = learn(GAME, recipe)
    policy = policy_from_values(end.q, recipe.plays)
    opponent = minimax_random_policy(GAME)
    _, _, lost = compute_chances(GAME, opponent, policy, O)
    both = np.stack([opponent, policy])[:, GAME.legal]
    met = np.zeros(GAME.decisions)
    *plies, _ = iterate_matches(
        GAME, collect_policy_moves(GAME, both), np.array([0]), np.array([1])
    )
    for rows, chance in plies:
        met[rows] = chance[0]
    wrong_moves = np.where(find_best_moves(GAME), 0, policy)
    wrong = wrong_moves.sum(axis=1) * met
    wrong[GAME.to_move == X] = 0
    classes = GAME.symmetry_class[: GAME.decisions]
    errors = np.bincount(classes, wrong, GAME.decisions)
    worst = int(np.argmax(errors))
    return {
        "lost": 100 * lost,
        "record": find_record(GAME, worst) if errors[worst] > 0 else None,
        "share": 100 * float(errors[worst]),
    }


MEASURES = {"losses as O": Measure("falls-as-o", 1, measure_losses_as_o)}


def list_bad_seeds(results: Results) -> dict[int, str | None]:
    """Return {seed: record} for the bad runs; the record leads to the most frequent error."""
    return {
        seed: run.record
        for seed, run in enumerate(results[RECIPE_LABEL])
        if run.lost >= MIN_PERCENT_LOST_IN_BAD_RUN
    }


def plot_positions(results: Results) -> Boards | None:
    bad = list_bad_seeds(results)
    boards = [
        Board(
            record,
            name_with_seed(
                results.recipe_by_label[RECIPE_LABEL],
                next(seed for seed, one in bad.items() if one == record),
            ),
            f"{count:,} of the {len(bad):,} bad agents blunder here more often than in any other "
            "position (O to move).",
        )
        for record, count in Counter(bad.values()).most_common(MAX_SHOWN_POSITIONS)
        if record is not None
    ]
    title = "The positions in which the bad agents blunder most often"
    return Boards(title, boards) if boards else None


def tabulate_bad_runs(results: Results) -> Table:
    bad = list_bad_seeds(results)
    rows = {
        (
            f"training runs that lose at least {MIN_PERCENT_LOST_IN_BAD_RUN:.0f}% of the games as O "
            "to randomised minimax"
        ): [format_share(seed in bad for seed in range(len(results[RECIPE_LABEL])))]
    }
    for record, _ in Counter(bad.values()).most_common(1):
        if record is not None:
            rows[
                "of these, runs that blunder most often after "
                f"{_describe_moves(record)}"
            ] = [format_share(one == record for one in bad.values())]
    return Table(["seeds"], rows)


def _describe_moves(record: str) -> str:
    """Describe moves up to symmetry, such as "X takes a corner, then O takes the centre"."""
    names = dict.fromkeys("0268", "a corner") | dict.fromkeys("1357", "an edge")
    names["4"] = "the centre"
    return ", then ".join(
        f"{'X' if ply % 2 == 0 else 'O'} takes {names[cell]}"
        for ply, cell in enumerate(record)
    )
