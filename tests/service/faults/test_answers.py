"""Requests that try to change others' answers, the log, or the memory."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from tests.service.cases import moves
from tests.service.faults.clients import answer, status
from tests.service.server import Server, agents, memory, serving, wait_until

FLOOD = 1_600
KEPT = "/how/league"  # a page that takes a while to make
GOAL = 150 << 20  # bytes that a worker may hold
REQUEST = "GET {} HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n"
ODD_PATH, ODD_AGENT = "/x%0a%1b[31m%00", 'a\\b\t"c"\x80'
CLAIMS = ("X-Forwarded-Proto: https", "X-Forwarded-Ssl: on", "SCRIPT_NAME: /play", "PATH_INFO: /x")
SECURE = b"Strict-Transport-Security"


def ask(server: Server, path: str, *headers: str, host: str = "localhost") -> bytes:
    lines = "".join(f"{header}\r\n" for header in headers)
    return answer(server.port, REQUEST.format(path, host, lines).encode("latin-1"))


def access(server: Server) -> list[dict[str, Any]]:
    """Return the entries of the access log; ValueError if a line is not JSON."""
    return [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]


def times_of(server: Server, path: str, number: int) -> list[int]:
    """Return the microseconds of all requests for a path, once the log has this number of them."""

    def spent() -> list[int]:
        return [line["microseconds"] for line in access(server) if line["path"] == path]

    wait_until(lambda: len(spent()) >= number)
    return spent()


@pytest.mark.faults
def test_requests_of_no_meaning_fill_no_memory_and_replace_no_answer() -> None:
    long = "gzip" + "," * 3_000
    with serving(WEB_CONCURRENCY="1") as server:
        (worker,) = server.workers
        ask(server, KEPT)
        for number in range(FLOOD):
            headers = [f"Accept-Encoding: {long}{number}", f"HX-Request: {long}{number}"]
            ask(server, f"{KEPT}?z={number}", *headers * (1 if number % 2 else 5))
        assert memory(worker, "Rss") < GOAL
        for number in range(500):
            ask(server, f"/api/v1/agents?z={number}", host=f"h{number}.example")
        for _ in range(5):
            ask(server, KEPT)
        first, *_, last = times_of(server, KEPT, 1 + FLOOD + 5)
        assert last < first / 5


@pytest.mark.faults
def test_all_that_is_large_fits_into_a_worker() -> None:
    with serving(WEB_CONCURRENCY="1") as server:
        (worker,) = server.workers
        for path in large_pages(server):
            ask(server, path, "Accept-Encoding: gzip")
        assert memory(worker, "Rss") < GOAL


def large_pages(server: Server) -> Iterator[str]:
    """Yield every page, table and proof of every agent, and 2,000 moves."""
    names = agents(server.url)
    yield from ("/", "/agents", "/arena", "/how", "/compare/", "/api")
    for source, links in [("/how", "/how/"), *((f"/agents/{name}",) * 2 for name in names)]:
        page = ask(server, source).decode("utf-8", "replace")
        yield from sorted(set(re.findall(f'href="({links}[^"#]*)"', page)))
    yield from (f"/play/{move}" for move in islice(moves(names), 2_000))


@pytest.mark.faults
def test_parameters_that_a_page_does_not_read_do_not_make_it_again() -> None:
    with serving(WEB_CONCURRENCY="1") as server:
        paths = [f"/arena?u={number}&show=score&show={number}" for number in range(40)]
        for path in ("/arena", *paths):
            ask(server, path)
        first, _, *others = times_of(server, "/arena", 41)  # the second reads `show`, and is made
        assert sorted(others)[len(others) // 2] < first / 5


@pytest.mark.usefixtures("one_agent")
def test_no_text_of_a_request_ends_a_line_of_the_log() -> None:
    with serving(CANONICAL_HOST="Play.Example:80") as server:
        agent = f"User-Agent: {ODD_AGENT}"
        led = ask(server, ODD_PATH, agent, host="other.example")
        ask(server, ODD_PATH + "?q=\\%22", agent, "X-Request-ID: a\\b", host="play.example")
        assert status(ask(server, "/", host="play.example")) == 200
        wait_until(lambda: sum(line["path"] != "/healthz" for line in access(server)) == 3)
        odd = [line["agent"] for line in access(server) if line["path"].startswith("/x")]
        assert odd == [ODD_AGENT] * 2
        assert all(re.match(r"[{\[]", line) for line in server.log.splitlines())
        assert status(led) == 308
        assert b"Location: http://play.example/x%0A%1B" in led
        assert b"no-store" in led


@pytest.mark.faults
def test_a_full_disk_for_the_log_stops_nothing() -> None:
    with serving(ACCESS_LOG="/dev/full", WEB_CONCURRENCY="1") as server:
        assert {status(ask(server, f"/play/{cell}")) for cell in range(9)} == {200}
        assert "No space left on device" in server.log


def test_a_client_is_not_believed_to_be_a_proxy(app_server: Server) -> None:
    received = ask(app_server, "/play/4", *CLAIMS)
    assert status(received) == 200
    assert SECURE not in received
