"""The scripts of docs/: our agents in other libraries, and agents of these libraries judged."""

import ast
import csv
import importlib
import importlib.util
import io
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from app.project import ROOT
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.tictactoe.policy import BASELINES, mix_policies
from app.tictactoe.report import compute_figures
from app.tictactoe.values import compute_successor_values, solve_game
from app.tictactoe.views import convert_view
from tests.service.server import get_when_trained
from training.run import get_policy

DOCS = Path("docs")
with_libraries = pytest.mark.skipif(
    importlib.util.find_spec("open_spiel") is None, reason="`make libraries` installs them"
)


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scripts import each other as files of one folder."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def module(name: str) -> Any:
    """Import a file of docs/, or a module of a library."""
    return importlib.import_module(name)


# The command of docs/with_open_spiel.py compares all agents.
@with_libraries
@pytest.mark.parametrize("chance", [0, 0.25])
def test_open_spiel_finds_the_same_exploitability(chance: float) -> None:
    """The agents are a deterministic one and one with random moves."""
    policy = mix_policies(get_policy(GAME, "q-table"), get_policy(GAME, "fixed"), chance)
    theirs, here = module("with_open_spiel").compute_both(policy)
    figures = compute_figures(GAME, policy[None, GAME.legal], [0], None, "proportional")
    assert theirs == pytest.approx(here, abs=1e-9)
    assert 2 * here == pytest.approx(figures.nash_conv[-1])


@with_libraries
def test_open_spiel_solves_the_game_to_the_same_values() -> None:
    solved = {
        text.replace("\n", "").upper(): entry.action_values
        for text, entry in module("open_spiel.python.algorithms.minimax_solver")
        .MinimaxSolver("tic_tac_toe")
        .solve()
        .items()
    }
    expected = np.array([solved.pop(format_position(GAME, row)) for row in range(GAME.decisions)])
    assert not solved
    expected[expected < -1] = np.nan  # illegal moves
    values = compute_successor_values(GAME, solve_game(GAME).values)
    np.testing.assert_array_equal(convert_view(GAME, values), expected)


@pytest.mark.long
@with_libraries
def test_agents_play_in_pettingzoo_and_theirs_are_judged() -> None:
    petting, rng = module("with_pettingzoo"), np.random.default_rng(0)
    best, weak = (petting.make_agent(get_policy(GAME, text), rng) for text in ("minimax", "fixed"))
    assert petting.play(best, weak) == {"player_1": 1, "player_2": -1}
    assert petting.play(best, best) == {"player_1": 0, "player_2": 0}
    figures = compute_figures(
        GAME, BASELINES["fixed"].build_policy(GAME)[None, GAME.legal], [0], None
    )
    assert petting.judge_agent(weak)["blunders"] == figures.blunders[0]


@with_libraries
@pytest.mark.parametrize("seat", ["x", "o", "both"])
def test_the_environment_is_one_of_gymnasium(seat: str) -> None:
    module("gym_env")
    env = module("gymnasium").make(
        "q-tac-toe/TicTacToe-v0", opponent="t-hand", seat=seat, render_mode="ansi"
    )
    module("gymnasium.utils.env_checker").check_env(env.unwrapped)


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


@pytest.mark.long
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


@pytest.mark.long
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
