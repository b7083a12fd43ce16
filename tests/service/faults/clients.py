"""Clients: single requests byte by byte, and steady load during a failure."""

import http.client
import math
import random
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from typing import NamedTuple

from tests.service.server import START_SECONDS, wait_until

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Unfinished: "
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
CLIENTS = 4  # number of clients with kept connections, and of clients without
PAUSE = 0.005  # seconds between two requests of a client
TIMEOUT = 20.0
NO_ANSWER = (http.client.HTTPException, OSError)


def connect(port: int, timeout: float = START_SECONDS, receive: int = 0) -> socket.socket:
    """Open a connection, with a receive buffer of about `receive` bytes if given."""
    connection = socket.socket()
    connection.settimeout(timeout)
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    try:
        connection.connect(("127.0.0.1", port))
    except OSError:
        connection.close()
        raise
    return connection


def ask(port: int, request: bytes, timeout: float = START_SECONDS) -> int | None:
    """Return the status of the result of `answer`, None if the connection closes without an answer."""
    return status(answer(port, request, timeout))


def answer(port: int, request: bytes, timeout: float = START_SECONDS) -> bytes:
    """Send bytes, read to the end of the answer and return it.

    Raises TimeoutError if the end does not come in time.
    """
    with connect(port, timeout) as connection:
        received = b""
        with suppress(BrokenPipeError, ConnectionResetError):  # it need not read what it refuses
            connection.sendall(request)
        with suppress(ConnectionResetError):
            while more := connection.recv(1 << 16):
                received += more
    return received


def status(received: bytes) -> int | None:
    """Return the status of an answer, None if it is not a valid answer."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", received)
    return int(found[1]) if found else None


def seconds_of_a_good_request(port: int, timeout: float = START_SECONDS) -> float:
    """Return the response time of a normal request; infinite if it takes too long."""
    start = time.monotonic()
    try:
        answered = ask(port, WHOLE, timeout) == 200
    except TimeoutError:
        return math.inf
    assert answered, "a good request is answered 200"
    return time.monotonic() - start


@contextmanager
def half_open(port: int, number: int) -> Iterator[list[socket.socket]]:
    """Hold connections with incomplete requests."""
    with ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(number)]
        for connection in held:
            connection.sendall(HALF)
        yield held


def finish(connection: socket.socket) -> int | None:
    """Send the rest of an incomplete request and return the status of its answer."""
    try:
        connection.sendall(b"\r\n\r\n")
        return status(connection.recv(1 << 16))
    except OSError:
        return None


class Asked(NamedTuple):
    """A request with its times and its result."""

    id: str  # the name that the log knows it by
    kept: bool  # on a connection that had been answered before
    start: float  # seconds
    end: float
    trouble: str  # why it is lost; "" if all of its answer came


class Load:
    """Clients that request pages until they are stopped."""

    def __init__(self, port: int):
        self.port = port
        self.asked: list[Asked] = []
        self.going_on = threading.Event()
        self.going_on.set()
        self.threads = [
            threading.Thread(target=self._client, args=(number, number < CLIENTS))
            for number in range(2 * CLIENTS)
        ]

    @property
    def lost(self) -> list[Asked]:
        """The requests without a whole answer, or with a status other than 200."""
        return [asked for asked in list(self.asked) if asked.trouble not in ("", "refused")]

    @property
    def answered(self) -> list[Asked]:
        return [asked for asked in list(self.asked) if not asked.trouble]

    def go_on(self, requests: int = 100) -> None:
        """Wait for this number of further answers."""
        enough = len(self.answered) + requests
        wait_until(lambda: len(self.answered) >= enough)

    def _client(self, number: int, keeps: bool) -> None:
        draw, connection = random.Random(number), self._connection()
        for request in count():
            if not self.going_on.is_set():
                break
            asked = self._ask(connection, f"client-{number}-{request}", keeps, draw)
            self.asked.append(asked)
            if asked.trouble == "refused":
                break
            if asked.trouble:
                connection.close()
            time.sleep(PAUSE)
        connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def _ask(
        self, connection: http.client.HTTPConnection, name: str, keeps: bool, draw: random.Random
    ) -> Asked:
        record = "".join(draw.sample("012345678", 4))  # nobody can have won so early
        headers = {"X-Request-ID": name} | ({} if keeps else {"Connection": "close"})
        start, kept, trouble = time.monotonic(), connection.sock is not None, ""
        try:
            connection.request("GET", f"/play/{record}", headers=headers)
            answer = connection.getresponse()
            answer.read()
            trouble = "" if answer.status == 200 else f"status {answer.status}"
        except ConnectionRefusedError:
            trouble = "refused"
        except NO_ANSWER as error:
            trouble = type(error).__name__
        return Asked(name, kept, start, time.monotonic(), trouble)


@contextmanager
def load(port: int) -> Iterator[Load]:
    """Keep a server busy."""
    clients = Load(port)
    for thread in clients.threads:
        thread.start()
    try:
        yield clients
    finally:
        clients.going_on.clear()
        for thread in clients.threads:
            thread.join()
