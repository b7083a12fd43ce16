"""Load from wrk: many connections that each ask again as soon as they have their answer."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.service.server import Server

THREADS, CONNECTIONS = 2, 32
TIMEOUT = 20  # seconds: what is late is seen in p99
SCRIPT = Path(__file__).with_name("wrk.lua")
FAILED = re.compile(r'^(?:[^{]|.*"status": [45]).*', re.MULTILINE)  # a line of the log
SHOWN = 40  # of them
MISSING = "wrk is needed to measure the service: apt-get install wrk"


class Run(NamedTuple):
    """What came of some seconds of load."""

    requests: int
    seconds: float
    bytes: int  # of all answers, their headers too
    refused: int  # answers with a status from 400 on
    broken: int  # no answer, or none in time: the server has closed the connection, or hangs
    p50: float  # milliseconds
    p99: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    def whole(self, what: str, server: Server) -> "Run":
        """Return this, if all was answered.

        RuntimeError, naming what was asked and what the log of its server says, if not.
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
    """Ask for the paths in turn, from the first again after the last, for some whole seconds."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{path}\n" for path in paths)
        file.flush()
        said = subprocess.run(
            [
                "wrk",
                f"--threads={THREADS}",
                f"--connections={CONNECTIONS}",
                f"--duration={seconds}s",
                f"--timeout={TIMEOUT}s",
                f"--script={SCRIPT}",
                *(f"--header={name}: {value}" for name, value in headers.items()),
                url,
                "--",
                file.name,
                str(THREADS),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
    return Run(**json.loads(said.stdout.splitlines()[-1]))
