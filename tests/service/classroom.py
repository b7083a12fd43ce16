"""Response times for people who use the site: `python -m tests.service.classroom 30`, for example.

Each student of a class opens a new recipe, moves a slider ten times in a minute and waits for the
twenty seeds of the last comparison, while other visitors request pages.  As on the page, every
slider move requests seeds and cancels the request before.

"""

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import unescape
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

import click

from app.web.pages.lab.recipe_comparison import SEED_BATCH_SIZE
from app.web.pages.lab.verdict import MAX_SEEDS
from tests.service.cases import usual_moves
from tests.service.server import (
    SWAP,
    Answered,
    Server,
    agents,
    ask,
    cpu_seconds,
    memory,
    serving,
    trainers,
    until_there,
)
from tests.service.tables import Table, ms, put_into, show

MIB = 2**20
MOVES, MINUTE = 10, 60.0
SEATING = 1.0  # seconds in which all open their recipe
PAUSE = 0.3  # seconds until the page asks for more seeds
VISITORS = 10
READING = (0.2, 0.6)  # seconds that a visitor looks at a page
PATIENCE = 150.0  # seconds until a student gives up
GOALS = {30: (1.2, 0.7, 4.0, 15.0), 100: (4.0, 2.5, 12.0, 60.0)}
ORDINARY = 0.1  # seconds, the goal of ordinary pages
RECIPES = ("q-table,alpha={:g}", "q-learning,alpha={:g},games=50000")
PAGES = (
    "/",
    "/agents",
    "/agents/q-table",
    "/arena",
    "/how/league",
    "/experiments",
    "/mind/q-table",
)
MORE = re.compile(r'id="after-\d+" hidden hx-get="([^"]*)"')
DONE = re.compile(r'id="seeds-done" max="20" value="(\d+)"')


class Lesson(NamedTuple):
    """The response times for a class in seconds, and the number of refused requests."""

    opening: list[float]
    moves: list[float]
    five: list[float]  # seconds from the last move to five seeds of both recipes
    twenty: list[float]
    ordinary: list[float]  # pages of visitors
    refused: list[str]


def classroom(students: int) -> Table:
    """Measure a class."""
    lesson = Lesson([], [], [], [], [], [])
    with serving() as server:
        first = _first(server)
        server_before, class_before = _spent(server), time.process_time()
        over = threading.Event()
        visitors = [
            threading.Thread(target=_visit, args=(server, number, lesson, over))
            for number in range(VISITORS)
        ]
        for visitor in visitors:
            visitor.start()
        try:
            crowd(lambda number: _study(server, number, lesson), range(students))
        finally:
            over.set()
        for visitor in visitors:
            visitor.join()
        spent = [now - then for now, then in zip(_spent(server), server_before, strict=True)]
        worker = max(memory(pid, "Rss") for pid in server.workers)
        trainer = sum(memory(pid, "Pss") for pid in trainers(server))
    goals = GOALS.get(students, (math.inf,) * 4)
    times = {
        f"opening, p95 of {students}": lesson.opening,
        f"{MOVES} moves of each, p95": lesson.moves,
        "the first five seeds of a comparison, p95": lesson.five,
        "all twenty, p95": lesson.twenty,
    }
    rows = [
        ["the first recipe after the start", ms(first), "< 3,000 ms"],
        *(
            [
                what,
                ms(quantiles(found, n=20)[-1]) if len(found) > 1 else "-",
                f"< {ms(goal)}",
            ]
            for (what, found), goal in zip(times.items(), goals, strict=True)
        ),
        ["refused", f"{len(lesson.refused)}", "0"],
        [
            f"{len(lesson.ordinary):,} pages of {VISITORS} ordinary visitors, p99",
            ms(quantiles(lesson.ordinary, n=100)[-1]),
            f"< {ms(ORDINARY)}",
        ],
        ["RSS of the largest worker", f"{worker / MIB:.0f} MiB", ""],
        ["PSS of the trainers together", f"{trainer / MIB:.0f} MiB", ""],
        ["processor time of the trainers", f"{spent[1]:.0f} s", ""],
        ["processor time of the workers", f"{spent[0]:.0f} s", ""],
        ["processor time of the class itself", f"{time.process_time() - class_before:.0f} s", ""],
    ]
    title = f"A class of {students}: {MOVES} moves in {MINUTE:g} s, then twenty seeds of each"
    return Table(f"classroom-{students}", title, ["what", "figure", "goal"], rows)


