"""The program where there is no gunicorn, no fork and no Unix socket, as on Windows.

The processes of these tests lack the modules and functions that Windows lacks.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.server import ROOT, Server, ask, free_port, until_there, wait_until_up

PATIENCE = 300.0  # seconds
WITHOUT = """
import os, select, signal, socket, sys

for module in ("fcntl", "pwd", "grp", "termios", "resource", "gunicorn", "gevent"):
    sys.modules[module] = None
for place, name in (
    (os, "fork"), (os, "nice"), (os, "O_NONBLOCK"), (select, "poll"), (socket, "AF_UNIX"),
    (signal, "pthread_sigmask"), (signal, "alarm"),
):
    if hasattr(place, name):
        delattr(place, name)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("without")
    (folder / "sitecustomize.py").write_text(WITHOUT)
    return os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def run(environment: dict[str, str], *arguments: str) -> str:
    """Run Python, which has to succeed, and return what it prints."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "training", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=sys.stderr
    )
    with process:
        server = Server(port, process, sys.stderr)
        try:
            assert wait_until_up(server)
            yield server
        finally:
            process.terminate()


def test_the_site_shows_a_page_and_trains_a_new_recipe(server: Server) -> None:
    assert "Q-Tac-Toe" in ask(server, "/").text
    answer = until_there(server, "/agents/q-table,games=300,seed=21", time.monotonic() + PATIENCE)
    assert answer.status == 200


def test_the_site_judges_a_table(server: Server) -> None:
    table = b"board,move\n.........,4\n"
    with urllib.request.urlopen(f"{server.url}/api/v1/judge", table) as answer:
        assert answer.status == 200
        assert "X" in json.dumps(json.load(answer))


def test_the_commands_train_judge_and_play(environment: dict[str, str], tmp_path: Path) -> None:
    command = ("-m", "training")
    run(environment, *command, "train", "champion,games=20", "--out", str(tmp_path), "-q")
    assert len([*tmp_path.iterdir()]) == 2
    table = tmp_path / "table.csv"
    table.write_text("board,move\n.........,4\n")
    assert "blunders" in run(environment, *command, "judge", str(table), "--json")
    assert "usage" in run(environment, *command, "play", "--help").lower()


def test_a_notebook_trains(environment: dict[str, str]) -> None:
    script = "import q_tac_toe; print(q_tac_toe.train('champion,games=20').recipe)"
    assert run(environment, "-c", script) == "champion,games=20\n"
