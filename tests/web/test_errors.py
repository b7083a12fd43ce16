"""What is wrong is said in a sentence with the right code, and nothing of the inside."""

from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import create_environ
from werkzeug.wrappers import Response

from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.service.errors import REFUSED

HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("/nowhere", 404, "Q-learning"),
        ("/play/?o=nobody", 404, "q-iteration"),
        ("/play/4x", 400, "cells are 0 to 8"),
        ("/play/?step=x", 400, "step"),
        ("/play/?lens=nobody", 400, "q-iteration"),
        ("/play/44", 409, "move 2"),
        ("/play/0314256", 409, "ply 5"),
        ("/reply/03142", 409, "over after 5 moves"),
        ("/reply/44", 409, "move 2"),
        ("/play/" + "0" * 1000, 414, "1000 characters"),
        ("/play/?lens=" + "0" * 1000, 414, "1000 characters"),
    ],
)
def test_a_wrong_request_is_explained(client: FlaskClient, url: str, code: int, said: str) -> None:
    page, notice = client.get(url), client.get(url, headers=HTMX)
    assert page.status_code == notice.status_code == code
    assert said in page.text
    assert "<html" in page.text
    assert "<html" not in notice.text
    assert "HX-Request" in page.headers["Vary"]
    assert page.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("url", "room"),
    [
        ("/lab/q-learning,alpha=7", "Lab"),
        ("/judge/xyz", "Judge"),
        ("/experiments/xyz", "Experiments"),
        ("/puzzle/999", "Find its mistake"),
    ],
)
def test_a_wrong_address_leads_to_the_room_it_is_in(
    client: FlaskClient, url: str, room: str
) -> None:
    start = "/" + url.split("/")[1]
    assert f'href="{start}">To “{room}”</a>' in client.get(url).text
    assert "To “" not in client.get("/nowhere").text


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
@pytest.mark.parametrize("url", ["/", "/play/4", "/reply/4", "/healthz"])
def test_pages_can_only_be_read(client: FlaskClient, method: str, url: str) -> None:
    response = client.open(url, method=method.upper())
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_what_is_sent_is_not_a_way_into_the_page(client: FlaskClient) -> None:
    for url in ("/play/<script>alert(1)</script>", "/play/?x=<script>alert(1)</script>"):
        assert "<script>alert" not in client.get(url).text


@pytest.mark.parametrize("host", ["xn--", "xn--.example", "a b", "a/b", "", "a:b", "é", "a" * 300])
@pytest.mark.parametrize("url", ["/", "/api", "/api/v1/agents", "/play/4"])
def test_a_host_that_cannot_be_is_refused(site: Flask, host: str, url: str) -> None:
    environ = create_environ(url) | {"HTTP_HOST": host}
    site.test_client().get(url)
    assert Response.from_app(site, environ).status_code == 400


@pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "xn--bcher-kva.example", "a_b"])
def test_a_host_that_can_be_is_not(client: FlaskClient, host: str) -> None:
    assert client.get("/api", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("status", [400, 414, 417, 431, 501])
def test_what_the_server_refuses_is_explained_too(client: FlaskClient, status: int) -> None:
    page = client.get("/refused", environ_base={REFUSED: status})
    told = client.get("/api/refused", environ_base={REFUSED: status})
    assert page.status_code == told.status_code == status
    assert "<html" in page.text
    error = told.get_json()["error"]
    assert error["code"] == status
    assert error["message"] in unescape(page.text)


def test_a_fault_of_ours_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    site = create_app()

    @site.get("/fault")
    def fault() -> str:
        raise KeyError("the inside")

    response = site.test_client().get("/fault?a=%0a\x1b\n")
    assert response.status_code == 500
    assert "the inside" not in response.text
    logged = next(record for record in caplog.records if "fault" in record.getMessage())
    assert logged.getMessage().isprintable()
    fault_id = logged.getMessage().split()[1]
    assert fault_id in response.text
    assert logged.exc_info is not None


def test_no_server_starts_on_a_broken_model(tmp_path: Path, site: Flask) -> None:
    source = next(iter(sorted(Path(site.root_path).parents[1].glob("models/*.npz"))))
    (tmp_path / source.name).write_bytes(source.read_bytes()[:-1])
    card = source.with_suffix(".json")
    (tmp_path / card.name).write_bytes(card.read_bytes())
    with pytest.raises(ModelError, match=source.name):
        create_app(tmp_path)


def test_no_server_starts_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model"):
        create_app(tmp_path)
