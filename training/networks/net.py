"""The network of the deep Q-learner: what it reads, what it says, and how it is taught.

Sources: Huber (1964) for the loss, Kingma & Ba (2015) for Adam, He et al. (2015) for the first
weights, Srivastava et al. (2014) for dropout, LeCun et al. (1998) for the convolution.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from app.tictactoe.encodings import Encoding, inputs
from app.tictactoe.game import Game

SLOPE = 0.1  # of the leaky rectifier, below 0
DROPOUT = 0.1
DELTA = 1.0  # where the Huber loss turns from a parabola into a line
ILLEGAL = -5.0
SQUARE = 2  # cells a side of what a convolution looks at


Array = jax.Array | NDArray[Any]


class Layer(NamedTuple):
    """One fully connected layer, as numpy or as JAX arrays.

    The first layer of a network that reads squares is connected to each square by these weights.
    """

    weight: Any  # [inputs, outputs]
    bias: Any  # [outputs]


Network = tuple[Layer, ...]


class Minibatches(NamedTuple):
    """What many steps teach, a row the batch of one step."""

    decision: Any  # [steps, batch]
    cell: Any  # [steps, batch]
    target: Any  # [steps, batch] what the move should be worth


class Pupil(NamedTuple):
    """A network while it is taught."""

    network: Network
    moments: Any  # Adam's averages of the slope and its square
    key: Any  # decides what is dropped out from here on


def reading(game: Game, encoding: Encoding, convolution: bool) -> NDArray[np.float32]:
    """Return what a network reads of each decision, [D, inputs].

    For a convolution, which sees one square of 2 by 2 cells after another, it is
    [D, squares, inputs]: the inputs of the square's cells, then those that belong to no cell.
    """
    read = inputs(game, encoding)
    if not convolution:
        return read
    each = read.shape[1] // game.cells  # inputs a cell
    squares = np.lib.stride_tricks.sliding_window_view(
        np.arange(game.cells).reshape(game.rows, game.columns), (SQUARE, SQUARE)
    )
    of_cells = squares.reshape(-1, SQUARE * SQUARE, 1) * each + np.arange(each)
    of_none = np.arange(game.cells * each, read.shape[1])
    columns = [[*square.ravel().tolist(), *of_none.tolist()] for square in of_cells]
    return read[:, np.array(columns)]


def new_network(rng: np.random.Generator, read: Array, hidden: Sequence[int], outs: int) -> Network:
    """Draw the first weights, normal with variance 2 / inputs of the layer; biases are 0.

    `read` is what it will read; the layers between that and the outputs have `hidden` units.  Where
    it reads squares, those of the first layer are shared out among them.
    """
    squares = read.shape[1] if read.ndim == 3 else 1
    each = hidden[0] // squares
    shapes = [(read.shape[-1], each), *pairwise([each * squares, *hidden[1:], outs])]
    return tuple(
        Layer(
            rng.normal(0, np.sqrt(2 / ins), (ins, outs)).astype(np.float32),
            np.zeros(outs, np.float32),
        )
        for ins, outs in shapes
    )


def outputs(network: Network, read: Array, key: jax.Array | None = None) -> jax.Array:
    """Return the outputs, [N, cells], for what is read, [N, inputs] or [N, squares, inputs].

    With a random key a tenth of the hidden units is dropped out and the others grow to make up.
    """
    signal = jnp.asarray(read)
    for number, layer in enumerate(network[:-1]):
        signal = jax.nn.leaky_relu(signal @ layer.weight + layer.bias, SLOPE)
        signal = signal.reshape(len(signal), -1)
        if key is not None:
            kept = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - DROPOUT, signal.shape)
            signal = jnp.where(kept, signal / (1 - DROPOUT), 0)
    last: jax.Array = signal @ network[-1].weight + network[-1].bias
    return last


def said(network: Network, read: Array) -> NDArray[np.float32]:
    """Ask the network for every decision: its outputs, [D, cells], those of illegal moves too."""
    # Not with numpy, whose sums are other ones where it finds another number of cores.
    return np.asarray(_outputs(network, read))


_outputs = jax.jit(outputs)


def loss(
    network: Network,
    read: Array,
    guarded: Array,
    cell: Array,
    target: Array,
    key: jax.Array | None = None,
    squared: bool = False,
) -> jax.Array:
    """Return the mean over N decisions of what their outputs are wrong by, by Huber's measure.

    The output of the cell played is to be `target` [N], and that of each `guarded` cell
    [N, cells] -5, which are the guard rails; the other outputs are not taught.  `squared` takes
    half the square of an error instead, which is the same for an error of 1 at most.
    """
    played = jnp.arange(guarded.shape[1]) == cell[:, None]
    wanted = jnp.where(played, target[:, None], ILLEGAL)
    answers = outputs(network, read, key)
    if squared:
        wrong = optax.losses.l2_loss(answers, wanted)
    else:
        wrong = optax.losses.huber_loss(answers, wanted, delta=DELTA)
    return jnp.where(played | guarded, wrong, 0).sum(axis=1).mean()


def untaught(network: Network, seed: int) -> Pupil:
    """Return a network that no step was taken with; `seed` decides what will be dropped out."""
    moments = optax.adam(0.0).init(jax.tree.map(jnp.asarray, network))
    return Pupil(network, moments, jax.random.key(seed))


@partial(jax.jit, static_argnames="squared")
def teach(
    pupil: Pupil,
    read: Array,
    guarded: Array,
    batches: Minibatches,
    step_size: float,
    squared: bool = False,
) -> Pupil:
    """Take a step of Adam with each minibatch.

    `read` is what the network reads of each decision, `guarded` [D, cells] says which of its
    outputs are held at -5.  It is compiled once for all networks of one shape.  They are
    taught one after the other: eight side by side, by `vmap`, are 1.07 times as fast on a CPU, and
    their sums differ in the last digits, so that what a recipe becomes would depend on the others.
    """

    def step(pupil: Pupil, batch: Minibatches) -> tuple[Pupil, None]:
        key, drops = jax.random.split(pupil.key)
        s = batch.decision
        slope = jax.grad(loss)(
            pupil.network, read[s], guarded[s], batch.cell, batch.target, drops, squared
        )
        change, moments = optax.adam(step_size).update(slope, pupil.moments)
        return Pupil(optax.apply_updates(pupil.network, change), moments, key), None

    return jax.lax.scan(step, pupil, batches)[0]
