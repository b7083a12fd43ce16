"""The rules stand in `app.tictactoe.game` alone: who changes them there teaches them to everybody.

One game is misere, in which who completes a line has lost, the other has a larger board.
"""

from collections.abc import Hashable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from app.recipes import ALGORITHMS, Recipe, parse
from app.tictactoe.agents import load, save
from app.tictactoe.game import Game, connect
from app.tictactoe.notation import position_text
from tests.training.test_plain import key
from training import plain
from training.learners import learn
from training.plain.boards import legal_cells
from training.plain.randomness import Random
from training.run import train

GAMES = {"misere": replace(connect(), outcome=-connect().outcome), "3 x 4": connect(3, 4, 3)}
UPDATES = 300  # of each recipe about
RECIPES = [
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
    "monte-carlo,vs=strongest,games=100",
    "td-afterstates,vs=self,games=100",
    "td-afterstates,vs=fixed,symmetric=yes,win=3,games=100",
    "menace,beads=90,vs=random:50+self:50",
    "mcts,rollouts=3",
]


class Heard(Random):
    """Remembers all that a learner says."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.values: dict[Hashable, float] = {}

    def revised(self, board: str, value: float) -> None:
        self.values[board] = value


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("rules", GAMES)
def test_the_compiled_learner_is_the_plain_one(rules: str, name: str) -> None:
    game, recipe = GAMES[rules], parse(name)
    _, now = islice(learn(game, recipe, lambda updates: updates + UPDATES), 2)
    heard = Heard(recipe.seed)
    told = plain.learn(game, recipe, heard)
    for (board, cell), value in islice(told, now.updates):
        named = (board, cell) if recipe.slug == "league" else key(game, recipe, board, cell)
        heard.values[named] = value
    touched = np.argwhere(now.visits > 0).tolist()
    assert len(touched) > UPDATES / 10
    for position, cell in touched:
        value = in_a_table(game, recipe, heard, position_text(game, position), cell)
        assert now.q[position, cell] == np.float32(value)


def in_a_table(game: Game, recipe: Recipe, heard: Heard, board: str, cell: int) -> float:
    """What the compiled learner has there: the mover's view, and a square's part of the beads."""
    named = key(game, recipe, board, cell)
    value = heard.values[named]
    if recipe.slug == "self-play" and board.count("X") > board.count("O"):
        return -value
    if recipe.slug == "menace":
        return value / [key(game, recipe, board, one) for one in legal_cells(board)].count(named)
    return value


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
    "monte-carlo": "games=30000",
    "td-afterstates": "games=5000",
    "menace": "games=20000",
    "mcts": "rollouts=30",
    "dqn": "epochs=10,layers=2,width=120,step_size=0.002",
}


@pytest.mark.parametrize("slug", ALGORITHMS)
@pytest.mark.parametrize("rules", GAMES)
def test_every_learner_learns_the_game_that_is_judged(
    tmp_path: Path, rules: str, slug: str
) -> None:
    """Whoever goes on with tic-tac-toe while it is misere becomes worse than it began."""
    game = GAMES[rules]
    agent = train("somebody", parse(f"{slug},{BRIEF[slug]}"), game, lambda progress: None)
    save(tmp_path, game, agent)
    judged = load(tmp_path, game, "somebody").card.figures
    before, after = (judged.vs["random"].x[moment] for moment in (0, -1))
    assert after[0] - after[2] > before[0] - before[2] + 0.05
    if rules == "misere" and slug in ("champion", "q-iteration"):
        assert judged.blunders[-1] == 0
