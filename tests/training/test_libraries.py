"""The scripts of docs/: our agents in other libraries, and agents of these libraries judged."""

import ast
import csv
import importlib.util
import io
import re
import sys
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import nbformat
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from nbclient import NotebookClient
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver
from open_spiel.python.policy import UniformRandomPolicy

from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import format_position
from app.tictactoe.policy import BASELINES, mix_policies
from app.tictactoe.report import compute_figures
from app.tictactoe.values import compute_successor_values, solve_game
from app.tictactoe.views import convert_view
from app.web.service.deployment import ROOT
from tests.service.server import get_when_trained
from training.run import get_policy

DOCS = Path("docs")
GAME = tic_tac_toe()


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scripts import each other as files of one folder."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def module(name: str) -> ModuleType:
    """Import a file of docs/."""
    return importlib.import_module(name)


# The command of docs/with_open_spiel.py compares all agents.
@pytest.mark.parametrize("chance", [0, 0.25])
def test_open_spiel_finds_the_same_exploitability(chance: float) -> None:
    """The agents are a deterministic one and one with random moves."""
    policy = mix_policies(get_policy(GAME, "q-table"), get_policy(GAME, "fixed"), chance)
    theirs, here = module("with_open_spiel").compute_both(policy)
    figures = compute_figures(GAME, policy[None, GAME.legal], [0], None, "proportional")
    assert theirs == pytest.approx(here, abs=1e-9)
    assert 2 * here == pytest.approx(figures.nash_conv[-1])


def test_open_spiel_solves_the_game_to_the_same_values() -> None:
    solved = {
        text.replace("\n", "").upper(): entry.action_values
        for text, entry in MinimaxSolver("tic_tac_toe").solve().items()
    }
    expected = np.array([solved.pop(format_position(GAME, row)) for row in range(GAME.decisions)])
    assert not solved
    expected[expected < -1] = np.nan  # illegal moves
    values = compute_successor_values(GAME, solve_game(GAME).values)
    np.testing.assert_array_equal(convert_view(GAME, values), expected)


@pytest.mark.parametrize("text", ["random", "t-hand"])
def test_a_policy_of_open_spiel_is_judged(text: str) -> None:
    spiel = module("with_open_spiel")
    policy = get_policy(GAME, text)
    theirs = spiel.SitePolicy(policy) if text != "random" else UniformRandomPolicy(spiel.SPIEL)
    ours = compute_figures(GAME, policy[None, GAME.legal], [0], None, "proportional")
    assert spiel.judge_policy(theirs) == ours


def test_pettingzoo_counts_cells_by_columns() -> None:
    """The board computed from an observation equals the real board."""
    petting, rng = module("with_pettingzoo"), np.random.default_rng(0)
    env = petting.pettingzoo.make("aec", "classic/tictactoe-v3")
    seen = 0
    for _ in range(20):
        env.reset()
        position = 0
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                assert position >= GAME.decisions
                break
            board = tuple(GAME.board[position].tolist())
            assert petting.read_board(observation) == board
            again = petting.build_observation(board, int(GAME.to_move[position]))
            for name, array in observation.items():
                np.testing.assert_array_equal(again[name], array)
            cell = int(rng.choice(np.flatnonzero(GAME.legal[position])))
            position = int(GAME.successor[position, cell])
            env.step(petting.convert_cell(cell))
            seen += 1
    assert seen > 100


def test_agents_play_in_pettingzoo_and_theirs_are_judged() -> None:
    petting, rng = module("with_pettingzoo"), np.random.default_rng(0)
    best, weak = (petting.make_agent(get_policy(GAME, text), rng) for text in ("minimax", "fixed"))
    assert petting.play(best, weak) == {"player_1": 1, "player_2": -1}
    assert petting.play(best, best) == {"player_1": 0, "player_2": 0}
    figures = compute_figures(
        GAME, BASELINES["fixed"].build_policy(GAME)[None, GAME.legal], [0], None
    )
    assert petting.judge_agent(weak)["blunders"] == figures.blunders[0]


@pytest.mark.parametrize("seat", ["x", "o", "both"])
def test_the_environment_is_one_of_gymnasium(seat: str) -> None:
    module("gym_env")
    env = gymnasium.make("q-tac-toe/TicTacToe-v0", opponent="t-hand", seat=seat, render_mode="ansi")
    check_env(env.unwrapped)


