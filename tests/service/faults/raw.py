"""Bytes sent and received as they are, right or wrong."""

import math
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Unfinished: "
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def connect(port: int, timeout: float = 30.0, receive: int = 0) -> socket.socket:
    """Open a connection, if `receive` is given one whose system takes in little more than that."""
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


def ask(port: int, request: bytes, timeout: float = 30.0) -> int | None:
    """Return the status of what `answer` returns, None if the connection closes without one."""
    return status(answer(port, request, timeout))


def answer(port: int, request: bytes, timeout: float = 30.0) -> bytes:
    """Send bytes, read to the end; return what comes.

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
    """Return the status that an answer begins with, None if it is none."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", received)
    return int(found[1]) if found else None


def seconds_of_a_good_request(port: int, timeout: float = 30.0) -> float:
    """Return how long it takes to be answered; infinitely long if it is too long."""
    start = time.monotonic()
    try:
        answered = ask(port, WHOLE, timeout) == 200
    except TimeoutError:
        return math.inf
    assert answered, "a good request is answered 200"
    return time.monotonic() - start


@contextmanager
def half_open(port: int, number: int) -> Iterator[list[socket.socket]]:
    """Hold connections whose requests have begun and do not end."""
    with ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(number)]
        for connection in held:
            connection.sendall(HALF)
        yield held


def finish(connection: socket.socket) -> int | None:
    """Send the rest of a request that was half sent and return the status of its answer."""
    try:
        connection.sendall(b"\r\n\r\n")
        return status(connection.recv(1 << 16))
    except OSError:
        return None
