"""Trainings that fail and leave the old model; failures of the trainer and its server."""

import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.tictactoe.agents import load_agent
from app.tictactoe.game import Game
from app.web.job_queue import MAX_WAITING_JOBS
from tests.service.server import (
    ROOT,
    START_SECONDS,
    Answered,
    Server,
    ask,
    page,
    serving,
    start,
    trainers,
    until_there,
    wait_until,
    wait_until_up,
)
from tests.signals import held_up

AGENT, SEED = "q-learning-1", "99"
DISK = 512  # KB: there is room for the old model, but not for the new one beside it
FILE = 64  # KB
NOBODY = 65534  # user
CLIENTS = 4
MORE = 4  # requests than can wait
CROWD = 30  # clients who want the same
ENDED = 5.0  # seconds until the trainer has noticed
IDLE = 3.0  # seconds in which it does nothing
PATIENCE = 120.0  # seconds
CONNECTIONS = 250  # number of requests of one address, more than the queue has room for
SHARE = 2.0  # times the longest job, within which another address has its answer
SPARE_SECONDS = 1.0  # additional time for the answer itself
FROM_ONE, FROM_ANOTHER = ({"X-Forwarded-For": f"192.0.2.{number}"} for number in (1, 2))
NUMBERS = count()


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """Mount a small disk at a folder; the test is skipped if that is not allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}k", "tmpfs", str(folder)]
    tried = subprocess.run(mount, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(tried.stderr.strip())
    try:
        yield
    finally:
        unmount = ["umount", str(folder)]  # whoever has a file there may not have ended yet
        wait_until(lambda: not subprocess.run(unmount, check=False).returncode, ENDED)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() if path.is_file() else b"a folder" for path in folder.iterdir()
    }


@pytest.mark.faults
@pytest.mark.parametrize("reason", ["No space left on device", "File too large"])
def test_a_model_that_cannot_be_saved_leaves_the_old_one(
    tmp_path: Path, game: Game, reason: str
) -> None:
    def limit() -> None:
        if "large" in reason:
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE << 10, FILE << 10))

    with mounted(tmp_path) if "space" in reason else nullcontext():
        for ending in ("npz", "json"):
            shutil.copy(ROOT / f"models/{AGENT}.{ending}", tmp_path)
        before = contents(tmp_path)
        train = ["-m", "training", "train", AGENT, "--seed", SEED, "--out", str(tmp_path)]
        ended = subprocess.run(
            [sys.executable, *train],
            cwd=ROOT,
            capture_output=True,
            text=True,
            preexec_fn=limit,
            check=False,
        )
        assert ended.returncode == 1
        assert reason in ended.stderr.strip().rpartition("\n")[2]
        assert "Traceback" not in ended.stderr
        assert contents(tmp_path) == before
        assert load_agent(tmp_path, game, AGENT).card.seed != int(SEED)


def fresh() -> str:
    """Return the name of a new recipe."""
    return f"q-learning,games=2000,seed={next(NUMBERS)}"


def visit(server: Server, name: str) -> Answered:
    """Open the page of a recipe, and repeat the request while the status is 202."""
    return until_there(server, f"/agents/{name}", time.monotonic() + PATIENCE)


def is_training(pid: int) -> bool:
    try:
        return b"app.processes" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def wait_until_gone(pids: set[int]) -> None:
    assert pids
    wait_until(lambda: not any(map(is_training, pids)), ENDED)


@pytest.mark.faults
def test_trainers_end_with_their_server() -> None:
    """It is reloaded, then stopped; another one is killed."""
    with serving() as server:
        with ThreadPoolExecutor(2 * CLIENTS) as pool:
            names = [fresh() for _ in range(2 * CLIENTS)]
            assert {*pool.map(partial(page, server), names)} == {200}
        old = trainers(server)
        server.reload()
        wait_until_gone(old)
        assert page(server, fresh()) == 200
        new = trainers(server)
    wait_until_gone(new)
    with tempfile.TemporaryFile("w+") as output:
        server = start(output)
        try:
            assert wait_until_up(server), server.log
            assert page(server, fresh()) == 200
            left = trainers(server)
        finally:
            server.process.kill()
            server.process.wait()
    wait_until_gone(left)


@pytest.mark.faults
def test_a_full_queue_refuses_at_once_and_keeps_what_it_has() -> None:
    with (
        serving(WEB_CONCURRENCY="1") as server,
        ThreadPoolExecutor(MAX_WAITING_JOBS + MORE) as pool,
    ):
        assert page(server, fresh()) == 200
        with held_up(*server.workers):
            held = pool.submit(visit, server, fresh())  # the job that the process has started
            answers = [
                pool.submit(visit, server, fresh()) for _ in range(MAX_WAITING_JOBS + MORE - 1)
            ]
            wait_until(lambda: sum(answer.done() for answer in answers) >= MORE - 1)
            refused = [answer.result() for answer in answers if answer.done()]
            assert all(answer.headers["Retry-After"] for answer in refused)
            assert page(server, "q-table") == 200
        seen = Counter(answer.result().status for answer in [held, *answers])
        assert seen == {503: MORE - 1, 200: MAX_WAITING_JOBS + 1}


@pytest.mark.faults
def test_crawlers_train_nothing() -> None:
    with serving() as server:
        assert "Disallow: /lab/" in ask(server, "/robots.txt").text
        pages = re.findall(r"<loc>([^<]+)</loc>", ask(server, "/sitemap.xml").text)
        assert {ask(server, urlsplit(page).path).status for page in pages} == {200}
        # Only a process that has compiled loops trains; the example of /api needs one that reads.
        maps = [Path(f"/proc/{pid}/maps").read_text() for pid in trainers(server)]
        assert not any("llvmlite" in libraries for libraries in maps)


@pytest.mark.faults
def test_two_servers_have_a_queue_each_in_one_folder(tmp_path: Path) -> None:
    def queues() -> int:
        return len([*tmp_path.glob("q-tac-toe/*.lock")])

    with serving(XDG_RUNTIME_DIR=str(tmp_path)) as one:
        with serving(XDG_RUNTIME_DIR=str(tmp_path)) as other:
            assert page(one, fresh()) == page(other, fresh()) == 200
            assert queues() == 2
        assert page(one, fresh()) == 200
        assert queues() == 1


@pytest.mark.faults
def test_a_full_disk_for_the_queue_and_for_kernels_stops_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path):
        with suppress(OSError), (tmp_path / "full").open("wb") as file:
            while True:
                file.write(bytes(1024))
        tmp_path.chmod(0o700)
        with serving(XDG_RUNTIME_DIR=str(tmp_path)) as server:
            assert page(server, fresh()) == 200
        kernels = f"{tmp_path}/compiled"
        with serving(XDG_RUNTIME_DIR=str(tmp_path), NUMBA_CACHE_DIR=kernels) as server:
            assert page(server, "q-table") == page(server, fresh()) == 200
            assert "fault " not in server.log


@pytest.mark.faults
@pytest.mark.parametrize(("mode", "owner"), [(0o777, os.getuid()), (0o700, NOBODY)])
def test_a_folder_that_is_not_only_its_own_is_left_alone(
    tmp_path: Path, mode: int, owner: int
) -> None:
    if owner != os.getuid() and os.getuid():
        pytest.skip("only root can give a folder away")
    with tempfile.TemporaryDirectory() as elsewhere:
        tmp_path.chmod(mode)
        os.chown(tmp_path, owner, -1)
        with serving(XDG_RUNTIME_DIR=str(tmp_path), TMPDIR=elsewhere):
            assert len([*Path(elsewhere).glob("runtime-*/q-tac-toe/*.lock")]) == 1
        assert [*tmp_path.iterdir()] == []


@contextmanager
def requests_of_one(server: Server, paths: list[str]) -> Iterator[None]:
    """Send requests from one address, each on its own connection, which stays open."""
    with ExitStack() as connections:
        for path in paths:
            client = socket.create_connection(("127.0.0.1", server.port))
            connections.enter_context(client)
            client.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"X-Forwarded-For: {FROM_ONE['X-Forwarded-For']}\r\n\r\n".encode()
            )
        wait_until(lambda: trainers(server))
        yield


PRACTICE = "/preview/teach/q-learning,vs={}+you:1,start=empty,taught={},seed={{}}.png"


@pytest.mark.faults
@pytest.mark.parametrize(
    ("longest", "wanted"),
    [
        ("/agents/league,rounds=22222,seed={}.json", "/agents/q-learning,games=2000,seed={}"),
        (
            PRACTICE.format("+".join(["self:100"] * 40), "046"),
            "/teach/q-learning,start=empty,alpha=0.5,seed={}",
        ),
    ],
)
def test_the_longest_jobs_of_one_address_do_not_keep_another_waiting(
    longest: str, wanted: str
) -> None:
    with serving(TRUSTED_PROXIES="1") as server:
        ask(server, wanted.format(1), headers=FROM_ANOTHER)
        limit = SHARE * ask(server, longest.format(CONNECTIONS), headers=FROM_ONE).seconds
        with requests_of_one(server, [longest.format(number) for number in range(CONNECTIONS)]):
            for number in range(2, 7):
                answer = ask(server, wanted.format(number), headers=FROM_ANOTHER)
                assert answer.status == 200
                assert answer.seconds < limit + SPARE_SECONDS


@pytest.mark.faults
def test_long_practice_before_an_impossible_game_is_refused() -> None:
    with serving(TRUSTED_PROXIES="1") as server:
        link = PRACTICE.format("+".join(["self:1"] * 240), "0").format(1)
        assert ask(server, link, headers=FROM_ONE).status == 400


@pytest.mark.faults
def test_the_first_requests_of_a_machine_wait_for_no_compiler(tmp_path: Path) -> None:
    def count_kernels() -> int:
        return len([*tmp_path.rglob("*.nbi")])

    with serving(NUMBA_CACHE_DIR=str(tmp_path)) as server:
        paths = ["/teach", f"/play/?x={fresh()}&o=human"]
        with ThreadPoolExecutor(len(paths)) as pool:
            told = [*pool.map(partial(ask, server, headers={}), paths)]
        compiled = count_kernels()
        late = ask(server, "/agents/q-iteration,vs=self,sweeps=50.json", headers={})
        assert [answer.status for answer in told] == [200, 200]
        assert compiled < count_kernels()
        assert late.status == 200 or (late.status == 202 and late.headers["Retry-After"])


def test_a_recipe_that_many_want_at_once_is_there_for_all(app_server: Server) -> None:
    with ThreadPoolExecutor(CROWD) as pool:
        assert page(app_server, fresh()) == 200
        paths = [f"/agents/{fresh()}"] * CROWD
        wanted = partial(until_there, app_server, end=time.monotonic() + START_SECONDS)
        assert {answer.status for answer in pool.map(wanted, paths)} == {200}
