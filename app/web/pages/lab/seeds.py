"""One recipe with twenty seeds: what is luck, and what is the recipe.

They are trained a few at a time, for each request that asks how far it has come.
"""

from time import monotonic
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from app.recipes import Recipe
from app.tictactoe.game import SEATS
from app.web.pictures.curves import spread_chart
from app.web.service.on_demand import SeedRun
from app.web.world import World

SEEDS = 20
FEW = 5  # that are asked for at once: then it is somebody else's turn
MOMENT = 1.0  # seconds
QUARTILES = (25, 50, 75)


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
    """Train a few more seeds of a recipe than are seen already, and return what there is.

    Another process of the server may have shown those: the trainer knows them, and they are soon
    here.  Whatever an address claims, it takes no longer than a moment and the training of a few.
    Raises what `world.agents` raises, and RecipeError if the name is too long for another seed.
    """
    end, twenty, runs = monotonic() + MOMENT, seeds_of(recipe), list[SeedRun]()
    for first in range(0, min(seen + 1, SEEDS), FEW):
        if not runs or monotonic() < end:
            runs += world.lab.seeds(recipe, twenty[first : first + FEW])
    return _drawn(runs)


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
