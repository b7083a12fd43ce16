"""The command line, in this process, and in a separate process where necessary."""

import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.text import Text

from app.recipes import SHIPPED, parse_recipe
from app.tictactoe.agents import load_agent, save_agent
from app.tictactoe.card import format_card
from app.tictactoe.game import Game
from tests.signals import heeding
from training import cli
from training.run import make_agent_id, train

QUICK = "q-learning-1"
LONG = "q-learning,games=50000000"  # some minutes: nobody is too late to stop it


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


def test_train_tells_its_card_and_nothing_else(game: Game, tmp_path: Path) -> None:
    asked = ("q-table,games=20", "menace,games=20", "--json", "--quiet", "-j", "1")
    result = call("train", *asked, "--out", tmp_path)
    assert (result.exit_code, result.stderr) == (0, "")
    cards = [json.loads(line) for line in result.stdout.splitlines()]
    assert [card["recipe"] for card in cards] == ["q-table,games=20", "menace,games=20"]
    for card in cards:
        saved = load_agent(tmp_path, game, card["id"]).card
        assert card == json.loads(msgspec.json.encode(saved))


def test_train_and_check(game: Game, tmp_path: Path) -> None:
    result = call("train", QUICK, "--out", tmp_path, "--seed", "3")
    assert result.exit_code == 0, result.output
    assert QUICK in result.stderr
    assert "1,000,000 games" in result.stderr
    assert load_agent(tmp_path, game, QUICK).card.seed == 3
    result = call("check", QUICK, "--models", tmp_path)
    assert (result.exit_code, result.output) == (0, f"{QUICK}: the same, bit for bit\n")


def test_check_says_what_differs(game: Game, tmp_path: Path) -> None:
    agent = train(QUICK, SHIPPED[QUICK].recipe, game, lambda progress: None)
    visits = agent.visits.copy()
    visits[0, 0] += 1
    agent = replace(agent, visits=visits)
    save_agent(tmp_path, game, agent)
    result = call("check", QUICK, "--models", tmp_path)
    assert result.exit_code == 1
    assert f"{QUICK}: visits differ (made with platform" in result.output


@pytest.mark.parametrize("command", ["train", "check", "judge", "evaluate", "seeds"])
def test_an_unknown_agent_is_answered_with_the_nearest_one(command: str) -> None:
    result = call(command, "q-unlearning")
    assert result.exit_code == 2
    assert "there is no agent 'q-unlearning' (did you mean q-learning" in result.output
    assert len(result.output) < 300
    result = call(command, "q-learnin,alpha=0.5")
    assert "there is no agent 'q-learnin' (did you mean q-learning?)" in result.output


def test_ctrl_c_at_a_prompt_ends_it_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_text: str) -> str:
        raise KeyboardInterrupt

    assert CliRunner().invoke(cli.main, ["play", "champion"], input="").exit_code == 1
    monkeypatch.setattr("click.termui.visible_prompt_func", interrupt)
    with pytest.raises(SystemExit, match="130"):
        cli.main(["play", "champion"])


@pytest.mark.long
def test_evaluate_prints_and_writes_the_table(tmp_path: Path) -> None:
    assert "96.78 / 3.22 / 0" in call("evaluate", "q-iteration", "--markdown").output
    assert "Q-iteration" in call("evaluate", "q-iteration").output
    results = tmp_path / "docs" / "results.md"
    result = call("evaluate", "--documents", tmp_path)
    assert result.exit_code == 1
    assert "docs/results.md" in result.output
    results.parent.mkdir()
    results.write_text("<!-- results -->\n<!-- /results -->\n")
    assert call("evaluate", "--documents", tmp_path).exit_code == 0
    assert "| Q-learning 3 |" in results.read_text()
    result = call("evaluate", "--models", tmp_path)
    assert result.exit_code == 1
    assert "no model in this folder" in result.output


@pytest.mark.long
def test_evaluate_and_judge_print_json(game: Game, tmp_path: Path) -> None:
    """The results of an agent equal those of docs/judge.py, which is an independent program."""
    record = json.loads(call("evaluate", "q-table", "--json").output)
    assert (record["agent"], record["recipe"]) == ("q-table", "q-table")
    assert record == json.loads(call("judge", "q-table", "--json").output)
    agent = load_agent(MODELS, game, "q-table")
    rows = {tuple(board): row for row, board in enumerate(game.board[: game.decisions].tolist())}

    def play(board: tuple[int, ...], player: int) -> list[int]:
        values = agent.q[rows[board]]
        return [int(cell) for cell in np.flatnonzero(values == np.nanmax(values))]

    table = {
        "".join(".XO"[stone] for stone in board): [
            None if np.isnan(value) else value for value in agent.q[row].tolist()
        ]
        for board, row in rows.items()
    }
    (tmp_path / "mine.json").write_text(json.dumps(table))
    judged = json.loads(call("judge", tmp_path / "mine.json", "--json").output)
    expected = runpy.run_path("docs/judge.py")["judge"](play)
    assert record.keys() - judged.keys() == {"title", "recipe"}
    assert judged["nash_conv"] == pytest.approx(expected["nash_conv"], abs=1e-6)
    for key in ("against_random", "against_strongest"):
        for seat in "xo":
            assert judged[key][seat] == pytest.approx(expected[key][seat], abs=1e-6)
    for key in ("blunders", "unbeatable_as", "losing_games"):
        assert judged[key] == expected[key]
    assert judged["notes"]


