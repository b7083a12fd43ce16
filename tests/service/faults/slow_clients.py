"""Clients that do not finish, and the waiting time of a normal request meanwhile."""

import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from statistics import median
from threading import Event, Thread

from tests.service.faults.clients import WHOLE, connect, half_open, seconds_of_a_good_request
from tests.service.faults.finding import Finding, on_a_server
from tests.service.server import Server, open_files, serving, wait_until

GOOD = 10  # requests
RATE = 600  # connections a second
STAY = 5  # seconds
UNDER_WAY = 2.0  # seconds
LIMIT = 60.0  # seconds in which a client has to take its answer
PATIENCE = 60.0  # seconds
AT_ONCE = 1.0
ANSWERED = 6.0  # seconds until all that so many have asked for is answered as far as they read
PAGES = 100
PAGE = b"GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n"
TABLE = b"GET /agents/champion.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"
UNSENT = WHOLE.replace(b"Connection: close", b"Content-Length: 1000")
SMALL = 2048  # bytes that a slow reader's system takes for it

Hold = Callable[[int, int], AbstractContextManager[object]]  # port, how many


@on_a_server("half-open")
def half_open_connections(server: Server) -> Iterator[Finding]:
    """Headers that never end."""
    for number in (30, 520, 3200):
        yield beside_a_good_request(server, number, "whose headers never end", half_open)


@on_a_server("silent")
def silent_connections(server: Server) -> Iterator[Finding]:
    """Connections without any data."""
    for number in (30, 520, 3200):
        yield beside_a_good_request(server, number, "on which nothing is sent", silent)


@on_a_server("staying")
def clients_that_stay(server: Server) -> Iterator[Finding]:
    """Clients that keep the connection open after the answer."""
    ends = "a second that are answered and closed, and whose clients do not hang up"
    for done, request in [
        (f"new connections {ends}", WHOLE),
        (f"new connections {ends}, with `BAD`", b"BAD\r\n\r\n"),
        ("new connections a second that announce a body and never send it", UNSENT),
        (f"new connections {ends}, by HTTP/1.0", WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0")),
    ]:
        yield beside_a_good_request(server, RATE, done, partial(staying, request))


@on_a_server("slow-readers")
def slow_readers(server: Server) -> Iterator[Finding]:
    """Clients that read answers very slowly."""
    done = f"that ask for {PAGES} pages and read a byte a second"
    for number in (30, 520):
        hold = partial(reading_slowly, PAGE * PAGES, 1, 1.0)
        yield beside_a_good_request(server, number, done, hold, ANSWERED)
    done = "that ask for a table of 389 KB and read 4 KB of it each 2.5 s"
    yield beside_a_good_request(server, 200, done, partial(reading_slowly, TABLE, 4096, 2.5))
    with serving() as other:  # a server without free connections
        workers = other.workers
        before = {worker: open_files(worker) for worker in workers}
        with reading_slowly(PAGE * PAGES, 1, 1.0, other.port, 100):
            wait_until(lambda: sum(map(open_files, workers)) >= sum(before.values()) + 100)
            began = time.monotonic()
            wait_until(lambda: all(open_files(one) <= before[one] for one in workers), 2 * LIMIT)
            seconds = time.monotonic() - began
    yield Finding(
        f"100 connections that ask for {PAGES} pages and read a byte a second",
        f"given up after {LIMIT:g} s in all",
        f"all of them after {seconds:.0f} s",
        seconds < LIMIT + AT_ONCE,
    )


def beside_a_good_request(
    server: Server, number: int, done: str, hold: Hold, patience: float = AT_ONCE
) -> Finding:
    """Hold this number of connections and send a normal request meanwhile."""
    workers = server.workers
    before = good_requests(server.port)
    with hold(server.port, number):
        meanwhile = good_requests(server.port)
    after = good_requests(server.port)
    kept = workers <= server.workers
    return Finding(
        f"{number} {done if done.startswith('new') else f'connections {done}'}",
        f"good requests answered within {patience:g} s meanwhile",
        f"before {written(before)}, meanwhile {written(meanwhile)}, after {written(after)}"
        + ("" if kept else "; a worker was killed for it"),
        max(meanwhile) < patience and kept,
    )


def good_requests(port: int) -> list[float]:
    """Repeat normal requests; return their times, ending with an infinite one if it takes too long."""
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
    """Send requests and read their answers slowly, again and again."""
    stop = Event()
    with ExitStack() as stack:
        held = [stack.enter_context(connect(port, receive=SMALL)) for _ in range(number)]
        for connection in held:
            with suppress(OSError):
                connection.sendall(request)
        reader = Thread(target=read_slowly, args=(held, size, pause, stop))
        reader.start()
        try:
            yield
        finally:
            stop.set()
            reader.join()


def read_slowly(connections: list[socket.socket], size: int, pause: float, stop: Event) -> None:
    while not stop.wait(pause):
        for connection in connections:
            with suppress(OSError):  # it may have been given up
                connection.recv(size)
