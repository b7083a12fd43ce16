"""Clients that do not finish keep no normal request waiting."""

import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.service.faults.clients import (
    WHOLE,
    ask,
    connect,
    half_open,
    seconds_of_a_good_request,
)
from tests.service.server import Server, open_files, serving, wait_until

GOOD = 10  # requests
STAY = 5  # seconds
UNDER_WAY = 2.0  # seconds
LIMIT = 60.0  # seconds in which a client has to take its answer
PATIENCE = 60.0  # seconds: what any machine keeps, however busy it is
AT_ONCE = 1.0
ANSWERED = 6.0  # seconds until all that so many have asked for is answered as far as they read
PAGES = 100
PAGE = b"GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n"
TABLE = b"GET /agents/champion.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"
UNSENT = WHOLE.replace(b"Connection: close", b"Content-Length: 1000")
SMALL = 2048  # bytes that a slow reader's system takes for it

Hold = Callable[[int, int], AbstractContextManager[object]]  # port, how many


@contextmanager
def silent(port: int, number: int) -> Iterator[None]:
    """Open connections, and send nothing."""
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(connect(port))
        yield


@contextmanager
def staying(request: bytes, port: int, number: int) -> Iterator[None]:
    """Open this number of connections per second; each stays open for some seconds after its answer."""
    stop = Event()

    def client() -> None:
        held: deque[socket.socket] = deque()
        begin = time.monotonic()
        for count in range(1, number * int(PATIENCE)):
            held.append(connect(port))
            held[-1].sendall(request)
            if len(held) > number * STAY:
                held.popleft().close()
            if stop.wait(max(0.0, begin + count / number - time.monotonic())):
                break
        for connection in held:
            connection.close()

    thread = Thread(target=client)
    thread.start()
    time.sleep(UNDER_WAY)
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def reading_slowly(
    request: bytes, size: int, pause: float, port: int, number: int
) -> Iterator[None]:
    """Send requests, and read this many bytes of their answers after each pause."""
    stop = Event()

    def read(connections: list[socket.socket]) -> None:
        while not stop.wait(pause):
            for connection in connections:
                with suppress(OSError):  # it may have been given up
                    connection.recv(size)

    with ExitStack() as stack:
        held = [stack.enter_context(connect(port, receive=SMALL)) for _ in range(number)]
        for connection in held:
            with suppress(OSError):
                connection.sendall(request)
        reader = Thread(target=read, args=(held,))
        reader.start()
        try:
            yield
        finally:
            stop.set()
            reader.join()


BYTE_BY_BYTE = partial(reading_slowly, PAGE * PAGES, 1, 1.0)


def assert_others_are_answered(server: Server, hold: Hold, number: int, patience: float) -> None:
    """Hold this number of connections, and send normal requests meanwhile."""
    workers = server.workers
    with hold(server.port, number):
        for _ in range(GOOD):
            assert seconds_of_a_good_request(server.port, PATIENCE) < patience
    assert workers <= server.workers


@pytest.mark.parametrize(
    ("hold", "number"), [(half_open, 600), (silent, 600), (partial(staying, WHOLE), 300)]
)
def test_many_connections_do_not_keep_a_client_out(
    app_server: Server, hold: Hold, number: int
) -> None:
    """A server that waits until each client closes its connection would need minutes."""
    assert_others_are_answered(app_server, hold, number, PATIENCE)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("hold", "numbers", "patience"),
    [
        (half_open, (30, 520, 3200), AT_ONCE),
        (silent, (30, 520, 3200), AT_ONCE),
        (partial(staying, WHOLE), (600,), AT_ONCE),
        (partial(staying, b"BAD\r\n\r\n"), (600,), AT_ONCE),
        (partial(staying, UNSENT), (600,), AT_ONCE),
        (partial(staying, WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0")), (600,), AT_ONCE),
        (BYTE_BY_BYTE, (30, 520), ANSWERED),
        (partial(reading_slowly, TABLE, 4096, 2.5), (200,), AT_ONCE),
    ],
)
def test_they_hardly_slow_it_down(hold: Hold, numbers: tuple[int, ...], patience: float) -> None:
    """On a quiet machine."""
    with serving() as server:
        for number in numbers:
            assert_others_are_answered(server, hold, number, patience)


@pytest.mark.faults
def test_who_does_not_take_an_answer_is_given_up() -> None:
    with serving() as server:
        workers = server.workers
        before = {worker: open_files(worker) for worker in workers}
        with BYTE_BY_BYTE(server.port, 100):
            wait_until(lambda: sum(map(open_files, workers)) >= sum(before.values()) + 100)
            wait_until(
                lambda: all(open_files(one) <= before[one] for one in workers), LIMIT + AT_ONCE
            )


def test_tables_that_arrive_slowly_do_not_keep_others_from_the_judge(app_server: Server) -> None:
    body = Path("tests/data/judge/own-side.csv").read_bytes()
    head = f"POST /api/v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    table = f"{head}Connection: close\r\n\r\n".encode() + body
    slow = b"POST /judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    with ExitStack() as stack:
        for _ in range(120):
            stack.enter_context(connect(app_server.port)).sendall(slow)
        assert [ask(app_server.port, table) for _ in range(8)] == [200] * 8
