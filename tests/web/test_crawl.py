"""What holds for every page: each route and each parameter is visited once.

Links and forms lead somewhere, anchors have their elements, addresses are written as they are read,
answers are kept, and only frames may be framed.
"""

from html import unescape
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import create_environ

from app.web.links.lab import LAB_ROUTE
from app.web.pages.api.page import UNREACHABLE_EXAMPLE
from app.web.routes import EMBED_PREFIX
from app.web.service.queries import build_query_reader
from app.web.site_data import SiteData
from tests.web.addresses import Visit, crawl, list_rules, things

pytestmark = pytest.mark.long
# Routes to which no link leads before somebody has solved ten puzzles or sent a table.
UNLINKED = "score", "/judge/", f"{EMBED_PREFIX}value/."


@pytest.fixture(scope="module")
def visits(app: Flask) -> list[Visit]:
    client = app.test_client()
    client.environ_base["HTTP_ACCEPT"] = "text/html,*/*;q=0.8"
    return [*crawl(client)]


def test_every_route_is_reached_and_every_link_leads_somewhere(
    app: Flask, site: SiteData, visits: list[Visit]
) -> None:
    reached = {rule for visit in visits for rule, _ in things(app, visit.address)}
    unreached = list_rules(app) - reached
    assert not [rule for rule in unreached if not any(part in rule for part in UNLINKED)]
    for visit in visits:
        expected = (404,) if visit.address == UNREACHABLE_EXAMPLE else (200, 202, 302, 303)
        assert visit.response.status_code in expected, visit.address
    for name in {name for visit in visits for name in list_recipes(visit)}:
        assert site.canonicalize(name) == name


def list_recipes(visit: Visit) -> set[str]:
    """Return the recipes of the lab to which a page links."""
    links = visit.page.links if visit.page else ()
    paths = (link.partition("?")[0] for link in links if link.startswith(f"{LAB_ROUTE.url()}/"))
    names = {unquote(path.removeprefix(f"{LAB_ROUTE.url()}/")) for path in paths}
    return {name for name in names if "," in name and not name.endswith((".svg", ".csv", ".py"))}


def test_every_anchor_has_its_element(visits: list[Visit]) -> None:
    pages = {visit.address: visit.page for visit in visits if visit.page}
    for source, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(urljoin(source, link))
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{source} links to {target}#{anchor}"


def test_links_are_written_as_their_routes_read_them(app: Flask, visits: list[Visit]) -> None:
    """Otherwise each of them would be cached under another URL."""
    read = build_query_reader(app)
    links = {link for visit in visits if visit.page for link in visit.page.written}
    assert len(links) > 1000
    for link in map(unescape, links):
        if link.startswith("/") and "?" in link:
            assert read(create_environ(link)) == urlsplit(link).query, link


def test_every_answer_that_is_kept_is_asked_for_again(
    client: FlaskClient, visits: list[Visit]
) -> None:
    kept = 0
    for visit in visits:
        tag = visit.response.headers.get("ETag")
        if tag is None:
            policy = str(visit.response.cache_control)
            assert (
                visit.response.status_code != 200 or "no-store" in policy or "immutable" in policy
            )
            continue
        kept += 1
        assert not tag.startswith("W/")
        again = client.get(visit.address, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b""), visit.address
    assert kept > 100


def test_only_frames_may_be_framed(client: FlaskClient, visits: list[Visit]) -> None:
    for visit in visits:
        policy = visit.response.headers["Content-Security-Policy"]
        may_be_framed = policy.endswith("frame-ancestors *")
        assert may_be_framed == visit.address.startswith(EMBED_PREFIX), visit.address
    for address in ("/embed", "/embedded", "/static/x/embed/board/", "/x/embed/board/4"):
        assert "frame-ancestors 'none'" in client.get(address).headers["Content-Security-Policy"]
