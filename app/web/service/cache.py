"""The response cache: public answers are looked up before anything else is done.

An answer is kept by its address, without what its route does not read (see `queries.py`), by the
encoding that was chosen for it and by whether htmx asks.  Nothing else that a client sends can make
another answer of it.
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

from app.web.on_demand import BEGAN
from app.web.service.errors import is_right_host, is_too_long
from app.web.service.packing import chosen

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SIZE = 8 << 20  # bytes, some two thousand packed pages
PROVEN = 0.75  # of it, for what has been asked for again
LARGEST = 1 << 19  # bytes of one answer
VARY = {"accept-encoding", "hx-request"}  # what the Vary of an answer may name
ENCODING, IF_MATCH = "HTTP_ACCEPT_ENCODING", "HTTP_IF_MATCH"

Key = tuple[str, ...]


class Answer(NamedTuple):
    """What was answered once."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


class Answers:
    """The latest answers, at most `size` bytes of them; what was asked for again stays longest."""

    def __init__(self, size: int) -> None:
        self.proven: LRUCache[Key, tuple[Answer, int]] = _cache(size * PROVEN)
        self.new: LRUCache[Key, tuple[Answer, int]] = _cache(size * (1 - PROVEN))
        self.lock = Lock()

    def get(self, environ: "WSGIEnvironment") -> Answer | None:
        """Return the answer to a request, None if there is none."""
        key = _key(environ)
        with self.lock:
            found = self.proven.get(key)
            if (
                not found
                and (found := self.new.pop(key, None))
                and found[1] <= self.proven.maxsize
            ):
                self.proven[key] = found
        return found[0] if found else None

    def put(self, environ: "WSGIEnvironment", answer: Answer) -> None:
        """Keep the answer to a request, if it is not too large."""
        key = _key(environ)
        size = _size(key, answer)
        with self.lock:
            if size <= self.new.maxsize:
                self.new[key] = answer, size


class Turns:
    """One thread at a time makes an answer, but one that it asks for while doing so is made too.

    A page that waits for an agent to be trained holds up no page of another agent.
    """

    def __init__(self) -> None:
        self.lock = Lock()  # of what is below
        self.turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self.here = local()

    @contextmanager
    def one(self, address: str) -> Iterator[None]:
        """Wait until no other thread makes an answer for this path and query."""
        if getattr(self.here, "taken", False):
            yield
            return
        with self.lock:
            turn = self.turns.setdefault(address, Lock())
        with turn:
            self.here.taken = True
            try:
                yield
            finally:
                self.here.taken = False


def cached(
    application: "WSGIApplication",
    read_query: "Callable[[WSGIEnvironment], str]",
    size: int = SIZE,
) -> "WSGIApplication":
    """Wrap a WSGI application so that it is asked only once for an answer that may be kept.

    That is an answer to a GET with status 200 and `Cache-Control: public`, packed or not.  The
    application finds the encoding that it should answer in as the only one that is accepted, and as
    the query what `read_query` returns of the whole one: requests that differ in the rest share
    an answer.
    """
    answers = Answers(size)
    turns = Turns()

    def answer(
        environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        environ[ENCODING] = chosen(environ.get(ENCODING, ""))
        environ[BEGAN] = monotonic()
        environ.pop(
            "HTTP_UPGRADE", None
        )  # a server may ignore it (RFC 9110, 7.8); Werkzeug refuses
        if (
            environ.get(IF_MATCH, "").strip() == "*"
        ):  # anything: to Werkzeug a tag as any other
            del environ[IF_MATCH]
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            # Never kept, and it waits for no other request: a client may be slow to send a table.
            return application(environ, start_response)
        usual = is_right_host(environ) and not is_too_long(environ)
        known = answers.get(environ) if usual else None
        if usual and not known:
            environ = environ | {
                "QUERY_STRING": read_query(environ)
            }  # logs have the whole query
            known = answers.get(environ)
        if not known:
            # A request for the same meanwhile waits for it: it is no sooner there if all make it.
            with turns.one(f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"):
                known = answers.get(environ) if usual else None
                if not known:
                    body, status, headers = run_wsgi_app(application, environ)
                    if environ["REQUEST_METHOD"] != "GET" or not _may_be_kept(
                        status, headers
                    ):
                        start_response(status, [*headers])
                        return body
                    known = Answer(status, [*headers], b"".join(body))
                    if usual:
                        answers.put(environ, known)
        if {"HTTP_IF_NONE_MATCH", IF_MATCH} & environ.keys():
            response = Response(known.body, known.status, known.headers)
            response.make_conditional(environ)
            return response(environ, start_response)
        start_response(known.status, [*known.headers])
        return [known.body] if environ["REQUEST_METHOD"] == "GET" else []

    return answer


def _may_be_kept(status: str, headers: Headers) -> bool:
    return (
        status == "200 OK"
        and "public" in parse_list_header(headers.get("Cache-Control", ""))
        and "Content-Length" in headers  # a stream does not know its own
        and int(headers["Content-Length"]) <= LARGEST
        and {name.lower() for name in parse_list_header(headers.get("Vary", ""))}
        <= VARY
    )


def _key(environ: "WSGIEnvironment") -> Key:
    """Write down what decides on an answer."""
    return (
        environ["wsgi.url_scheme"],
        environ.get("HTTP_HOST", ""),
        environ["PATH_INFO"],
        environ["QUERY_STRING"],
        environ[ENCODING],
        str(environ.get("HTTP_HX_REQUEST") == "true"),
    )


def _cache(size: float) -> "LRUCache[Key, tuple[Answer, int]]":
    return LRUCache(size, getsizeof=lambda found: found[1])


def _size(key: Key, answer: Answer) -> int:
    """Return the bytes of memory that an answer takes, with its key."""
    texts = [
        *key,
        answer.status,
        *(text for header in answer.headers for text in header),
    ]
    tuples = [key, answer, answer.headers, *answer.headers]
    return sum(map(sys.getsizeof, [*texts, *tuples, answer.body]))
