"""From a recipe to an agent: train it, keep its history, judge it, write its card."""

import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.agents import Agent
from app.tictactoe.card import Card, numbering
from app.tictactoe.game import Game
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.tictactoe.report import BySeat, report
from training.environment import Progress
from training.recipe import Recipe

TICK = 100_000  # updates between two signs of life, some hundredths of a second

Watcher = Callable[[Progress], None]


def train(recipe: Recipe, game: Game, seed: int, watch: Watcher) -> Agent:
    """Train and judge the agent of a recipe; `watch` is told how far it is from time to time.

    Its card has no digest of its file yet, which `save` adds.
    Raises ValueError as `learn` does.
    """
    won: list[tuple[float, float]] = []

    def count(progress: Progress) -> None:
        won.extend([progress.won] if progress.won else [])
        watch(progress)

    start = perf_counter()
    history = learn(recipe, game, seed, count)
    seconds = perf_counter() - start
    end, updates = history[-1], [moment.updates for moment in history]
    snapshots = np.stack([moment.q for moment in history]).astype(np.float16)
    card = Card(
        id=recipe.id,
        title=recipe.title,
        origin=recipe.origin,
        reported=recipe.reported,
        algorithm=recipe.algorithm_name,
        parameters=recipe.card_parameters(),
        opponents=list(recipe.opponents),
        seed=seed,
        games=end.games,
        updates=end.updates,
        seconds=round(seconds, 3),
        versions=versions(recipe.packages),
        numbering=numbering(game),
        arrays="",
        worth=recipe.worth,
        figures=report(game, shown_tables(snapshots, end.q), updates, recipe.worth),
        win_rate=BySeat(*map(list, zip(*won, strict=True))) if won else None,
    )
    return Agent(card, end.q, end.visits, np.array(updates, np.int64), snapshots)


def learn(recipe: Recipe, game: Game, seed: int, watch: Watcher) -> list[Progress]:
    """Run the algorithm of a recipe and keep what it was at the marks and at the end.

    Where that is more than a file holds, the first ones after the untouched table make way.
    Raises ValueError if the recipe names an opponent that the algorithm has not.
    """
    rng = np.random.default_rng(seed)
    history: list[Progress] = []
    mark = 0
    for progress in recipe.algorithm(
        game, rng, next_stop, opponents=recipe.opponents, **recipe.parameters
    ):
        watch(progress)
        if progress.updates >= mark:
            history.append(progress)
            mark = next_mark(progress.updates)
    if history[-1].updates < progress.updates:
        history.append(progress)
    surplus = max(0, len(history) - MAX_SNAPSHOTS)
    return history[:1] + history[1 + surplus :]


def shown_tables(snapshots: NDArray[np.float16], q: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the tables that are judged, [T, D, cells]: the snapshots as stored, then q itself."""
    return np.concatenate([snapshots[:-1].astype(np.float32), q[None]])


def next_mark(updates: int) -> int:
    """Return the first of 0, 1, 2, 5, 10, 20, 50, ... that is larger."""
    power = int(10 ** (len(str(updates)) - 1))
    return next(power * leading for leading in (1, 2, 5, 10) if power * leading > updates)


def next_stop(updates: int) -> int:
    """Return the next mark, but not later than a tick from now."""
    return min(next_mark(updates), updates + TICK)


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Name the platform and what computed on it."""
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
