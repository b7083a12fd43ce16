"""The command line, in this process, and in a separate process where necessary."""

import itertools
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

from app.project import read_version
from app.recipes import ALGORITHMS, SHIPPED, name_recipe, parse_recipe
from app.tictactoe.agents import ModelError, load_agent, save_agent
from app.tictactoe.card import format_card
from app.tictactoe.game import Game
from app.tictactoe.views import round_for_display, scale_values_of_movers
from tests.signals import heeding
from training import cli
from training.play import format_cell, play_in_terminal
from training.progress import UpdateRate
from training.run import make_agent_id, train

QUICK = "q-learning-1"
LONG = "q-learning,games=50000000"  # some minutes: nobody is too late to stop it


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


def test_list_names_every_agent() -> None:
    result = call("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [*SHIPPED]
    for agent in SHIPPED.values():
        assert name_recipe(agent.recipe) in result.output.split()


def test_list_describes_every_parameter() -> None:
    output = call("list", "--parameters").output
    for slug in ALGORITHMS:
        assert f"\n{slug}\n" in f"\n{output}"
    assert "Step size: the share of the error that an update corrects." in output
    assert "It is a number within 0 and 1; default 0.2." in output


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


def test_check_says_what_is_missing(tmp_path: Path) -> None:
    result = call("check", QUICK, "--models", tmp_path)
    assert result.exit_code == 1
    assert f"{QUICK}.json: No such file" in result.output


@pytest.mark.parametrize("command", ["train", "check", "judge", "evaluate", "seeds"])
def test_an_unknown_agent_is_answered_with_the_nearest_one(command: str) -> None:
    result = call(command, "q-unlearning")
    assert result.exit_code == 2
    assert "there is no agent 'q-unlearning' (did you mean q-learning" in result.output
    assert len(result.output) < 300
    result = call(command, "q-learnin,alpha=0.5")
    assert "there is no agent 'q-learnin' (did you mean q-learning?)" in result.output


def test_an_unknown_claim_is_a_wrong_argument() -> None:
    result = call("experiment", "two-stages")
    assert result.exit_code == 2
    assert "there is no claim 'two-stages' (did you mean two-stage?)" in result.output


def test_it_has_a_version_and_short_help() -> None:
    assert call("--version").output == f"q-tac-toe {read_version()}\n"
    assert call("-h").output == call("--help").output
    assert call("train", "-h").exit_code == 0


def test_ctrl_c_at_a_prompt_ends_it_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_text: str) -> str:
        raise KeyboardInterrupt

    assert CliRunner().invoke(cli.main, ["play", "champion"], input="").exit_code == 1
    monkeypatch.setattr("click.termui.visible_prompt_func", interrupt)
    with pytest.raises(SystemExit, match="130"):
        cli.main(["play", "champion"])


def test_an_optional_package_is_named_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "training.cluster", raising=False)
    folders = ("--store", tmp_path / "runs", "--out", tmp_path)
    result = call("experiment", "two-stage", "--dask", "tcp://127.0.0.1:1", *folders)
    assert result.exit_code == 1
    assert "this needs distributed: run `make install-training` first" in result.output


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
    readme, results = tmp_path / "README.md", tmp_path / "docs" / "results.md"
    readme.write_text("<!-- results -->\n<!-- /results -->\n")
    result = call("evaluate", "--documents", tmp_path)
    assert result.exit_code == 1
    assert "docs/results.md" in result.output
    results.parent.mkdir()
    results.write_text(readme.read_text())
    assert call("evaluate", "--documents", tmp_path).exit_code == 0
    assert "| Q-learning 4 |" in readme.read_text()
    assert "| Q-learning 3 |" not in readme.read_text()
    assert "| Q-learning 3 |" in results.read_text()
    result = call("evaluate", "--models", tmp_path)
    assert result.exit_code == 1
    assert "no model in this folder" in result.output


def test_shipped_agents_stay_where_others_were_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("train", "q-table,games=20").exit_code == 0
    shown = call("evaluate", "q-table", "q-table,games=20", "--json")
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) == 2
    missing = call("evaluate", "q-table,games=21")
    assert missing.exit_code == 1
    assert "models/ has no agent q-table-games-21: `" in missing.stderr
    assert "train q-table,games=21` trains it" in missing.stderr


def test_evaluate_fits_a_line_where_it_is_piped() -> None:
    rows = [
        line for line in call("evaluate", "q-table", "menace").output.splitlines() if "│" in line
    ]
    assert [row.split("│")[1].strip() for row in rows] == ["Q-table", "MENACE"]


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


