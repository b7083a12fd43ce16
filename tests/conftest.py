import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
START_SECONDS = 20
STOP_SECONDS = 20

# How long an example takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def web_command() -> str:
    web = re.search(r"^web: (.+)$", (ROOT / "Procfile").read_text(), re.MULTILINE)
    assert web, "the Procfile has a line for web"
    return web[1]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def wait_until_up(process: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if answers(url):
            return True
        try:
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
        return False
    return False


def stop(process: subprocess.Popen[bytes]) -> bool:
    process.terminate()
    try:
        return process.wait(timeout=STOP_SECONDS) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the site as it is deployed: gunicorn, started as the Procfile says."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"HOST": "127.0.0.1", "PORT": str(port), "WEB_CONCURRENCY": "2", "PATH": path}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {web_command()}"],
            cwd=ROOT,
            env=os.environ | env,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        up = wait_until_up(process, f"{url}/healthz")
        if up:
            yield url
        stopped = stop(process)
        log.seek(0)
        assert up, f"the server did not start:\n{log.read()}"
        assert stopped, f"the server did not stop cleanly:\n{log.read()}"
