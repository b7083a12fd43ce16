"""The site as it is deployed: gunicorn, started as the Procfile says, on a free port."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 20
STOP_SECONDS = 20
SITE = "app.web:create_app()"


@dataclass
class Server:
    """A first process of gunicorn and what is known of it from outside."""

    port: int
    process: subprocess.Popen[bytes]
    output: IO[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """Everything it has written so far."""
        self.output.seek(0)
        return self.output.read()

    @property
    def workers(self) -> set[int]:
        """The processes that answer, those that are about to end too."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return set(map(int, found.stdout.split()))

    def reload(self) -> None:
        """Have it take in new models, and wait until the workers that had the old ones are gone."""
        before = self.workers
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(now := self.workers) >= len(before) and not now & before)

    def stop(self) -> int | None:
        """End it and return its exit status, or None if it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


@contextmanager
def serving(application: str = SITE, **environment: str) -> Iterator[Server]:
    """Start the site, or another application in its place, wait until it is up, and stop it.

    AssertionError if either fails.
    """
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, application, **environment)
        try:
            assert wait_until_up(server), f"the server did not start:\n{server.log}"
            yield server
        finally:
            status = server.stop()
        assert status == 0, f"the server did not stop cleanly ({status}):\n{server.log}"


def start(output: IO[str], application: str = SITE, **environment: str) -> Server:
    """Start the site without waiting for it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    port = free_port()
    env = {"HOST": "127.0.0.1", "PORT": str(port), "WEB_CONCURRENCY": "2", "PATH": path}
    command = web_command().replace(SITE, application)
    process = subprocess.Popen(
        ["sh", "-c", f"exec {command}"],
        cwd=ROOT,
        env=os.environ | env | environment,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    return Server(port, process, output)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def web_command() -> str:
    web = re.search(r"^web: (.+)$", (ROOT / "Procfile").read_text(), re.MULTILINE)
    assert web, "the Procfile has a line for web"
    return web[1]


def wait_until_up(server: Server) -> bool:
    """Whether it answers at last, rather than ends."""
    wait_until(lambda: answers(f"{server.url}/healthz") or server.process.poll() is not None)
    return server.process.poll() is None


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def wait_until(holds: Callable[[], object], seconds: float = START_SECONDS) -> None:
    """Return as soon as something holds; AssertionError if it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"still not so after {seconds} s"
        time.sleep(0.02)
