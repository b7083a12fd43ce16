"""Starts in unusual environments: wrong settings, closed terminals, few threads."""

import os
import pty
import signal
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from tests.service.faults.clients import WHOLE, ask, half_open
from tests.service.server import (
    ROOT,
    START_SECONDS,
    answers,
    free_port,
    serving,
    start,
    wait_until,
    wait_until_up,
)

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
# Root may have more than any limit; who is not root may read no file of root's home.
FEW_THREADS = (
    "prlimit --nproc=24 setpriv --reuid=65534 --regid=65534 --clear-groups "
    "--inh-caps=+dac_read_search --ambient-caps=+dac_read_search"
)
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
FEW_FILES = "prlimit --nofile=64:64"


@pytest.mark.faults
@pytest.mark.parametrize(
    ("name", "text"), [("WEB_CONCURRENCY", "two"), ("PORT", "99999"), ("CANONICAL_HOST", "a b")]
)
def test_a_wrong_setting_is_named_in_one_line(name: str, text: str) -> None:
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, **{name: text})
        assert server.process.wait(START_SECONDS) == 1
        (line,) = server.log.splitlines()
    assert line.startswith(f"Not started. {name}")


@pytest.mark.usefixtures("one_agent")
def test_pages_are_there_in_a_locale_that_writes_only_ascii() -> None:
    with serving(**ASCII) as server:
        assert all(answers(server.url + path) for path in ("/", "/agents", "/how", "/api"))
        assert "Traceback" not in server.log


@pytest.mark.usefixtures("one_agent")
def test_make_run_ends_with_its_terminal() -> None:
    port = free_port()
    process, terminal = pty.fork()
    if not process:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.chdir(ROOT)
        os.execvp("bash", ["bash", "--norc", "-i"])
    os.write(terminal, f"make run PORT={port}\n".encode())
    wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
    os.close(terminal)
    try:
        wait_until(lambda: not is_listening(port))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGTERM)
        os.waitpid(process, 0)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.faults
@pytest.mark.parametrize("before", [pytest.param(FEW_THREADS, marks=AS_ROOT), FEW_FILES])
def test_a_host_with_few_threads_or_files_answers_everybody(before: str) -> None:
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, before=before, OPENBLAS_NUM_THREADS="1")
        try:
            assert wait_until_up(server), server.log
            workers = server.workers
            with half_open(server.port, 200), ThreadPoolExecutor(100) as clients:
                page = WHOLE.replace(b"/healthz", b"/agents")
                request = partial(ask, server.port, timeout=30.0)
                assert [*clients.map(request, [page] * 300)] == [200] * 300
            assert workers <= server.workers
        finally:
            ended = server.stop()
        assert ended == 0
        assert "Traceback" not in server.log
