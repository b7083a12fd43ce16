"""How soon an agent is there that nobody has asked for before: `python -m tests.service.on_demand`.

People change something every ten seconds, each for himself; most never see what another has seen.
"""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles

from tests.service import wrk
from tests.service.server import Server, memory, page, serving, trainers
from tests.service.tables import Table, command, ms

MIB = 2**20
CLIENTS = 30
EVERY = 10.0  # seconds
STARTS = 3
SEED = 1
SHIPPED = ("q-learning-1", "q-table", "double-q", "self-play")
GAMES = 300_000  # the most of a recipe here
WHERE = "lab"  # whose page is asked for
SHIPPED_PAGE = "/agents/q-table"  # is asked for as often as it is answered
RATE_SECONDS = 10
LATER = 1000  # the number of the first client of a second crowd
BOTH = {"q-table": GAMES, "double-q": GAMES, "q-learning": GAMES, "self-play": 220_000}


def table(seconds: float) -> Table:
    """Measure recipes that are new and such as were asked for before, and what the processes hold.

    `seconds` is how long the clients go on.
    """
    first = median(_first() for _ in range(STARTS))
    with serving() as server:
        page(server, "q-learning,games=1000", WHERE)  # so that the trainer is there
        new = _asked(server, seconds)
        again = [page(server, name, WHERE) for name in list(new)[-20:]]
        quiet = _rate(server)
        with ThreadPoolExecutor() as pool:  # the same people go on while the site is asked
            asking = pool.submit(_asked, server, RATE_SECONDS + EVERY / 2, LATER)
            time.sleep(EVERY / 2)
            busy = _rate(server)
            asking.result()
        there = [page(server, name, WHERE) for name in SHIPPED * 6][len(SHIPPED) :]
        rss, pss = (max(memory(pid, kind) for pid in server.workers) for kind in ("Rss", "Pss"))
        trainer = max(memory(pid, "Rss") for pid in trainers(server))
    times = sorted(new.values())
    p95 = quantiles(times, n=20)[-1]
    return Table(
        "on-demand",
        f"Pages of new recipes of up to {GAMES:,} games; {CLIENTS} clients for {seconds:g} s, of "
        f"which each asks for another one every {EVERY:g} s",
        ["what", "figure", "goal"],
        [
            [
                f"the first recipe after the start, median of {STARTS}",
                ms(first),
                "< 2,500 ms",
            ],
            [f"{len(times)} new recipes, median", ms(median(times)), "< 300 ms"],
            ["the same, p95", ms(p95), "< 1,000 ms"],
            [
                "one of the last 20 once more, median",
                ms(median(a.seconds for a in again)),
                "",
            ],
            [
                "an agent that is always there, median",
                ms(median(t.seconds for t in there)),
                "",
            ],
            [f"{SHIPPED_PAGE}, requests/s, nobody in the lab", f"{quiet:,.0f}", ""],
            [f"the same while {CLIENTS} people train", f"{busy:,.0f}", "the same"],
            ["RSS of the largest worker", f"{rss / MIB:.0f} MiB", "< 120 MiB"],
            ["PSS of the largest worker, of two", f"{pss / MIB:.0f} MiB", ""],
            ["RSS of the trainer", f"{trainer / MIB:.0f} MiB", "< 250 MiB"],
        ],
    )


def _rate(server: Server) -> float:
    """Return how many requests a second are answered for a page that needs no training."""
    run = wrk.load(server.url, [SHIPPED_PAGE], {}, RATE_SECONDS)
    return run.whole(SHIPPED_PAGE, server).rate


def _first() -> float:
    with serving() as server:
        return page(server, "q-learning,games=20000", WHERE).seconds


def _asked(server: Server, seconds: float, first: int = 0) -> dict[str, float]:
    """Have the clients ask; return how long each recipe took, in the order of the answers.

    Their numbers begin at `first`: others ask for other recipes.
    """
    took: dict[str, float] = {}
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_client, args=(server, number, end, took))
        for number in range(first, first + CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def _client(server: Server, number: int, end: float, took: dict[str, float]) -> None:
    draw, names = random.Random(SEED + number), _recipes(number)
    time.sleep(draw.uniform(0, EVERY))
    while time.monotonic() < end:
        name, start = next(names), time.monotonic()
        while (answer := page(server, name, WHERE)).status == 503:
            time.sleep(int(answer.retry_after))
        assert answer.status == 200, f"{answer.status} for {name}"
        took[name] = time.monotonic() - start
        time.sleep(max(0.0, start + draw.uniform(0.8, 1.2) * EVERY - time.monotonic()))


def _recipes(number: int) -> Iterator[str]:
    draw = random.Random(SEED + number)
    while True:
        slug = draw.choice([*BOTH])
        games = draw.randrange(1_000, BOTH[slug])
        yield f"{slug},alpha={draw.randrange(1, 100) / 100:g},games={games},seed={number + 1}"


if __name__ == "__main__":
    command(table, "Print how long new recipes take, beside what was hoped for.")()
