"""Query parameters that a route does not read do not change its answer."""

from collections.abc import Iterator

import pytest
from flask import Flask, request_started
from flask.testing import FlaskClient
from werkzeug.test import create_environ

from app.web.service.queries import build_query_reader


@pytest.fixture
def answered(app: Flask) -> Iterator[list[str]]:
    """A list of the requests that reach the application."""
    asked: list[str] = []

    def note(_: Flask, **more: object) -> None:
        asked.append("")

    with request_started.connected_to(note, app):
        yield asked


def read(app: Flask, url: str) -> str:
    """Return the query of a URL as the application sees it."""
    return build_query_reader(app)(create_environ(url))


@pytest.mark.parametrize(
    ("url", "query"),
    [
        ("/arena?u=random", ""),
        ("/arena?add=q-table&u=1&show=x", "show=x&add=q-table"),
        ("/arena?show=score&show=x&show=losses", "show=score"),
        ("/arena?%73how=%73core", "show=score"),
        ("/arena?utm_source=mail&hl=de", "hl=de"),
        ("/play/40?lens=q-table&step=3&o=human&u=1", "o=human&lens=q-table&step=3"),
        ("/play/?o=q-table&u=1", "o=q-table"),
        (
            "/compare/40?u=1&figure=blunders&lens=q-table&lens=dqn",
            "lens=q-table&lens=dqn&figure=blunders",
        ),
        ("/embed/board/408?o=q-learning-1&u=1", "o=q-learning-1"),
        ("/embed/board/.svg?o=q-learning-1&u=1", "o=q-learning-1"),
        ("/embed/puzzle/5?u=1&right=0", "right=0"),
        ("/embed/how/why?u=1&step=2", "step=2"),
        ("/lab/q-table.svg?ghost=sarsa&u=1", "ghost=sarsa"),
        (
            "/lab?algorithm=menace&u=1&ghost=menace&games=5",
            "algorithm=menace&ghost=menace&games=5",
        ),
        ("/teach?now=.&u=1", "now=."),
        ("/robots.txt?u=1", ""),
        ("/api/v1/agents?u=1", ""),
        ("/api/v1/positions/XO.......?u=1&lens=truth", "u=1&lens=truth"),
        ("/nowhere?u=1", "u=1"),
        (
            "/lab/q-table,vs=random?ghost=league,vs=random:5+self:5",
            "ghost=league,vs=random:5%20self:5",
        ),
    ],
)
def test_only_what_a_route_reads_reaches_it(app: Flask, url: str, query: str) -> None:
    assert read(app, url) == query


def test_a_page_is_made_once_whatever_is_added_to_its_query(
    client: FlaskClient, answered: list[str]
) -> None:
    first = client.get("/arena?show=score&player=q-table")
    assert first.status_code == 200
    assert len(answered) == 1
    for query in ("show=score&player=q-table&u=1", "u=2&player=q%2Dtable&show=score&show=x"):
        assert client.get(f"/arena?{query}").data == first.data
    assert len(answered) == 1
