"""The response cache: a cached response is sent without calling the application.

Responses are cached by the URL, the encoding, and whether htmx sent the request. The URL counts
without the parameters that its page does not read (see `queries.py`).
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock, local
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from cachetools import LRUCache
from werkzeug.datastructures import Headers
from werkzeug.http import parse_list_header
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Response

from app.web.on_demand import ARRIVAL_TIME_KEY
from app.web.service.errors import is_host_valid, is_too_long
from app.web.service.packing import choose_encoding

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# enough for about 2,000 compressed pages
CACHE_BYTES = 8 << 20
MAX_RESPONSE_BYTES = 1 << 19
# A response that varies by another header is not cached.
CACHED_VARY_HEADERS = {"accept-encoding", "hx-request"}
ENCODING_VARIABLE, IF_MATCH_VARIABLE = "HTTP_ACCEPT_ENCODING", "HTTP_IF_MATCH"

CacheKey = tuple[str, ...]


class CachedResponse(NamedTuple):
    status: str
    headers: list[tuple[str, str]]
    body: bytes


class ResponseCache:
    """A WSGI application around another one, which caches its public responses.

    A response to GET with status 200 and `Cache-Control: public` is cached. Above `max_bytes`
    bytes, responses that nobody has requested for the longest time are removed. `read_query` returns a
    query without parameters that its page does not read.
    """

    def __init__(
        self,
        application: "WSGIApplication",
        read_query: "Callable[[WSGIEnvironment], str]",
        max_bytes: int = CACHE_BYTES,
    ) -> None:
        self.application = application
        self.read_query = read_query
        self.responses: LRUCache[CacheKey, CachedResponse] = LRUCache(
            max_bytes, getsizeof=_measure_size
        )
        # protects `responses` and `turns`
        self.lock = Lock()
        # path and query -> lock of the thread that renders this page
        self.turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self.thread_state = local()

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        _normalize_request(environ)
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            # Requests with data do not wait for each other, because a slow client would block the
            # others.
            return self.application(environ, start_response)
        usual = is_host_valid(environ) and not is_too_long(environ)
        known = self._find_response(environ) if usual else None
        if usual and not known:
            # The log shows the original query, so the application gets a copy.
            environ = environ | {"QUERY_STRING": self.read_query(environ)}
            known = self._find_response(environ)
        if not known:
            # Rendering the same page in several threads would take longer than waiting.
            with self._wait_for_turn(environ):
                known = self._find_response(environ) if usual else None
                if not known:
                    body, status, headers = run_wsgi_app(self.application, environ)
                    if not _is_cacheable(environ, status, headers):
                        start_response(status, [*headers])
                        return body
                    known = CachedResponse(status, [*headers], b"".join(body))
                    if usual:
                        with self.lock:
                            self.responses[_build_key(environ)] = known
        return _send_cached_response(known, environ, start_response)

    def _find_response(self, environ: "WSGIEnvironment") -> CachedResponse | None:
        with self.lock:
            return self.responses.get(_build_key(environ))

    @contextmanager
    def _wait_for_turn(self, environ: "WSGIEnvironment") -> Iterator[None]:
        """Let only one thread at a time render this URL; the others may find its response."""
        if getattr(self.thread_state, "taken", False):
            yield
            return
        path_and_query = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"
        with self.lock:
            turn = self.turns.setdefault(path_and_query, Lock())
        with turn:
            self.thread_state.taken = True
            try:
                yield
            finally:
                self.thread_state.taken = False


def _normalize_request(environ: "WSGIEnvironment") -> None:
    """Set one encoding and the arrival time of a request, and remove misleading headers."""
    environ[ENCODING_VARIABLE] = choose_encoding(environ.get(ENCODING_VARIABLE, ""))
    environ[ARRIVAL_TIME_KEY] = monotonic()
    # A badly configured proxy may send any text as the scheme.
    if environ["wsgi.url_scheme"] != "https":
        environ["wsgi.url_scheme"] = "http"
    # Werkzeug refuses requests to upgrade; a server may ignore them (RFC 9110, section 7.8).
    environ.pop("HTTP_UPGRADE", None)
    # Werkzeug takes the * in If-Match for a tag, but it stands for every response.
    if environ.get(IF_MATCH_VARIABLE, "").strip() == "*":
        del environ[IF_MATCH_VARIABLE]


def _send_cached_response(
    cached_response: CachedResponse,
    environ: "WSGIEnvironment",
    start_response: "StartResponse",
) -> Iterable[bytes]:
    if {"HTTP_IF_NONE_MATCH", IF_MATCH_VARIABLE} & environ.keys():
        response = Response(
            cached_response.body, cached_response.status, cached_response.headers
        )
        response.make_conditional(environ)
        return response(environ, start_response)
    start_response(cached_response.status, [*cached_response.headers])
    return [cached_response.body] if environ["REQUEST_METHOD"] == "GET" else []


def _is_cacheable(environ: "WSGIEnvironment", status: str, headers: Headers) -> bool:
    return (
        environ["REQUEST_METHOD"] == "GET"
        and status == "200 OK"
        and "public" in parse_list_header(headers.get("Cache-Control", ""))
        # A streamed response has no length.
        and "Content-Length" in headers
        and int(headers["Content-Length"]) <= MAX_RESPONSE_BYTES
        and {name.lower() for name in parse_list_header(headers.get("Vary", ""))}
        <= CACHED_VARY_HEADERS
    )


def _build_key(environ: "WSGIEnvironment") -> CacheKey:
    return (
        environ["wsgi.url_scheme"],
        environ.get("HTTP_HOST", ""),
        environ["PATH_INFO"],
        environ["QUERY_STRING"],
        environ[ENCODING_VARIABLE],
        str(environ.get("HTTP_HX_REQUEST") == "true"),
    )


def _measure_size(response: CachedResponse) -> int:
    texts = [response.status, *(text for header in response.headers for text in header)]
    tuples = [response, response.headers, *response.headers]
    return 2 * sum(map(sys.getsizeof, [*texts, *tuples])) + len(response.body)
