"""Requests that try to change others' answers, the log, or the memory."""

import gzip
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tests.service.cases import moves
from tests.service.faults.clients import answer, status
from tests.service.faults.finding import Finding, fault, on_a_server
from tests.service.server import Server, agents, memory, serving, wait_until

FLOOD = 1_600
KEPT = "/how/league"  # a page that takes a while to make
GOAL = 150 << 20  # bytes that a worker may hold
REQUEST = "GET {} HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n"
MIB = 1 << 20


def ask(server: Server, path: str, *headers: str, host: str = "localhost") -> bytes:
    lines = "".join(f"{header}\r\n" for header in headers)
    return answer(server.port, REQUEST.format(path, host, lines).encode("latin-1"))


@fault("kept-answers")
def kept_answers() -> Iterator[Finding]:
    """Requests that would each be cached separately, or replace cached answers."""
    with serving(WEB_CONCURRENCY="1") as server:
        (worker,) = server.workers
        ask(server, KEPT)
        ask(server, KEPT)
        long = "gzip" + "," * 3_000
        before = memory(worker, "Rss")
        for number in range(FLOOD):
            headers = [f"Accept-Encoding: {long}{number}", f"HX-Request: {long}{number}"]
            ask(server, f"{KEPT}?z={number}", *headers * (1 if number % 2 else 5))
        after = memory(worker, "Rss")
        yield Finding(
            f"{FLOOD:,} requests for a page with parameters and long headers of no meaning",
            f"a worker under {GOAL // MIB} MiB",
            f"{before / MIB:.0f} MiB before, {after / MIB:.0f} MiB after",
            after < GOAL,
        )
        for number in range(500):
            ask(server, f"/api/v1/agents?z={number}", host=f"h{number}.example")
        made = [line for line in access(server) if line["path"] == KEPT and line["bytes"] > 5000]
        first, last = made[0]["microseconds"], median_of(server, KEPT)
        yield Finding(
            "then 500 for others with unknown parameters and hosts, and the page once more",
            "it is still kept: answered in a fifth of its first time",
            f"{first / 1000:.0f} ms, then {last / 1000:.1f} ms",
            last < first / 5,
        )
    with serving(WEB_CONCURRENCY="1") as server:
        (worker,) = server.workers
        for path in everything(server):
            ask(server, path, "Accept-Encoding: gzip")
        size = memory(worker, "Rss")
        yield Finding(
            "every page, table and proof of every agent, and 2,000 moves",
            f"a worker under {GOAL // MIB} MiB",
            f"{size / MIB:.0f} MiB",
            size < GOAL,
        )


