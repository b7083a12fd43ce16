"""Errors: one sentence with the right status, and nothing about the inside of the program."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import create_environ, run_wsgi_app
from werkzeug.wrappers import Response

HTMX = {"HX-Request": "true"}
WRONG = [
    ("/nowhere", 404, "Q-learning"),
    ("/play/?o=nobody", 404, "q-iteration"),
    ("/play/4x", 400, "squares have the numbers 0 to 8"),
    ("/play/?step=x", 400, "step"),
    ("/play/?lens=nobody", 400, "q-iteration"),
    ("/play/44", 409, "move 2"),
    ("/play/0314256", 409, "after move 5"),
    ("/reply/03142", 409, "over after 5 moves"),
    ("/play/" + "0" * 1000, 414, "1000 characters"),
    ("/play/?lens=" + "0" * 1000, 414, "1000 characters"),
    ("/agents?sort=size", 400, "blunders, unbeatable-x"),
    ("/agents?sort=title&order=up", 400, "order must be asc, desc"),
    ("/agents/nobody", 404, "q-iteration, q-learning-1"),
    ("/agents/nobody.npz", 404, "q-iteration"),
    ("/agents/q-table?against=nobody", 400, "minimax-random, strongest, best-responder"),
    ("/agents/q-learning-player/blunders?page=²", 400, "page must be 1 to 8."),
    ("/compare/4x", 400, "move 2 of the record is 'x'"),
    ("/compare/?lens=x", 400, "'x' has no values to show"),
    ("/compare/4?lens=champion&frame=99", 400, "frame must be 0 to"),
    ("/embed/curve/q-table?figure=win-rate", 404, ""),
    ("/embed/curve/q-table.svg?width=279", 400, ""),
    ("/embed/curve/q-table.svg?width=wide", 400, ""),
    ("/embed/value/4.png", 404, ""),
    ("/embed/board/44.svg", 409, ""),
    ("/embed/board/x", 400, ""),
    ("/embed/reply/03142", 409, ""),
    ("/embed/experiment/nothing", 404, ""),
    ("/embed/experiment/bad-runs?figure=99", 400, ""),
    ("/experiments?source=theirs", 400, "source must be flesch, nested-software"),
    ("/experiments?verdict=maybe", 400, "verdict must be reproduced, partly"),
    ("/experiments/nothing", 404, "There is no experiment 'nothing'"),
    ("/how/dqn?record=4x", 400, "squares have the numbers 0 to 8"),
    ("/how/writing?board=X", 400, "9 characters"),
    ("/how/won-game?stage=4", 400, "stage must be 0 to 3"),
    ("/how/nowhere", 404, "There are: untrained, learning, blunder, why, unbeatable, "),
    ("/how/untrained?step=99", 400, "step must be 0 to"),
    ("/lab/no-such", 404, "q-learning"),
    ("/lab/q-table,alpha=7", 400, "alpha must be a number from 0 to 1"),
    ("/lab/q-learning,games=400001", 400, "2,000,000"),
    ("/lab/q-table," + "alpha=0.10000000000" * 10, 414, "120"),
    ("/lab?algorithm=no-such", 400, "q-learning"),
    ("/lab/q-table?curve=no-such", 400, "blunders"),
    ("/lab/q-table?ghost=no-such", 404, "q-learning"),
    ("/lab/q-table?game=0", 400, "game must be 1 to 20"),
    ("/lab/q-table?game=1&update=99", 400, "update must be 0 to"),
    ("/lab/q-iteration?game=1", 400, "This training has no games to show"),
    ("/mind/nobody", 404, "Possible names: champion"),
    ("/mind/q-table?step=99", 400, "step must be 0 to"),
    ("/mind/q-table?colour=mood", 400, "There are: expects, wrong"),
    ("/mind/q-table?tile=627", 400, "tile must be 0 to 626"),
    ("/puzzle/0", 404, "numbered 1 to"),
    ("/puzzle/121", 404, "numbered 1 to"),
    ("/puzzle/5?right=9", 400, "right must be 0 to 8"),
    ("/puzzle/5?right=3", 409, "The middle left square is already taken"),
    ("/puzzle/5?plays=4", 400, "plays= in the URL also needs right="),
    ("/puzzle/5?right=0&plays=4&ply=99", 400, "ply must be 0 to 4"),
    ("/puzzle/5?day=2026-02-30", 400, "day must be a date like"),
    ("/puzzle/5?answers=4", 400, "answers must be 0 to 9 digits, 0 to 3"),
    ("/puzzle/10/score", 400, "answers must be 10 digits, 0 to 3"),
    ("/why/4?cell=4", 409, "The centre square is taken"),
    ("/why/03142?cell=8", 409, "The game is over after 5 moves"),
    ("/why/4?cell=0&lens=q-learning-4&step=2", 400, "Only the values as shipped can be expl"),
    ("/arena?player=nobody", 400, "There is no player 'nobody'. Possible names: champion"),
    ("/arena?show=points", 400, "show must be score, win, draw, loss"),
    (
        "/arena?add=q-learning,games=200&player=q-learning,games=300",
        400,
        "one more player: add and player differ",
    ),
]


@pytest.mark.parametrize(("url", "code", "said"), WRONG)
def test_a_wrong_request_is_explained(client: FlaskClient, url: str, code: int, said: str) -> None:
    page = client.get(url, follow_redirects=True)
    notice = client.get(url, headers=HTMX, follow_redirects=True)
    assert page.status_code == notice.status_code == code
    assert said in unescape(page.text)
    assert "<html" in page.text
    assert 'class="notice"' in page.text
    assert "<html" not in notice.text
    assert len(notice.text) < 1_000  # one listed 3,083 characters of names
    assert "HX-Request" in page.headers["Vary"]
    assert page.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["post", "delete"])
@pytest.mark.parametrize("url", ["/play/4", "/reply/4", "/api/v1/agents"])
def test_pages_can_only_be_read(client: FlaskClient, method: str, url: str) -> None:
    response = client.open(url, method=method.upper())
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", ["//evil.example/x", "/play//nowhere//", "///", "//evil.example"])
def test_doubled_slashes_lead_to_single_ones_whatever_is_there(app: Flask, path: str) -> None:
    """The redirect never leads to a host of that name, in any language."""
    for query in ("", "hl=de", "hl=en", "step=1"):
        # A test client would take the name for a host itself.
        environ = create_environ("/") | {"PATH_INFO": path, "QUERY_STRING": query}
        _, status, headers = run_wsgi_app(app.wsgi_app, environ)
        assert status == "308 PERMANENT REDIRECT"
        assert headers["Location"] == re.sub("/+", "/", path) + (f"?{query}" if query else "")


@pytest.mark.parametrize("path", ["/%5Cevil.example/x", "/%E2%80%AEmoc.live", "/%22%3E%3Cb%3E"])
def test_a_page_that_is_not_there_leads_only_to_this_site(client: FlaskClient, path: str) -> None:
    """Browsers take a backslash for a slash, so language links could lead to evil.example."""
    page = client.get(path)
    assert page.status_code == 404
    links = [unescape(link) for link in re.findall(r'(?:href|content)="([^"]*)"', page.text)]
    own = [link for link in links if link.endswith("?hl=de")]
    assert own == [f"http://localhost{path}?hl=de", f"{path}?hl=de"]
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page.text


def test_what_is_sent_is_not_a_way_into_the_page(client: FlaskClient) -> None:
    for url in ("/play/<script>alert(1)</script>", "/play/?x=<script>alert(1)</script>"):
        assert "<script>alert" not in client.get(url).text


@pytest.mark.parametrize("host", ["xn--", "xn--.example", "a b", "a/b", "", "a:b", "é", "a" * 300])
@pytest.mark.parametrize("url", ["/", "/api", "/api/v1/agents", "/play/4"])
def test_a_host_that_cannot_be_is_refused(app: Flask, host: str, url: str) -> None:
    environ = create_environ(url) | {"HTTP_HOST": host}
    app.test_client().get(url)
    assert Response.from_app(app, environ).status_code == 400


def test_a_fault_of_ours_is_logged_and_not_shown(
    caplog: pytest.LogCaptureFixture, start: Callable[..., Flask]
) -> None:
    app = start()

    @app.get("/fault")
    def fault() -> str:
        raise KeyError("the inside")

    response = app.test_client().get("/fault?a=%0a\x1b\n")
    assert response.status_code == 500
    assert "the inside" not in response.text
    logged = next(record for record in caplog.records if "fault" in record.getMessage())
    assert logged.getMessage().isprintable()
    fault_id = logged.getMessage().split()[1]
    assert fault_id in response.text
    assert logged.exc_info is not None


WRONG_FOR_NEWCOMERS = [
    *("/play/44", "/play/?o=nobody", "/play/4?o=q-learning,alpha=9", "/play/4?delay=q"),
    *("/puzzle/5?plays=4", "/how/learning?step=999", "/embed/board/44", "/teach/nothing"),
    *("/teach/q-learning,alpha=0.5", "/teach/paper?size=q", "/nowhere"),
]
THREE_WORDS = re.compile(r"(?=\b([A-Za-z]+ [A-Za-z]+ [A-Za-z]+)\b)")


@pytest.mark.parametrize("path", WRONG_FOR_NEWCOMERS)
@pytest.mark.parametrize("code", ["de", "fr"])
def test_english_reasons_are_marked_as_english(client: FlaskClient, path: str, code: str) -> None:
    """Without its parts in lang="en", a translated message has no words of the English message."""
    english, translated = (
        re.search(r'<p class="notice">(.*?)</p>', client.get(url).text, re.DOTALL)
        for url in (path, f"{path}{'&' if '?' in path else '?'}hl={code}")
    )
    assert english
    assert translated
    assert "lang=" not in english[1]
    unmarked = re.sub(r'<span lang="en">.*?</span>', "", translated[1], flags=re.DOTALL)
    phrases = THREE_WORDS.findall(english[1])
    assert phrases
    assert not [phrase for phrase in phrases if phrase in unmarked]
    assert "&lt;span" not in translated[1]
