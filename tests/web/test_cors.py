"""Pages of other sites may read the API where that is configured, and nothing else."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.test_headers import EXPECTED

API, PAGE = "/api/v1/agents/champion", "/play/4"
FRIEND, STRANGER = {"Origin": "https://friend.example"}, {"Origin": "https://stranger.example"}
ALLOWED = "Access-Control-Allow-Origin"
SHARED = "Cross-Origin-Resource-Policy"


@pytest.fixture
def opened(start: Callable[..., Flask], request: pytest.FixtureRequest) -> FlaskClient:
    return start(CORS_ORIGINS=request.param).test_client()


def test_nobody_may_by_default(client: FlaskClient) -> None:
    headers = client.get(API, headers=FRIEND).headers
    assert ALLOWED not in headers
    for line in EXPECTED.splitlines():
        assert headers.getlist(line.split(": ", 1)[0]) == [line.split(": ", 1)[1]]


@pytest.mark.parametrize("opened", ["https://other.example https://friend.example"], indirect=True)
def test_who_is_named_may_read_the_api(opened: FlaskClient) -> None:
    for address in (API, "/api/v1/nothing"):
        friend = opened.get(address, headers=FRIEND).headers
        assert (friend[ALLOWED], friend[SHARED]) == ("https://friend.example", "cross-origin")
        stranger = opened.get(address, headers=STRANGER).headers
        assert (stranger.get(ALLOWED), stranger[SHARED]) == (None, "same-origin")
        assert "Origin" in friend["Vary"]
        assert "Origin" in stranger["Vary"]
    for headers in (FRIEND, STRANGER):
        page = opened.get(PAGE, headers=headers).headers
        assert (page.get(ALLOWED), page[SHARED]) == (None, "same-origin")


@pytest.mark.parametrize("opened", ["*"], indirect=True)
def test_everybody_may_where_it_is_open(opened: FlaskClient) -> None:
    headers = opened.get(API).headers
    assert (headers[ALLOWED], headers[SHARED]) == ("*", "cross-origin")
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-mine"}
    before = opened.options(API, headers=STRANGER | asked)
    assert (before.status_code, before.headers["Access-Control-Allow-Headers"]) == (200, "*")


@pytest.mark.parametrize(
    "origin", ["friend.example", "https://friend.example/", "https://*.example"]
)
def test_no_server_starts_on_what_is_no_origin(start: Callable[..., Flask], origin: str) -> None:
    with pytest.raises(ValueError, match="CORS_ORIGINS"):
        start(CORS_ORIGINS=origin)
