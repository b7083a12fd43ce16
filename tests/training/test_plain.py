"""Each compiled learner does what the same algorithm in plain Python does, update by update."""

from collections.abc import Hashable
from itertools import islice

import numpy as np
import pytest

from app.recipes import ALGORITHMS, Recipe, parse
from app.recipes.algorithms import League
from app.recipes.parameters import BOTH, OPPONENTS
from app.tictactoe.game import Game
from training import plain
from training.learners import learn, module_of
from training.learners.randomness import stream, uniform
from training.plain.boards import legal_cells, to_move, unfinished_boards
from training.plain.league import seen
from training.plain.randomness import Random

UPDATES = 400  # of each recipe at most
RECIPES = [
    "q-iteration,seed=7",
    "q-iteration,vs=random:1+self:1,gamma=0.5,sticky=no",
    "q-iteration,vs=self,sweeps=1,initial=0.5,win=2,draw=0.25,loss=-3",
    "q-learning,games=1000,seed=7",
    "q-learning,vs=self,games=1000",
    "q-learning,vs=random:60+self:100,epsilon=1,epsilon_drop=0.2",
    "q-learning,vs=self,alpha=1,epsilon=0,games=1000",
    "q-learning,start=every,games=1000",
    "q-learning,start=every,seat=o,games=1000",
    "q-learning,vs=random:70+self:50,start=empty,epsilon=0.5,initial=-1",
    "q-learning,vs=self,start=empty,seat=o,games=200,win=2,draw=0.5,loss=-2,gamma=0.5",
    "q-learning,start=random,seat=x,games=200",
    "q-table,games=120,seed=7",
    "q-table,vs=random:50+minimax-random:66,gamma=0.9,epsilon=0.05,epsilon_drop=0.2,draw=-0.25",
    "q-table,vs=self,ties=random,games=120,initial=0.5",
    "q-table,key=afterstate,ties=random,games=120",
    "q-table,vs=self,seat=x,games=120,draw=1",
    "q-table,seat=o,update=sum,games=120,loss=0,draw=1",
    "double-q,games=120,seed=7",
    "double-q,key=afterstate,ties=random,games=120,gamma=0.9,draw=-0.25",
    "double-q,vs=random:50+self:50,update=sum,seat=o,initial=1",
    "sarsa,games=1000,seed=7",
    "sarsa,vs=random:60+self:100,epsilon=0.5,epsilon_drop=0.05,initial=0.5",
    "sarsa,start=empty,seat=o,vs=self,epsilon=0.4,games=200,win=2,draw=0.5,loss=-2",
    "expected-sarsa,games=1000,seed=7",
    "expected-sarsa,vs=self,start=every,epsilon=1,epsilon_drop=0.1,games=200,gamma=1",
    "expected-sarsa,start=empty,vs=random:60+self:100,epsilon=0.3,alpha=1,draw=0.25",
    "monte-carlo,games=1000,seed=7",
    "monte-carlo,vs=self,start=empty,exploring_starts=no,epsilon=0.3,epsilon_drop=0.03,games=200",
    "monte-carlo,vs=random:60+self:100,start=every,seat=o,epsilon=0,gamma=1,initial=0.5,draw=0.25",
    "td-afterstates,games=200,seed=7",
    "td-afterstates,vs=self,symmetric=yes,epsilon=0.4,games=200",
    "td-afterstates,vs=random:60+self:100,learn_from=all,alpha=1,alpha_drop=0.1,seat=x",
    "td-afterstates,vs=minimax-random,epsilon=0.5,epsilon_drop=0.1,seat=o,games=200,draw=0",
    "td-afterstates,symmetric=yes,epsilon=0,initial=-2,win=3,draw=-1,loss=-2,games=200",
    "q-learning,vs=both,start=empty,epsilon=0.3,games=200,gamma=0.5,win=2,draw=0.5,loss=-2",
    "q-learning,vs=random:60+both:100,epsilon=1,epsilon_drop=0.2",
    "sarsa,vs=both,start=every,epsilon=0.5,epsilon_drop=0.05,games=200,draw=0.25",
    "expected-sarsa,vs=both,start=empty,epsilon=0.5,games=200,initial=0.5",
    "monte-carlo,vs=both,epsilon=0.3,epsilon_drop=0.03,games=200,draw=0.25",
    "monte-carlo,vs=self:60+both:100,start=empty,exploring_starts=no,gamma=0.5",
    "td-afterstates,vs=both,epsilon=0.4,epsilon_drop=0.02,games=200,loss=-1",
    "td-afterstates,vs=random:60+both:101,symmetric=yes,learn_from=all,alpha=1,alpha_drop=0.1",
    "q-table,vs=both,games=120,gamma=0.9,draw=-0.25",
    "q-table,vs=random:50+both:66,key=afterstate,ties=random",
    "double-q,vs=both,games=120,loss=-2",
    "double-q,last=coin,games=120,seed=3",
    "double-q,vs=both,last=coin,ties=random,gamma=0.9,games=120,draw=0.5",
    "self-play,games=150,seed=7",
    "self-play,alpha=1,gamma=1,epsilon=0,games=150,initial=0,draw=0",
    "self-play,alpha=0.25,gamma=0.5,epsilon=0.2,epsilon_drop=0.05,games=150,initial=-0.5,draw=-0.75",
    "self-play,games=150,win=3,draw=1,loss=-2",
    "league,rounds=3,seed=4",
    "league,observing=yes,rounds=3,k_start=0.5,k_step=0.1,k_limit=3",
    "league,vs=fixed,symmetric=yes,gamma=1,rounds=40",
    "league,vs=random,observing=yes,symmetric=yes,rounds=40,k_start=0.5,k_limit=3",
    "league,vs=fixed+random,stages=one,gamma=0,rounds=40",
    "league,observing=yes,stages=one,rounds=3,win=5,draw=1,loss=-4",
    "mcts,rollouts=1,seed=7",
    *(f"q-learning,vs={opponent},games=60" for opponent in OPPONENTS),
    *(f"q-table,vs={opponent},games=40" for opponent in OPPONENTS),
    *(f"q-iteration,vs={opponent},sweeps=1" for opponent in OPPONENTS if opponent != BOTH),
    *(f"td-afterstates,vs={opponent},games=40" for opponent in OPPONENTS),
]


