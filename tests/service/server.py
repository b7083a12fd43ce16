"""The deployed site on a free port: gunicorn, started as in the Procfile.

Also single requests as a browser sends them, and facts about processes from the kernel.

"""

import gzip
import html
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 300  # only a server that hangs needs longer, however busy the machine is
STOP_SECONDS = 300
WORKERS = "2"
SITE = "app.web:create_app()"
BROWSER = {"Accept": "text/html", "Accept-Encoding": "gzip"}  # is told to come back, if it is early
SWAP = BROWSER | {"HX-Request": "true"}
LOADED = re.compile(
    r'<(?:script|img|link)\b(?![^>]*\brel="alternate")[^>]*?\s(?:src|href)="([^"]+)"'
)
PROC = Path("/proc")
TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
KIB = 1024
USER, SYSTEM = 11, 12  # places in `stat`, after the name, of the time spent


@dataclass
class Server:
    """A running server, known from outside by its first process."""

    port: int
    process: subprocess.Popen[bytes]
    output: IO[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """Everything that the server has written so far.

        It is read without moving the file position, at which the server writes.
        """
        file = self.output.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()

    @property
    def workers(self) -> set[int]:
        """The processes that answer requests, including those that are about to end."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return set(map(int, found.stdout.split()))

    def reload(self) -> None:
        """Reload the models, and wait until the workers with the old models are gone."""
        before = self.workers
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(now := self.workers) >= len(before) and not now & before)

    def stop(self) -> int | None:
        """Stop the server; return its exit status, or None if it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


@contextmanager
def serving(application: str = SITE, **environment: str) -> Iterator[Server]:
    """Start the site, or another application, wait until it is up, and stop it at the end.

    Raises AssertionError if either fails.
    """
    with tempfile.TemporaryFile("w+") as output:
        server = start(output, application, **environment)
        try:
            assert wait_until_up(server), f"the server did not start:\n{server.log}"
            wanted = int(environment.get("WEB_CONCURRENCY", WORKERS))
            wait_until(lambda: len(server.workers) >= wanted)  # one that answers may be the first
            yield server
        finally:
            status = server.stop()
        assert status == 0, f"the server did not stop cleanly ({status}):\n{server.log}"


def start(
    output: IO[str],
    application: str = SITE,
    before: str = "",
    **environment: str,
) -> Server:
    """Start the site without waiting for it; `before` is a command that runs it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    port = free_port()
    env = {"HOST": "127.0.0.1", "PORT": str(port), "WEB_CONCURRENCY": WORKERS, "PATH": path}
    command = web_command().replace(SITE, application)
    process = subprocess.Popen(
        ["sh", "-c", f"exec {before} {command}"],
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
    """Wait until the server answers; return False if it ends before."""
    wait_until(lambda: answers(f"{server.url}/healthz") or server.process.poll() is not None)
    return server.process.poll() is None


class Answered(NamedTuple):
    """The result of a request."""

    status: int
    headers: Message
    text: str
    seconds: float


def ask(
    server: Server, path: str, patience: float = START_SECONDS, headers: Mapping[str, str] = BROWSER
) -> Answered:
    """Send a request; TimeoutError if the answer does not come in time."""
    request = urllib.request.Request(server.url + path, headers=dict(headers))
    start = time.monotonic()
    try:
        answer = urllib.request.urlopen(request, timeout=max(0.001, patience))
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        body = answer.read()
    packed = answer.headers["Content-Encoding"] == "gzip"
    text = (gzip.decompress(body) if packed else body).decode()
    return Answered(answer.status or 0, answer.headers, text, time.monotonic() - start)


def until_there(
    server: Server, path: str, end: float, headers: Mapping[str, str] = BROWSER
) -> Answered:
    """Repeat a request while its status is 202; TimeoutError after `end`."""
    while (answer := ask(server, path, end - time.monotonic(), headers)).status == 202:
        time.sleep(int(answer.headers["Retry-After"]))
    return answer


def page(server: Server, name: str) -> int:
    """Return the status of the page of an agent or a recipe, when it is trained."""
    return ask(server, f"/agents/{name}", headers={}).status


def trainers(server: Server) -> set[int]:
    """Return the processes in which the workers of a server train."""
    return {child for worker in server.workers for child in children(worker)}


def children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    found: list[int] = []
    for file in (PROC / f"{parent}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, file.read_text().split())
    return found


def state(pid: int) -> str:
    """Return the kernel's letter for the state of a process."""
    return (PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()[0]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=START_SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def wait_until(holds: Callable[[], object], seconds: float = START_SECONDS) -> None:
    """Wait until a condition holds; AssertionError if it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"still not so after {seconds} s"
        time.sleep(0.02)


def get(url: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the body of an answer as it was sent, compressed or not."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers or {}))) as answer:
        body: bytes = answer.read()
        return body


def get_when_trained(url: str) -> bytes:
    """Return the body of an answer when it is ready; requests for HTML get status 202 before."""
    request = urllib.request.Request(url, headers={"Accept": "text/html"})
    while True:
        with urllib.request.urlopen(request) as answer:
            body: bytes = answer.read()
            if answer.status != 202:
                return body
            time.sleep(int(answer.headers["Retry-After"]))


def agents(url: str) -> list[str]:
    """Return the agents of a site."""
    return list(json.loads(get(f"{url}/healthz"))["models"])


def parts(page: bytes) -> set[str]:
    """Return the URLs of the files that a page loads."""
    return {html.unescape(address) for address in LOADED.findall(page.decode())}


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the processor time of processes, together."""
    return sum(_cpu_seconds(pid) for pid in pids)


def memory(pid: int, kind: str) -> int:
    """Return the memory of a process in bytes: "Rss", or "Pss", which divides shared memory."""
    for line in (PROC / f"{pid}/smaps_rollup").read_text().splitlines():
        name, _, size = line.partition(":")
        if name == kind:
            return int(size.split()[0]) * KIB
    raise ValueError(f"the kernel does not say how much {kind} process {pid} has")


def open_files(pid: int) -> int:
    return len(list((PROC / f"{pid}/fd").iterdir()))


@contextmanager
def only_on(core: int | None) -> Iterator[None]:
    """Bind this process, and the processes that it starts, to one core, unless it is None."""
    before = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _cpu_seconds(pid: int) -> float:
    spent = (PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(spent[USER]) + int(spent[SYSTEM])) * TICK
