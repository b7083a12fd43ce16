"""A few failures of a real server, in seconds; `make faults` tests all of them."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from app.tictactoe.agents import load_agent, save_agent
from app.tictactoe.game import build_game
from tests.service.faults.answers import claims, encodings
from tests.service.faults.clients import WHOLE, ask, half_open, status
from tests.service.faults.clients import connect as connection
from tests.service.faults.finding import SCENARIOS, Finding, OnAServer
from tests.service.faults.odd_requests import odd_requests
from tests.service.faults.slow_clients import PATIENCE, beside_a_good_request, silent, staying
from tests.service.faults.surroundings import closed_terminal
from tests.service.faults.training import left_behind, one_recipe_at_once
from tests.service.faults.workers import digests
from tests.service.server import ROOT, START_SECONDS, Server, serving, start, wait_until

ID = "q-table"


def assert_all_hold(found: Iterable[Finding]) -> None:
    tried = list(found)
    assert tried
    assert [finding for finding in tried if not finding.ok] == []


@pytest.mark.parametrize("scenario", [encodings, claims, odd_requests, one_recipe_at_once])
def test_what_must_hold_holds(app_server: Server, scenario: OnAServer) -> None:
    assert_all_hold(scenario(app_server))


@pytest.fixture
def one_agent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start servers with a single agent, which takes a fifth of the time."""
    monkeypatch.setenv("MODELS", str(folder))


@pytest.mark.usefixtures("one_agent")
@pytest.mark.parametrize("name", ["log-lines", "ascii"])
def test_it_holds_of_a_server_with_other_settings(name: str) -> None:
    assert_all_hold(SCENARIOS[name]())


@pytest.mark.usefixtures("one_agent")
def test_make_run_ends_with_its_terminal() -> None:
    assert_all_hold(closed_terminal(START_SECONDS))


@pytest.mark.usefixtures("one_agent")
def test_only_what_is_the_servers_own_is_removed_at_its_start() -> None:
    assert_all_hold(islice(left_behind(), 1))


@contextmanager
def sending_slowly(port: int, number: int) -> Iterator[None]:
    """Begin to send this number of tables, and never end."""
    head = b"POST /judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(connection(port)).sendall(head)
        yield


def test_tables_that_arrive_slowly_do_not_keep_others_from_the_judge(app_server: Server) -> None:
    body = Path("tests/data/judge/own-side.csv").read_bytes()
    head = f"POST /api/v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    table = f"{head}Connection: close\r\n\r\n".encode() + body
    with sending_slowly(app_server.port, 120):
        assert [ask(app_server.port, table) for _ in range(8)] == [200] * 8


@pytest.mark.parametrize("hold", [half_open, silent])
def test_many_connections_do_not_keep_a_client_out(app_server: Server, hold) -> None:
    assert_all_hold([beside_a_good_request(app_server, 600, "", hold, PATIENCE)])


def test_new_connections_whose_clients_stay_do_not_keep_anybody_out(
    app_server: Server,
) -> None:
    """A server that waits until each client closes its connection would need minutes."""
    assert_all_hold([beside_a_good_request(app_server, 300, "", partial(staying, WHOLE), PATIENCE)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in ("json", "npz"):
        shutil.copy(ROOT / f"models/{ID}.{ending}", tmp_path)
    return tmp_path


def break_model(folder: Path) -> Path:
    path = folder / f"{ID}.npz"
    path.write_bytes(path.read_bytes()[:1000])
    return path


def test_a_reload_takes_in_a_new_model_and_refuses_a_broken_one(folder: Path) -> None:
    """When the server ends, it answers requests that have begun."""
    game = build_game()
    old = load_agent(folder, game, ID)
    with serving(MODELS=str(folder)) as server:
        assert digests(server) == {ID: old.card.arrays_digest}
        new = save_agent(folder, game, replace(old, visits=old.visits + (old.visits > 0)))
        server.reload()
        assert digests(server) == {ID: new.card.arrays_digest} != {ID: old.card.arrays_digest}
        broken = break_model(folder)
        server.reload()
        assert digests(server) == {ID: new.card.arrays_digest}
        refusal = f"the old ones go on serving. {broken}: the file is not the one"
        wait_until(lambda: refusal in server.log)
        assert "Traceback" not in server.log
        with connection(server.port) as client:
            client.sendall(WHOLE[:20])
            assert ask(server.port, WHOLE) == 200  # the connection before this one is accepted now
            server.process.terminate()
            client.sendall(WHOLE[20:])
            assert status(client.recv(1000)) == 200
        assert server.process.wait(START_SECONDS) == 0


def test_no_server_starts_on_a_broken_model(folder: Path) -> None:
    broken = break_model(folder)
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, MODELS=str(folder))
        assert server.process.wait(START_SECONDS) == 1
        assert f"{broken}: the file is not the one" in server.log.splitlines()[-1]