def test_seeds_prints_json() -> None:
    output = call("seeds", "q-table,games=200", "--seeds", "2", "--first", "5", "--json").stdout
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["recipe"] for line in lines] == [
        "q-table,games=200,seed=5",
        "q-table,games=200,seed=6",
    ]
    for line in lines:
        assert line["blunders"] > 0
        assert sum(line["against"]["random"]["x"]) == pytest.approx(1)


def test_compiling_is_no_part_of_the_rate() -> None:
    rate = UpdateRate()
    assert [rate.format_rate(updates) for updates in (0, 0, 1)] == ["compiling", "compiling", ""]
    assert int(rate.format_rate(10**9).split()[0].replace(",", "")) > 10**7


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


def test_a_recipe_that_is_shipped_has_the_short_name() -> None:
    assert make_agent_id(parse_recipe("q-learning,games=1000000")) == QUICK
    assert make_agent_id(parse_recipe("q-learning,games=1000001")) == "q-learning-games-1000001"


def test_a_wrong_recipe_is_answered_with_what_is_wrong() -> None:
    result = call("train", "q-learning,alpha=2")
    assert result.exit_code == 2
    assert "alpha is a number within 0 and 1, not '2.0'" in result.output


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


def test_judge_is_all_that_another_baseline_needs(game: Game, tmp_path: Path) -> None:
    """The baseline exists in a separate process only."""
    judge = ["judge", "--models", str(tmp_path)]
    agent = train("menace", parse_recipe("menace,games=500"), game, lambda progress: None)
    before = save_agent(tmp_path, game, agent).card
    subprocess.run([sys.executable, "-c", ONE_BASELINE_MORE, *judge], check=True)
    with pytest.raises(
        ModelError, match=r"strongest, again and have to be against random, .* anew"
    ):
        load_agent(tmp_path, game, "menace")
    vs = json.loads((tmp_path / "menace.json").read_bytes())["figures"]["vs"]
    assert vs["again"] == vs["fixed"]
    assert call(*judge).output == "menace: judged\n"
    assert load_agent(tmp_path, game, "menace").card == before


START_SITE = """
from pathlib import Path
from app.web.site_data import load_site_data
load_site_data(Path(sys.argv[3]))
"""


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


@pytest.mark.parametrize("agents", [[LONG], [LONG, f"{LONG},seed=1"]])
def test_killing_it_leaves_no_process_and_nothing_in_the_folder(tmp_path: Path, agents) -> None:
    process = at_work(*agents, out=tmp_path)
    process.kill()
    process.communicate()  # waits until the last process that writes there has ended
    assert process.returncode == -signal.SIGKILL
    assert not contents(tmp_path)


def test_without_its_packages_it_says_what_to_run() -> None:
    """The packages are those of `make run` only."""
    blocked = (
        "import runpy, sys; sys.modules['click'] = None; sys.argv[0] = 'training'\n"
        "runpy.run_module('training', run_name='__main__')"
    )
    command = [sys.executable, "-c", blocked]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "python -m training needs click: run `make install` first.\n"


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


def test_what_is_taken_back_is_asked_again(game: Game) -> None:
    agent = load_agent(MODELS, game, "champion")
    typed = iter(["4", "u", "0", "q"])
    record = play_in_terminal(game, agent, "x", 1, lambda text: next(typed))
    assert record[0] == "0"
    assert len(record) == 2


@pytest.mark.parametrize("name", ["observing-symmetric", "self-play", "q-table"])
def test_a_cell_is_as_red_or_green_as_its_value(game: Game, name: str) -> None:
    """The colour follows the common scale, not the learner's rewards."""
    agent = load_agent(MODELS, game, name)
    assert agent.card.reward_scale
    scaled = game.spread_pairs(
        scale_values_of_movers(
            game.to_move[game.pair_decision], agent.q[game.legal], agent.card.reward_scale
        )
    )
    seen = set()
    for position, cell in itertools.product(range(0, game.decisions, 50), range(game.cells)):
        text = format_cell(game, agent, position, cell, int(game.board[position, cell]))
        if not game.legal[position, cell] or not agent.visits[position, cell]:
            assert "rgb" not in str(text.style)
            continue
        red, green = colour(text)
        sign = (green > red) - (red > green)
        value = round_for_display(scaled[position, cell])
        assert float(text.plain.split()[1]) == value
        assert sign == np.sign(value)
        seen.add(sign)
    assert seen >= {-1, 1}


def test_beads_are_counted_and_have_no_colour(game: Game) -> None:
    text = format_cell(game, load_agent(MODELS, game, "menace"), 0, 4, 0)
    assert float(text.plain.split()[1]) > 100
    assert "rgb" not in str(text.style)


def colour(text: Text) -> tuple[int, int]:
    """Return how red and how green the background of a text is."""
    red, green, _ = str(text.style).partition("rgb(")[2].rstrip(")").split(",")
    return int(red), int(green)
