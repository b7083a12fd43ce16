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
from app.web.world import World

SEEDS = 20
MOMENT = 1.0  # seconds
KEPT = 400  # runs, of some 200 bytes each
QUARTILES = (25, 50, 75)


class SeedRun(NamedTuple):
    """A training with one seed."""

    updates: tuple[int, ...]
    blunders: tuple[int, ...]  # at the same moments
    unbeatable: tuple[bool, bool]  # as X, as O


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
    twenty = [name(recipe.with_seed(seed)) for seed in seeds_of(recipe)]
    with RUNS.lock:
        runs = {one: RUNS.runs[one] for one in twenty if one in RUNS.runs}
    for following in twenty:
        if following not in runs and (not runs or len(runs) <= seen) and monotonic() < end:
            runs[following] = _run(world, following)
            with RUNS.lock:
                RUNS.runs[following] = runs[following]
    return _drawn([runs[one] for one in twenty if one in runs])


def _run(world: World, text: str) -> SeedRun:
    agent = world.lab.canonical(text) or text
    figures = world.agents[agent].card.figures
    # The best responder leaves a player that can be beaten unbeaten where it would risk too much.
    as_x, as_o = (world.losing(agent, player) is None for player in SEATS.values())
    return SeedRun(tuple(figures.updates), tuple(figures.blunders), (as_x, as_o))


def _drawn(runs: list[SeedRun]) -> TwentySeeds:
    """Draw runs over a logarithmic axis of updates; between two snapshots they are straight."""
    most = max(1, *(run.updates[-1] for run in runs))
    places = np.linspace(0, np.log10(1 + most), 50)
    blunders = np.array(
        [np.interp(places, np.log10(1 + np.array(run.updates)), run.blunders) for run in runs]
    )
    label = f"Blunders over the updates of {len(runs)} trainings; the numbers stand below."
    chart = spread_chart(most, blunders, np.percentile(blunders, QUARTILES, axis=0), label)
    ends = np.percentile([run.blunders[-1] for run in runs], QUARTILES)
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
