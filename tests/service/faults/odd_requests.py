"""Invalid requests: each is rejected, and the server continues."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.service.faults.clients import WHOLE, answer, ask, status
from tests.service.faults.finding import Finding, on_a_server
from tests.service.server import Server

LIMIT = 300.0  # seconds until an answer, or an end: only what hangs needs longer
HOST = b"Host: localhost\r\n"
END = b"Connection: close\r\n\r\n"
CLOSED = None  # the connection ends without an answer
SERVED = b"Server: "  # stands in every answer of the site; gunicorn refuses without it
SECURE = b"Content-Security-Policy: default-src 'none'; "  # secure responses have this header, too
JSON = b"Content-Type: application/problem+json"


class Odd(NamedTuple):
    """A request with its accepted statuses."""

    done: str
    request: bytes
    right: set[int | None]


def get(path: bytes = b"/", headers: bytes = b"", body: bytes = b"") -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + headers + END + body


def method(name: bytes, path: bytes = b"/") -> bytes:
    return name + b" " + path + b" HTTP/1.1\r\n" + HOST + END


CHUNKED = b"Transfer-Encoding: chunked\r\n"
FORM = b"Content-Type: multipart/form-data; boundary=edge\r\n"
CHUNK = b"5\r\nhello\r\n0\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)

WEBSOCKET = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"

SIZES = [
    Odd("an address of 2,000 characters", get(b"/play/" + b"0" * 1994), {414}),
    Odd("a request line of 10,000 bytes", get(b"/" + b"x" * 9985), {414}),
    Odd("a request line of 1 MB", get(b"/" + MEGABYTE), {414, CLOSED}),
    Odd("a header of 10,000 bytes", get(headers=b"X-Long: " + b"x" * 9990 + b"\r\n"), {431}),
    Odd("a header of 1 MB", get(headers=b"X-Long: " + MEGABYTE + b"\r\n"), {431, CLOSED}),
    Odd("150 headers", get(headers=b"".join(b"X-%d: y\r\n" % n for n in range(150))), {431}),
    Odd(
        "10,000 headers",
        get(headers=b"".join(b"X-%d: y\r\n" % n for n in range(10_000))),
        {431, CLOSED},
    ),
]
BODIES = [
    Odd("GET with a body", get(headers=b"Content-Length: 5\r\n", body=b"hello"), {200}),
    Odd(
        "GET with a body of 1 MB",
        get(headers=b"Content-Length: 1048576\r\n", body=MEGABYTE),
        {200},
    ),
    Odd("GET with a body in chunks", get(headers=CHUNKED, body=CHUNK), {200}),
    Odd("a body shorter than said", get(headers=b"Content-Length: 50\r\n", body=b"x"), {200}),
    Odd("a Content-Length of a terabyte", get(headers=b"Content-Length: 1099511627776\r\n"), {200}),
    Odd("a negative Content-Length", get(headers=b"Content-Length: -1\r\n"), {400}),
    Odd("a Content-Length that is no number", get(headers=b"Content-Length: ten\r\n"), {400}),
    Odd(
        "two Content-Lengths that differ",
        get(headers=b"Content-Length: 5\r\nContent-Length: 6\r\n", body=b"hello"),
        {400},
    ),
    Odd(
        "Content-Length and Transfer-Encoding",
        get(headers=b"Content-Length: 5\r\n" + CHUNKED, body=CHUNK),
        {400},
    ),
    Odd("two Transfer-Encodings", get(headers=CHUNKED + CHUNKED, body=CHUNK), {400}),
    Odd("an unknown Transfer-Encoding", get(headers=b"Transfer-Encoding: cow\r\n"), {501}),
    Odd(
        "POST with a body of 5 MB",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5242880\r\n" + END + 5 * MEGABYTE,
        {405},
    ),
    Odd(
        "POST /judge with a body of 5 MB",
        b"POST /judge HTTP/1.1\r\n" + HOST + b"Content-Length: 5242880\r\n" + END + 5 * MEGABYTE,
        {413},
    ),
    Odd(
        "POST /judge with a body of a terabyte in chunks",
        b"POST /judge HTTP/1.1\r\n"
        + HOST
        + CHUNKED
        + END
        + 5 * (b"100000\r\n" + MEGABYTE + b"\r\n"),
        {413},
    ),
    Odd(
        "POST /judge with a pickle",
        b"POST /judge HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n" + END + b"\x80\x04K\x01.",
        {400},
    ),
    *(
        Odd(
            f"POST {path} with {what}",
            f"POST {path} HTTP/1.1\r\n".encode() + HOST + FORM + CHUNKED + END + body,
            {400},
        )
        for path in ("/judge", "/api/v1/judge", "/teach/class")
        for what, body in (
            ("a chunk whose size is no number", b"five\r\nhello\r\n"),
            ("a chunk that is longer than its size", b"2\r\nhello\r\n0\r\n\r\n"),
        )
    ),
    Odd("POST /judge without a body", method(b"POST", b"/judge"), {400}),
    Odd("a chunk whose size is no number", get(headers=CHUNKED, body=b"five\r\nhello\r\n"), {200}),
]
METHODS = [
    Odd(f"{name} /", method(name.encode()), {405})
    for name in ("POST", "PUT", "DELETE", "PATCH", "TRACE")
] + [
    Odd("POST /reply/4 with a body", b"POST /reply/4 HTTP/1.1\r\n" + HOST +
        b"Content-Length: 5\r\n" + END + b"hello", {405}),
    Odd("CONNECT localhost:22", method(b"CONNECT", b"localhost:22"), {404}),
    Odd("a method BREW", method(b"BREW"), {405}),
    Odd("a method of 1,000 letters", method(b"A" * 1000), {400}),
    Odd("HEAD /", method(b"HEAD"), {200}),
    Odd("HEAD with a header without a name", b"HEAD / HTTP/1.1\r\n: x\r\n" + END, {400}),
    Odd("OPTIONS /", method(b"OPTIONS"), {200}),
    Odd("OPTIONS *", method(b"OPTIONS", b"*"), {404}),
]  # fmt: skip
LINES = [
    Odd("control characters in the request line", get(b"/\x01\x02\x7f"), {400}),
    Odd("a NUL in the request line", get(b"/\x00"), {400}),
    Odd("a NUL in a header", get(headers=b"X-Nul: \x00\r\n"), {400}),
    Odd("bytes that are no UTF-8", get(b"/play/\xff\xfe?x=\xff"), {400}),
    Odd("percent-encoded bytes that are no UTF-8", get(b"/play/%ff%fe?x=%ff"), {400}),
    Odd("a percent-encoded NUL and line break", get(b"/play/%00%0d%0a"), {400}),
    Odd("../ in the address of a file", get(b"/static/../../app/__init__.py"), {404}),
    Odd("the same percent-encoded", get(b"/static/%2e%2e/%2e%2e/pyproject.toml"), {404}),
    Odd("a whole URL as the address", get(b"http://localhost/"), {200}),
    Odd("no address at all", b"GET\r\n\r\n", {400}),
    Odd("bytes of TLS, and a line break", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + END, {400}),
    Odd("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400}),
    Odd("HTTP/1.0", b"GET / HTTP/1.0\r\n\r\n", {200}),
    Odd("HTTP/0.9", b"GET /\r\n", {400}),
    Odd("HTTP/9.9", b"GET / HTTP/9.9\r\n" + HOST + END, {400}),
    Odd("HTTP/1.1 without a Host", b"GET / HTTP/1.1\r\n" + END, {200, 400}),
    Odd("a Host that is none", b"GET / HTTP/1.1\r\nHost: a b/c\r\n" + END, {400}),
    Odd("a Host that ends in the middle", b"GET /api HTTP/1.1\r\nHost: xn--\r\n" + END, {400}),
    Odd("a header without a name", get(headers=b": x\r\n"), {400}),
    Odd("a header with a space in its name", get(headers=b"X Y: x\r\n"), {400}),
    Odd("a folded header", get(headers=b"X-Folded: a\r\n b\r\n"), {400}),
    Odd("a wish for a WebSocket", get(headers=WEBSOCKET), {200}),
    Odd("two slashes at the start of the path", get(b"//evil.example/x"), {308}),
    Odd("two slashes in the path", get(b"/play//nowhere"), {308}),
    Odd(
        "a number of 1,900 digits in a recipe",
        get(b"/agents/q-table,taught=,alpha=" + b"9" * 1900 + b"x"),
        {400},
    ),
    Odd("a wish for a body first", get(headers=b"Expect: magic\r\n"), {417}),
]


IN_API = [
    Odd("an address of 2,000 characters", get(b"/api/v1/" + b"0" * 1992), {414}),
    Odd("a Host that is none", b"GET /api/v1/agents HTTP/1.1\r\nHost: a b\r\n" + END, {400}),
]


@on_a_server("odd-requests")
def odd_requests(server: Server) -> Iterator[Finding]:
    """Wrong sizes, bodies, methods and lines."""
    for odd in SIZES + BODIES + METHODS + LINES:
        yield sent(server, odd, "with our headers if the site answers", SECURE)
    for odd in IN_API:
        told = odd._replace(done=f"{odd.done}, in the API")
        yield sent(server, told, "with our headers, as JSON", SECURE, JSON)
    faults = server.log.count("Traceback")
    yield Finding("all of them", "no traceback in the log", f"{faults} tracebacks", faults == 0)


def sent(server: Server, odd: Odd, how: str, *wanted: bytes) -> Finding:
    """Send an odd request and then a normal one; an answer must contain the required bytes."""
    workers = server.workers
    try:
        received = answer(server.port, odd.request, LIMIT)
        seen = name(status(received))
    except TimeoutError:
        received, seen = b"", f"neither in {LIMIT:g} s"
    right = [name(code) for code in odd.right]
    whole = SERVED not in received or all(each in received for each in wanted)
    well = ask(server.port, WHOLE, LIMIT) == 200 and workers <= server.workers
    return Finding(
        odd.done,
        f"{' or '.join(right)}, {how}; then all is well",
        seen + ("" if whole else " without them") + ("" if well else "; then it is not"),
        seen in right and whole and well,
    )


def name(code: int | None) -> str:
    return "closed" if code is None else str(code)