def test_an_agent_trained_in_the_environment_is_judged() -> None:
    """A short Q-learning loop wins more games against random moves than at first."""
    env = module("gym_env").TicTacToe("random", "x")
    q: dict[bytes, np.ndarray] = {}
    rng = np.random.default_rng(0)

    def values(seen: np.ndarray) -> np.ndarray:
        return q.setdefault(seen.tobytes(), np.where(seen == 0, 0.0, -9.0))

    before = module("judge").judge(module("gym_env").player(lambda seen: values(seen).argmax()))
    q.clear()
    for game in range(3000):
        seen, info = env.reset(seed=game if game == 0 else None)
        over = False
        while not over:
            free = np.flatnonzero(info["action_mask"])
            action = rng.choice(free) if rng.random() < 0.2 else values(seen).argmax()
            after, reward, over, _, info = env.step(action)
            aim = reward if over else values(after).max()
            values(seen)[action] += 0.3 * (aim - values(seen)[action])
            seen = after
    judged = module("judge").judge(module("gym_env").player(lambda seen: values(seen).argmax()))
    assert judged["against_random"]["x"][0] > 0.9 > before["against_random"]["x"][0]


def test_an_illegal_move_ends_the_game_as_a_loss() -> None:
    env = module("gym_env").TicTacToe("random", "x")
    env.reset(seed=1)
    env.step(np.int64(4))
    _, reward, ended, _, info = env.step(np.int64(4))
    assert (reward, ended) == (-1.0, True)
    assert info["action_mask"][4] == 0


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("with_open_spiel", ["q-tabel"], "did you mean q-table?"),
        ("with_pettingzoo", [], "the following arguments are required: x, o"),
        ("with_pettingzoo", ["champion", "nobody"], "there is no algorithm 'nobody'"),
        ("gym_env", [], "the following arguments are required: opponent"),
        ("gym_env", ["nobody"], "there is no algorithm 'nobody'"),
    ],
)
def test_a_wrong_command_is_answered_in_a_sentence(
    name: str,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    with pytest.raises(SystemExit, match="2"):
        module(name).main()
    assert said in capsys.readouterr().err


def test_a_game_over_http_needs_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["play_over_http.py", "http://127.0.0.1:9", "fixed", "t-hand"])
    with pytest.raises(SystemExit, match=r"127\.0\.0\.1:9 does not answer"):
        module("play_over_http").main()


# The notebook runs from its first cell to its last, and the site agrees with what it found.


NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
SITE = "http://127.0.0.1:8000"  # the URL in the notebook
SECONDS = 600  # time limit for a cell on a busy machine


def outputs(notebook: Any, kind: str) -> list[str]:
    """Return the outputs of one kind of the cells of a notebook, in order."""
    shown = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output["data"][kind] for output in shown if kind in output.get("data", {})]


@pytest.fixture(scope="module")
def run() -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": NOTEBOOK.parent}}
    return NotebookClient(
        notebook, timeout=SECONDS, startup_timeout=SECONDS, resources=where
    ).execute()


def find_judgement(notebook: Any) -> dict[str, Any]:
    """Return the judgement in the outputs of a notebook."""
    texts = outputs(notebook, "text/plain")
    judged = ast.literal_eval(next(text for text in texts if text.startswith("{")))
    assert isinstance(judged, dict)
    return judged


def test_its_stored_outputs_are_those_of_a_run(run: Any) -> None:
    """Except the figure, whose bytes depend on matplotlib's version and on fonts."""
    stored = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    for kind in ("text/plain", "text/html", "image/svg+xml"):
        shown, expected = (
            [text for text in outputs(notebook, kind) if " at 0x" not in text]
            for notebook in (stored, run)
        )
        assert shown == expected
        assert shown
    assert len(outputs(stored, "image/png")) == len(outputs(run, "image/png")) == 1
    assert NOTEBOOK.stat().st_size < 100_000


def test_it_trains_draws_and_judges(run: Any) -> None:
    (picture,) = outputs(run, "image/png")
    assert len(picture) > 10_000
    assert find_judgement(run)["blunders"] > 0


def test_the_site_shows_the_same_agent(run: Any, server: str) -> None:
    shown = "".join(outputs(run, "text/html"))
    links = [unescape(link) for link in re.findall(r'(?:href|src)="([^"]+)"', shown)]
    assert len(links) == 4
    for link in links:
        assert get_when_trained(link.replace(SITE, server))
    judged = find_judgement(run)
    curve = next(link for link in links if "/embed/curve/" in link)
    file = curve.replace(SITE, server).replace("?", ".csv?")
    numbers = get_when_trained(file).decode()
    *_, last = csv.reader(io.StringIO(numbers))
    assert int(last[1]) == judged["blunders"]
