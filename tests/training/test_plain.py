"""Each compiled learner makes the same updates as the textbook learner.

Three games are tested: the rules are defined in `app.tictactoe.game` only, so other rules there
work for every learner.  In misere a player with a line loses; the third game has a larger board.

"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from app.recipes import ALGORITHMS, Recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.parameters import BOTH_OPPONENT, OPPONENTS
from app.reference import (
    get_move_key,
    get_update_key,
    make_learner,
)
from app.reference import learn as learn_by_the_book
from app.textbook.loop import Update
from app.textbook.rng import Random
from app.tictactoe.game import Game, build_game
from app.tictactoe.notation import format_position
from training.learners import learn
from training.learners.phases import Progress
from training.learners.randomness import draw_uniform, make_rng_state
from training.run import train

USUAL = "tic-tac-toe"
GAMES = {
    USUAL: build_game(),
    "misere": replace(build_game(), outcome=-build_game().outcome),
    "3 x 4": build_game(3, 4, 3),
}
UPDATES = 400  # maximum number of updates for each recipe
LOOK = 100  # updates between two looks at the table
MANY = 1_500  # pairs of a table that are looked at, if there are more
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
    "sarsa-lambda,games=1000,seed=7",
    "sarsa-lambda,vs=self,start=empty,seat=o,lambda=1,gamma=1,epsilon=0.4,games=200,draw=0.5",
    "sarsa-lambda,vs=random:60+both:100,start=empty,lambda=0.9,initial=0.5,win=2,loss=-2",
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
    "menace,games=300",
    "menace,vs=self,seat=x,games=300,seed=7",
    "menace,vs=random:50+self:100,seat=o,beads=1,beads_drop=0",
    "menace,vs=random:50+both:200,beads=2,loss=-2",
    "menace,vs=minimax,seat=x,games=300,beads=2,loss=-3",
    "menace,vs=minimax-random:40+random:60,beads=9,beads_drop=3,win=5,draw=0,loss=-2",
    "menace,plays=greedy,games=100,win=1",
    "menace,opening=edge,vs=minimax,seat=x,games=100,beads=1",
    "mcts,rollouts=1,seed=7",
    *(f"q-learning,vs={opponent},games=60" for opponent in OPPONENTS),
    *(f"q-table,vs={opponent},games=40" for opponent in OPPONENTS),
    *(f"q-iteration,vs={opponent},sweeps=1" for opponent in OPPONENTS if opponent != BOTH_OPPONENT),
    *(f"td-afterstates,vs={opponent},games=40" for opponent in OPPONENTS),
    *(f"menace,vs={opponent},games=100" for opponent in OPPONENTS),
]
WITH_OTHER_RULES = [
    "q-iteration,vs=self,sweeps=1,initial=0.5",
    "q-learning,vs=random:60+self:100,start=empty",
    "q-learning,start=every,vs=t-hand,games=300",
    "q-table,vs=random:50+minimax-random:50,draw=0.25",
    "q-table,vs=self,seat=o,key=afterstate,games=100",
    "double-q,games=100",
    "self-play,games=60,draw=0.25",
    "league,observing=yes,symmetric=yes,rounds=3",
    "champion,games=60",
    "sarsa,start=empty,vs=minimax,games=100",
    "expected-sarsa,vs=self,games=100",
    "sarsa-lambda,vs=both,start=empty,games=100",
    "monte-carlo,vs=strongest,games=100",
    "td-afterstates,vs=self,games=100",
    "td-afterstates,vs=fixed,symmetric=yes,win=3,games=100",
    "menace,beads=90,opening=centre,vs=random:50+self:50",
    "mcts,rollouts=1",
]
LATE_ENDS = ["champion,seed=1", "mcts,rollouts=4,c=0.3,seed=7"]
TO_THE_END = [
    "q-iteration,vs=random:1+self:1",
    "q-table,games=300",
    "double-q,games=300",
    "self-play,games=200",
    "sarsa,games=200",
    "expected-sarsa,vs=self,games=200",
    "sarsa-lambda,vs=both,start=empty,lambda=0.8,games=200",
    "monte-carlo,games=200",
    "td-afterstates,vs=self,games=200",
    "td-afterstates,vs=both,games=200",
    "q-learning,vs=both,start=empty,games=200",
    "double-q,vs=both,last=coin,games=200",
    "champion,games=40",
    "mcts,rollouts=3",
    *LATE_ENDS,
]


class Twin:
    """A textbook learner with the number of updates of each entry."""

    def __init__(self, game: Game, recipe: Recipe) -> None:
        self.game = game
        self.learner: Any = make_learner(game, recipe)
        events = learn_by_the_book(game, recipe, self.learner)
        self.updates = (event for event in events if isinstance(event, Update))
        self.visits: Counter[Hashable] = Counter()

    def go_on(self, updates: int) -> None:
        for update in islice(self.updates, updates):
            self.visits[get_update_key(self.learner, update)] += 1


def assert_same(rules: str, recipe: Recipe, look: int, most: int) -> None:
    """Compare a compiled learner with the textbook learner at many checkpoints."""
    game = GAMES[rules]
    twin, compiled = Twin(game, recipe), learn(game, recipe, lambda updates: updates + look)
    untouched, done = next(compiled), 0
    assert_same_values(twin, untouched, game.legal & (np.arange(game.decisions) % 9 == 0)[:, None])
    for now in compiled:
        # MCTS simulates a game from each position in this order; a check of the first ones is enough.
        brief = rules == "3 x 4" and recipe.slug == "mcts"
        twin.go_on(MANY if brief else now.updates - done)
        done = now.updates
        touched = now.visits > 0
        np.testing.assert_array_equal(now.q[~touched], untouched.q[~touched])
        assert_same_values(twin, now, touched)
        if isinstance(recipe, Menace):
            assert now.refills == twin.learner.refills
        if done > most:
            assert touched.sum() > UPDATES / 10
            return
    assert next(twin.updates, None) is None
    assert rules != USUAL or done <= recipe.compute_max_updates()


def assert_same_values(twin: Twin, now: Progress, where: np.ndarray) -> None:
    for position, cell in np.argwhere(where)[: MANY if twin.game.cells > 9 else None].tolist():
        board = format_position(twin.game, position)
        assert now.q[position, cell] == np.float32(twin.learner.value(board, cell))
        assert now.visits[position, cell] == twin.visits[get_move_key(twin.learner, board, cell)]


@pytest.mark.long
@pytest.mark.parametrize("name", RECIPES)
def test_the_compiled_learner_is_the_plain_one(name: str) -> None:
    assert_same(USUAL, parse_recipe(name), LOOK, UPDATES)


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_OTHER_RULES)
@pytest.mark.parametrize("rules", ["misere", "3 x 4"])
def test_it_is_with_other_rules_too(rules: str, name: str) -> None:
    assert_same(rules, parse_recipe(name), UPDATES, 0)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name in LATE_ENDS)) for name in TO_THE_END],
)
def test_the_end_of_the_training_is_the_same(name: str) -> None:
    """Two whole sweeps, so that values equal to a loss are met again and skipped."""
    assert_same(USUAL, parse_recipe(name), 10**9, 10**9)


BRIEF = {
    "q-iteration": "vs=self,sweeps=10",
    "q-learning": "games=30000",
    "q-table": "games=5000",
    "double-q": "games=5000",
    "self-play": "games=60000",
    "league": "rounds=1000",
    "champion": "games=1000",
    "sarsa": "games=30000",
    "expected-sarsa": "games=30000",
    "sarsa-lambda": "games=30000",
    "monte-carlo": "games=30000",
    "td-afterstates": "games=5000",
    "menace": "games=20000",
    "mcts": "rollouts=10",
    "dqn": "epochs=5,layers=1,width=120,step_size=0.002",
}


# The larger board takes ten times as long to judge, so only one table and the network are judged there.
JUDGED = [*(("misere", slug) for slug in ALGORITHMS), ("3 x 4", "q-learning"), ("3 x 4", "dqn")]


@pytest.mark.long
@pytest.mark.parametrize(("rules", "slug"), JUDGED)
def test_every_learner_learns_the_game_that_is_judged(
    monkeypatch: pytest.MonkeyPatch, rules: str, slug: str
) -> None:
    """A learner of tic-tac-toe would become worse in misere."""
    monkeypatch.setattr("training.run.MAX_SNAPSHOTS", 2)  # the first table and the last one
    recipe = parse_recipe(f"{slug},{BRIEF[slug]}")
    judged = train("somebody", recipe, GAMES[rules], lambda progress: None).card.figures
    before, after = judged.outcome_chances_by_baseline["random"].x
    assert after[0] - after[2] > before[0] - before[2] + 0.05
    if slug in ("champion", "q-iteration"):
        assert judged.blunders[-1] == 0


def test_every_algorithm_is_compared_with_its_plain_twin() -> None:
    learners = ALGORITHMS.keys() - {"dqn"}
    assert {parse_recipe(name).slug for name in WITH_OTHER_RULES} == learners
    assert {parse_recipe(name).slug for name in RECIPES + TO_THE_END} == learners


@pytest.mark.parametrize("seed", [0, 1, 2**20])
def test_random_numbers_are_those_of_plain_python(seed: int) -> None:
    fast, slow = make_rng_state(seed), Random(seed)
    numbers = [draw_uniform(fast) for _ in range(1000)]
    assert numbers == [slow.random() for _ in range(1000)]
    assert 0 <= min(numbers) < 0.01
    assert 0.99 < max(numbers) < 1
