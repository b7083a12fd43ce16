"""Measurements of the deployed site: `python -m tests.service.load`.

It starts its own servers as in the Procfile.  Processor times, ratios and sizes are reliable on a
shared machine; rates and response times need a quiet machine.

"""

import gc
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click
from flask import Flask

from app.web import create_app
from tests.service import classroom, rates
from tests.service.cases import BR, GZIP, HTMX, moves, positions
from tests.service.server import (
    ROOT,
    agents,
    get,
    memory,
    open_files,
    parts,
    serving,
    start,
    wait_until_up,
)
from tests.service.tables import Table, put_into, show

GIB = 2**30
ONE_CORE = (0, 1)  # the server's and the load's
PAGES = {
    "front": "/",
    "play": "/play/",
    "a puzzle": "/puzzle/5?right=0&plays=4",
    "a mind": "/mind/q-table",
    "the lesson": "/how/learning",
    "agents": "/agents",
    "an agent": "/agents/q-learning-1",
    "its blunders": "/agents/q-learning-1/blunders",
    "a proof": "/agents/q-learning-4/certificate-x",
    "arena": "/arena",
    "compare": "/compare/",
    "how": "/how/league",
    "the claims": "/experiments",
    "an experiment": "/experiments/draw-reward",
    "why": "/why/?cell=4",
    "api": "/api",
    "a framed board": "/embed/board/",
    "a framed curve": "/embed/curve/q-learning-1",
}
KB = 1000
GOAL_PAGE, GOAL_MOVE = "<= 40 KB", "<= 4 KB"
MOVES = 200  # number of moves whose sizes are measured
MIB = 2**20
SPAN = 1  # seconds of load between two looks at how many requests that were
REST = 1  # seconds in which a worker closes the connections that have ended
BATCH = 20_000  # different addresses at a time
MANY = 4  # workers
CLASSES = (30, 100)  # students
GOAL_START, GOAL_MEMORY = "< 2 s", "< 150 MiB"
STEPS_OF_START = {
    "the server's packages": "import gevent.monkey, gunicorn.app.wsgiapp",
    "numpy and Flask": "import numpy, flask",
    "the site's modules": "import app.web.application",
    "the models, and what follows from them": "app.web.create_app()",
}
FORKS = 5  # number of processes; the median counts
GOAL_FIRST = "< 60 ms"


class Effort(NamedTuple):
    """The time spent on each measurement."""

    rounds: int
    seconds: int  # a round
    starts: int
    requests: int  # number of requests for the growth of memory


FULL, QUICK = Effort(5, 1, 5, 100_000), Effort(3, 1, 3, 8_000)


@click.command()
@click.option("--quick", is_flag=True, help="Take less time, and accept more noise.")
@click.option(
    "--markdown", type=click.Path(path_type=Path, exists=True), help="Put the tables here, too."
)
def main(quick: bool, markdown: Path | None) -> None:
    """Print rates, start, memory and sizes, with their goals."""
    if not rates.available():
        sys.exit(rates.MISSING)
    for table in _measure(QUICK if quick else FULL):
        show(table)
        if markdown:
            put_into(markdown, table)


def _measure(effort: Effort) -> Iterator[Table]:
    yield machine()
    yield sizes()
    yield at_start(effort.starts)
    yield at_first()
    yield from map(classroom.classroom, CLASSES)
    title = (
        f"{rates.CONNECTIONS} connections; medians of {effort.rounds} rounds of {effort.seconds} s"
    )
    found = rates.measure(effort.rounds, effort.seconds)
    yield rates.table("two-workers", f"Two workers; {title}", found)
    found = rates.measure(effort.rounds, effort.seconds, workers=1, cores=ONE_CORE)
    yield rates.table("one-core", f"One worker on one core, the load on another; {title}", found)
    yield over_time(effort.requests, steps=4)


def machine() -> Table:
    """Return the date and the machine of a measurement."""
    ram = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    rows = [
        ["day", f"{datetime.now(UTC):%Y-%m-%d}"],
        ["cores", f"{os.cpu_count()}, {_processor()}"],
        ["memory", f"{ram:.0f} GiB"],
        ["Python", platform.python_version()],
        ["others at work before (load of the last minute)", f"{os.getloadavg()[0]:.1f}"],
    ]
    return Table("machine", "The machine", ["", ""], rows)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def sizes() -> Table:
    """Measure the first load of every page with all its files, and a sample of moves."""
    with serving() as app:
        rows = [_weights(app.url, *page) for page in PAGES.items()]
        paths = [f"/play/{move}" for move in islice(moves(agents(app.url)), MOVES)]
        usual, largest = zip(
            *(_move_weights(app.url, paths, packing) for packing in (GZIP, BR)), strict=True
        )
    return Table(
        "sizes",
        "First load of each page with all it needs, and a move, in bytes of packed content",
        ["", "gzip", "br", "goal"],
        [
            *rows,
            [f"a move, median of {MOVES}", *usual, GOAL_MOVE],
            [f"a move, largest of {MOVES}", *largest, GOAL_MOVE],
        ],
    )


def _weights(url: str, name: str, path: str) -> list[str]:
    needed = [path, *parts(get(url + path))]
    weights = [sum(len(get(url + part, packing)) for part in needed) for packing in (GZIP, BR)]
    return [f"{name} ({path})", *map(_kb, weights), GOAL_PAGE if path in ("/", "/play/") else ""]


