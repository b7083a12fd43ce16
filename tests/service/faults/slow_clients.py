"""Clients that begin and do not end, and what a good request has to wait meanwhile."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from statistics import median
from threading import Event, Thread

from tests.service.faults.finding import Finding
from tests.service.faults.raw import WHOLE, connect, half_open, seconds_of_a_good_request
from tests.service.server import serving

GOOD = 10  # requests
PATIENCE = 15.0  # seconds
AT_ONCE = 1.0
PAGES = 100
PAGE = b"GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n"
SMALL = 2048  # bytes that a slow reader's system takes for it

Hold = Callable[[int, int], AbstractContextManager[object]]  # port, how many


def half_open_connections() -> Iterator[Finding]:
    """Headers that never end."""
    for number in (30, 300):
        yield beside_a_good_request(number, "whose headers never end", half_open)


def silent_connections() -> Iterator[Finding]:
    """Connections on which nothing is ever sent."""
    for number in (30, 300):
        yield beside_a_good_request(number, "on which nothing is sent", silent)


def clients_that_stay() -> Iterator[Finding]:
    """Answers after which the client does not hang up."""
    for number in (3, 30):
        yield beside_a_good_request(
            number, "answered with `Connection: close` whose clients do not hang up", staying
        )


def slow_readers() -> Iterator[Finding]:
    """Pages that are asked for and hardly read."""
    done = f"that ask for {PAGES} pages and read a byte a second"
    yield beside_a_good_request(30, done, reading_slowly)


def beside_a_good_request(number: int, done: str, hold: Hold) -> Finding:
    """Hold so many connections, and ask something good meanwhile."""
    with serving() as server:
        workers = server.workers
        before = good_requests(server.port)
        with hold(server.port, number):
            meanwhile = good_requests(server.port)
        after = good_requests(server.port)
        kept = workers <= server.workers
    return Finding(
        f"{number} connections {done}",
        f"good requests answered within {AT_ONCE:g} s meanwhile",
        f"before {written(before)}, meanwhile {written(meanwhile)}, after {written(after)}"
        + ("" if kept else "; a worker was killed for it"),
        max(meanwhile) < AT_ONCE and kept,
    )


def good_requests(port: int) -> list[float]:
    """Ask again and again; return the seconds of each, infinite and the last if one is too long."""
    seconds: list[float] = []
    while len(seconds) < GOOD and (not seconds or seconds[-1] < PATIENCE):
        seconds.append(seconds_of_a_good_request(port, PATIENCE))
    return seconds


def written(seconds: Sequence[float]) -> str:
    if max(seconds) > PATIENCE:
        return f"no answer in {PATIENCE:g} s"
    return f"{1000 * median(seconds):.0f} ms (at most {1000 * max(seconds):.0f})"


@contextmanager
def silent(port: int, number: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(connect(port))
        yield


@contextmanager
def staying(port: int, number: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(connect(port)).sendall(WHOLE)
        yield


@contextmanager
def reading_slowly(port: int, number: int) -> Iterator[None]:
    stop = Event()
    with ExitStack() as stack:
        held = [stack.enter_context(connect(port, receive=SMALL)) for _ in range(number)]
        for connection in held:
            connection.sendall(PAGE * PAGES)
        reader = Thread(target=read_slowly, args=(held, stop))
        reader.start()
        try:
            yield
        finally:
            stop.set()
            reader.join()


def read_slowly(connections: list[socket.socket], stop: Event) -> None:
    while not stop.wait(1.0):
        for connection in connections:
            connection.recv(1)
