"""Observability for operators: ids of requests, and metrics of all processes of a server."""

import json
import re
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.service.server import Server, ask, serving, wait_until

ID = "X-Request-ID"
FRESH_ID = re.compile("[0-9a-f]{16}")


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tmp")
    with serving(METRICS="1", LAB="0", TMPDIR=str(folder)) as server:
        assert any(folder.glob("q-tac-toe-metrics-*/*.db"))
        yield server
    assert not any(folder.iterdir())


def count_responses(server: Server) -> dict[tuple[str, str, str], float]:
    answer = ask(server, "/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    return {
        (sample.labels["page"], sample.labels["method"], sample.labels["status"]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == "qtactoe_http_responses_total"
    }


def test_all_responses_of_all_processes_are_counted(observed: Server) -> None:
    assert len(observed.workers) == 2
    before = count_responses(observed)
    paths = ["/agents"] * 12 + ["/play/4x"] * 3 + ["/nowhere", "/agents/nobody/nothing"]
    for path in paths:
        ask(observed, path)
    after = count_responses(observed)
    grown = {
        key: after[key] - before.get(key, 0) for key in after if after[key] > before.get(key, 0)
    }
    assert grown.pop(("/metrics", "GET", "200")) == 1
    assert grown == {
        ("/agents", "GET", "200"): 12,
        ("/play", "GET", "400"): 3,
        ("/agents", "GET", "404"): 1,
        ("other", "GET", "404"): 1,
    }


def test_a_response_has_the_id_of_its_request(observed: Server) -> None:
    for given in ("from-a-proxy.1", "from-a-proxy.2"):  # the second response is from the cache
        assert ask(observed, "/glossary", headers={ID: given}).headers[ID] == given
    for wrong in ("", "two words", "x" * 65):
        assert FRESH_ID.fullmatch(ask(observed, "/glossary", headers={ID: wrong}).headers[ID])
    missing = ask(observed, "/nowhere").headers[ID]
    wait_until(lambda: missing in observed.log)
    (line,) = (line for line in observed.log.splitlines() if missing in line)
    assert json.loads(line)["path"] == "/nowhere"
