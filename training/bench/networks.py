"""Several networks in one compiled step by `vmap`, beside one after the other.

The ratio is why `training.networks` teaches one after the other: on a CPU side by side gains
little, and its sums differ in the last digits, so that what a recipe becomes would depend on who is
trained beside it.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import process_time

import jax
import jax.numpy as jnp
import numpy as np

from app.recipes.algorithms import Dqn
from app.tictactoe.game import connect
from training.networks import net

NETWORKS = (2, 4, 8)
STEPS = 100
RUNS = 3


def side_by_side() -> Iterator[str]:
    """Measure both ways, a line for each number of networks."""
    game, recipe = connect(), Dqn()
    read = jnp.asarray(net.reading(game, recipe.encoding, recipe.convolution))
    guarded = jnp.asarray(~game.legal)
    rng = np.random.default_rng(recipe.seed)
    shape = (max(NETWORKS), STEPS, recipe.batch)
    every = net.Lessons(
        rng.integers(game.decisions, size=shape, dtype=np.int32),
        rng.integers(game.cells, size=shape, dtype=np.int32),
        rng.normal(size=shape).astype(np.float32),
    )
    pupils = [
        net.untaught(net.new_network(rng, read, recipe.hidden, game.cells), seed)
        for seed in range(max(NETWORKS))
    ]

    def teach(pupil: net.Pupil, lessons: net.Lessons) -> net.Pupil:
        taught: net.Pupil = net.teach(pupil, read, guarded, lessons, recipe.step_size)
        return taught

    def one_by_one(pupils: list[net.Pupil], lessons: list[net.Lessons]) -> list[net.Pupil]:
        return list(map(teach, pupils, lessons))

    together = jax.jit(jax.vmap(teach))
    yield "\nnetworks   one by one   side by side   (ms of processor time a step and network)"
    for count in NETWORKS:
        alone = [net.Lessons(*(column[n] for column in every)) for n in range(count)]
        stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *pupils[:count])
        lessons = net.Lessons(*(column[:count] for column in every))
        one = _step(count, one_by_one, pupils, alone)
        other = _step(count, together, stacked, lessons)
        yield (
            f"{count:>8}   {one:>7.2f} ms   {other:>9.2f} ms   "
            f"side by side is {one / other:.2f} times as fast"
        )


def _step(count: int, run: Callable[..., object], *arguments: object) -> float:
    """Return the milliseconds of one step of one of the networks."""
    _seconds(run, *arguments)  # compiles
    return 1000 * median(_seconds(run, *arguments) for _ in range(RUNS)) / (count * STEPS)


def _seconds(run: Callable[..., object], *arguments: object) -> float:
    start = process_time()
    jax.block_until_ready(run(*arguments))  # type: ignore[no-untyped-call]
    return process_time() - start
