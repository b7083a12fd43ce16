"""An exported training: one file, which needs only Python and prints the same table as the site."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random as Dice

import numpy as np
import pytest

from app.recipes import Recipe, RecipeError, name_recipe, parse_recipe
from app.recipes.taught import add_practice
from app.reference import TEXTBOOK_OPPONENTS, build_rules
from app.textbook.rng import seed_state
from app.textbook.symmetry import list_symmetries
from app.tictactoe.game import GAME, Game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import BASELINES
from tests.training.test_taught import practice, taught
from training.export_script import build_script
from training.learners import learn
from training.taught import PupilCache

# One recipe for each algorithm, and one for every opponent or parameter that changes the exported file.
RECIPES = [
    "q-learning,games=2000,seed=7",
    "q-learning,vs=random:60+fixed:40,start=every,epsilon_drop=0.02",
    "q-iteration,vs=random:1+self:1",
    "sarsa,start=empty,seat=o,vs=self,epsilon=0.4,games=200,win=2,draw=0.5,loss=-2",
    "expected-sarsa,vs=both,start=empty,epsilon=0.5,games=200,initial=0.5",
    "sarsa-lambda,vs=both,start=empty,lambda=0.8,games=200",
    "monte-carlo,vs=self:60+both:100,start=empty,exploring_starts=no,gamma=0.5",
    "q-table,games=120,seed=7",
    "q-table,vs=strongest:50+minimax-random:66,key=afterstate,update=sum",
    "double-q,games=120,last=coin,ties=random",
    "td-afterstates,vs=t-hand,games=200,symmetric=yes",
    "menace,vs=random:60+minimax:40",
    "self-play,games=150,seed=7",
    "self-play,games=150,initial=0,draw=0",  # its table has zeros of both signs
    "q-iteration,vs=self,sweeps=2,gamma=0",
    "champion,games=40",
    "league,rounds=3,seed=4",
    "league,vs=fixed+random,observing=yes,symmetric=yes,stages=one,rounds=8,k_limit=3",
    "mcts,rollouts=2,c=0.3,seed=7",
    "menace,vs=you,games=4,taught=245.45810.5713.12368",
]
TAUGHT = ["menace", "q-table,epsilon_drop=0", "sarsa,start=empty", "self-play", "league"]


def run(code: str, folder: Path) -> str:
    """Run a file with Python's standard library only, with 10 test games instead of 1,000."""
    assert code.count("\nTEST_GAMES = 1_000") == 1
    quick_code = code.replace("\nTEST_GAMES = 1_000", "\nTEST_GAMES = 10")
    (folder / "training.py").write_text(quick_code)
    command = [sys.executable, "-I", "-S", "training.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "updates in all" in done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("text", RECIPES)
def test_the_file_writes_the_table_bit_for_bit(game: Game, tmp_path: Path, text: str) -> None:
    code = assert_same(game, tmp_path, parse_recipe(text))
    assert code.count("\n") < 560
    assert "isinstance" not in code
    assert f"training {name_recipe(parse_recipe(text))} in plain Python" in code


@pytest.mark.long
@pytest.mark.parametrize("text", TAUGHT)
def test_so_does_that_of_a_learner_that_people_taught(
    game: Game, tmp_path: Path, text: str
) -> None:
    pupils, dice, start = PupilCache(), Dice(7), parse_recipe(text)
    before = parse_recipe(taught(pupils, start, dice, 2)[-1].recipe)
    practised = add_practice(before, practice(start), 3)
    code = assert_same(game, tmp_path, parse_recipe(taught(pupils, practised, dice, 1)[-1].recipe))
    assert "class Person" in code


@cache
def name_pairs() -> list[str]:
    """Return the position and the cell of each pair, as an exported table writes them."""
    boards = [format_position(GAME, row) for row in range(GAME.decisions)]
    pairs = zip(GAME.pair_decision.tolist(), GAME.pair_cell.tolist(), strict=True)
    return [f"{boards[row]},{cell}" for row, cell in pairs]


def assert_same(game: Game, tmp_path: Path, recipe: Recipe) -> str:
    """Compare the output of an exported training with its table; return the file."""
    code = build_script(recipe)
    head, *lines = run(code, tmp_path).splitlines()
    assert head == "position,cell,q"
    *_, end = learn(game, recipe, lambda updates: 1 << 62)
    values = end.q[game.legal]  # the values in the order of the pairs
    pairs = zip(name_pairs(), map(str, values), strict=True)
    assert sorted(lines) == sorted(f"{pair},{value}" for pair, value in pairs)
    assert len(lines) == game.pairs
    return code


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("dqn", "the training of dqn cannot be written as one file"),
        ("menace,vs=you,games=1,taught=04", "taught: move . of game 1"),
    ],
)
def test_what_cannot_leave_is_said(text: str, sentence: str) -> None:
    with pytest.raises(RecipeError, match=sentence):
        build_script(parse_recipe(text))


@pytest.mark.parametrize("opponent", BASELINES)
def test_its_opponents_are_those_of_the_site(game: Game, opponent: str) -> None:
    policy = BASELINES[opponent].build_policy(game) > 0
    for row in range(game.decisions):
        board = format_position(game, row)
        assert (
            TEXTBOOK_OPPONENTS[opponent](build_rules(game), board)
            == np.flatnonzero(policy[row]).tolist()
        )


def test_its_game_is_that_of_the_site(game: Game) -> None:
    rules = build_rules(game)
    for position in range(game.positions):
        board = format_position(game, position)
        assert rules.is_over(board) == game.is_over(position)
        if game.is_over(position):
            assert (
                rules.result(board, "X") == game.get_result(position) == -rules.result(board, "O")
            )
    assert sorted(list_symmetries(3, 3)) == sorted(game.symmetries.tolist())


@pytest.mark.parametrize("seed", [0, 1, 7, 999_999_999, 2**32 - 1])
@pytest.mark.parametrize("part", [(), (0,), (4519,), (3, 2**32 - 1)])
def test_its_seeds_are_those_of_numpy(seed: int, part: tuple[int, ...]) -> None:
    sequence = np.random.SeedSequence(seed, spawn_key=part)
    assert seed_state(seed, *part) == sequence.generate_state(4, np.uint64).tolist()
