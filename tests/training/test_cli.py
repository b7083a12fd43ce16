"""The command line, in this process, and where it matters in one of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.tictactoe.agents import load, save
from app.tictactoe.game import Game
from training import cli
from training.networks import NETWORKS
from training.recipes import RECIPES
from training.run import train

QUICK = "q-learning-1"


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


def test_list_names_every_agent() -> None:
    result = call("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [*RECIPES, *NETWORKS]


def test_train_and_check(game: Game, tmp_path: Path) -> None:
    result = call("train", QUICK, "--out", tmp_path, "--seed", "3")
    assert result.exit_code == 0, result.output
    assert QUICK in result.stderr
    assert "1,000,000 games" in result.stderr
    assert load(tmp_path, game, QUICK).card.seed == 3
    result = call("check", QUICK, "--models", tmp_path)
    assert (result.exit_code, result.output) == (0, f"{QUICK}: the same, bit for bit\n")


def test_check_says_what_differs(game: Game, tmp_path: Path) -> None:
    agent = train(RECIPES[QUICK], game, 0, lambda progress: None)
    agent.visits[0, 0] += 1
    save(tmp_path, game, agent)
    result = call("check", QUICK, "--models", tmp_path)
    assert result.exit_code == 1
    assert f"{QUICK}: visits differ (made with platform" in result.output


def test_check_says_what_is_missing(tmp_path: Path) -> None:
    result = call("check", QUICK, "--models", tmp_path)
    assert result.exit_code == 1
    assert f"{QUICK}.json: No such file" in result.output


@pytest.mark.parametrize("command", ["train", "check", "evaluate"])
def test_an_unknown_agent_is_answered_with_the_known_ones(command: str) -> None:
    result = call(command, "q-unlearning")
    assert result.exit_code == 2
    for agent_id in ("q-unlearning", *RECIPES, *NETWORKS):
        assert f"'{agent_id}'" in result.output


@pytest.mark.parametrize("arguments", [[], ["--all", QUICK], [QUICK, "--seed", "-1"]])
def test_train_wants_agents_or_all_and_a_seed_that_can_be_one(arguments: list[str]) -> None:
    result = call("train", *arguments)
    assert result.exit_code == 2
    assert "Error" in result.output


def test_train_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = call("train", QUICK, "--out", tmp_path / "file" / "models")
    assert result.exit_code == 1
    assert "Not a directory" in result.output


def test_evaluate_prints_and_writes_the_table(tmp_path: Path) -> None:
    assert "96.78 / 3.22 / 0" in call("evaluate", "q-iteration", "--markdown").output
    assert "Q-iteration" in call("evaluate", "q-iteration").output
    readme = tmp_path / "README.md"
    readme.write_text("<!-- results -->\n<!-- /results -->\n")
    assert call("evaluate", "--readme", readme).exit_code == 0
    assert "| Q-learning 4 |" in readme.read_text()
    result = call("evaluate", "--models", tmp_path)
    assert result.exit_code == 1
    assert "no model in this folder" in result.output


def test_ctrl_c_leaves_the_old_model(game: Game, tmp_path: Path) -> None:
    agent = train(RECIPES["q-learning-2"], game, 1, lambda progress: None)
    save(tmp_path, game, agent)
    before = contents(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "training", "train", "q-learning-2", "--out", str(tmp_path)],
        env=os.environ | {"FORCE_COLOR": "1"},  # the bar moves, so that it can be seen
        stderr=subprocess.PIPE,
    )
    assert process.stderr
    shown = b""
    while b"updates/s" not in shown:
        shown += os.read(process.stderr.fileno(), 1000)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate()
    assert process.returncode == 130
    assert rest.decode().endswith("Interrupted: every model is as it was, or finished.\n")
    assert "Traceback" not in rest.decode()
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
