"""The headers of every response, to the letter."""

import re

import pytest
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
    assert all(client.get(place).status_code == 200 for place in places[:12])
