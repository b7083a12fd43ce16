"""The headers of every response, character by character."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest
from flask import Flask
from flask.testing import FlaskClient

EXPECTED = """\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
X-Content-Type-Options: nosniff
Referrer-Policy: no-referrer
Cross-Origin-Opener-Policy: same-origin
Cross-Origin-Resource-Policy: same-origin
Cross-Origin-Embedder-Policy: require-corp"""
HSTS = "Strict-Transport-Security"


@pytest.mark.parametrize(
    "url",
    ["/", "/play/4", "/reply/4", "/set/?record=4", "/healthz", "/nowhere", "/play/44", "/static/x"],
)
def test_every_response_has_them(client: FlaskClient, url: str) -> None:
    for method in (client.get, client.head, client.post, client.options):
        headers = method(url).headers
        for line in EXPECTED.splitlines():
            name, value = line.split(": ", 1)
            assert headers.getlist(name) == [value]
        assert HSTS not in headers


def test_https_is_asked_for_where_it_is_used(client: FlaskClient) -> None:
    response = client.get("/", base_url="https://localhost")
    assert response.headers[HSTS] == "max-age=31536000; includeSubDomains"


def test_nobody_is_given_a_cookie(client: FlaskClient) -> None:
    assert "Set-Cookie" not in client.get("/").headers


def test_nobody_keeps_where_a_form_leads(client: FlaskClient) -> None:
    for url in ("/reply/4", "/set/?record=4"):
        response = client.get(url)
        assert (response.status_code, response.headers["Cache-Control"]) == (303, "no-store")


def test_crawlers_are_asked_to_leave_what_is_trained_for_them(client: FlaskClient) -> None:
    robots = client.get("/robots.txt")
    assert robots.mimetype == "text/plain"
    assert {"User-agent: *", "Disallow: /lab/", "Disallow: /*,"} <= {*robots.text.splitlines()}
    for url in ("/lab/q-table", "/agents/q-table,games=60", "/lab/q-table,games=0"):
        assert client.get(url).headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "X-Robots-Tag" not in client.get("/agents/q-table").headers


def test_a_map_of_the_site_leads_to_what_is_always_there(client: FlaskClient) -> None:
    places = re.findall("<loc>http://localhost([^<]*)</loc>", client.get("/sitemap.xml").text)
    assert {"/", "/agents/q-table", "/experiments/draw-reward"} <= {*places}
    assert len(places) == len({*places})
    header = re.search(r"(?s)<header.*?</header>", client.get("/").text)
    assert header
    robots = re.findall(r"(?m)^Disallow: (.*)$", client.get("/robots.txt").text)
    for room in re.findall(r'href="(/[^"?#]*)"', header[0]):
        allowed = not any(fnmatchcase(room, f"{path}*".replace("?", "[?]")) for path in robots)
        assert (room in places) == allowed or "static" in room, room
    assert {"/judge", "/faults", "/faults/sign"} <= {*places}
    statuses = {client.get(place, follow_redirects=True).status_code for place in places[:40]}
    assert statuses == {200}


# Pages of other sites may read the API where that is configured, and nothing else.


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
