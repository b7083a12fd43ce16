"""The network of the deep Q-learner, compared with slow versions of its sums."""

import math
from typing import Any

import jax
import numpy as np
import pytest

from app.tictactoe.encodings import encode_one_hot
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import format_position
from app.tictactoe.policy import uniform_policy
from training.networks import net
from training.networks.dqn import sample_cells
from training.networks.net import Layer, Minibatches, Network

HIDDEN = (120, 840, 120)

SEED, STEP = 5, 1e-3


@pytest.fixture(scope="module")
def network(game: Game) -> Network:
    return net.make_network(np.random.default_rng(1), encode_one_hot(game), HIDDEN, game.cells)


@pytest.fixture(scope="module")
def batches(game: Game) -> Minibatches:
    """Thirty moves with targets near the outputs and far from them."""
    rng = np.random.default_rng(2)
    decision = rng.choice(game.decisions, 30, replace=False).astype(np.int32)
    cell = sample_cells(rng, uniform_policy(game)[decision])
    return Minibatches(decision, cell, rng.uniform(-2, 1, 30).astype(np.float32))


def test_its_outputs_are_those_of_numpy_for_every_decision(game: Game, network: Network) -> None:
    expected = in_numpy(network, encode_one_hot(game))
    np.testing.assert_allclose(
        net.apply_network(network, encode_one_hot(game)), expected, rtol=1e-4, atol=1e-5
    )
    said = net.compute_outputs(network, encode_one_hot(game))
    assert said.dtype == np.float32
    np.testing.assert_allclose(said, expected, rtol=1e-4, atol=1e-5)


def test_a_convolution_sees_each_square_with_the_same_eyes(game: Game) -> None:
    """The first layer equals one dot product for each square and filter, on cells as text."""
    read = net.build_inputs(game, "one-hot", convolution=True)
    assert read.shape == (game.decisions, 4, 4 * 3 + 3)
    network = net.make_network(np.random.default_rng(3), read, (8, 5), game.cells)
    shapes = [layer.weight.shape for layer in network]
    assert shapes == [(15, 2), (8, 5), (5, 9)]
    here = int(game.find_positions(int("120000001", 3)))
    text = format_position(game, here)
    signal = []
    for corner in (0, 1, 3, 4):
        marks = [text[corner + step] for step in (0, 1, 3, 4)]
        seen = [float(mark == stone) for mark in marks for stone in ".XO"]
        seen += [*map(float, (game.to_move[here] == X, game.to_move[here] == O)), 0.0]
        signal += (np.array(seen) @ network[0].weight).tolist()
    first = np.array([unit if unit > 0 else 0.1 * unit for unit in signal])[None]
    np.testing.assert_allclose(
        np.asarray(net.apply_network(network, read[here : here + 1])),
        in_numpy(network[1:], first),
        rtol=1e-4,
        atol=1e-5,
    )


def test_a_tenth_is_dropped_out_while_learning_and_the_rest_makes_up() -> None:
    """The mean of ten thousand units with output 1, for four decisions."""
    units = 10_000
    layers = (
        Layer(np.zeros((1, units)), np.ones(units)),
        Layer(np.full((units, 1), 1 / units), np.zeros(1)),
    )
    read = np.ones((4, 1))
    said = np.asarray(net.apply_network(layers, read, jax.random.key(0)))[:, 0]
    assert len(set(said.tolist())) == 4
    np.testing.assert_allclose(said * 0.9, 0.9, atol=0.02)
    np.testing.assert_allclose(net.apply_network(layers, read), np.ones((4, 1)), rtol=1e-4)


@pytest.mark.long
def test_the_loss_is_that_of_plain_python(
    game: Game, network: Network, batches: Minibatches
) -> None:
    said = in_numpy(network, encode_one_hot(game))
    total = 0.0
    for s, played, target in zip(*(column.tolist() for column in batches), strict=True):
        for cell, mark in enumerate(format_position(game, s)):
            if cell == played:
                total += huber(said[s, cell] - target)
            elif mark != ".":
                total += huber(said[s, cell] + 5)
    assert loss(game, network, batches) == pytest.approx(total / 30, rel=1e-5)


def test_a_loss_over_all_outputs_draws_the_others_to_their_own_targets(
    game: Game, network: Network, batches: Minibatches
) -> None:
    said = in_numpy(network, encode_one_hot(game))
    others = np.where(game.legal, np.float32(0.25), np.float32(np.nan))
    total = 0.0
    for s, played, target in zip(*(column.tolist() for column in batches), strict=True):
        for cell, mark in enumerate(format_position(game, s)):
            wanted = target if cell == played else 0.25 if mark == "." else -5
            total += huber(said[s, cell] - wanted)
    found = loss(game, network, batches, others=others)
    assert found == pytest.approx(total / 30, rel=1e-5)


@pytest.mark.long
def test_a_first_step_of_adam_goes_down_the_slope_by_its_size(
    game: Game, network: Network, batches: Minibatches
) -> None:
    taught = teach(game, network, batches, 1).network
    _, drops = jax.random.split(jax.random.key(SEED))
    for cell in range(game.cells):
        up, down = (loss(game, nudged(network, cell, h), batches, drops) for h in (0.01, -0.01))
        went = float(taught[-1].bias[cell] - network[-1].bias[cell])
        assert went == pytest.approx(-math.copysign(STEP, up - down), rel=1e-3)


def teach(game: Game, network: Network, batches: Minibatches, times: int) -> net.TrainingState:
    state = net.start_training(network, SEED)
    many = Minibatches(*(np.tile(column, (times, 1)) for column in batches))
    taught: net.TrainingState = net.train_steps(
        state, encode_one_hot(game), ~game.legal, many, STEP
    )
    return taught


def loss(
    game: Game,
    network: Network,
    batches: Minibatches,
    drops: jax.Array | None = None,
    guarded: net.Array | None = None,
    squared: bool = False,
    others: net.Array | None = None,
) -> float:
    """Return the loss, with guard rails unless the arguments differ."""
    read = encode_one_hot(game)[batches.decision]
    held = (~game.legal if guarded is None else guarded)[batches.decision]
    other = None if others is None else others[batches.decision]
    return float(
        net.compute_loss(network, read, held, batches.cell, batches.target, drops, squared, other)
    )


def in_numpy(network: Network, read: np.ndarray) -> Any:
    """Return the forward pass without dropout, in numpy."""
    for layer in network[:-1]:
        read = read @ np.asarray(layer.weight) + np.asarray(layer.bias)
        read = np.where(read > 0, read, 0.1 * read)
    return read @ np.asarray(network[-1].weight) + np.asarray(network[-1].bias)


def huber(error: float) -> float:
    return error * error / 2 if abs(error) <= 1 else abs(error) - 0.5


def nudged(network: Network, cell: int, by: float) -> Network:
    bias = network[-1].bias.copy()
    bias[cell] += by
    return (*network[:-1], Layer(network[-1].weight, bias))
