"""What the real server does in seconds: `make faults` tries all faults, and longer."""

import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.tictactoe.agents import load, save
from app.tictactoe.game import connect
from tests.service.faults.__main__ import SCENARIOS
from tests.service.faults.clients import WHOLE, ask, half_open, status
from tests.service.faults.clients import connect as connection
from tests.service.faults.slow_clients import (
    PATIENCE,
    beside_a_good_request,
    silent,
    staying,
)
from tests.service.faults.workers import digests
from tests.service.server import ROOT, START_SECONDS, serving, start

QUICK = [
    "left-behind",
    "encodings",
    "log-lines",
    "claims",
    "odd-requests",
    "ascii",
    "closed-terminal",
]
LAB = ["lab-off", "one-recipe"]  # other faults of it take more patience than a busy machine has
ID = "q-table"


@pytest.mark.parametrize("name", [*QUICK, *LAB])
def test_what_must_hold_holds(name: str) -> None:
    found = list(SCENARIOS[name]())
    assert found
    assert [finding for finding in found if not finding.ok] == []


@pytest.mark.parametrize("hold", [half_open, silent])
def test_many_connections_do_not_keep_a_client_out(hold) -> None:
    finding = beside_a_good_request(600, "", hold, PATIENCE)
    assert finding.ok, finding.seen


def test_new_connections_whose_clients_stay_do_not_keep_anybody_out() -> None:
    """They did: a server that waits for each to hang up would need minutes for these."""
    finding = beside_a_good_request(300, "", partial(staying, WHOLE), PATIENCE)
    assert finding.ok, finding.seen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in ("json", "npz"):
        shutil.copy(ROOT / f"models/{ID}.{ending}", tmp_path)
    return tmp_path


def break_model(folder: Path) -> Path:
    path = folder / f"{ID}.npz"
    path.write_bytes(path.read_bytes()[:1000])
    return path


def test_a_reload_takes_in_a_new_model(folder: Path) -> None:
    game = connect()
    old = load(folder, game, ID)
    with serving(MODELS=str(folder)) as server:
        assert digests(server) == {ID: old.card.arrays}
        new = save(folder, game, replace(old, visits=old.visits + (old.visits > 0)))
        server.reload()
        assert digests(server) == {ID: new.card.arrays} != {ID: old.card.arrays}


def test_a_reload_refuses_a_broken_model_and_goes_on_with_the_old_one(folder: Path) -> None:
    with serving(MODELS=str(folder)) as server:
        before = digests(server)
        broken = break_model(folder)
        server.reload()
        assert digests(server) == before
        assert f"the old ones go on serving. {broken}: the file is not the one" in server.log
        assert "Traceback" not in server.log


def test_no_server_starts_on_a_broken_model(folder: Path) -> None:
    broken = break_model(folder)
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, MODELS=str(folder))
        assert server.process.wait(START_SECONDS) == 1
        assert f"{broken}: the file is not the one" in server.log.splitlines()[-1]


def test_a_request_that_has_begun_is_answered_before_the_server_ends(folder: Path) -> None:
    with serving(MODELS=str(folder)) as server:
        with connection(server.port) as client:
            client.sendall(WHOLE[:20])
            assert ask(server.port, WHOLE) == 200  # so the one before it has been let in
            server.process.terminate()
            client.sendall(WHOLE[20:])
            assert status(client.recv(1000)) == 200
        assert server.process.wait(START_SECONDS) == 0
