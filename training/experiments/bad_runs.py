"""How often a run of the tabular article ends badly, and where such runs err."""

from collections import Counter
from collections.abc import Sequence
from time import perf_counter

import msgspec
import numpy as np

from app.experiments import Board, Boards, Figure, Mark, Table
from app.recipes import Recipe
from app.tictactoe.game import O, X, tic_tac_toe
from app.tictactoe.notation import record_to
from app.tictactoe.policy import best_moves, minimax_random, policy_of
from app.tictactoe.report import chances_against
from app.tictactoe.values import line_up, matches
from training.experiments import claim, table
from training.experiments.claim import percent
from training.learners import learn
from training.measures import Measure

Q_TABLE = "q-table"
BAD = 40.0  # percent of the games lost, as reported
SELDOM = 0.01  # of the seeds; fewer are not "occasionally", nor are more than half
SHOWN = 3  # positions


class Fall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often one training loses as O to randomised minimax, and where most of that begins."""

    seconds: float
    lost: float  # percent
    record: str | None  # moves to the position, up to symmetry, in which it errs most often
    share: float  # percent of the games in which it errs there


def measure_falls(recipe: Recipe) -> Fall:
    """Train a recipe and follow all its games as O against randomised minimax."""
    game, begin = tic_tac_toe(), perf_counter()
    *_, end = learn(game, recipe)
    policy, opponent = policy_of(end.q, recipe.plays), minimax_random(game)
    _, _, lost = chances_against(game, opponent, policy, O)
    both = np.stack([opponent, policy])[:, game.legal]
    met = np.zeros(game.decisions)
    *plies, _ = matches(game, line_up(game, both), np.array([0]), np.array([1]))
    for rows, chance in plies:
        met[rows] = chance[0]
    wrong = np.where(best_moves(game), 0, policy).sum(axis=1) * met
    wrong[game.to_move == X] = 0
    classes = game.symmetry_class[: game.decisions]
    errors = np.bincount(classes, wrong, game.decisions)
    worst = int(np.argmax(errors))
    record = record_to(game, worst) if errors[worst] > 0 else None
    return Fall(perf_counter() - begin, 100 * lost, record, 100 * float(errors[worst]))


FALLS = Measure("falls-as-o", 1, Fall, measure_falls)


def tell(results: claim.Results) -> claim.Conclusion:
    """Find the bad runs and where they err."""
    falls: Sequence[Fall] = results[Q_TABLE]
    bad = [seed for seed, fall in enumerate(falls) if fall.lost >= BAD]
    places = Counter(falls[seed].record for seed in bad).most_common(SHOWN)
    figures: list[Figure] = [
        results.strips(
            table.LOST_AS_O._replace(of=lambda fall: fall.lost),
            marks=[Mark(BAD, "reported of a bad run: about 40%")],
        )
    ]
    boards = [
        Board(
            record,
            claim.seeded(
                results.recipes[Q_TABLE], next(s for s in bad if falls[s].record == record)
            ),
            f"{count:,} of {len(bad):,} bad runs err most often here, O to move.",
        )
        for record, count in places
        if record is not None
    ]
    some = SELDOM <= len(bad) / len(falls) <= 0.5
    rows = {
        f"lose at least {percent(BAD, 0)} as O to randomised minimax": [
            f"{len(bad):,} of {len(falls):,}"
        ]
    }
    if boards:
        figures.append(Boards("Where the bad runs err most often", boards))
        rows[f"of these, err most often after {_moves(boards[0].record)} (up to symmetry)"] = [
            f"{places[0][1]:,} of {len(bad):,}"
        ]
    verdict = claim.verdict_on(some, bool(bad))
    return claim.Conclusion(figures, [some], Table(["seeds"], rows), verdict)


def _moves(record: str) -> str:
    names = ("a corner", "an edge", "the centre")
    kinds = [names[(int(cell) % 2 == 1) + 2 * (cell == "4")] for cell in record]
    return ", then ".join(
        f"{'X' if ply % 2 == 0 else 'O'} in {kind}" for ply, kind in enumerate(kinds)
    )


EXPERIMENT = claim.Experiment("bad-runs", tell, [claim.Sweep({Q_TABLE: "q-table"}, FALLS)])
