"""The network of the deep Q-learner against the same sums written down slowly."""

import math
from typing import Any

import jax
import numpy as np
import pytest

from app.tictactoe.encodings import one_hot
from app.tictactoe.game import Game
from app.tictactoe.notation import position_text
from app.tictactoe.policy import uniform
from training.networks import net
from training.networks.games import draw
from training.networks.net import Layer, Lessons, Network

SEED, STEP = 5, 1e-3


@pytest.fixture(scope="module")
def network(game: Game) -> Network:
    return net.new_network(np.random.default_rng(1), game)


@pytest.fixture(scope="module")
def lessons(game: Game) -> Lessons:
    """Thirty made-up ones, among them targets far off and near."""
    rng = np.random.default_rng(2)
    decision = rng.choice(game.decisions, 30, replace=False).astype(np.int32)
    cell = draw(rng, uniform(game)[decision])
    return Lessons(decision, cell, rng.uniform(-2, 1, 30).astype(np.float32))


def test_the_network_is_the_stated_one(network: Network) -> None:
    shapes = [(layer.weight.shape, layer.bias.shape) for layer in network]
    assert shapes == [
        ((30, 120), (120,)),
        ((120, 840), (840,)),
        ((840, 120), (120,)),
        ((120, 9), (9,)),
    ]


def test_its_outputs_are_those_of_numpy_for_every_decision(game: Game, network: Network) -> None:
    said = in_numpy(network, one_hot(game))
    np.testing.assert_allclose(net.outputs(network, one_hot(game)), said, rtol=1e-4, atol=1e-5)
    q = net.table(game, network)
    assert q.dtype == np.float32
    np.testing.assert_allclose(
        q, np.where(game.legal, said, np.nan), rtol=1e-4, atol=1e-5, equal_nan=True
    )


def test_its_outputs_are_those_of_a_sum_by_hand() -> None:
    layers = (
        Layer(np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([0.0, -1.0])),
        Layer(np.array([[2.0], [-1.0]]), np.array([0.25])),
    )
    read = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]])
    # The hidden units are 1, -0.3; then 1.5, 0; then -0.05, 4.
    expected = np.array([[2.0 + 0.3 + 0.25], [3.0 + 0.25], [-0.1 - 4.0 + 0.25]])
    np.testing.assert_allclose(net.outputs(layers, read), expected, atol=1e-6)
    np.testing.assert_allclose(in_numpy(layers, read), expected, atol=1e-6)


def test_a_tenth_is_dropped_out_while_learning_and_the_rest_makes_up() -> None:
    """Ten thousand units that all say 1, averaged, for four decisions."""
    units = 10_000
    layers = (
        Layer(np.zeros((1, units)), np.ones(units)),
        Layer(np.full((units, 1), 1 / units), np.zeros(1)),
    )
    read = np.ones((4, 1))
    said = np.asarray(net.outputs(layers, read, jax.random.key(0)))[:, 0]
    assert len(set(said.tolist())) == 4
    np.testing.assert_allclose(said * 0.9, 0.9, atol=0.02)
    np.testing.assert_allclose(net.outputs(layers, read), np.ones((4, 1)), rtol=1e-4)


def test_the_loss_is_that_of_plain_python(game: Game, network: Network, lessons: Lessons) -> None:
    said = in_numpy(network, one_hot(game))
    total = 0.0
    for s, played, target in zip(*(column.tolist() for column in lessons), strict=True):
        for cell, mark in enumerate(position_text(game, s)):
            if cell == played:
                total += huber(said[s, cell] - target)
            elif mark != ".":
                total += huber(said[s, cell] + 5)
    assert loss(game, network, lessons) == pytest.approx(total / 30, rel=1e-5)


def test_the_guard_rails_hold_back_every_illegal_output(game: Game, network: Network) -> None:
    """Where the move is already right, what is left are the illegal cells, each to be -5."""
    said = in_numpy(network, one_hot(game))
    s = int(game.find(int("120000000", 3)))
    lesson = Lessons(np.array([s]), np.array([4]), said[s, 4:5])
    wrong = [abs(said[s, cell] + 5) for cell in (0, 1)]
    assert min(wrong) > 1
    assert loss(game, network, lesson) == pytest.approx(sum(wrong) - 2 * 0.5, rel=1e-5)


def test_a_first_step_of_adam_goes_down_the_slope_by_its_size(
    game: Game, network: Network, lessons: Lessons
) -> None:
    taught = teach(game, network, lessons, 1).network
    _, drops = jax.random.split(jax.random.key(SEED))
    for cell in range(game.cells):
        up, down = (loss(game, nudged(network, cell, h), lessons, drops) for h in (0.01, -0.01))
        went = float(taught[-1].bias[cell] - network[-1].bias[cell])
        assert went == pytest.approx(-math.copysign(STEP, up - down), rel=1e-3)


def test_it_learns_what_it_is_taught(game: Game, network: Network, lessons: Lessons) -> None:
    """Three hundred times the same thirty moves."""
    taught = in_numpy(teach(game, network, lessons, 300).network, one_hot(game))
    np.testing.assert_allclose(taught[lessons.decision, lessons.cell], lessons.target, atol=0.5)
    np.testing.assert_allclose(taught[lessons.decision][~game.legal[lessons.decision]], -5, atol=1)


def teach(game: Game, network: Network, lessons: Lessons, times: int) -> net.Pupil:
    pupil = net.untaught(network, STEP, SEED)
    many = Lessons(*(np.tile(column, (times, 1)) for column in lessons))
    taught: net.Pupil = net.teach(pupil, one_hot(game), game.legal, many, STEP)
    return taught


def loss(game: Game, network: Network, lessons: Lessons, drops: jax.Array | None = None) -> float:
    read, legal = one_hot(game)[lessons.decision], game.legal[lessons.decision]
    return float(net.loss(network, read, legal, lessons.cell, lessons.target, drops))


def in_numpy(network: Network, read: np.ndarray) -> Any:
    """The forward pass, with nothing dropped out."""
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
