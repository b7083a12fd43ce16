"""Exported trainings: one file, which needs only Python and prints the same table as the site."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random as Dice

import numpy as np
import pytest
from click.testing import CliRunner

from app.recipes import ALGORITHMS, Recipe, RecipeError, name_recipe, parse_recipe
from app.recipes.taught import add_practice
from app.tictactoe.game import Game, tic_tac_toe
from app.tictactoe.notation import format_position
from app.tictactoe.policy import BASELINES
from tests.training.test_taught import practice, taught
from training import cli
from training.export_script import build_script
from training.learners import learn
from training.reference import LEARNERS, OPPONENTS, build_rules
from training.reference import learn as learn_by_the_book
from training.taught import PupilCache
from training.textbook.rng import seed_state
from training.textbook.symmetry import list_symmetries

# One of each algorithm, and every opponent and switch that leaves another file.
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
    assert code.count("\nGAMES = 1_000 ") == 1
    (folder / "training.py").write_text(code.replace("\nGAMES = 1_000 ", "\nGAMES = 10 "))
    command = [sys.executable, "-I", "-S", "training.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "updates in all" in done.stderr
    return done.stdout


@pytest.mark.parametrize("text", RECIPES)
def test_the_file_writes_the_table_bit_for_bit(game: Game, tmp_path: Path, text: str) -> None:
    code = assert_same(game, tmp_path, parse_recipe(text))
    assert code.count("\n") < 560
    assert "isinstance" not in code
    assert f"training {name_recipe(parse_recipe(text))} in plain Python" in code


@pytest.mark.parametrize("text", TAUGHT)
def test_so_does_that_of_a_learner_that_people_taught(
    game: Game, tmp_path: Path, text: str
) -> None:
    pupils, dice, start = PupilCache(game), Dice(7), parse_recipe(text)
    before = parse_recipe(taught(pupils, start, dice, 2)[-1].recipe)
    practised = add_practice(before, practice(start), 3)
    code = assert_same(game, tmp_path, parse_recipe(taught(pupils, practised, dice, 1)[-1].recipe))
    assert "class Person" in code


@cache
def name_pairs() -> list[str]:
    """Return the position and the cell of each pair, as an exported table writes them."""
    game = tic_tac_toe()
    boards = [format_position(game, row) for row in range(game.decisions)]
    pairs = zip(game.pair_decision.tolist(), game.pair_cell.tolist(), strict=True)
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


def test_every_algorithm_with_a_table_leaves_as_a_file() -> None:
    tables = {slug for slug, algorithm in ALGORITHMS.items() if not algorithm.is_network}
    assert {parse_recipe(text).slug for text in RECIPES} == tables


@pytest.mark.parametrize("slug", LEARNERS)
def test_the_update_comes_first_and_the_random_numbers_last(slug: str) -> None:
    code = build_script(parse_recipe(slug))
    update = re.search(r"^    def (update|simulate)\(", code, re.MULTILINE)
    assert update
    assert code[: update.start()].count("\n") < 80
    order = ["class parameters:", update[0], "def main(", "class TicTacToe:", "class Random:"]
    assert order == sorted(order, key=code.index)


@pytest.mark.parametrize("slug", LEARNERS)
def test_it_has_hardly_a_function_that_it_does_not_use(slug: str) -> None:
    """Modules are exported whole, so up to two functions are for other learners only."""
    tree = ast.parse(build_script(parse_recipe(slug)))
    defined = {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    unread = defined - {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    assert len(unread) <= 2


def test_in_the_end_it_says_how_well_it_plays(tmp_path: Path) -> None:
    """The champion never loses."""
    (tmp_path / "champion.py").write_text(build_script(parse_recipe("champion")))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "champion.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    as_x, as_o = done.stderr.splitlines()[-2:]
    assert re.fullmatch(r"as X against random moves, 1000 games: .* won, .* drawn, 0.0% lost", as_x)
    assert re.fullmatch(r"as O against random moves, 1000 games: .* won, .* drawn, 0.0% lost", as_o)


def test_an_opponent_that_is_not_in_plain_python_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The export is refused; the site has the agent."""
    monkeypatch.setitem(BASELINES, "corner", BASELINES["fixed"])
    monkeypatch.setattr(sys.modules["app.recipes.parameters"], "OPPONENTS", ("corner", *BASELINES))
    recipe = parse_recipe("q-learning,vs=corner,games=60,start=empty")
    with pytest.raises(RecipeError, match="opponent corner is not written in plain Python"):
        build_script(recipe)
    fixed = parse_recipe("q-learning,vs=fixed,games=60,start=empty")
    assert [*learn_by_the_book(tic_tac_toe(), recipe)] == [*learn_by_the_book(tic_tac_toe(), fixed)]


def test_the_file_has_what_it_uses_and_no_more() -> None:
    tree = ast.parse(build_script(parse_recipe("q-learning,games=10")))
    defined = {str(getattr(one, "name", "main")) for one in tree.body} - {"main"}
    read = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    assert defined <= read
    assert "Fraction" not in read
    assert "minimax" not in defined
    assert not {"Person", "games_taught", "person", "people"} & (defined | read)


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


def test_the_command_prints_it() -> None:
    result = CliRunner().invoke(cli.main, ["code", "q-table"])
    assert (result.exit_code, result.output) == (0, build_script(parse_recipe("q-table")))
    result = CliRunner().invoke(cli.main, ["code", "dqn"])
    assert result.exit_code == 1
    assert "cannot be written as one file" in result.output


@pytest.mark.parametrize("opponent", BASELINES)
def test_its_opponents_are_those_of_the_site(game: Game, opponent: str) -> None:
    policy = BASELINES[opponent].build_policy(game) > 0
    for row in range(game.decisions):
        board = format_position(game, row)
        assert OPPONENTS[opponent](build_rules(game), board) == np.flatnonzero(policy[row]).tolist()


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
