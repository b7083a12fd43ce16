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
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urljoin

import click

from app.tictactoe.game import Game, build_game
from app.tictactoe.policy_codec import encode_moves
from app.web.pages.lab.contest import MAX_SEEDS
from app.web.pages.lab.duel import FIRST_SEED_COUNT
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
        "the first five seeds of a duel, p95": lesson.five,
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
            five = min(five, now if done >= FIRST_SEED_COUNT else math.inf)
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


# People who wander about the site, each following links, of a part of it that is drawn first, as
# moves would be most of them otherwise: they train in the lab and teach, judge moves, seat them in
# the arena, and play.

WANDERERS = 10
STEPS = 5
# links with answers that are text
LINK = re.compile(r'href="(/(?!static/)(?![^"#]*\.(?:npz|png))[^"#]*)')


def soak(seconds: float) -> Table:
    """Simulate visitors for some seconds, and measure the memory from time to time."""
    rows: list[list[str]] = []
    pages: list[int] = []  # statuses
    with serving() as server:
        end = time.monotonic() + seconds
        people = threading.Thread(
            target=crowd,
            args=(lambda number: _wander(server, number, end, pages), range(WANDERERS)),
        )
        people.start()
        for step in range(STEPS + 1):
            time.sleep(max(0.0, end - seconds * (1 - step / STEPS) - time.monotonic()))
            rows.append([f"{seconds * step / STEPS:.0f} s", f"{len(pages):,}", *_held(server)])
        people.join()
    refused = sum(status >= 500 for status in pages)
    title = f"{WANDERERS} people for {seconds:g} s; {refused} of their pages were refused"
    header = ["after", "pages", "largest worker: RSS", "PSS", "first process: RSS", "trainers: PSS"]
    return Table("soak", title, header, rows)


def _held(server: Server) -> list[str]:
    largest = [max(memory(pid, kind) for pid in server.workers) for kind in ("Rss", "Pss")]
    trained = sum(memory(pid, "Pss") for pid in trainers(server))
    sizes = [*largest, memory(server.process.pid, "Rss"), trained]
    return [f"{size / MIB:.0f} MiB" for size in sizes]


def _wander(server: Server, number: int, end: float, pages: list[int]) -> None:
    draw, game, seen = random.Random(number), build_game(), set[str]()
    by_part = {"": ["/"]}
    while time.monotonic() < end:
        time.sleep(draw.uniform(*READING))
        moves = _moves(game, draw)
        by_part |= {
            "judge, own": [f"/judge?moves={moves}"],
            "arena, own": [f"/arena?add=moves.{moves}"],
            "lab, own": [f"/lab/q-learning,alpha={draw.random():.3f},games=20000"],
        }
        path = by_part[draw.choice([part for part, found in by_part.items() if found])].pop()
        if path in seen:
            continue
        seen.add(path)
        page = until_there(server, path, time.monotonic() + PATIENCE)
        pages.append(page.status)
        links = {unescape(link) for link in LINK.findall(page.text)} - seen
        for link in sorted(links):
            by_part.setdefault(link.split("/")[1].partition("?")[0], []).append(link)


def _moves(game: Game, draw: random.Random) -> str:
    """Return the code of random moves: one in each position."""
    choice = game.legal & False
    for row, legal in zip(choice, game.legal, strict=True):
        row[draw.choice(legal.nonzero()[0].tolist())] = True
    return encode_moves(game, choice)


# People who teach, each a learner of their own, as the page's own requests do.

TEACHERS = 30
THINKING = (0.5, 1.5)  # seconds before a move
SQUARE = re.compile(r'id="board-\w" class="[^"]*" href="([^"]*)"')
NEXT = re.compile(r'id="next"[^>]*?\shref="([^"]*)"')


class Asked(NamedTuple):
    """The response times of visitors, in seconds."""

    moves: list[float]
    ends: list[float]  # seconds for the last move of a game, with the learner's updates


def teaching(seconds: float) -> Table:
    """Measure one person who teaches, then TEACHERS at the same time, each for some seconds."""
    with serving() as server:
        _taught(server, 1, 2.0, 0)  # starts the trainer
        alone = _taught(server, 1, seconds, TEACHERS)
        crowd = _taught(server, TEACHERS, seconds, 2 * TEACHERS)
    ends, moves = sorted(crowd.ends), sorted(crowd.moves)
    rows = [
        [
            "one person: end of a game to what it taught, median",
            ms(median(alone.ends)),
            "< 150 ms",
        ],
        [f"{TEACHERS} people at once, median of {len(ends)}", ms(median(ends)), "< 150 ms"],
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
    """Simulate people who teach; their learners have different seeds, from `first` on."""
    asked, end = Asked([], []), time.monotonic() + seconds
    crowd(lambda seed: _teach(server, first, seed, end, asked), range(people))
    return asked


def _teach(server: Server, first: int, seed: int, end: float, asked: Asked) -> None:
    draw, at = random.Random(seed), f"/teach/menace,seed={first + seed + 1}"
    page = ""
    while time.monotonic() < end:
        time.sleep(draw.uniform(*THINKING))
        squares = SQUARE.findall(page)
        step = unescape(draw.choice(squares)) if squares else page and found_in(page, NEXT)
        start = time.monotonic()
        page, learned = _page(server, urljoin(at, step))
        if squares:
            (asked.ends if learned else asked.moves).append(time.monotonic() - start)
        at = urljoin(at, learned or step)


def _page(server: Server, path: str) -> tuple[str, str]:
    """Return the fragment for htmx, and the URL of the learner's updates if a game has ended.

    Requests with status 202 are repeated, and the waiting time counts.
    """
    while (answer := ask(server, path, PATIENCE, headers=SWAP)).status == 503:
        time.sleep(int(answer.headers["Retry-After"]))
    return answer.text, answer.headers.get("HX-Push-Url", "")


KINDS: dict[str, Callable[[int], Table]] = {
    "classroom": classroom,
    "soak": soak,
    "teaching": teaching,
}


@click.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--kind", type=click.Choice(list(KINDS)), default="classroom", show_default=True)
@click.option(
    "--markdown", type=click.Path(path_type=Path, exists=True), help="Put the table here, too."
)
def main(number: int, kind: str, markdown: Path | None) -> None:
    """Print the measurements for a class, or for other visitors, with their goals."""
    found = KINDS[kind](number)
    show(found)
    if markdown:
        put_into(markdown, found)


if __name__ == "__main__":
    main()
