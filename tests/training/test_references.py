"""Each compiled learner does what the same algorithm in plain Python does, update by update."""

from itertools import islice

import numpy as np
import pytest

from app.tictactoe.game import Game
from training.q_iteration import q_iteration
from training.q_learning import from_every_state, from_random_states
from training.reference import plain as reference

UPDATES = 600
RATES = {"alpha": 0.2, "gamma": 0.9, "epsilon": 0.1}
CASES = [
    (q_iteration, {"gamma": 1.0}, {"random": 1}),
    (q_iteration, {"gamma": 0.5}, {"self": 1}),
    (from_random_states, RATES, {"random": 1_000}),
    (from_random_states, RATES, {"self": 1_000}),
    (from_random_states, RATES | {"epsilon": 1.0}, {"random": 100, "self": 1_000}),
    (from_random_states, RATES | {"epsilon": 0.0, "alpha": 1.0}, {"self": 1_000}),
    (from_every_state, RATES, {"random": 1}),
    (from_every_state, RATES, {"self": 1}),
]


@pytest.mark.parametrize(("algorithm", "parameters", "opponents"), CASES)
def test_the_compiled_learner_is_the_plain_one(
    game: Game, algorithm, parameters, opponents
) -> None:
    settings = {"opponents": opponents, **parameters}
    plain = getattr(reference, algorithm.__name__)(np.random.default_rng(7), **settings)
    compiled = algorithm(game, np.random.default_rng(7), lambda updates: updates + 1, **settings)
    q, visits = np.where(game.legal, 0.0, np.nan), np.zeros(game.legal.shape)
    done = 0
    while done < UPDATES:
        progress = next(compiled)
        for (board, cell), value in islice(plain, progress.updates - done):
            pair = number(game, board), cell
            q[pair] = value
            visits[pair] += 1
        done = progress.updates
        np.testing.assert_array_equal(progress.q, q.astype(np.float32))
        np.testing.assert_array_equal(progress.visits, visits)


def test_the_end_of_the_training_is_the_same(game: Game) -> None:
    """Two whole sweeps, so that what was learned of a loss is met again and left alone."""
    rng, same_rng = np.random.default_rng(3), np.random.default_rng(3)
    opponents = {"random": 1, "self": 1}
    plain = reference.q_iteration(rng, opponents=opponents, gamma=1.0)
    *_, end = q_iteration(game, same_rng, lambda updates: 10**9, opponents=opponents, gamma=1.0)
    q, updates = np.where(game.legal, 0.0, np.nan), 0
    for (board, cell), value in plain:
        q[number(game, board), cell] = value
        updates += 1
    assert end.updates == updates < 2 * game.legal.sum()
    np.testing.assert_array_equal(end.q, q)


def number(game: Game, board: str) -> int:
    return int(game.find(int("".join(str(".XO".index(cell)) for cell in board), 3)))
