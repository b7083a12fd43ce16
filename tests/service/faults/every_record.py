"""Every board and every order of the nine cells, requested from the app in several processes.

The answers are compared with the rules of the tests' reference implementation.

"""

import os
import random
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import permutations
from multiprocessing import get_context

from flask.testing import FlaskClient

from app.web import create_app
from tests.service.faults.finding import Finding, fault
from tests.tictactoe.reference import Rules

CELLS = "012345678"
PAGE, API = "/play/{}?o=human&lens=truth", "/api/v1/games/{}"
PLAYED, PAST_THE_END = 200, 409
SEED = 1
PAGES, ANSWERS = 2_000, 20_000  # orders of a sample, as whole pages and in the API
BATCH = 100


@fault("boards")
def every_board() -> Iterator[Finding]:
    """All positions, as whole pages."""
    rules = told()
    boards = {rules.boards[0]: ""}
    for board in rules.boards:
        for cell, after in rules.children[board].items():
            boards.setdefault(after, f"{boards[board]}{cell}")
    yield asked(f"all {len(boards):,} boards, as whole pages", PAGE, boards.values())


@fault("records")
def orders(everything: bool = False) -> Iterator[Finding]:
    """Orders of the nine cells as records, and the games at their beginning."""
    shuffled = ["".join(order) for order in permutations(CELLS)]
    total = len(shuffled)
    random.Random(SEED).shuffle(shuffled)
    for kind, address, number in [("as whole pages", PAGE, PAGES), ("in the API", API, ANSWERS)]:
        chosen = shuffled if everything else shuffled[:number]
        whole = {order[: end(order)] for order in chosen}
        yield asked(f"{len(chosen):,} of all {total:,} orders of cells, {kind}", address, chosen)
        yield asked(f"the {len(whole):,} games that they begin with, {kind}", address, whole)


@cache
def told() -> Rules:
    return Rules()


def end(record: str) -> int:
    """Return the ply at which the game of a record ends, or the length of the record."""
    board = told().boards[0]
    for ply, cell in enumerate(record):
        if not told().children[board]:
            return ply
        board = told().children[board][int(cell)]
    return len(record)


def asked(done: str, address: str, records: Collection[str]) -> Finding:
    """Request all URLs and count the answers."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as processes:
        statuses = processes.map(partial(status, address), records, chunksize=BATCH)
        pairs = Counter(zip(map(right_status, records), statuses, strict=True))
    wrong = sum(number for (right, seen), number in pairs.items() if seen != right)
    counts = [f"{number:,} x {seen}" for (_, seen), number in sorted(pairs.items())]
    return Finding(
        done,
        f"{PLAYED}, but {PAST_THE_END} if the game was over before; no other status",
        ", ".join(counts) + (f"; {wrong:,} of them wrong" if wrong else ""),
        not wrong,
    )


def right_status(record: str) -> int:
    return PAST_THE_END if end(record) < len(record) else PLAYED


def status(address: str, record: str) -> int:
    """Return the status of an answer; called in each process."""
    return client().get(address.format(record)).status_code


@cache
def client() -> FlaskClient:
    return create_app().test_client()