def at_work(*agents: str, out: Path) -> subprocess.Popen[bytes]:
    """Start a training and wait until it reports progress."""
    with heeding(signal.SIGINT):
        process = subprocess.Popen(
            [sys.executable, "-m", "training", "train", *agents, "--out", str(out)],
            env=os.environ | {"FORCE_COLOR": "1"},  # the bar moves, so that it can be seen
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    assert process.stderr
    shown = b""
    while b"updates/s" not in shown:
        more = os.read(process.stderr.fileno(), 1000)
        assert more, shown
        shown += more
    return process


@pytest.mark.long
def test_ctrl_c_leaves_the_old_model(tmp_path: Path) -> None:
    for ending in ("json", "npz"):
        (tmp_path / f"{make_agent_id(parse_recipe(LONG))}.{ending}").write_text("the old one")
    before = contents(tmp_path)
    process = at_work(LONG, out=tmp_path)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate()
    assert process.returncode == 130
    assert rest.decode().endswith("Interrupted: every model is as it was, or finished.\n")
    assert "Traceback" not in rest.decode()
    assert contents(tmp_path) == before


def test_a_recipe_is_an_agent(game: Game, tmp_path: Path) -> None:
    recipe = "q-learning,vs=self,alpha=0.5,games=2000,draw=-0.5"
    assert call("train", recipe, "--out", tmp_path).exit_code == 0
    agent = load_agent(tmp_path, game, "q-learning-vs-self-alpha-0-5-games-2000-draw-minus-0-5")
    assert (agent.card.recipe, agent.card.reported, agent.card.findings) == (recipe, [], [])
    assert call("check", recipe, "--models", tmp_path).output.endswith("bit for bit\n")
    assert "unbeatable in both seats" in call("seeds", recipe, "--seeds", "2", "--jobs", "1").output


def test_a_wrong_recipe_is_answered_with_what_is_wrong() -> None:
    result = call("train", "q-learning,alpha=2")
    assert result.exit_code == 2
    assert "alpha must be a number from 0 to 1, not '2.0'" in result.output


def test_judge_writes_figures_anew_and_leaves_texts(game: Game, tmp_path: Path) -> None:
    recipe = SHIPPED["q-table"].recipe
    agent = train("q-table", recipe, game, lambda progress: None)
    card = save_agent(tmp_path, game, agent).card
    figures = msgspec.structs.replace(card.figures, blunders=[0] * agent.history.snapshot_count)
    false = msgspec.structs.replace(card, findings=["nothing"], figures=figures)
    (tmp_path / "q-table.json").write_text(format_card(false))
    assert call("judge", "--models", tmp_path).output == "q-table: judged\n"
    card = load_agent(tmp_path, game, "q-table").card
    assert (card.figures, card.findings) == (agent.card.figures, ["nothing"])


ONE_BASELINE_MORE = """
import sys
from app.tictactoe.policy import BASELINES, Baseline, first_empty_policy
BASELINES["again"] = Baseline("Again", "Takes the first empty square, too.", first_empty_policy)
from training import cli
cli.main(sys.argv[1:])
"""


START_SITE = """
from pathlib import Path
from app.web.site_data import load_site_data
load_site_data(Path(sys.argv[3]))
"""


@pytest.mark.long
def test_a_site_with_another_baseline_starts_after_one_command(tmp_path: Path) -> None:
    """All folders of models count: the agents of /faults have cards, too."""
    models = tmp_path / "models"
    shutil.copytree(MODELS, models)
    program = ONE_BASELINE_MORE.replace("[1:])", "[1:], standalone_mode=False)") + START_SITE
    command = [sys.executable, "-c", program, "judge", "--models", str(models)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def test_judge_writes_anew_what_cannot_be_read(game: Game, tmp_path: Path) -> None:
    """Figures in another format are replaced, and nothing else changes."""
    agent = train("menace", parse_recipe("menace,games=500"), game, lambda progress: None)
    before = save_agent(tmp_path, game, agent).card
    file = tmp_path / "menace.json"
    card = json.loads(file.read_bytes())
    file.write_text(json.dumps(card | {"figures": {"elo": [1500]}}))
    assert call("judge", "--models", tmp_path).output == "menace: judged\n"
    assert load_agent(tmp_path, game, "menace").card == before
    file.write_text(json.dumps(card | {"numbering": "0" * 64}))
    result = call("judge", "--models", tmp_path)
    assert result.exit_code == 1
    assert "menace.json: numbering is that of another game" in result.output


@pytest.mark.long
@pytest.mark.parametrize("agents", [[LONG], [LONG, f"{LONG},seed=1"]])
def test_killing_it_leaves_no_process_and_nothing_in_the_folder(tmp_path: Path, agents) -> None:
    process = at_work(*agents, out=tmp_path)
    process.kill()
    process.communicate()  # waits until the last process that writes there has ended
    assert process.returncode == -signal.SIGKILL
    assert not contents(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# A game in the terminal.


MODELS = Path("models")


def test_a_game_is_played_to_its_end_with_what_is_wrong_told() -> None:
    typed = "\n".join(["4", "40", "x", "4", "0", "u", *"012345678" * 3, ""])
    result = CliRunner().invoke(cli.main, ["play", "champion", "--seed", "1"], input=typed)
    assert result.exit_code == 0, result.output
    assert "One cell, please, not '40'." in result.output
    assert "'x', but squares have the numbers 0 to 8" in result.output
    assert "already taken" in result.output
    assert result.output.rstrip().endswith(("A draw.", "O wins."))  # nobody beats the champion


def colour(text: Text) -> tuple[int, int]:
    """Return how red and how green the background of a text is."""
    red, green, _ = str(text.style).partition("rgb(")[2].rstrip(")").split(",")
    return int(red), int(green)
