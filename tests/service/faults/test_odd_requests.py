"""Invalid requests: each is refused with the headers of the site, and the server continues."""

from functools import partial

import pytest

from tests.service.faults.clients import WHOLE, answer, ask, status
from tests.service.server import Server

HOST = b"Host: localhost\r\n"
END = b"Connection: close\r\n\r\n"
CLOSED = None  # the connection ends without an answer
SERVED = b"Server: "  # stands in every answer of the site; gunicorn refuses without it
SECURE = b"Content-Security-Policy: default-src 'none'; "  # secure responses have this header, too
JSON = b"Content-Type: application/problem+json"


def send(method: bytes, path: bytes = b"/", headers: bytes = b"", body: bytes = b"") -> bytes:
    return method + b" " + path + b" HTTP/1.1\r\n" + HOST + headers + END + body


get = partial(send, b"GET")
CHUNKED = b"Transfer-Encoding: chunked\r\n"
FORM = b"Content-Type: multipart/form-data; boundary=edge\r\n"
CHUNK = b"5\r\nhello\r\n0\r\n\r\n"
BAD_CHUNKS = b"five\r\nhello\r\n", b"2\r\nhello\r\n0\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)
WEBSOCKET = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
LONG_NAME = b"/agents/q-table,taught=,alpha=" + b"9" * 1900 + b"x"


def length(size: object) -> bytes:
    return f"Content-Length: {size}\r\n".encode()


def count_headers(number: int) -> bytes:
    return b"".join(b"X-%d: y\r\n" % n for n in range(number))


