"""One recipe with twenty seeds: what is luck, and what is the recipe.

They are trained one after the other, one for each request that asks how far it has come.
"""

from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import NamedTuple

import numpy as np
from cachetools import LRUCache
from markupsafe import Markup

from app.recipes import Recipe, name
from app.tictactoe.game import SEATS
from app.web.pictures.curves import spread_chart
from app.web.service.on_demand import SeedRun
from app.web.world import World

SEEDS = 20
MOMENT = 1.0  # seconds
KEPT = 400  # runs, of some 200 bytes each
QUARTILES = (25, 50, 75)


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs that this process has seen last."""

    runs: LRUCache[str, SeedRun]
    lock: Lock


RUNS = Runs(LRUCache(KEPT), Lock())


class TwentySeeds(NamedTuple):
    """The runs so far, as a picture and in numbers."""

    done: int
    seeds: int
    chart: Markup
    quartiles: list[str]  # of the blunders at the end, the median in the middle
    unbeatable: list[tuple[str, int]]  # in which seat, in how many of the runs


def seeds_of(recipe: Recipe) -> range:
    """Return the twenty seeds that a recipe's own is among; each of them has the same twenty."""
    first = recipe.seed - recipe.seed % SEEDS
    return range(first, first + SEEDS)


def band(world: World, recipe: Recipe, seen: int = 0) -> TwentySeeds:
    """Train one more seed of a recipe than are seen already, and return what there is.

    Another process of the server may have shown those: the trainer knows them, and they are soon
    here.  Whatever an address claims, it takes no longer than a moment and one training.
    Raises what `world.agents` raises, and RecipeError if the name is too long for another seed.
    """
    end = monotonic() + MOMENT
    twenty = {seed: name(recipe.with_seed(seed)) for seed in seeds_of(recipe)}
    with RUNS.lock:
        runs = {seed: RUNS.runs[one] for seed, one in twenty.items() if one in RUNS.runs}
    for following, one in twenty.items():
        if following not in runs and (not runs or len(runs) <= seen) and monotonic() < end:
            (runs[following],) = world.lab.seeds(recipe, [following])
            with RUNS.lock:
                RUNS.runs[one] = runs[following]
    return _drawn([runs[seed] for seed in twenty if seed in runs])


def _drawn(runs: list[SeedRun]) -> TwentySeeds:
    """Draw runs over a logarithmic axis of updates; between two snapshots they are straight."""
    most = max(1, *(run.figures.updates[-1] for run in runs))
    places = np.linspace(0, np.log10(1 + most), 50)
    blunders = np.array(
        [
            np.interp(places, np.log10(1 + np.array(run.figures.updates)), run.figures.blunders)
            for run in runs
        ]
    )
    label = f"Blunders over the updates of {len(runs)} trainings; the numbers stand below."
    chart = spread_chart(most, blunders, np.percentile(blunders, QUARTILES, axis=0), label)
    ends = np.percentile([run.figures.blunders[-1] for run in runs], QUARTILES)
    return TwentySeeds(
        done=len(runs),
        seeds=SEEDS,
        chart=chart,
        quartiles=[f"{end:,.0f}" for end in ends],
        unbeatable=[
            (seat.upper(), sum(run.unbeatable[number] for run in runs))
            for number, seat in enumerate(SEATS)
        ],
    )
