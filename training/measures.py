"""Measures of trainings: functions that train a recipe and evaluate the agent exactly.

The command `seeds` and the experiments use them. A run is the training of a recipe with one seed.
Each `Measure` has a version. Raise it if the results change: stored results of other versions are
ignored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.recipes import Recipe, name_recipe, parse_recipe
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import BySeat, Figures, find_blunders
from training.fast_evaluation import compute_recipe_figures, is_unbeatable
from training.learners import learn, skip_checkpoints
from training.learners.phases import NextCheckpoint
from training.run import find_next_round_number

# Between two checks whether the agent is unbeatable, the number of updates grows by 1 / 50.
GROWTH_DIVISOR = 50


@dataclass(frozen=True)
class Measure:
    """A function that trains a recipe and returns results, with a name for the database of runs.

    `compute` must be a module-level function, because other processes and machines import it by its
    name. A process gets up to `batch_size` recipes at a time. A result is a dict, or a frozen
    msgspec struct with a field `seconds`. Apart from its times, it depends only on the recipe.
    """

    name: str
    version: int
    compute: Callable[[Recipe], Any]
    # None if the result is a dict
    result_type: type | None = None
    batch_size: int = 10

    def measure_as_json(self, recipe_names: Sequence[str]) -> list[bytes]:
        return [
            self._encode_result(parse_recipe(one), perf_counter())
            for one in recipe_names
        ]

    def _encode_result(self, recipe: Recipe, start_time: float) -> bytes:
        result = self.compute(recipe)
        if isinstance(result, dict):
            result["seconds"] = perf_counter() - start_time
        return msgspec.json.encode(result)

    def decode(self, content: bytes) -> Any:
        """Return a stored result; if it is a dict, with its entries as attributes."""
        if self.result_type is None:
            return SimpleNamespace(**msgspec.json.decode(content))
        return msgspec.json.decode(content, type=self.result_type)


class MeasuredRun(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "evaluation_seconds": "judging",
        "due_checkpoints": "asked",
        "known_positions": "known",
        "start_values": "start",
        "snapshot_games": "games",
        "is_unbeatable": "unbeatable",
    },
):
    """The results of a run at T snapshots; the last snapshot is the end of the training."""

    # training and evaluation together
    seconds: float
    evaluation_seconds: float
    # [T] the number of games before each snapshot
    snapshot_games: list[int]
    # [T] the number of updates at which each snapshot was due; -1 for the end
    due_checkpoints: list[int]
    # the exact results, as lists of length T
    figures: Figures
    # [T] for each seat of the agent, whether no opponent can beat it there
    is_unbeatable: BySeat[bool]
    # [T] the number of positions, up to symmetry, with an updated move
    known_positions: list[int]
    # [T] the highest value on the empty board
    start_values: list[float]


class ProvingRun(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "games_to_proof": "games",
        "games_to_lasting_proof": "stays",
        "games_to_faultless": "faultless",
        "played_games": "played",
    },
):
    """After how many games a run is proved unbeatable.

    `measure_games_to_proof` may not check after every game, so the true numbers may be a little smaller.
    """

    seconds: float
    # the number of games until the agent is first unbeatable in both seats; None if it never is
    games_to_proof: int | None
    # the number of games from which on it stays unbeatable; None if it is not unbeatable at the end
    games_to_lasting_proof: int | None
    # the number of games until it is first unbeatable without any blunder; None if it never is
    games_to_faultless: int | None
    # the number of games in the whole training
    played_games: int


def measure_run(
    next_checkpoint: NextCheckpoint, includes_start: bool, recipe: Recipe
) -> MeasuredRun:
    """Train a recipe; return its results at the checkpoints and at the end.

    With `includes_start` there is also a snapshot of the start. A checkpoint is evaluated after the
    game that reaches it; a game that reaches several has one snapshot.
    """
    start_time = perf_counter()
    due_checkpoints = []
    snapshots = []
    checkpoint = 0
    for progress in learn(GAME, recipe, next_checkpoint):
        due_checkpoints.append(checkpoint)
        snapshots.append(progress)
        checkpoint = next_checkpoint(progress.updates)
    due_checkpoints[-1] = -1
    if not includes_start:
        del due_checkpoints[0], snapshots[0]
    trained = perf_counter()
    tables = np.stack([GAME.gather_pairs(snapshot.q) for snapshot in snapshots])
    updates = [snapshot.updates for snapshot in snapshots]
    figures = compute_recipe_figures(GAME, recipe, tables, updates)
    policies = policy_from_values(GAME.spread_pairs(tables), recipe.plays)
    unbeatable = {
        seat: [is_unbeatable(GAME, policy, player) for policy in policies]
        for seat, player in SEATS.items()
    }
    judged = perf_counter()
    return MeasuredRun(
        seconds=judged - start_time,
        evaluation_seconds=judged - trained,
        snapshot_games=[snapshot.games for snapshot in snapshots],
        due_checkpoints=due_checkpoints,
        figures=figures,
        is_unbeatable=BySeat(**unbeatable),
        known_positions=[
            count_known_positions(snapshot.visits) for snapshot in snapshots
        ],
        start_values=[float(np.nanmax(snapshot.q[0])) for snapshot in snapshots],
    )


def find_next_game_checkpoint(updates: int) -> int:
    """Return a checkpoint that every game reaches, so each game is evaluated."""
    return updates + 1


def find_next_growth_checkpoint(updates: int) -> int:
    """Return the next checkpoint: after each game at first, later after 2% more updates."""
    return updates + 1 + updates // GROWTH_DIVISOR


def measure_games_to_proof(
    next_checkpoint: NextCheckpoint, recipe: Recipe
) -> ProvingRun:
    """Train a recipe; return after how many games it is unbeatable at a checkpoint."""
    begin = perf_counter()
    first_proof, stays, faultless = None, None, None
    for progress in learn(GAME, recipe, next_checkpoint):
        policy = policy_from_values(progress.q, recipe.plays)
        if all(is_unbeatable(GAME, policy, seat) for seat in SEATS.values()):
            first_proof = progress.games if first_proof is None else first_proof
            stays = progress.games if stays is None else stays
            if faultless is None and not find_blunders(GAME, policy).any():
                faultless = progress.games
        else:
            stays = None
    return ProvingRun(
        perf_counter() - begin, first_proof, stays, faultless, progress.games
    )


def count_known_positions(visits: NDArray[np.uint32]) -> int:
    """Count the positions, up to symmetry, in which a move was updated; `visits` is [D, cells]."""
    met = (visits > 0).any(axis=1)
    return len(np.unique(GAME.symmetry_class[: GAME.decisions][met]))


END_MEASURE = Measure(
    "end", 1, partial(measure_run, skip_checkpoints, False), MeasuredRun
)
CHECKPOINTS_MEASURE = Measure(
    "marks", 1, partial(measure_run, find_next_round_number, True), MeasuredRun
)
PROOF_MEASURE = Measure(
    "proof",
    1,
    partial(measure_games_to_proof, find_next_growth_checkpoint),
    ProvingRun,
    2,
)
EXACT_PROOF_MEASURE = Measure(
    "exact-proof",
    1,
    partial(measure_games_to_proof, find_next_game_checkpoint),
    ProvingRun,
    2,
)


def make_run_key(measure: Measure, recipe: Recipe) -> str:
    """Return the key of a result in the database of runs, from the measure's name and version."""
    return f"{measure.name}.{measure.version} {name_recipe(recipe)}"
