"""Answers that anybody may keep are kept here too, and looked up before anything else is done."""

from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

from cachetools import LRUCache
from werkzeug.wrappers import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SIZE = 8 << 20  # bytes, some two thousand packed pages
LARGEST = 1 << 18  # bytes of one answer
OVERHEAD = 5000  # bytes of an answer beside its body
# What an answer depends on, and no other header may be in its Vary.
KEY = (
    "wsgi.url_scheme",
    "HTTP_HOST",
    "PATH_INFO",
    "QUERY_STRING",
    "HTTP_ACCEPT_ENCODING",
    "HTTP_HX_REQUEST",
)
VARY = {"accept-encoding", "hx-request"}


def kept(application: "WSGIApplication", size: int = SIZE) -> "WSGIApplication":
    """Wrap a WSGI application so that it is asked only once for an answer that may be kept.

    That is an answer to a GET with status 200 and `Cache-Control: public`, packed or not; together
    they have at most `size` bytes, and the one that nobody asked for longest makes way.
    """
    answers: LRUCache[tuple[object, ...], Response] = LRUCache(size, getsizeof=_size)
    lock = Lock()

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        key = tuple(environ.get(name) for name in KEY)
        with lock:
            response = answers.get(key) if environ["REQUEST_METHOD"] in ("GET", "HEAD") else None
        if response is None:
            response = Response.from_app(application, environ)
            if environ["REQUEST_METHOD"] == "GET" and _may_be_kept(response):
                response.make_sequence()
                with lock:
                    answers[key] = response
        elif "HTTP_IF_NONE_MATCH" in environ:
            response = Response(response.response, response.status, response.headers)
            response.make_conditional(environ)
        return response(environ, start_response)

    return answer


def _may_be_kept(response: Response) -> bool:
    return (
        response.status_code == 200
        and response.cache_control.public
        and response.content_length is not None  # a stream does not know its own
        and response.content_length <= LARGEST
        and {header.lower() for header in response.vary} <= VARY
    )


def _size(response: Response) -> int:
    return (response.content_length or 0) + OVERHEAD
