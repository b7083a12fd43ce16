"""What is kept is asked for once, and is the same answer to everybody who may have it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from app.web.kept import LARGEST, OVERHEAD, kept

Answers = Callable[[Request], Response]


def public(request: Request) -> Response:
    response = Response(request.full_path)
    response.cache_control.public = True
    response.set_etag("tag")
    return response


class Counted:
    """An application that counts how often it is asked."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked = 0

    def __call__(self, environ, start_response) -> Iterable[bytes]:
        self.asked += 1
        return self.answers(Request(environ))(environ, start_response)


def asked(answers: Answers, *requests: dict[str, Any], size: int = 1 << 20) -> int:
    application = Counted(answers)
    client = Client(kept(application, size))
    for request in requests:
        client.open(**request)
    return application.asked


def test_the_second_answer_is_the_first() -> None:
    application = Counted(public)
    client = Client(kept(application))
    first, second = client.get("/a?b=1"), client.get("/a?b=1")
    assert (first.data, first.headers) == (second.data, second.headers)
    assert application.asked == 1


@pytest.mark.parametrize(
    "other",
    [
        {"path": "/b"},
        {"query_string": "x=1"},
        {"headers": {"HX-Request": "true"}},
        {"headers": {"Accept-Encoding": "gzip"}},
        {"headers": {"Host": "elsewhere.example"}},
        {"base_url": "https://localhost/"},
    ],
)
def test_what_differs_is_asked_for(other: dict[str, Any]) -> None:
    assert asked(public, {"path": "/a"}, {"path": "/a"} | other) == 2


def test_a_head_request_has_the_same_headers_and_no_body() -> None:
    client = Client(kept(public_application))
    get, head = client.get("/a"), client.head("/a")
    assert (head.data, head.headers) == (b"", get.headers)


def test_whoever_has_it_is_told_so() -> None:
    client = Client(kept(public_application))
    client.get("/a")
    for tag, status, body in [('"tag"', 304, b""), ('"other"', 200, b"/a?")]:
        answer = client.get("/a", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.data) == (status, body)
    assert client.get("/a").data == b"/a?"


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
    return Response(b"." * (LARGEST + 1), headers={"Cache-Control": "public"})


@pytest.mark.parametrize("answers", [private, refused, of_somebody, streamed, too_large])
def test_what_may_not_be_kept_is_not(answers: Answers) -> None:
    assert asked(answers, {"path": "/a"}, {"path": "/a"}) == 2


def test_a_post_is_never_answered_from_what_is_kept() -> None:
    assert asked(public, {"path": "/a"}, {"path": "/a", "method": "POST"}) == 2


def test_there_is_room_for_so_many_and_the_oldest_goes() -> None:
    a, b, c = {"path": "/a"}, {"path": "/b"}, {"path": "/c"}
    room = 2 * (OVERHEAD + 10)
    assert asked(public, a, b, a, c, a, size=room) == 3
    assert asked(public, a, b, a, c, b, size=room) == 4