def crowd(client: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Run a function for several clients at the same time, each with its number; wait for all."""
    clients = list(numbers)
    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(client, clients))  # raises what a client raises


def _study(server: Server, number: int, lesson: Lesson) -> None:
    draw = random.Random(number)
    names = (_recipe(number, move) for move in range(1 + MOVES))
    time.sleep(draw.uniform(0, SEATING))
    begin, mine = time.monotonic(), next(names)
    opened = until_there(server, f"/lab/{mine}", begin + PATIENCE)
    lesson.opening.append(time.monotonic() - begin)
    _note(lesson, opened)
    page = opened.text
    for move, name in enumerate(names):
        then = begin + (move + draw.uniform(0.5, 1.5)) * MINUTE / MOVES
        _seeds(server, page, then, lesson)
        time.sleep(max(0.0, then - time.monotonic()))
        asked = time.monotonic()
        moved = until_there(server, f"/lab/{name}?ghost={mine}", asked + PATIENCE, headers=SWAP)
        lesson.moves.append(time.monotonic() - asked)
        _note(lesson, moved)
        page = moved.text
    asked = time.monotonic()
    five, twenty = _seeds(server, page, asked + PATIENCE, lesson)
    lesson.five.append(five - asked)
    lesson.twenty.append(twenty - asked)


def _seeds(server: Server, page: str, end: float, lesson: Lesson) -> tuple[float, float]:
    """Request seeds until all are there; return the times of the first five and of all."""
    five = twenty = math.inf
    with suppress(TimeoutError):
        while int(found_in(page, DONE)) < MAX_SEEDS and time.monotonic() + PAUSE < end:
            time.sleep(PAUSE)
            answer = until_there(server, found_in(page, MORE), end, headers=SWAP)
            _note(lesson, answer)
            now, page = time.monotonic(), answer.text
            done = int(found_in(page, DONE))
            five = min(five, now if done >= SEED_BATCH_SIZE else math.inf)
            twenty = min(twenty, now if done >= MAX_SEEDS else math.inf)
    return five, twenty


def found_in(page: str, pattern: re.Pattern[str]) -> str:
    """Return what the group of a pattern holds; raises ValueError if the page has changed."""
    found = pattern.search(page)
    if found is None:
        raise ValueError(f"nothing on the page matches {pattern.pattern}: {page[:200]}")
    return unescape(found[1])


def _note(lesson: Lesson, answer: Answered) -> None:
    if answer.status != 200:
        lesson.refused.append(f"{answer.status} {answer.text[:200]}")


def _recipe(number: int, move: int) -> str:
    return (
        f"{RECIPES[number % len(RECIPES)].format((401 + 5 * move) / 1000)},seed={20 * number + 1}"
    )


def _visit(server: Server, number: int, lesson: Lesson, over: threading.Event) -> None:
    draw, moves, pages = random.Random(number), usual_moves(agents(server.url)), cycle(PAGES)
    while not over.wait(draw.uniform(*READING)):
        path = next(pages) if draw.random() < 0.5 else f"/play/{next(moves)}"
        answer = ask(server, path, PATIENCE)
        lesson.ordinary.append(answer.seconds)
        _note(lesson, answer)


def _first(server: Server) -> float:
    begin = time.monotonic()
    until_there(server, "/lab/q-learning,games=1000", begin + PATIENCE)
    return time.monotonic() - begin


def _spent(server: Server) -> tuple[float, float]:
    return cpu_seconds(server.workers), cpu_seconds(trainers(server))


@click.command()
@click.argument("students", type=click.IntRange(1))
@click.option(
    "--markdown", type=click.Path(path_type=Path, exists=True), help="Put the table here, too."
)
def main(students: int, markdown: Path | None) -> None:
    """Print the measurements for a class, with their goals."""
    found = classroom(students)
    show(found)
    if markdown:
        put_into(markdown, found)


if __name__ == "__main__":
    main()
