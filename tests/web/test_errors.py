"""What is wrong is said in a sentence with the right code, and nothing of the inside."""

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.tictactoe.agents import ModelError
from app.web import create_app

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


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
@pytest.mark.parametrize("url", ["/", "/play/4", "/reply/4", "/healthz"])
def test_pages_can_only_be_read(client: FlaskClient, method: str, url: str) -> None:
    response = client.open(url, method=method.upper())
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_what_is_sent_is_not_a_way_into_the_page(client: FlaskClient) -> None:
    for url in ("/play/<script>alert(1)</script>", "/play/?x=<script>alert(1)</script>"):
        assert "<script>alert" not in client.get(url).text


def test_a_fault_of_ours_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    site = create_app()

    @site.get("/fault")
    def fault() -> str:
        raise KeyError("the inside")

    response = site.test_client().get("/fault")
    assert response.status_code == 500
    assert "the inside" not in response.text
    logged = next(record for record in caplog.records if "fault" in record.getMessage())
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
