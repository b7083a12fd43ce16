"""Every board and every order of the nine cells, requested from the app in several processes.

The answers are compared with the rules of the tests' reference implementation.

"""

import os
import random
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import permutations
from multiprocessing import get_context

import pytest
from flask.testing import FlaskClient

from app.web import create_app
from tests.tictactoe.reference import Rules

PAGE, API = "/play/{}?o=human&lens=truth", "/api/v1/games/{}"
PLAYED, PAST_THE_END = 200, 409
# Orders of a sample; FAULTS_RECORDS=362880 tries all, which takes half an hour.
PAGES = ANSWERS = int(os.environ.get("FAULTS_RECORDS", "0"))
PAGES, ANSWERS = PAGES or 2_000, ANSWERS or 20_000


@cache
def rules() -> Rules:
    return Rules()


def end(record: str) -> int:
    """Return the ply at which the game of a record ends, or the length of the record."""
    board = rules().boards[0]
    for ply, cell in enumerate(record):
        if not rules().children[board]:
            return ply
        board = rules().children[board][int(cell)]
    return len(record)


@cache
def client() -> FlaskClient:
    return create_app().test_client()


def get_status(address: str, record: str) -> int:
    """Return the status of an answer; called in each process."""
    return client().get(address.format(record)).status_code


def assert_only_games_are_shown(address: str, records: Iterable[str]) -> None:
    known = list(records)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as processes:
        statuses = list(processes.map(partial(get_status, address), known, chunksize=100))
    right = [PAST_THE_END if end(record) < len(record) else PLAYED for record in known]
    assert statuses == right


@pytest.mark.faults
def test_every_board_has_a_page() -> None:
    boards = {rules().boards[0]: ""}
    for board in rules().boards:
        for cell, after in rules().children[board].items():
            boards.setdefault(after, f"{boards[board]}{cell}")
    assert_only_games_are_shown(PAGE, boards.values())


@pytest.mark.faults
@pytest.mark.parametrize(("address", "number"), [(PAGE, PAGES), (API, ANSWERS)])
def test_every_order_of_the_cells_is_a_game_up_to_its_end(address: str, number: int) -> None:
    orders = ["".join(order) for order in permutations("012345678")]
    chosen = random.Random(1).sample(orders, number)
    assert_only_games_are_shown(address, chosen)
    assert_only_games_are_shown(address, {order[: end(order)] for order in chosen})
