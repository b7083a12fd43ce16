"""What is wrong with a request to the API is said in one shape."""

import json
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.test_api import DRAWN, PURE


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("/api/v1/nothing", 404, "/api"),
        ("/api/nothing", 404, "/api"),
        ("/api/v1/agents/nobody", 404, "q-iteration"),
        ("/api/v1/agents/minimax", 404, "q-iteration"),
        ("/api/v1/positions/XO", 400, "'.' for empty"),
        ("/api/v1/positions/xo.......", 400, "'.' for empty"),
        ("/api/v1/positions/XXX......", 404, "no game reaches"),
        ("/api/v1/positions/.........?lens=minimax", 404, "truth"),
        ("/api/v1/positions/.........?lens=q-table&step=-1", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=x", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=1&step=2", 400, "step"),
        ("/api/v1/positions/.........?lens=q-table&step=23", 404, "snapshots"),
        ("/api/v1/positions/.........?step=0", 404, "snapshots"),
        ("/api/v1/positions/.........?agent=q-table", 400, "agent"),
        ("/api/v1/moves/.........", 400, "agent"),
        ("/api/v1/moves/.........?agent=human", 404, "q-iteration"),
        ("/api/v1/moves/.........?agent=random&epsilon=nan", 400, "epsilon"),
        ("/api/v1/moves/.........?agent=random&seed=-1", 400, "seed"),
        ("/api/v1/moves/XXX.OO...?agent=random", 409, "over"),
        ("/api/v1/games/9", 400, "0 to 8"),
        ("/api/v1/games/44", 409, "move 2"),
        ("/api/v1/matches/random/nobody", 404, "q-iteration"),
        ("/api/v1/games/" + "0" * 1000, 414, "1000 characters"),
    ],
)
def test_a_wrong_request_is_explained(
    client: FlaskClient, address: str, code: int, said: str
) -> None:
    response = client.get(address)
    assert (response.status_code, response.mimetype) == (code, "application/json")
    assert response.headers["Cache-Control"] == "no-store"
    fault = json.loads(response.text)
    assert list(fault) == ["error"]
    assert fault["error"]["code"] == code
    assert said in fault["error"]["message"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize("address", [*PURE, DRAWN])
def test_it_can_only_be_read(client: FlaskClient, method: str, address: str) -> None:
    response = client.open(address, method=method)
    assert response.status_code == json.loads(response.text)["error"]["code"] == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_a_fault_of_ours_is_told_and_not_shown(start: Callable[..., Flask]) -> None:
    site = start()

    @site.get("/api/v1/fault")
    def fault() -> str:
        raise KeyError("the inside")

    response = site.test_client().get("/api/v1/fault")
    assert response.status_code == json.loads(response.text)["error"]["code"] == 500
    assert "the inside" not in response.text