SIZES = {
    "an address of 2,000 characters": (get(b"/play/" + b"0" * 1994), 414),
    "an address of 2,000 characters in the API": (get(b"/api/v1/" + b"0" * 1992), 414),
    "a request line of 10,000 bytes": (get(b"/" + b"x" * 9985), 414),
    "a request line of 1 MB": (get(b"/" + MEGABYTE), 414, CLOSED),
    "a header of 10,000 bytes": (get(headers=b"X-Long: " + b"x" * 9990 + b"\r\n"), 431),
    "a header of 1 MB": (get(headers=b"X-Long: " + MEGABYTE + b"\r\n"), 431, CLOSED),
    "150 headers": (get(headers=count_headers(150)), 431),
    "10,000 headers": (get(headers=count_headers(10_000)), 431, CLOSED),
}
BODIES = {
    "GET with a body": (get(headers=length(5), body=b"hello"), 200),
    "GET with a body of 1 MB": (get(headers=length(1 << 20), body=MEGABYTE), 200),
    "GET with a body in chunks": (get(headers=CHUNKED, body=CHUNK), 200),
    "a body shorter than said": (get(headers=length(50), body=b"x"), 200),
    "a length of a terabyte": (get(headers=length(1 << 40)), 200),
    "a negative length": (get(headers=length(-1)), 400),
    "a length that is no number": (get(headers=length("ten")), 400),
    "two lengths that differ": (get(headers=length(5) + length(6), body=b"hello"), 400),
    "a length, and chunks": (get(headers=length(5) + CHUNKED, body=CHUNK), 400),
    "two Transfer-Encodings": (get(headers=CHUNKED + CHUNKED, body=CHUNK), 400),
    "an unknown Transfer-Encoding": (get(headers=b"Transfer-Encoding: cow\r\n"), 501),
    "a chunk whose size is no number": (get(headers=CHUNKED, body=BAD_CHUNKS[0]), 200),
    "POST with 5 MB": (send(b"POST", b"/", length(5 << 20), 5 * MEGABYTE), 405),
    "a table of 5 MB": (send(b"POST", b"/judge", length(5 << 20), 5 * MEGABYTE), 413),
    "a table in endless chunks": (
        send(b"POST", b"/judge", CHUNKED, 5 * (b"100000\r\n" + MEGABYTE + b"\r\n")),
        413,
    ),
    "a pickle": (send(b"POST", b"/judge", length(5), b"\x80\x04K\x01."), 400),
    "no table": (send(b"POST", b"/judge"), 400),
    **{
        f"chunks of a wrong size: {path.decode()} {number}": (
            send(b"POST", path, FORM + CHUNKED, body),
            400,
        )
        for path in (b"/judge", b"/api/v1/judge", b"/teach/class")
        for number, body in enumerate(BAD_CHUNKS)
    },
}
METHODS = {
    **{
        name.decode(): (send(name), 405)
        for name in (b"POST", b"PUT", b"DELETE", b"PATCH", b"TRACE", b"BREW")
    },
    "POST /reply/4 with a body": (send(b"POST", b"/reply/4", length(5), b"hello"), 405),
    "CONNECT": (send(b"CONNECT", b"localhost:22"), 404),
    "a method of 1,000 letters": (send(b"A" * 1000), 400),
    "HEAD": (send(b"HEAD"), 200),
    "HEAD with a header without a name": (b"HEAD / HTTP/1.1\r\n: x\r\n" + END, 400),
    "OPTIONS /": (send(b"OPTIONS"), 200),
    "OPTIONS *": (send(b"OPTIONS", b"*"), 404),
}
LINES = {
    "control characters": (get(b"/\x01\x02\x7f"), 400),
    "a NUL": (get(b"/\x00"), 400),
    "a NUL in a header": (get(headers=b"X-Nul: \x00\r\n"), 400),
    "no UTF-8": (get(b"/play/\xff\xfe?x=\xff"), 400),
    "no UTF-8, percent-encoded": (get(b"/play/%ff%fe?x=%ff"), 400),
    "a NUL and a line break, percent-encoded": (get(b"/play/%00%0d%0a"), 400),
    "../ in the address of a file": (get(b"/static/../../app/__init__.py"), 404),
    "the same percent-encoded": (get(b"/static/%2e%2e/%2e%2e/pyproject.toml"), 404),
    "a whole URL": (get(b"http://localhost/"), 200),
    "no address": (b"GET\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + END, 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "HTTP/1.0": (b"GET / HTTP/1.0\r\n\r\n", 200),
    "HTTP/0.9": (b"GET /\r\n", 400),
    "HTTP/9.9": (b"GET / HTTP/9.9\r\n" + HOST + END, 400),
    "no Host": (b"GET / HTTP/1.1\r\n" + END, 200, 400),
    "a Host that is none": (b"GET / HTTP/1.1\r\nHost: a b/c\r\n" + END, 400),
    "a Host that is none, in the API": (
        b"GET /api/v1/agents HTTP/1.1\r\nHost: a b\r\n" + END,
        400,
    ),
    "a Host that ends in the middle": (b"GET /api HTTP/1.1\r\nHost: xn--\r\n" + END, 400),
    "a header without a name": (get(headers=b": x\r\n"), 400),
    "a header with a space in its name": (get(headers=b"X Y: x\r\n"), 400),
    "a folded header": (get(headers=b"X-Folded: a\r\n b\r\n"), 400),
    "a wish for a WebSocket": (get(headers=WEBSOCKET), 200),
    "two slashes at the start": (get(b"//evil.example/x"), 308),
    "two slashes in the path": (get(b"/play//nowhere"), 308),
    "a number of 1,900 digits in a recipe": (get(LONG_NAME), 400),
    "a wish for a body first": (get(headers=b"Expect: magic\r\n"), 417),
}


@pytest.mark.parametrize("requests", [SIZES, BODIES, METHODS, LINES])
def test_an_odd_request_is_refused_and_nothing_else_happens(
    app_server: Server, requests: dict[str, tuple[bytes | int | None, ...]]
) -> None:
    workers, tracebacks = app_server.workers, app_server.log.count("Traceback")
    for done, (request, *right) in requests.items():
        assert isinstance(request, bytes)
        received = answer(app_server.port, request)
        assert status(received) in right, done
        if SERVED in received:
            assert SECURE in received, done
            assert "in the API" not in done or JSON in received
        assert ask(app_server.port, WHOLE) == 200, done
    assert workers <= app_server.workers
    assert app_server.log.count("Traceback") == tracebacks
