"""The runs behind a figure: where each of them is opened, and how many are summed up how."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from app.experiments import Bar
from app.recipes import RecipeError
from app.recipes.on_demand import parse_on_demand
from app.web import addresses
from app.web.match import Match
from app.web.world import HUMAN, MANY, TRUTH, World, kept

QUANTILES = {"least": 0.0, "10%": 0.1, "median": 0.5, "90%": 0.9, "most": 1.0}
Seeded = Callable[[int], str]


class SeededRun(NamedTuple):
    """One run of a group."""

    seed: int
    value: float


class SeededRuns(Sequence[SeededRun]):
    """Runs in an order; there are many, and most are never looked at one by one."""

    def __init__(self, seeds: NDArray[np.intp], values: NDArray[np.float64]) -> None:
        self.seeds, self.values = seeds, values  # [N] each

    def __len__(self) -> int:
        return len(self.seeds)

    @overload
    def __getitem__(self, at: int) -> SeededRun: ...
    @overload
    def __getitem__(self, at: slice) -> "SeededRuns": ...
    def __getitem__(self, at: int | slice) -> "SeededRun | SeededRuns":
        if isinstance(at, slice):
            return SeededRuns(self.seeds[at], self.values[at])
        return SeededRun(int(self.seeds[at]), float(self.values[at]))


def address(world: World, name: str) -> str:
    """Return where a recipe, an agent or a baseline is opened, "" where it cannot be had, or is "".

    What takes longer than the lab trains for a visitor can be had only if it is shipped.
    """
    known = world.lab.short.get(name, name)
    if known in world.baselines:
        return addresses.play_against(known)
    return addresses.lab(known) if world.agents.knows(known) else ""


def addresses_of(world: World, recipe: str) -> Seeded:
    """Return where each run of a recipe is opened, by its seed; "" where it cannot be had."""
    trained = bool(recipe) and _is_trained(world, recipe)
    unseeded = addresses.lab(recipe)

    def of(seed: int) -> str:
        if short := world.lab.short.get(seeded(recipe, seed), ""):
            return addresses.lab(short)
        return seeded(unseeded, seed) if trained else ""

    return of


@kept(MANY)
def _is_trained(world: World, recipe: str) -> bool:
    """Whether the lab trains a recipe for visitors."""
    try:
        parse_on_demand(recipe)
    except RecipeError:
        return False
    return world.lab.source is not None


def seeded(recipe: str, seed: int) -> str:
    """Return the name of a recipe with a seed, which stands last and is 0 if it is not there."""
    return f"{recipe},seed={seed}" if recipe and seed else recipe


def position(world: World, record: str, lens: str) -> str:
    """Return where a position is shown, by the values of an agent that can be had, else exactly."""
    known = world.lab.short.get(lens, lens)
    return addresses.play(Match(record, o=HUMAN, lens=known if world.is_lens(known) else TRUTH))


def behind_bar(world: World, bar: Bar) -> str:
    """Return where the position or the recipe behind a number is opened, "" where it cannot be."""
    if bar.record is not None:
        return position(world, bar.record, bar.recipe or TRUTH)
    return address(world, bar.recipe)


def ordered(values: Sequence[float], first_seed: int) -> SeededRuns:
    """List the runs of a group from the least value to the greatest."""
    known = np.array(values)
    order = np.argsort(known, kind="stable")
    return SeededRuns(first_seed + order, known[order])


def at_quantile(runs: Sequence[SeededRun], share: float) -> SeededRun:
    """Return the run of an ordered group that stands at a share of it: always one that there is."""
    return runs[round(share * (len(runs) - 1))]


def typical(runs: Sequence[SeededRun]) -> SeededRun:
    """Return the run nearest to the middle one of those of an ordered group."""
    return runs[len(runs) // 2]


def median(values: Sequence[float]) -> float:
    """Return the median, between two values if their number is even."""
    return float(np.median(values))
