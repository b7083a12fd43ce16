"""Requests per second of the site, compared with a bare Flask application in the same rounds.

wrk sends requests on many connections.

"""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.service.cases import BARE, Case, cases
from tests.service.server import Server, cpu_seconds, only_on, serving
from tests.service.tables import Table

THREAD_COUNT, CONNECTIONS = 2, 32
TIMEOUT = 20  # seconds: what is late is seen in p99
SCRIPT = Path(__file__).with_name("wrk.lua")
FAILED = re.compile(r'^(?:[^{]|.*"status": [45]).*', re.MULTILINE)  # a line of the log
SHOWN = 40  # number of shown items
MISSING = "wrk is needed to measure the service: apt-get install wrk"


class Run(NamedTuple):
    """The results of some seconds of load."""

    requests: int
    seconds: float
    bytes: int  # size of all answers with headers
    refused: int  # answers with a status from 400 on
    broken: int  # no answer, or none in time: the server has closed the connection, or hangs
    p50: float  # milliseconds
    p99: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    def whole(self, what: str, server: Server) -> "Run":
        """Return this run if all requests were answered.

        Raises RuntimeError with the request and the log of the server if not.
        """
        if self.refused or self.broken:
            said = "\n".join(FAILED.findall(server.log)[-SHOWN:])
            raise RuntimeError(
                f"{what}: {self.refused} errors, {self.broken} without an answer\n{said}"
            )
        return self


def available() -> bool:
    return shutil.which("wrk") is not None


def load(url: str, paths: Iterable[str], headers: Mapping[str, str], seconds: int) -> Run:
    """Request the paths in turn, repeatedly, for some whole seconds."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{path}\n" for path in paths)
        file.flush()
        said = subprocess.run(
            [
                "wrk",
                f"--threads={THREAD_COUNT}",
                f"--connections={CONNECTIONS}",
                f"--duration={seconds}s",
                f"--timeout={TIMEOUT}s",
                f"--script={SCRIPT}",
                *(f"--header={name}: {value}" for name, value in headers.items()),
                url,
                "--",
                file.name,
                str(THREAD_COUNT),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
    return Run(**json.loads(said.stdout.splitlines()[-1]))


HELLO = "tests.service.hello:create_app()"
FRESH = 20_000  # addresses at a time: more than a worker keeps, or answers in a round
GOAL_P99 = 25  # milliseconds, of a move
HEADER = [
    "request",
    "requests/s",
    "of a bare Flask",
    "goal",
    "p50 ms",
    "p99 ms",
    "goal",
    "CPU µs a request",
    "bytes sent",
]


class Round(NamedTuple):
    """Some seconds of one kind of request."""

    run: Run
    cpu: float  # seconds of the workers' processor time a request
    ratio: float = 1.0  # relative to the rate of a bare Flask just before


class Measured(NamedTuple):
    """All rounds of one kind of request."""

    case: Case
    rounds: list[Round]

    def middle(self, figure: Callable[[Round], float]) -> float:
        """Return the median of a figure over the rounds."""
        return median(map(figure, self.rounds))

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.middle(lambda round: round.run.rate)

    @property
    def ratio(self) -> float:
        """The rate divided by the rate of the bare Flask."""
        return self.middle(lambda round: round.ratio)


def measure(
    rounds: int,
    seconds: int,
    workers: int = 2,
    names: Iterable[str] = (),
    cores: tuple[int, int] | None = None,
) -> list[Measured]:
    """Measure these kinds of requests, or all, and the bare Flask before each.

    `cores` are the two cores for the servers and for the load.
    """
    on_server, on_load = cores or (None, None)
    with (
        only_on(on_server),
        serving(WEB_CONCURRENCY=f"{workers}") as app,
        serving(HELLO, WEB_CONCURRENCY=f"{workers}") as hello,
        only_on(on_load),
    ):
        chosen = [case for case in cases(app.url) if not names or case.name in names]
        return _alternate(app, hello, chosen, rounds, seconds)


def _alternate(
    app: Server, hello: Server, chosen: list[Case], rounds: int, seconds: int
) -> list[Measured]:
    bare, measured = Measured(BARE, []), [Measured(case, []) for case in chosen]
    for _ in range(rounds):
        for case, done in measured:
            before, after = _round(hello, BARE, seconds), _round(app, case, seconds)
            bare.rounds.append(before)
            done.append(after._replace(ratio=after.run.rate / before.run.rate))
    return [bare, *measured]


def _round(server: Server, case: Case, seconds: int) -> Round:
    before = cpu_seconds(server.workers)
    run = load(server.url, islice(case.paths, FRESH), case.headers, seconds)
    run.whole(case.name, server)
    return Round(run, (cpu_seconds(server.workers) - before) / run.requests)


def table(name: str, title: str, measured: list[Measured]) -> Table:
    """Return all measurements as a table."""
    return Table(name, title, HEADER, [_row(*each) for each in measured])


def _row(case: Case, rounds: list[Round]) -> list[str]:
    done = Measured(case, rounds)
    return [
        case.name,
        f"{done.rate:,.0f}",
        f"{done.ratio:.2f}",
        f"{case.goal:g}" if case.goal else "",
        f"{done.middle(lambda round: round.run.p50):.1f}",
        f"{done.middle(lambda round: round.run.p99):.1f}",
        f"< {GOAL_P99}" if case.is_move else "",
        f"{1e6 * done.middle(lambda round: round.cpu):,.0f}",
        f"{done.middle(lambda round: round.run.bytes / round.run.requests):,.0f}",
    ]
