"""What the processes hold while people wander about the site: `python -m tests.service.soak`.

Each follows links, of a part of the site that is drawn first, as moves would be most of them
otherwise: they train in the lab and teach, judge moves, seat them in the arena, and play.
"""

import html
import random
import re
import time
from threading import Thread

import click

from app.tictactoe.game import Game, connect
from app.tictactoe.moves_code import encode
from tests.service.classroom import PATIENCE, READING, crowd
from tests.service.server import Server, children, memory, serving, trainers, until_there
from tests.service.tables import Table, command

PEOPLE = 10
STEPS = 5
MIB = 2**20
LINK = re.compile(r'href="(/(?!static/)(?![^"#]*\.(?:npz|png))[^"#]*)')  # whose answers are text


def table(seconds: float) -> Table:
    """Let people wander about for so long, and look at the memory now and then."""
    rows: list[list[str]] = []
    pages: list[int] = []  # statuses
    with serving() as server:
        end = time.monotonic() + seconds
        people = Thread(
            target=crowd,
            args=(lambda number: _wander(server, number, end, pages), range(PEOPLE)),
        )
        people.start()
        for step in range(STEPS + 1):
            time.sleep(max(0.0, end - seconds * (1 - step / STEPS) - time.monotonic()))
            rows.append([f"{seconds * step / STEPS:.0f} s", f"{len(pages):,}", *_held(server)])
        people.join()
    refused = sum(status >= 500 for status in pages)
    title = f"{PEOPLE} people for {seconds:g} s; {refused} of their pages were refused"
    header = ["after", "pages", "largest worker: RSS", "PSS", "first process: RSS", "trainers: PSS"]
    return Table("soak", title, header, rows)


def _held(server: Server) -> list[str]:
    largest = [max(memory(pid, kind) for pid in server.workers) for kind in ("Rss", "Pss")]
    training = [pid for line in trainers(server) for pid in (line, *children(line))]
    trained = sum(memory(pid, "Pss") for pid in training)
    sizes = [*largest, memory(server.process.pid, "Rss"), trained]
    return [f"{size / MIB:.0f} MiB" for size in sizes]


def _wander(server: Server, number: int, end: float, pages: list[int]) -> None:
    draw, game, seen = random.Random(number), connect(), set[str]()
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
        links = {html.unescape(link) for link in LINK.findall(page.text)} - seen
        for link in sorted(links):
            by_part.setdefault(link.split("/")[1].partition("?")[0], []).append(link)


def _moves(game: Game, draw: random.Random) -> str:
    """Return the code of any moves: one in each position."""
    choice = game.legal & False
    for row, legal in zip(choice, game.legal, strict=True):
        row[draw.choice(legal.nonzero()[0].tolist())] = True
    return encode(game, choice)


if __name__ == "__main__":
    command(
        table,
        "Print what workers and trainers hold while people wander about the site.",
        click.option("--seconds", default=600.0, help="How long they do."),
    )()
