"""The response cache: public answers are looked up before anything else is done.

What an answer depends on is noted while it is made: the parameters of the query that were read, and
whether the host.  Nothing else that a client sends can make another answer of it, or push one out.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, local
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl
from weakref import WeakValueDictionary

import flask
from cachetools import LRUCache
from werkzeug.datastructures import Headers, MultiDict
from werkzeug.http import parse_list_header
from werkzeug.sansio.utils import get_host
from werkzeug.test import run_wsgi_app
from werkzeug.utils import cached_property
from werkzeug.wrappers import Response

from app.web.service.errors import is_right_host, is_too_long
from app.web.service.on_demand import BEGAN
from app.web.service.packing import chosen

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SIZE = 8 << 20  # bytes, some two thousand packed pages
PROVEN = 0.75  # of it, for what has been asked for again
LARGEST = 1 << 19  # bytes of one answer
VARY = {"accept-encoding", "hx-request"}  # what the Vary of an answer may name
ENCODING = "HTTP_ACCEPT_ENCODING"
NOTED = "cache.noted"  # in the environment of a request: names that were read
HOST, QUERY = " host", " query"  # names that no parameter has: the host, and the whole query

Key = tuple[str, ...]


class Query(Mapping[str, str]):
    """The parameters of a query, of each its first value; which one is read is noted."""

    def __init__(self, values: "MultiDict[str, str]", noted: set[str]) -> None:
        self.values_of, self.noted = values, noted

    def __getitem__(self, name: str) -> str:
        self.noted.add(name)
        return self.values_of[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default; faster than by an error for each that is missing."""
        self.noted.add(name)
        return self.values_of[name] if name in self.values_of else default  # noqa: SIM401

    def __iter__(self) -> Iterator[str]:
        self.noted.add(QUERY)
        return iter(self.values_of)

    def __len__(self) -> int:
        self.noted.add(QUERY)
        return len(self.values_of)

    def getlist(self, name: str) -> list[str]:
        """Return all values of one name."""
        self.noted.add(name)
        return self.values_of.getlist(name)


class Request(flask.Request):
    """A request that notes what is read of it; of any other all might have been."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.noted.clear()

    @property
    def noted(self) -> set[str]:
        """What has been read of it."""
        names: set[str] = self.environ.setdefault(NOTED, set())
        return names

    @cached_property
    def args(self) -> Query:  # type: ignore[override]
        """The parameters of the query."""
        return Query(MultiDict(pairs(self._query())), self.noted)

    @property
    def host(self) -> str:
        """The host that was asked for, "" if there can be none of that name."""
        self.noted.add(HOST)
        if not is_right_host(self.environ):
            return ""
        return get_host(self.scheme, self.headers.get("Host"), self.server)

    @host.setter
    def host(self, value: str) -> None:
        """Flask sets it before it is read."""

    @property
    def query_string(self) -> bytes:
        """The whole query, which every address with it begins to depend on."""
        self.noted.add(QUERY)
        return self._query().encode("latin-1")

    @query_string.setter
    def query_string(self, value: bytes) -> None:
        """Let the base class say what stands in the environment too."""

    def _query(self) -> str:
        query: str = self.environ.get("QUERY_STRING", "")
        return query


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
        self.noted: dict[str, frozenset[str]] = {}  # by the first part of a path
        self.lock = Lock()

    def get(self, environ: "WSGIEnvironment") -> Answer | None:
        """Return the answer to a request, None if there is none."""
        with self.lock:
            noted = self.noted.get(_section(environ))
            if noted is None:
                return None
            key = _key(environ, noted)
            found = self.proven.get(key)
            if not found and (found := self.new.pop(key, None)) and found[1] <= self.proven.maxsize:
                self.proven[key] = found
        return found[0] if found else None

    def put(self, environ: "WSGIEnvironment", answer: Answer) -> None:
        """Keep the answer to a request, by all that answers in its part of the site depend on."""
        with self.lock:
            noted = self.noted.get(_section(environ), frozenset()) | environ[NOTED]
            self.noted[_section(environ)] = noted
            key = _key(environ, noted)
            size = _size(key, answer)
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


def cached(application: "WSGIApplication", size: int = SIZE) -> "WSGIApplication":
    """Wrap a WSGI application so that it is asked only once for an answer that may be kept.

    That is an answer to a GET with status 200 and `Cache-Control: public`, packed or not.  The
    application finds the encoding that it should answer in as the only one that is accepted.
    """
    answers = Answers(size)
    turns = Turns()

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        environ[ENCODING] = chosen(environ.get(ENCODING, ""))
        environ[BEGAN] = monotonic()
        environ[NOTED] = {HOST, QUERY}  # shared with the copies that the application sees
        usual = (
            environ["REQUEST_METHOD"] in ("GET", "HEAD")
            and is_right_host(environ)
            and not is_too_long(environ)
        )
        known = answers.get(environ) if usual else None
        if not known:
            # A request for the same meanwhile waits for it: it is no sooner there if all make it.
            with turns.one(f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"):
                known = answers.get(environ) if usual else None
                if not known:
                    body, status, headers = run_wsgi_app(application, environ)
                    if environ["REQUEST_METHOD"] != "GET" or not _may_be_kept(status, headers):
                        start_response(status, [*headers])
                        return body
                    known = Answer(status, [*headers], b"".join(body))
                    if usual:
                        answers.put(environ, known)
        if {"HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH"} & environ.keys():
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
        and {name.lower() for name in parse_list_header(headers.get("Vary", ""))} <= VARY
    )


def _key(environ: "WSGIEnvironment", noted: Collection[str]) -> Key:
    """Write down what decides on an answer: the same for every way of asking for it."""
    query = pairs(environ["QUERY_STRING"]) if noted else []
    read = sorted(
        (pair for pair in query if QUERY in noted or pair[0] in noted), key=lambda pair: pair[0]
    )
    return (
        environ["wsgi.url_scheme"],
        environ["PATH_INFO"],
        environ[ENCODING],
        str(environ.get("HTTP_HX_REQUEST") == "true"),
        environ.get("HTTP_HOST", "") if HOST in noted else "",
        *(part for pair in read for part in pair),
    )


@lru_cache(maxsize=64)  # a request asks four times
def pairs(query: str) -> list[tuple[str, str]]:
    """Return the names and values of a query in their order; the list is not to be changed."""
    return parse_qsl(query, keep_blank_values=True)


def _section(environ: "WSGIEnvironment") -> str:
    path: str = environ["PATH_INFO"]
    return path.removeprefix("/").partition("/")[0]


def _cache(size: float) -> "LRUCache[Key, tuple[Answer, int]]":
    return LRUCache(size, getsizeof=lambda found: found[1])


def _size(key: Key, answer: Answer) -> int:
    """Return the bytes of memory that an answer takes, with its key."""
    texts = [*key, answer.status, *(text for header in answer.headers for text in header)]
    tuples = [key, answer, answer.headers, *answer.headers]
    return sum(map(sys.getsizeof, [*texts, *tuples, answer.body]))
