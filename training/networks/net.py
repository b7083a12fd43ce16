"""The network of deep Q-learning: its inputs, its outputs, and its training steps.

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

from app.tictactoe.encodings import Encoding, encode_inputs
from app.tictactoe.game import Game

LEAKY_SLOPE = 0.1
DROPOUT_RATE = 0.1
# The Huber loss is quadratic up to this error, and linear above it.
HUBER_DELTA = 1.0
# The reward of an illegal move is also the target of its output.
ILLEGAL_TARGET = -5.0
# A convolution reads squares of 2 by 2 cells.
SQUARE_SIZE = 2


Array = jax.Array | NDArray[Any]


class Layer(NamedTuple):
    """A fully connected layer, in numpy or JAX arrays.

    If a network reads squares of cells, its first layer applies the same weights to each square.
    """

    # [inputs, outputs]
    weight: Array
    # [outputs]
    bias: Array


Network = tuple[Layer, ...]


class Minibatches(NamedTuple):
    # [steps, batch] the positions of sampled moves
    decision: Array
    # [steps, batch] the cells of sampled moves
    cell: Array
    # [steps, batch] the targets for the outputs of these cells
    target: Array


class TrainingState(NamedTuple):
    """A network in training, with the states of its optimizer and of its dropout."""

    network: Network
    # Adam's moving averages of the gradient and of its square
    optimizer_state: Any
    # the state of the random numbers for dropout
    random_key: Array


def build_inputs(
    game: Game, encoding: Encoding, convolution: bool
) -> NDArray[np.float32]:
    """Return the inputs of a network for each position, [D, inputs].

    With `convolution` the network reads squares of 2 by 2 cells. Then the shape is [D, squares,
    inputs], and a square has the inputs of its cells, followed by those that belong to no cell.
    """
    inputs = encode_inputs(game, encoding)
    if not convolution:
        return inputs
    each = inputs.shape[1] // game.cells
    squares = np.lib.stride_tricks.sliding_window_view(
        np.arange(game.cells).reshape(game.rows, game.columns),
        (SQUARE_SIZE, SQUARE_SIZE),
    )
    first_inputs = squares.reshape(-1, SQUARE_SIZE * SQUARE_SIZE, 1) * each
    of_cells = first_inputs + np.arange(each)
    of_none = np.arange(game.cells * each, inputs.shape[1])
    columns = [[*square.ravel().tolist(), *of_none.tolist()] for square in of_cells]
    return inputs[:, np.array(columns)]


def make_network(
    rng: np.random.Generator,
    inputs: Array,
    hidden_widths: Sequence[int],
    output_count: int,
) -> Network:
    """Return a network with random weights.

    The weights of a layer are normal with variance 2 / (number of its inputs), and its biases are
    0. Only the shape of `inputs` matters. `hidden_widths` are the numbers of units in the hidden
    layers. If the network reads squares, each square has an equal share of the units of the first
    hidden layer.
    """
    squares = inputs.shape[1] if inputs.ndim == 3 else 1
    each = hidden_widths[0] // squares
    shapes = [
        (inputs.shape[-1], each),
        *pairwise([each * squares, *hidden_widths[1:], output_count]),
    ]
    return tuple(
        Layer(
            rng.normal(0, np.sqrt(2 / ins), (ins, output_count)).astype(np.float32),
            np.zeros(output_count, np.float32),
        )
        for ins, output_count in shapes
    )


def apply_network(
    network: Network, inputs: Array, random_key: jax.Array | None = None
) -> jax.Array:
    """Return the outputs, [N, cells], for inputs [N, inputs] or [N, squares, inputs].

    With a random key there is dropout: about a tenth of the hidden units is set to 0, and the
    others are scaled up.
    """
    signal = jnp.asarray(inputs)
    for number, layer in enumerate(network[:-1]):
        signal = jax.nn.leaky_relu(signal @ layer.weight + layer.bias, LEAKY_SLOPE)
        signal = signal.reshape(len(signal), -1)
        if random_key is not None:
            kept = jax.random.bernoulli(
                jax.random.fold_in(random_key, number), 1 - DROPOUT_RATE, signal.shape
            )
            signal = jnp.where(kept, signal / (1 - DROPOUT_RATE), 0)
    layer = network[-1]
    outputs: jax.Array = signal @ layer.weight + layer.bias
    return outputs


def compute_outputs(network: Network, inputs: Array) -> NDArray[np.float32]:
    """Return the outputs in every position, [D, cells], including those for illegal moves."""
    # The last digits of numpy's sums depend on the number of cores; those of JAX do not.
    return np.asarray(_apply_compiled(network, inputs))


_apply_compiled = jax.jit(apply_network)


def compute_loss(
    network: Network,
    inputs: Array,
    is_guarded: Array,
    cell: Array,
    target: Array,
    random_key: jax.Array | None = None,
    uses_squared_error: bool = False,
    other_targets: Array | None = None,
) -> jax.Array:
    """Return the mean Huber loss over N positions.

    `target`, [N], is for the output of the cell that is played, `cell`. Outputs of `is_guarded`
    cells, [N, cells], have the target -5: these are the guard rails. Other outputs have the targets
    `other_targets`, [N, cells], or do not count if it is None. With `uses_squared_error` the loss
    is half the squared error, which differs from the Huber loss only for errors above 1.
    """
    played = jnp.arange(is_guarded.shape[1]) == cell[:, None]
    if other_targets is None:
        counted = played | is_guarded
        wanted = jnp.where(played, target[:, None], ILLEGAL_TARGET)
    else:
        counted = jnp.ones_like(played)
        wanted = jnp.where(
            played,
            target[:, None],
            jnp.where(is_guarded, ILLEGAL_TARGET, other_targets),
        )
    answers = apply_network(network, inputs, random_key)
    if uses_squared_error:
        wrong = optax.losses.l2_loss(answers, wanted)
    else:
        wrong = optax.losses.huber_loss(answers, wanted, delta=HUBER_DELTA)
    return jnp.where(counted, wrong, 0).sum(axis=1).mean()


def start_training(network: Network, seed: int) -> TrainingState:
    moments = optax.adam(0.0).init(jax.tree.map(jnp.asarray, network))
    return TrainingState(network, moments, jax.random.key(seed))


@partial(jax.jit, static_argnames="uses_squared_error")
def train_steps(
    state: TrainingState,
    inputs: Array,
    is_guarded: Array,
    batches: Minibatches,
    step_size: float,
    uses_squared_error: bool = False,
    other_targets: Array | None = None,
) -> TrainingState:
    """Return the network after one step of Adam for each minibatch.

    `inputs` has the inputs in each position. `is_guarded` and `other_targets` are as in
    `compute_loss`, but for all positions, [D, cells]. The function is compiled once for each shape
    of network.
    """

    def run_step(
        state: TrainingState, batch: Minibatches
    ) -> tuple[TrainingState, None]:
        key, drops = jax.random.split(state.random_key)
        s = batch.decision
        gradient = jax.grad(compute_loss)(
            state.network,
            inputs[s],
            is_guarded[s],
            batch.cell,
            batch.target,
            drops,
            uses_squared_error,
            None if other_targets is None else other_targets[s],
        )
        change, moments = optax.adam(step_size).update(gradient, state.optimizer_state)
        return TrainingState(
            optax.apply_updates(state.network, change), moments, key
        ), None

    # Networks are trained one by one: eight in parallel, by `vmap`, are only 1.07 times as fast on
    # a CPU, and their sums differ in the last digits, so a table would depend on the other
    # networks.
    return jax.lax.scan(run_step, state, batches)[0]
