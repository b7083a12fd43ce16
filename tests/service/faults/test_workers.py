"""Workers that are reloaded, killed, paused or stopped while people play."""

import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.tictactoe.agents import load_agent, save_agent
from app.tictactoe.game import Game
from tests.service.faults.clients import WHOLE, Load, ask, connect, finish, half_open, load, status
from tests.service.server import (
    ROOT,
    START_SECONDS,
    Server,
    get,
    memory,
    serving,
    start,
    wait_until,
)

ID = "q-table"
TIMES = 8
RELOADS = 30
LISTENING = "0A"  # the kernel's code for a listening socket
RECOVERY = 5.0  # seconds until there are as many workers as before
SETTLED = 1.0  # seconds until every client has noticed
STOP = 10.0
HELD = 2.5  # seconds: longer than a connection between two requests is kept


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture
def begun(server: Server) -> Iterator[Load]:
    """Clients that play, and have had some answers."""
    with load(server.port) as clients:
        clients.go_on()
        yield clients


@pytest.mark.faults
def test_no_request_is_lost_by_reloads(server: Server, begun: Load) -> None:
    for _ in range(3):
        server.reload()
    begun.go_on()
    assert begun.lost == []


@pytest.mark.faults
def test_the_old_worker_waits_for_requests_that_are_half_sent(server: Server) -> None:
    with half_open(server.port, 4) as connections:
        assert ask(server.port, WHOLE) == 200  # the connections before this one are accepted now
        before = server.workers
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(server.workers - before) == len(before))
        assert server.workers & before
        assert [finish(connection) for connection in connections] == [200] * 4


@pytest.mark.faults
def test_the_first_process_does_not_grow_by_reloads(server: Server) -> None:
    sizes = []
    for _ in range(RELOADS):
        server.reload()
        sizes.append(memory(server.process.pid, "Rss"))
    assert sizes[-1] < 1.1 * sizes[1]


@pytest.mark.faults
def test_a_killed_worker_loses_only_the_requests_that_it_held(server: Server, begun: Load) -> None:
    for _ in range(TIMES):
        begun.go_on()
        before, lost = server.workers, len(begun.lost)
        victim = min(before)
        os.kill(victim, signal.SIGSTOP)  # it accepts no connection during the inspection
        held = count_connections(victim, server.port)
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        wait_until(partial(is_replaced, server, before), RECOVERY)
        begun.go_on(4 * len(begun.threads))
        assert len(begun.lost) - lost <= held
        assert [asked for asked in begun.lost if asked.start > killed + SETTLED] == []


@pytest.mark.faults
def test_no_request_is_lost_by_workers_that_are_held_up(server: Server, begun: Load) -> None:
    """As on an overloaded machine."""
    for _ in range(TIMES):
        begun.go_on()
        workers = server.workers
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        time.sleep(HELD)
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
    begun.go_on()
    assert begun.lost == []


@pytest.mark.faults
def test_a_server_that_stops_answers_every_request_that_it_has_accepted(server: Server) -> None:
    with load(server.port) as clients:
        clients.go_on()
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < STOP
    # A new connection may be turned away: the system accepts it, but no worker reads from it.
    logged = {json.loads(line)["id"] for line in server.log.splitlines() if line.startswith("{")}
    assert [asked for asked in clients.lost if asked.kept or asked.id in logged] == []


@pytest.mark.faults
def test_a_server_that_stops_waits_for_requests_that_are_half_sent(server: Server) -> None:
    with half_open(server.port, 4) as connections:
        assert ask(server.port, WHOLE) == 200  # the connections before this one are accepted now
        server.process.terminate()
        wait_until(lambda: is_turned_away(server.port))
        assert [finish(connection) for connection in connections] == [200] * 4
        assert server.process.wait(STOP) == 0


def is_replaced(server: Server, before: set[int]) -> bool:
    """Return whether a worker is new, and there are as many as before."""
    return not before <= server.workers and len(server.workers) >= len(before)


def is_turned_away(port: int) -> bool:
    """Return whether a new client is not served."""
    try:
        return ask(port, WHOLE, timeout=0.5) is None
    except OSError:
        return True


def count_connections(pid: int, port: int) -> int:
    """Return the number of connections of a worker, which it would lose."""
    mine = {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()}
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    local = f":{port:04X}"
    return sum(
        f"socket:[{row[9]}]" in mine and row[1].endswith(local) and row[3] != LISTENING
        for row in rows
    )


def digests(server: Server) -> dict[str, str]:
    """Return the digests of the models that a server reports."""
    answer: dict[str, dict[str, str]] = json.loads(get(f"{server.url}/healthz"))
    return answer["models"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in ("json", "npz"):
        shutil.copy(ROOT / f"models/{ID}.{ending}", tmp_path)
    return tmp_path


def break_model(folder: Path) -> Path:
    path = folder / f"{ID}.npz"
    path.write_bytes(path.read_bytes()[:1000])
    return path


def test_a_reload_takes_in_a_new_model_and_refuses_a_broken_one(folder: Path, game: Game) -> None:
    """No request is lost by it.  When the server ends, it answers requests that have begun."""
    old = load_agent(folder, game, ID)
    with serving(MODELS=str(folder)) as server:
        with load(server.port) as clients:
            clients.go_on()
            assert digests(server) == {ID: old.card.arrays_digest}
            new = save_agent(folder, game, replace(old, visits=old.visits + (old.visits > 0)))
            server.reload()
            assert digests(server) == {ID: new.card.arrays_digest} != {ID: old.card.arrays_digest}
            broken = break_model(folder)
            server.reload()
            assert digests(server) == {ID: new.card.arrays_digest}
            clients.go_on()
        assert clients.lost == []
        refusal = f"the old ones go on serving. {broken}: the file is not the one"
        wait_until(lambda: refusal in server.log)
        assert "Traceback" not in server.log
        with connect(server.port) as client:
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
