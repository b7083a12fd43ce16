"""The network of the deep Q-learner: what it reads, what it says, and how it is taught.

Sources: Huber (1964) for the loss, Kingma & Ba (2015) for Adam, He et al. (2015) for the first
weights, Srivastava et al. (2014) for dropout.
"""

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from app.tictactoe.encodings import one_hot
from app.tictactoe.game import Game

HIDDEN = (120, 840, 120)
SLOPE = 0.1  # of the leaky rectifier, below 0
DROPOUT = 0.1
DELTA = 1.0  # where the Huber loss turns from a parabola into a line
ILLEGAL = -5.0


Array = jax.Array | NDArray[Any]


class Layer(NamedTuple):
    """One fully connected layer, as numpy or as JAX arrays."""

    weight: Any  # [inputs, outputs]
    bias: Any  # [outputs]


Network = tuple[Layer, ...]


class Lessons(NamedTuple):
    """What many steps teach, a row the batch of one step."""

    decision: Any  # [steps, batch]
    cell: Any  # [steps, batch]
    target: Any  # [steps, batch] what the move should be worth


class Pupil(NamedTuple):
    """A network while it is taught."""

    network: Network
    moments: Any  # Adam's averages of the slope and its square
    key: Any  # decides what is dropped out from here on


def new_network(rng: np.random.Generator, game: Game) -> Network:
    """Draw the first weights, normal with variance 2 / inputs of the layer; biases are 0."""
    sizes = [3 * game.cells + 3, *HIDDEN, game.cells]
    return tuple(
        Layer(
            rng.normal(0, np.sqrt(2 / ins), (ins, outs)).astype(np.float32),
            np.zeros(outs, np.float32),
        )
        for ins, outs in pairwise(sizes)
    )


def outputs(network: Network, read: Array, key: jax.Array | None = None) -> jax.Array:
    """Return the outputs, [N, cells], for inputs [N, 3 cells + 3].

    With a random key a tenth of the hidden units is dropped out and the others grow to make up.
    """
    signal = jnp.asarray(read)
    for number, layer in enumerate(network[:-1]):
        signal = jax.nn.leaky_relu(signal @ layer.weight + layer.bias, SLOPE)
        if key is not None:
            kept = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - DROPOUT, signal.shape)
            signal = jnp.where(kept, signal / (1 - DROPOUT), 0)
    last: jax.Array = signal @ network[-1].weight + network[-1].bias
    return last


def table(game: Game, network: Network) -> NDArray[np.float32]:
    """Ask the network for every decision: its outputs [D, cells], NaN where illegal."""
    # Not with numpy, whose sums are other ones where it finds another number of cores.
    said = np.asarray(_outputs(network, one_hot(game)))
    return np.where(game.legal, said, np.float32(np.nan))


_outputs = jax.jit(outputs)


def loss(
    network: Network,
    read: Array,
    legal: Array,
    cell: Array,
    target: Array,
    key: jax.Array | None = None,
) -> jax.Array:
    """Return the mean over N decisions of what their outputs are wrong by, by Huber's measure.

    The output of the cell played is to be `target` [N], and that of each illegal cell (not
    `legal` [N, cells]) -5, which are the guard rails; the other outputs are not taught.
    """
    played = jnp.arange(legal.shape[1]) == cell[:, None]
    wanted = jnp.where(played, target[:, None], ILLEGAL)
    wrong = optax.losses.huber_loss(outputs(network, read, key), wanted, delta=DELTA)
    return jnp.where(played | ~legal, wrong, 0).sum(axis=1).mean()


def untaught(network: Network, step_size: float, seed: int) -> Pupil:
    """Return a network that no step was taken with; `seed` decides what will be dropped out."""
    moments = optax.adam(step_size).init(jax.tree.map(jnp.asarray, network))
    return Pupil(network, moments, jax.random.key(seed))


@partial(jax.jit, static_argnames="step_size")
def teach(pupil: Pupil, read: Array, legal: Array, lessons: Lessons, step_size: float) -> Pupil:
    """Take a step of Adam with each row of the lessons.

    `read` [D, 3 cells + 3] is what the network reads of each decision, `legal` [D, cells].
    """

    def step(pupil: Pupil, lesson: Lessons) -> tuple[Pupil, None]:
        key, drops = jax.random.split(pupil.key)
        s = lesson.decision
        slope = jax.grad(loss)(pupil.network, read[s], legal[s], lesson.cell, lesson.target, drops)
        change, moments = optax.adam(step_size).update(slope, pupil.moments)
        return Pupil(optax.apply_updates(pupil.network, change), moments, key), None

    return jax.lax.scan(step, pupil, lessons)[0]