@on_a_server("unread-parameters", WEB_CONCURRENCY="1")
def unread_parameters(server: Server) -> Iterator[Finding]:
    """Parameters that a page does not read; they must not bypass the cache."""
    paths = ["/arena", *(f"/arena?u={number}&show=score&show={number}" for number in range(40))]
    for path in paths:
        ask(server, path)
    wait_until(lambda: len(access(server)) > len(paths))
    spent = [line["microseconds"] for line in access(server) if line["path"] == "/arena"]
    first, others = spent[0], sorted(spent[2:])  # the second reads `show`, and is made as well
    yield Finding(
        "the arena, then 40 times with other parameters that it does not read",
        "made once for all of them: half of them answered in a fifth of the first time",
        f"{first / 1000:.0f} ms, then {others[len(others) // 2] / 1000:.1f} ms",
        others[len(others) // 2] < first / 5,
    )


def everything(server: Server) -> Iterator[str]:
    """Yield the most expensive URLs."""
    names = agents(server.url)
    yield from ("/", "/agents", "/arena", "/how", "/compare/", "/api")
    explained = ask(server, "/how").decode("utf-8", "replace")
    yield from sorted(set(re.findall('href="(/how/[^"]*)"', explained)))
    for name in names:
        page = ask(server, f"/agents/{name}").decode("utf-8", "replace")
        yield from sorted(set(re.findall(rf'href="(/agents/{name}[^"#]*)"', page)))
    yield from (f"/play/{move}" for move in islice(moves(names), 2_000))


def median_of(server: Server, path: str) -> int:
    before = len(access(server))
    for _ in range(5):
        ask(server, path)
    wait_until(lambda: len(access(server)) == before + 5)
    times = sorted(line["microseconds"] for line in access(server)[-5:])
    return int(times[2])


def access(server: Server) -> list[dict[str, Any]]:
    """Return the entries of the access log; ValueError if a line is not JSON."""
    return [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]


@on_a_server("encodings")
def encodings(server: Server) -> Iterator[Finding]:
    """Accept-Encoding headers."""
    wishes = {"br;q=0": None, "br;q=0, gzip": "gzip", "*": "br", "gzip;q=0.1": "gzip"}
    chosen = {}
    for wish in wishes:
        found = re.search(
            rb"Content-Encoding: (\w+)", ask(server, "/play/4", f"Accept-Encoding: {wish}")
        )
        chosen[wish] = found and found[1].decode()
    yield Finding(
        "a page asked for with " + ", ".join(f"`{wish}`" for wish in wishes),
        ", ".join(str(encoding or "plain") for encoding in wishes.values()),
        ", ".join(str(encoding or "plain") for encoding in chosen.values()),
        chosen == wishes,
    )
    packed = {body(ask(server, "/play/40", "Accept-Encoding: gzip")) for _ in range(20)}
    dated = any(each[4:8] != bytes(4) for each in packed)
    yield Finding(
        "a page asked for 20 times with gzip, of two workers",
        "the same bytes without a date",
        f"{len(packed)} kinds of bytes, {'a' if dated else 'no'} date",
        len(packed) == 1 and not dated and gzip.decompress(packed.pop()) != b"",
    )
    name = next(iter(agents(server.url)))
    page = ask(server, f"/agents/{name}").decode("utf-8", "replace")
    tables = [href for href in re.findall(r'href="([^"]+)"', page) if "csv" in href]
    answers = [ask(server, href, "Accept-Encoding: gzip") for href in tables]
    small = all(b"Content-Encoding: gzip" in each for each in answers)
    yield Finding(
        f"the {len(tables)} tables of an agent",
        "all packed, at most 100 KB",
        f"{'all packed' if small else 'not packed'}, at most "
        f"{max(map(len, answers)) / 1000:.0f} KB",
        small and max(map(len, answers)) < 100_000,
    )


def body(received: bytes) -> bytes:
    return received.partition(b"\r\n\r\n")[2]


ODD_TEXTS = {"path": "/x%0a%1b[31m%00", "agent": 'a\\b\t"c"\x80'}


@on_a_server("log-lines", CANONICAL_HOST="Play.Example:80")
def log_lines(server: Server) -> Iterator[Finding]:
    """Texts that could end a line of the log, or a JSON string."""
    agent = f"User-Agent: {ODD_TEXTS['agent']}"
    led = ask(server, ODD_TEXTS["path"], agent, host="other.example")
    ask(server, ODD_TEXTS["path"] + "?q=\\%22", agent, "X-Request-ID: a\\b", host="play.example")
    usual = ask(server, "/", host="play.example")
    wait_until(lambda: sum(line["path"] != "/healthz" for line in access(server)) == 3)
    lines = [line for line in server.log.splitlines() if "{" in line or "x\\n" in line]
    odd = [line for line in access(server) if line["path"].startswith("/x")]
    forged = [line for line in server.log.splitlines() if not re.match(r"[{\[]", line)]
    yield Finding(
        "a path with line break, escape and NUL; \\, tab and quotes in headers",
        "each line of the access log is JSON with those very texts, no forged line",
        f"{len(odd)} of {len(lines)} lines have them, {len(forged)} forged",
        len(odd) == 2 and all(line["agent"] == ODD_TEXTS["agent"] for line in odd) and not forged,
    )
    location = re.search(rb"Location: (.*)\r\n", led)
    yield Finding(
        "the same path by another name than CANONICAL_HOST, which is Play.Example:80",
        "308 to http://play.example/x%0A..., not to be kept; 200 by its own name",
        f"{status(led)} to {location[1].decode() if location else 'nowhere'}; {status(usual)}",
        location is not None
        and location[1].startswith(b"http://play.example/x%0A%1B")
        and b"no-store" in led
        and (status(led), status(usual)) == (308, 200),
    )


@on_a_server("full-log", ACCESS_LOG="/dev/full", WEB_CONCURRENCY="1")
def full_log(server: Server) -> Iterator[Finding]:
    """An access log on a full disk."""
    codes = {status(ask(server, f"/play/{cell}")) for cell in range(9)}
    told = "No space left on device" in server.log
    yield Finding(
        "9 requests where the access log is /dev/full, a disk without room",
        "all answered, and the error log says why the access log cannot be written",
        f"{', '.join(map(str, codes))}; {'it does' if told else 'it does not'}",
        codes == {200} and told,
    )


CLAIMS = ("X-Forwarded-Proto: https", "X-Forwarded-Ssl: on", "SCRIPT_NAME: /play", "PATH_INFO: /x")


@on_a_server("claims")
def claims(server: Server) -> Iterator[Finding]:
    """Headers of a client that pretends to be a proxy."""
    secure = b"Strict-Transport-Security"
    received = ask(server, "/play/4", *CLAIMS)
    yield Finding(
        f"{', '.join(CLAIMS)}, and no trusted proxy",
        "200, as by plain HTTP",
        f"{status(received)}, as by {'HTTPS' if secure in received else 'plain HTTP'}",
        status(received) == 200 and secure not in received,
    )
    with serving(TRUSTED_PROXIES="1") as behind:
        host = "X-Forwarded-Host: evil.example"
        received = ask(behind, "/api", "X-Forwarded-Proto: javascript", host)
        believed = b"evil" in received or b"javascript:" in received
        yield Finding(
            f"X-Forwarded-Proto: javascript and {host} from a trusted proxy",
            "200, as by plain HTTP, and the host is not believed",
            f"{status(received)}, {'believed' if believed else 'as by plain HTTP'}",
            status(received) == 200 and not believed,
        )