def _move_weights(url: str, paths: list[str], packing: dict[str, str]) -> tuple[str, str]:
    weights = [len(get(url + path, packing | HTMX)) for path in paths]
    return _kb(median(weights)), _kb(max(weights))


def _kb(size: float) -> str:
    return f"{size / KB:.1f} KB"


def at_start(times: int) -> Table:
    """Measure the start, and the memory of one worker and of several workers with shared memory."""
    healthy, shown = zip(*(_start() for _ in range(times)), strict=True)
    return Table(
        "start",
        f"Start, median of {times}, and memory after {SPAN} s of mixed requests",
        ["what", "figure", "goal"],
        [
            ["start to the first answer of /healthz", f"{median(healthy):.2f} s", GOAL_START],
            ["start to the first answer of /", f"{median(shown):.2f} s", GOAL_START],
            *_steps_of_start(),
            *_held_by(1),
            *_held_by(MANY),
        ],
    )


def _steps_of_start() -> list[list[str]]:
    """Measure where the seconds of a start go, in a process that does the same."""
    script = "".join(f"{step}\nprint(monotonic())\n" for step in STEPS_OF_START.values())
    command = [sys.executable, "-c", "from time import monotonic\nprint(monotonic())\n" + script]
    times = [float(line) for line in subprocess.check_output(command, text=True, cwd=ROOT).split()]
    spent = zip(times[1:], times, strict=False)
    return [
        [f"of that {step}", f"{end - begin:.2f} s", ""]
        for step, (end, begin) in zip(STEPS_OF_START, spent, strict=True)
    ]


def at_first() -> Table:
    """Measure the processor time of the first request for each page, after one game.

    Each request is answered by a new process, forked like a worker.
    """
    _site()
    gc.freeze()  # the server does this before it forks
    with get_context("fork").Pool(1, maxtasksperchild=1) as workers:
        spent = workers.map(_at_first, FORKS * [*PAGES.values()], chunksize=1)
    rows = [
        [f"{name} ({path})", f"{median(spent[number :: len(PAGES)]) * 1000:.0f} ms", GOAL_FIRST]
        for number, (name, path) in enumerate(PAGES.items())
        if path != PAGES["play"]
    ]
    title = f"Processor time of the first request in a worker, median of {FORKS}"
    return Table("first", title, ["page", "figure", "goal"], rows)


def _at_first(path: str) -> float:
    client = _site().test_client()
    client.get(PAGES["play"])
    begin = time.process_time()
    assert client.get(path).status_code == 200
    return time.process_time() - begin


@cache
def _site() -> Flask:
    return create_app()


def over_time(requests: int, steps: int) -> Table:
    """Measure the memory of one worker repeatedly while it answers mixed requests."""
    with serving(WEB_CONCURRENCY="1") as app:
        (worker,) = app.workers
        paths, done, rows = _mixed(app.url), 0, []
        for step in range(steps + 1):
            while done < requests * step // steps:
                done += rates.load(app.url, islice(paths, BATCH), GZIP, SPAN).requests
            time.sleep(REST)
            sizes = [_mib(memory(worker, kind)) for kind in ("Rss", "Pss")]
            rows.append([f"{done:,}", *sizes, f"{open_files(worker)}"])
    header = ["requests", "RSS", "PSS", "open files"]
    return Table("growth-of-memory", "One worker, the same requests mixed", header, rows)


def _start() -> tuple[float, float]:
    """Return the seconds from a start to the first answers of /healthz and of /."""
    with tempfile.TemporaryFile("w+") as output:
        began = time.monotonic()
        app = start(output)
        try:
            assert wait_until_up(app), f"the server did not start:\n{app.log}"
            healthy = time.monotonic() - began
            get(app.url)
            return healthy, time.monotonic() - began
        finally:
            app.stop()


def _held_by(workers: int) -> list[list[str]]:
    with serving(WEB_CONCURRENCY=f"{workers}") as app:
        rates.load(app.url, islice(_mixed(app.url), BATCH), GZIP, SPAN)
        rss = max(memory(pid, "Rss") for pid in app.workers)
        pss = [memory(pid, "Pss") for pid in (app.process.pid, *app.workers)]
    who = f"{workers} worker{'s' * (workers > 1)}"
    return [
        [f"{who}: RSS of the largest", _mib(rss), GOAL_MEMORY],
        [f"{who}: PSS of the largest", _mib(max(pss[1:])), GOAL_MEMORY],
        [f"{who} and the first process: PSS together", _mib(sum(pss)), ""],
    ]


def _mixed(url: str) -> Iterator[str]:
    """Yield moves, replies, API requests and unknown URLs, nearly all different."""
    everybody = agents(url)
    moves_and_replies = zip(moves(everybody), moves(everybody, over=False), strict=False)
    for (move, reply), position in zip(moves_and_replies, positions(everybody), strict=False):
        yield f"/play/{move}"
        yield f"/reply/{reply}"
        yield f"/api/v1/positions/{position}"
        yield f"/agents/nobody-{position[:9]}"


def _mib(size: int) -> str:
    return f"{size / MIB:.0f} MiB"


if __name__ == "__main__":
    main()
