"""What is measured of a training: one run is a recipe with its seed, trained and judged exactly.

`seeds` and the experiments measure alike.  A `Measure` has a version, which is raised with every
change of what it finds: nothing that an older one has found is believed any more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.recipes import Recipe, name_recipe, parse_recipe
from app.tictactoe.game import SEATS, Game, tic_tac_toe
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import BySeat, Figures, find_blunders
from training.fast_evaluation import compute_recipe_figures, is_unbeatable
from training.learners import learn, skip_checkpoints
from training.learners.phases import NextCheckpoint, Progress
from training.run import find_next_mark

GROWTH = 50  # a proof is tried again after so small a part more of the updates

Found = TypeVar("Found", bound=msgspec.Struct)


@dataclass(frozen=True)
class Measure(Generic[Found]):
    """Something that can be found out about recipes with their seeds.

    `of` is a function of a module, so that other processes and machines can be sent its name; they
    are given `at_once` recipes at most.  What it finds, a frozen msgspec struct with a field
    `seconds`, depends on nothing but the recipe, its time apart.
    """

    name: str
    version: int
    result_type: type[Found]
    compute: Callable[[Recipe], Found]
    at_once: int = 10

    def measure_encoded(self, names: Sequence[str]) -> list[bytes]:
        """Measure the recipes with these names, for a store."""
        return [msgspec.json.encode(self.compute(parse_recipe(text))) for text in names]


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training at its T moments, the last of which is its end."""

    seconds: float  # of training and judging
    judging: float  # the part of them that went into judging
    games: list[int]  # [T]
    asked: list[
        int
    ]  # [T] the updates after which it was to be looked at; -1 for the end
    figures: Figures  # T entries each
    unbeatable: BySeat[bool]  # [T] whether it is unbeatable in that seat
    known: list[int]  # [T] decisions in which it has updated a move, up to symmetry
    start: list[float]  # [T] the highest value of the empty board


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the play of one training was proved, as far as it was looked at."""

    seconds: float
    games: int | None  # the first after which it is unbeatable in both seats, or None
    stays: int | None  # the first after which that was never lost again, or None
    faultless: int | None  # the first after which no decision is a blunder, or None
    played: int  # games of the whole training


def measure_run(next_checkpoint: NextCheckpoint, first: bool, recipe: Recipe) -> Run:
    """Train a recipe and judge it at every stop and in the end, and `first` before it begins.

    A stop is made after the game in which it is reached; one that the training jumps over is left
    out.
    """
    game = tic_tac_toe()
    begin = perf_counter()
    history: list[tuple[int, Progress]] = []
    asked = 0
    for progress in learn(game, recipe, next_checkpoint):
        history.append((asked, progress))
        asked = next_checkpoint(progress.updates)
    history[-1] = (-1, history[-1][1])
    trained = perf_counter()
    kept = history if first else history[1:]
    moments = [progress for _, progress in kept]
    tables = np.stack([game.gather_pairs(moment.q) for moment in moments])
    updates = [moment.updates for moment in moments]
    figures = compute_recipe_figures(game, recipe, tables, updates)
    policies = policy_from_values(game.spread_pairs(tables), recipe.plays)
    proved = {
        seat: [is_unbeatable(game, policy, player) for policy in policies]
        for seat, player in SEATS.items()
    }
    judged = perf_counter()
    return Run(
        seconds=judged - begin,
        judging=judged - trained,
        games=[moment.games for moment in moments],
        asked=[stop for stop, _ in kept],
        figures=figures,
        unbeatable=BySeat(**proved),
        known=[count_known_positions(game, moment.visits) for moment in moments],
        start=[float(np.nanmax(moment.q[0])) for moment in moments],
    )


def stop_after_game(updates: int) -> int:
    """Stop after every game."""
    return updates + 1


def stop_after_growth(updates: int) -> int:
    """Stop after each of the first games, and later whenever updates have grown by a fiftieth."""
    return updates + 1 + updates // GROWTH


def measure_proof(next_checkpoint: NextCheckpoint, recipe: Recipe) -> Proof:
    """Train a recipe and ask at every stop whether its play is proved."""
    game = tic_tac_toe()
    begin = perf_counter()
    first, since, faultless = None, None, None
    for progress in learn(game, recipe, next_checkpoint):
        policy = policy_from_values(progress.q, recipe.plays)
        if all(is_unbeatable(game, policy, seat) for seat in SEATS.values()):
            first = progress.games if first is None else first
            since = progress.games if since is None else since
            if faultless is None and not find_blunders(game, policy).any():
                faultless = progress.games
        else:
            since = None
    return Proof(perf_counter() - begin, first, since, faultless, progress.games)


def count_known_positions(game: Game, visits: NDArray[np.uint32]) -> int:
    """Count the decisions, up to symmetry, of which some move was updated; `visits` [D, cells]."""
    met = (visits > 0).any(axis=1)
    return len(np.unique(game.symmetry_class[: game.decisions][met]))


END = Measure("end", 1, Run, partial(measure_run, skip_checkpoints, False))
MARKS = Measure("marks", 1, Run, partial(measure_run, find_next_mark, True))
PROOF = Measure("proof", 1, Proof, partial(measure_proof, stop_after_growth), at_once=2)
EXACT_PROOF = Measure(
    "exact-proof", 1, Proof, partial(measure_proof, stop_after_game), at_once=2
)


def make_key(measure: Measure[Found], recipe: Recipe) -> str:
    """Return the name under which a finding is kept."""
    return f"{measure.name}.{measure.version} {name_recipe(recipe)}"
