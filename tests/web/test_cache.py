"""The cache: an answer is computed once, and is the same for everybody who may have it."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from app.web.service.cache import MAX_RESPONSE_BYTES, ResponseCache
from tests.web.conftest import HANG_SECONDS

Answers = Callable[[Request], Response]


def whole_query(environ: Any) -> str:
    query: str = environ["QUERY_STRING"]
    return query


def public(request: Request) -> Response:
    response = Response(f"{request.path}?{request.args.get('b', '')}{'.' * 1000}")
    response.cache_control.public = True
    response.set_etag("tag")
    return response


class Counted:
    """An application that counts its requests."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked = 0
        self.encodings: list[str] = []

    def __call__(self, environ, start_response) -> Iterable[bytes]:
        self.asked += 1
        self.encodings.append(environ["HTTP_ACCEPT_ENCODING"])
        return self.answers(Request(environ))(environ, start_response)


def asked(answers: Answers, *requests: dict[str, Any], size: int = 1 << 20) -> int:
    application = Counted(answers)
    client = Client(ResponseCache(application, whole_query, size))
    for request in requests:
        client.open(**request)
    return application.asked


def test_the_second_answer_is_the_first() -> None:
    application = Counted(public)
    client = Client(ResponseCache(application, whole_query))
    first, second = client.get("/a?b=1"), client.get("/a?b=1")
    assert (first.data, first.headers) == (second.data, second.headers)
    assert application.asked == 1


@pytest.mark.parametrize(
    "other",
    [
        {"path": "/b"},
        {"query_string": "b=1"},
        {"headers": {"HX-Request": "true"}},
        {"headers": {"Accept-Encoding": "gzip"}},
        {"base_url": "https://localhost/"},
        {"headers": {"Host": "elsewhere.example"}},
    ],
)
def test_what_differs_is_asked_for(other: dict[str, Any]) -> None:
    assert asked(public, {"path": "/a"}, {"path": "/a"} | other) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"headers": {"HX-Request": "false"}},
        {"headers": {"Accept-Encoding": "nothing, br;q=0, gzip;q=0"}},
        {"headers": {"X-Anything": "x"}},
    ],
)
def test_what_nobody_reads_makes_no_difference(other: dict[str, Any]) -> None:
    assert asked(public, {"path": "/a"}, {"path": "/a"} | other) == 1


def test_a_head_request_has_the_same_headers_and_no_body() -> None:
    client = Client(ResponseCache(public_application, whole_query))
    get, head = client.get("/a"), client.head("/a")
    assert (head.data, head.headers) == (b"", get.headers)


def test_whoever_has_it_is_told_so() -> None:
    client = Client(ResponseCache(public_application, whole_query))
    client.get("/a")
    for tag, status, body in [('"tag"', 304, b""), ('"other"', 200, b"/a?")]:
        answer = client.get("/a", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.data[:3]) == (status, body)
    assert client.get("/a").data[:3] == b"/a?"


def public_application(environ, start_response) -> Iterable[bytes]:
    return public(Request(environ))(environ, start_response)


def private(request: Request) -> Response:
    return Response("drawn", headers={"Cache-Control": "no-store"})


def refused(request: Request) -> Response:
    return Response("no", 404, headers={"Cache-Control": "public"})


def of_somebody(request: Request) -> Response:
    return Response("you", headers={"Cache-Control": "public", "Vary": "Cookie"})


def streamed(request: Request) -> Response:
    def parts() -> Iterator[bytes]:
        yield b"part"

    return Response(parts(), headers={"Cache-Control": "public"})


def too_large(request: Request) -> Response:
    return Response(b"." * (MAX_RESPONSE_BYTES + 1), headers={"Cache-Control": "public"})


@pytest.mark.parametrize("answers", [private, refused, of_somebody, streamed, too_large])
def test_what_may_not_be_kept_is_not(answers: Answers) -> None:
    assert asked(answers, {"path": "/a"}, {"path": "/a"}) == 2


def test_a_post_is_never_answered_from_what_is_kept() -> None:
    assert asked(public, {"path": "/a"}, {"path": "/a", "method": "POST"}) == 2


def test_what_was_not_asked_for_lately_goes_first() -> None:
    once = [{"path": f"/{number}"} for number in range(100)]
    a = {"path": "/a"}
    often = [request for other in once for request in (a, other)]
    assert asked(public, *often, a, size=20_000) == 101
    assert asked(public, a, *once, a, size=20_000) == 102


def test_what_everybody_asks_for_at_once_is_made_once() -> None:
    begun, go_on = Event(), Event()

    def slow(request: Request) -> Response:
        begun.set()
        assert go_on.wait(HANG_SECONDS)
        return public(request)

    application = Counted(slow)
    client = ResponseCache(application, whole_query)
    with ThreadPoolExecutor(8) as clients:
        answers = [clients.submit(Client(client).get, "/a") for _ in range(8)]
        assert begun.wait(HANG_SECONDS)
        go_on.set()
        assert {answer.result().status_code for answer in answers} == {200}
    assert application.asked == 1


def test_who_waits_long_keeps_nobody_waiting_who_asks_for_something_else() -> None:
    begun, go_on = Event(), Event()

    def slow(request: Request) -> Response:
        if request.path == "/slow":
            begun.set()
            go_on.wait()
        return public(request)

    client = Client(ResponseCache(Counted(slow), whole_query))
    with ThreadPoolExecutor(2) as clients:
        waiting = clients.submit(client.get, "/slow")
        begun.wait()
        others = clients.submit(lambda: [client.get(f"/{n}").status_code for n in range(300)])
        try:
            assert others.result(timeout=600) == [200] * 300
        finally:
            go_on.set()
        assert waiting.result().status_code == 200
