"""How soon the site answers after its start, and what it holds then and after many requests."""

import html
import random
import re
import tempfile
import time
import urllib.error
from collections.abc import Iterator
from itertools import islice
from statistics import median

from tests.service import wrk
from tests.service.cases import GZIP, moves, positions
from tests.service.server import agents, get, memory, open_files, serving, start, wait_until_up
from tests.service.tables import Table

MIB = 2**20
SPAN = 1  # seconds of load between two looks at how many requests that were
REST = 1  # seconds in which a worker closes the connections that have ended
BATCH = 20_000  # different addresses at a time
MANY = 4  # workers
PAGES = 1_000  # of all kinds
LINK = re.compile('href="(/[^"#]*)')
GOAL_START, GOAL_MEMORY = "< 1.5 s", "< 120 MiB"


def at_start(times: int) -> Table:
    """Measure the start, and what one worker and several, who share what they can, hold."""
    healthy, shown = zip(*(_start() for _ in range(times)), strict=True)
    return Table(
        "start",
        f"Start, median of {times}, and memory after {SPAN} s of mixed requests",
        ["what", "figure", "goal"],
        [
            ["start to the first answer of /healthz", f"{median(healthy):.2f} s", GOAL_START],
            ["start to the first answer of /", f"{median(shown):.2f} s", GOAL_START],
            *_held_by(1),
            *_held_by(MANY),
            *_held_after(PAGES),
        ],
    )


def over_time(requests: int, steps: int) -> Table:
    """Measure what one worker holds again and again while it answers many mixed requests."""
    with serving(WEB_CONCURRENCY="1") as site:
        (worker,) = site.workers
        paths, done, rows = _mixed(site.url), 0, []
        for step in range(steps + 1):
            while done < requests * step // steps:
                done += wrk.load(site.url, islice(paths, BATCH), GZIP, SPAN).requests
            time.sleep(REST)
            sizes = [_mib(memory(worker, kind)) for kind in ("Rss", "Pss")]
            rows.append([f"{done:,}", *sizes, f"{open_files(worker)}"])
    header = ["requests", "RSS", "PSS", "open files"]
    return Table("growth-of-memory", "One worker, the same requests mixed", header, rows)


def _start() -> tuple[float, float]:
    """Return the seconds from a start to the first answers of /healthz and of /."""
    with tempfile.TemporaryFile("w+") as output:
        began = time.monotonic()
        site = start(output)
        try:
            assert wait_until_up(site), f"the server did not start:\n{site.log}"
            healthy = time.monotonic() - began
            get(site.url)
            return healthy, time.monotonic() - began
        finally:
            site.stop()


def _held_by(workers: int) -> list[list[str]]:
    with serving(WEB_CONCURRENCY=f"{workers}") as site:
        wrk.load(site.url, islice(_mixed(site.url), BATCH), GZIP, SPAN)
        rss = max(memory(pid, "Rss") for pid in site.workers)
        pss = [memory(pid, "Pss") for pid in (site.process.pid, *site.workers)]
    who = f"{workers} worker{'s' * (workers > 1)}"
    return [
        [f"{who}: RSS of the largest", _mib(rss), GOAL_MEMORY],
        [f"{who}: PSS of the largest", _mib(max(pss[1:])), GOAL_MEMORY],
        [f"{who} and the first process: PSS together", _mib(sum(pss)), ""],
    ]


def _held_after(pages: int) -> list[list[str]]:
    """Say what a worker holds after pages of all kinds, found by links drawn at random.

    A part of the site is drawn first, or moves would be most of them.
    """
    draw, by_part = random.Random(1), {"": ["/"]}
    seen: set[str] = set()
    with serving(WEB_CONCURRENCY="1", LAB="0") as site:
        while len(seen) < pages:
            path = by_part[draw.choice([part for part, found in by_part.items() if found])].pop()
            if path in seen:
                continue
            seen.add(path)
            try:
                page = get(site.url + path).decode(errors="replace")
            except urllib.error.HTTPError:
                continue
            links = {html.unescape(link) for link in LINK.findall(page)} - seen
            for link in sorted(links):
                by_part.setdefault(link.split("/")[1].partition("?")[0], []).append(link)
        (worker,) = site.workers
        rss, pss = (_mib(memory(worker, kind)) for kind in ("Rss", "Pss"))
    who = f"1 worker after {pages:,} pages of all kinds"
    return [[f"{who}: RSS", rss, GOAL_MEMORY], [f"{who}: PSS", pss, GOAL_MEMORY]]


def _mixed(url: str) -> Iterator[str]:
    """Yield moves, replies, the API and addresses of nobody, hardly one of them twice."""
    everybody = agents(url)
    moves_and_replies = zip(moves(everybody), moves(everybody, over=False), strict=False)
    for (move, reply), position in zip(moves_and_replies, positions(everybody), strict=False):
        yield f"/play/{move}"
        yield f"/reply/{reply}"
        yield f"/api/v1/positions/{position}"
        yield f"/agents/nobody-{position[:9]}"


def _mib(size: int) -> str:
    return f"{size / MIB:.0f} MiB"
