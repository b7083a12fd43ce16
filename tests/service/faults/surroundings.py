"""Starts in unusual environments: closed terminals, unread logs, few threads."""

import os
import pty
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from tests.service.faults.clients import WHOLE, half_open
from tests.service.faults.clients import ask as ask_raw
from tests.service.faults.finding import Finding, fault, on_a_server
from tests.service.server import (
    ROOT,
    Server,
    answers,
    free_port,
    start,
    wait_until,
    wait_until_up,
)

CLOSED = 30.0  # seconds until it has ended, too
LIMIT = 20.0  # seconds until the server has given up
WRONG = {
    "WEB_CONCURRENCY": ("0", "two", "-1", "1e3"),
    "PORT": ("0", "99999", "http"),
    "TRUSTED_PROXIES": ("-1", "10", "ten"),
    "FORWARDED_HOST": ("yes",),
    "CANONICAL_HOST": ("https://play.example", "play.example/x", "a b", "a..b", "x:99999"),
    "CORS_ORIGINS": ("example.org",),
    "SECURITY_CONTACT": ("me@example.org",),
}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TASKS = 24  # processes and threads that it may have
FILES = 64
# Root may have more than any limit; who is not root may read no file of root's home.
AS_NOBODY = (
    f"prlimit --nproc={TASKS} setpriv --reuid=65534 --regid=65534 --clear-groups "
    "--inh-caps=+dac_read_search --ambient-caps=+dac_read_search"
)


@fault("settings")
def wrong_settings() -> Iterator[Finding]:
    """Environment variables with invalid values."""
    for name, texts in WRONG.items():
        for text in texts:
            with tempfile.TemporaryFile("w+") as output:
                server = start(output, **{name: text})
                with suppress(subprocess.TimeoutExpired):
                    server.process.wait(LIMIT)
                status, lines = server.stop(), server.log.splitlines()
            last = lines[-1] if lines else ""
            yield Finding(
                f"gunicorn started with {name}={text}",
                "ends at once, not with 0, and says why in one line",
                f"exit status {status}; {last} ({len(lines)} lines)",
                status == 1 and last.startswith(f"Not started. {name}") and len(lines) == 1,
            )


@on_a_server("ascii", **ASCII)
def ascii_locale(server: Server) -> Iterator[Finding]:
    """A locale that can write only ASCII."""
    pages = {path: answers(server.url + path) for path in ("/", "/agents", "/how", "/api")}
    log = server.log
    yield Finding(
        f"gunicorn started with {' '.join(f'{name}={text}' for name, text in ASCII.items())}",
        "all pages 200, no traceback",
        f"{sum(pages.values())} of {len(pages)} pages 200, {log.count('Traceback')} tracebacks",
        all(pages.values()) and "Traceback" not in log,
    )


@fault("closed-terminal")
def closed_terminal(limit: float = CLOSED) -> Iterator[Finding]:
    """A terminal that is closed during `make run`, which then ends within `limit` seconds."""
    port = free_port()
    process, terminal = pty.fork()
    if not process:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.chdir(ROOT)
        os.execvp("bash", ["bash", "--norc", "-i"])
    os.write(terminal, f"make run PORT={port}\n".encode())
    url = f"http://127.0.0.1:{port}/healthz"
    wait_until(lambda: answers(url))
    os.close(terminal)
    begin = time.monotonic()
    with suppress(AssertionError):
        wait_until(lambda: not listens(port), limit)
    gone = not listens(port)
    if not gone:
        os.killpg(process, signal.SIGTERM)
    os.waitpid(process, 0)
    yield Finding(
        "make run in a terminal, and the terminal closed",
        f"it ends within {limit:g} s",
        f"{'ended' if gone else 'still there'} after {time.monotonic() - begin:.1f} s",
        gone,
    )


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@fault("few-threads")
def few_threads() -> Iterator[Finding]:
    """A host that allows few threads and processes."""
    done = f"a host that allows {TASKS} processes and threads"
    if os.getuid():
        yield Finding(done, "-", "not tried here: only root can become somebody else", True)
    else:
        yield crowded(done, AS_NOBODY)


@fault("few-files")
def few_files() -> Iterator[Finding]:
    """A host that allows few open files, and so few connections."""
    yield crowded(f"a host that allows {FILES} open files", f"prlimit --nofile={FILES}:{FILES}")


def crowded(done: str, before: str) -> Finding:
    """Start a server by a command, and send more requests than it can answer at once."""
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, before=before, OPENBLAS_NUM_THREADS="1")
        try:
            up, begin = wait_until_up(server), time.monotonic()
            workers = server.workers
            with half_open(server.port, 200), ThreadPoolExecutor(100) as clients:
                page = WHOLE.replace(b"/healthz", b"/agents")
                statuses = list(
                    clients.map(ask_raw, [server.port] * 300, [page] * 300, [30.0] * 300)
                )
            same, seconds = workers <= server.workers, time.monotonic() - begin
        finally:
            ended = server.stop()
        traces = server.log.count("Traceback")
    return Finding(
        f"{done}, 200 half-open connections, 300 requests by 100 clients",
        "all answered 200 by the same workers, exit status 0, no traceback",
        f"{statuses.count(200)} x 200 in {seconds:.1f} s, {'the same' if same else 'other'} "
        f"workers; exit status {ended}; {traces} tracebacks",
        up and statuses == [200] * 300 and same and ended == 0 and not traces,
    )
