"""How soon people who teach see what a game changed: `python -m tests.service.teaching`.

Each plays games with a learner of their own, as the page's own requests do.
"""

import random
import re
import time
from html import unescape
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urljoin

import click

from tests.service.classroom import PATIENCE, crowd
from tests.service.server import Server, ask, serving
from tests.service.tables import Table, command, ms

PEOPLE = 30
THINKING = (0.5, 1.5)  # seconds before a move
SQUARE = re.compile(r'id="board-\w" class="[^"]*" href="([^"]*)"')
NEXT = re.compile(r'id="next"[^>]*?\shref="([^"]*)"')


class Asked(NamedTuple):
    """How long the requests of people took, in seconds."""

    moves: list[float]
    ends: list[float]  # of the moves with which a game ended: with what was learned


def table(seconds: float) -> Table:
    """Measure one person who teaches, then PEOPLE at once, each for so many seconds."""
    with serving() as server:
        _taught(server, 1, 2.0, 0)  # so that the trainer is there
        alone = _taught(server, 1, seconds, PEOPLE)
        crowd = _taught(server, PEOPLE, seconds, 2 * PEOPLE)
    ends, moves = sorted(crowd.ends), sorted(crowd.moves)
    rows = [
        [
            "one person: end of a game to what it taught, median",
            ms(median(alone.ends)),
            "< 150 ms",
        ],
        [f"{PEOPLE} people at once, median of {len(ends)}", ms(median(ends)), "< 150 ms"],
        ["the same, p95", ms(quantiles(ends, n=20)[-1]), "< 500 ms"],
        [f"a move and its answer, median of {len(moves)}", ms(median(moves)), ""],
    ]
    return Table(
        "teaching",
        f"People who teach MENACE, {THINKING[0]:g} to {THINKING[1]:g} s a move, for {seconds:g} s",
        ["what", "figure", "goal"],
        rows,
    )


def _taught(server: Server, people: int, seconds: float, first: int) -> Asked:
    """Let people teach; their learners begin with other random numbers from `first` on."""
    asked, end = Asked([], []), time.monotonic() + seconds
    crowd(lambda seed: _teach(server, first, seed, end, asked), range(people))
    return asked


def _teach(server: Server, first: int, seed: int, end: float, asked: Asked) -> None:
    draw, at = random.Random(seed), f"/teach/menace,seed={first + seed + 1}"
    page = ""
    while time.monotonic() < end:
        time.sleep(draw.uniform(*THINKING))
        squares = SQUARE.findall(page)
        step = unescape(draw.choice(squares) if squares else (NEXT.findall(page) or [""])[0])
        start = time.monotonic()
        page, learned = _page(server, urljoin(at, step))
        if squares:
            (asked.ends if learned else asked.moves).append(time.monotonic() - start)
        at = urljoin(at, learned or step)


def _page(server: Server, path: str) -> tuple[str, str]:
    """Return what htmx is sent, and the address of what was learned if a game has ended.

    Who is told to come back does, which is a part of the time that it takes.
    """
    while (answer := ask(server, path, PATIENCE, swap=True)).status == 503:
        time.sleep(int(answer.headers["Retry-After"]))
    return answer.text, answer.headers.get("HX-Push-Url", "")


if __name__ == "__main__":
    command(
        table,
        "Print how soon one sees what a game changed, beside what was hoped for.",
        click.option("--seconds", default=60.0, help="How long they go on."),
    )()