@pytest.mark.parametrize("name", RECIPES)
def test_the_compiled_learner_is_the_plain_one(game: Game, name: str) -> None:
    recipe = parse(name)
    told = plain.learn(game, recipe)
    pairs = [(board, cell) for board in unfinished_boards(game) for cell in legal_cells(board)]
    keys = [key(game, recipe, *pair) for pair in pairs]
    values: dict[Hashable, float] = {
        named: plain.at_first(game, recipe, *pair) for named, pair in zip(keys, pairs, strict=True)
    }
    visits = dict.fromkeys(keys, 0)
    sign = np.where(recipe.slug == "self-play", game.to_move, 1)[:, None]  # told in X's view
    done = 0
    for number, progress in enumerate(learn(game, recipe, lambda updates: updates + 1)):
        for (board, cell), value in islice(told, progress.updates - done):
            named = (board, cell) if recipe.slug == "league" else key(game, recipe, board, cell)
            values[named] = value
            visits[named] = visits.get(named, 0) + 1
        done = progress.updates
        if number % 31 == 0 or progress.done == 1:
            q = game.spread(np.array([values[one] for one in keys]))
            np.testing.assert_array_equal(progress.q * sign, q.astype(np.float32))
            counted = [visits[one] for one in keys]
            np.testing.assert_array_equal(progress.visits[game.legal], counted)
        if done > UPDATES:
            return
    assert next(told, None) is None


def key(game: Game, recipe: Recipe, board: str, cell: int) -> Hashable:
    """What a move shares its value with."""
    if isinstance(recipe, League):
        return seen(game, board, cell, to_move(board), recipe.symmetric)
    return plain.key_of(game, recipe, board, cell)


@pytest.mark.parametrize(
    "name",
    [
        "q-iteration,vs=random:1+self:1",
        "q-table,games=1000",
        "double-q,games=1000",
        "self-play,games=600",
        "sarsa,games=600",
        "expected-sarsa,vs=self,games=600",
        "monte-carlo,games=600",
        "td-afterstates,vs=self,games=600",
        "td-afterstates,vs=both,games=600",
        "q-learning,vs=both,start=empty,games=600",
        "double-q,vs=both,last=coin,games=600",
        "mcts,rollouts=9",
        "mcts,rollouts=12,c=0.3,seed=7",
    ],
)
def test_the_end_of_the_training_is_the_same(game: Game, name: str) -> None:
    """Two whole sweeps, so that what was learned of a loss is met again and left alone."""
    recipe = parse(name)
    *_, end = learn(game, recipe, lambda updates: 10**9)
    assert end.updates <= recipe.updates_at_most()
    sign = game.to_move if recipe.slug == "self-play" else np.ones(game.decisions)
    number = {board: s for s, board in enumerate(unfinished_boards(game))}
    last: dict[Hashable, float] = {}
    updates = 0
    for (board, cell), value in plain.learn(game, recipe):
        last[key(game, recipe, board, cell)] = sign[number[board]] * value
        updates += 1
    assert end.updates == updates
    for board, s in number.items():
        for cell in legal_cells(board):
            if (named := key(game, recipe, board, cell)) in last:
                assert end.q[s, cell] == np.float32(last[named])


def test_every_algorithm_has_its_learner_and_its_plain_twin() -> None:
    shared = {"double-q": "q_table", "sarsa": "q_learning", "expected-sarsa": "q_learning"}
    for slug, algorithm in ALGORITHMS.items():
        module = shared.get(slug, slug.replace("-", "_"))
        package = "networks" if slug == "dqn" else "learners"
        assert module_of(algorithm) == f"training.{package}.{module}"
    assert plain.LEARNERS.keys() == ALGORITHMS.keys() - {"dqn"}
    elsewhere = {"champion", "menace"}  # are held to it in files of their own
    assert {parse(name).slug for name in RECIPES} == plain.LEARNERS.keys() - elsewhere


@pytest.mark.parametrize("seed", [0, 1, 2**20])
def test_random_numbers_are_those_of_plain_python(seed: int) -> None:
    fast, slow = stream(seed), Random(seed)
    numbers = [uniform(fast) for _ in range(1000)]
    assert numbers == [slow.random() for _ in range(1000)]
    assert 0 <= min(numbers) < 0.01
    assert 0.99 < max(numbers) < 1
